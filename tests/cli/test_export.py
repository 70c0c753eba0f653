"""`hypertorus export c`: from a model or an index to a folder of C, with what it takes said first."""

import json
import re
from functools import partial

import numpy as np
import pytest

from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.search import Index

RNG = np.random.default_rng(0)


@pytest.fixture
def run(run):
    return partial(run, "export", "c")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "digits"
    Model(encoder("mlp:20", (1, 8, 8)), (1, 8, 8), 16, "torusN", head="linear").save(folder, {"data": "digits"})
    return folder


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    file = tmp_path_factory.mktemp("indexes") / "birds.safetensors"
    index = Index(6)
    index.add(RNG.integers(0, 256, (40, 6), np.uint8), labels=["owl", "jay"] * 20)
    index.save(file)
    return file


def test_a_model_is_written_and_its_cost_is_said(run, model, tmp_path):
    code, out, _ = run(model, "--encoder", "--chip", "atmega328p", "--out", "firmware")
    assert code == 0
    assert "digits for avr: 64 numbers to 8 coordinates of 8 bits, 40 codes of 10 classes" in out
    for line in ("Accuracy on 359 test inputs", "floats, all 1,438 codes", "integers, all 1,438 codes"):
        assert line in out
    weights = 64 * 20 + 20 * 20 + 20 * 16
    assert re.search(rf"weights +{weights:,} *\n", out)
    assert "of 32,768 of atmega328p" in out
    assert "of 2,048 of atmega328p" in out
    assert "ht_encode" in (tmp_path / "firmware" / "src" / "model.c").read_text()


def test_a_convolutional_model_is_written_too(run, tmp_path):
    shape = (1, 8, 8)
    model = Model(encoder("keyword:6", shape), shape, 8, "torusC", head="linear", mean=[0.3], std=[0.4])
    model.save(tmp_path / "model", {"data": "digits"})
    code, out, _ = run(tmp_path / "model", "--encoder", "--chip", "stm32f030f4", "--out", "firmware")
    assert code == 0
    weights = 8 * 25 + 8 * 9 + 8 * 8 + 16 * 6 + 4 * (6 * 9 + 2 + 6 * 6) + 6 * 8  # depthwise ones end at whole words
    assert re.search(rf"weights +{weights:,} *\n", out)
    assert "integers, all 1,438 codes" in out
    assert re.search(r"a stream, in place of windows +\d+ *\n", out)
    assert "void ht_window_frame(" in (tmp_path / "firmware" / "src" / "model.h").read_text()


def test_facts_come_as_json(run, model):
    code, out, _ = run(model, "--encoder", "--bits", 4, "--prototypes", 2, "--target", "riscv", "--out", "f", "--json")
    facts = json.loads(out)
    assert code == 0
    assert (facts["target"], facts["inputs"], facts["dim"], facts["bits"], facts["codes"]) == ("riscv", 64, 8, 4, 20)
    assert facts["flash"] == facts["flash_constants"] + facts["flash_code_estimate"]
    assert facts["flash_tables"]["codes"] == 20 * 4
    assert facts["ram_arrays"] == 20 + 20
    assert 0 < facts["accuracy"] <= 1


def test_an_index_is_written_with_all_its_codes(run, index, tmp_path):
    code, out, _ = run(index, "--out", "firmware")
    assert code == 0
    assert "birds for portable: 6 coordinates of 8 bits, 40 codes of 2 classes" in out
    assert "Accuracy on 40 codes of the index" in out
    text = (tmp_path / "firmware" / "src" / "model.c").read_text()
    assert "ht_encode" not in text
    assert '"jay", "owl"' in text


def test_what_does_not_fit_is_an_error_and_leaves_nothing_behind(run, model, tmp_path):
    code, out, complaint = run(model, "--encoder", "--prototypes", "all", "--chip", "attiny85", "--out", "firmware")
    assert code == 1
    assert "machine code, about" in out
    assert "bytes of flash and attiny85 has 8,192" in complaint
    assert "too few" in complaint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--prototypes", "few"], "--prototypes is 'few'; pass the number for each class, 1 or more, or all."),
        (["--prototypes", "0"], "--prototypes is '0'; pass the number for each class, 1 or more, or all."),
        (["--encoder"], "is an index, which has no --encoder; leave it out"),
        (["--data", "digits"], "is an index, which has no --data; leave it out"),
        (["--chip", "z80"], "--chip is 'z80'; choose one of attiny85, atmega328p,"),
        (["--target", "z80"], "--target is 'z80'; choose one of portable, avr, cortex-m, riscv."),
        (
            ["--target", "riscv", "--chip", "rp2040"],
            "--target is riscv, but rp2040 is a chip for cortex-m; leave --target out.",
        ),
        (["--bits", "5"], "bits is 5; a coordinate has 8, 4, 2 or 1."),
    ],
)
def test_mistakes_are_sentences(run, index, arguments, sentence):
    code, _, complaint = run(index, *arguments, "--out", "firmware")
    assert code == 1
    assert sentence in complaint


def test_a_source_that_is_not_there_is_said(run):
    code, _, complaint = run("nowhere", "--out", "firmware")
    assert code == 1
    assert "nowhere does not exist; pass the folder of a model, or the file of an index." in complaint
