"""One page to import: all that a user needs is there, and the ten lines of the README work on every kind of data."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hypertorus as ht
from hypertorus.datasets.chirps import write_chirps


@pytest.fixture
def source(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if request.param == "recordings/":
        write_chirps(tmp_path / "recordings", species=4, recordings=5)
    elif request.param.startswith("vectors"):
        rng, labels = np.random.default_rng(0), np.arange(120) % 4
        vectors = rng.normal(size=(4, 10))[labels] + 0.3 * rng.normal(size=(120, 10))
        if request.param.endswith("npz"):
            np.savez("vectors.npz", X=vectors, y=labels)
        else:
            lines = [",".join(map(str, [*row, f"bird {label}"])) for row, label in zip(vectors, labels, strict=True)]
            (tmp_path / "vectors.csv").write_text("\n".join([",".join([*"abcdefghij", "label"]), *lines]))
    return request.param


@pytest.mark.parametrize("source", ["recordings/", "digits", "vectors.npz", "vectors.csv"], indirect=True)
def test_the_ten_lines(source):
    data = ht.data(source)
    model = ht.train(
        data, "model/", space="torusN", dim=16, epochs=2, batch=16 if source != "digits" else 200, show=False
    )
    index = model.index(data.train)
    neighbours = index.search(model.encode(data.test), k=5)
    assert neighbours.ids.shape == neighbours.distances.shape == neighbours.labels.shape == (len(data.test), 5)
    assert set(neighbours.labels.ravel()) <= set(data.classes)
    measured = ht.evaluate(model.embeddings(data))
    assert "space torusN, dim 16" in str(measured)
    assert measured["none"].precision_at_1 == model.training_facts["test"]
    assert measured["8bit"].precision_at_1 == model.training_facts["test_8bit"]
    index.save("birds.index")
    np.testing.assert_array_equal(ht.Index.open("birds.index").search(model.encode(data.test), k=5).ids, neighbours.ids)
    again = ht.load("model/")
    np.testing.assert_array_equal(again.embed(data), model.embed(source))
    if source == "recordings/":
        assert again.embed("recordings/species-01/001.wav").shape == (1, 16)
        assert neighbours.names[0, 0].startswith("species-")


@pytest.mark.parametrize("source", ["vectors.npz"], indirect=True)
def test_training_is_resumed_and_what_has_finished_is_returned(source, tmp_path):
    settings = {"dim": 8, "epochs": 2, "batch": 32, "show": False}
    first = ht.train(source, "model", **settings)
    written = (tmp_path / "model" / "model.safetensors").stat().st_mtime_ns
    assert ht.train(source, "model", **settings).fingerprint == first.fingerprint
    assert (tmp_path / "model" / "model.safetensors").stat().st_mtime_ns == written
    with pytest.raises(ValueError, match="already holds a model; pass --restart"):
        ht.train(source, "model", **{**settings, "epochs": 3})
    other = ht.train(source, "model", **{**settings, "epochs": 3}, restart=True)
    assert other.fingerprint != first.fingerprint


def test_the_page_is_what_type_checkers_see():
    text = Path(ht.__file__).read_text()
    block = text[text.index("if TYPE_CHECKING:") : text.index("__version__")]
    typed = {line.split(" as ")[1].strip() for line in block.splitlines() if " as " in line} | {"data"}
    assert typed == set(ht.__all__)
    for name in ht.__all__:
        assert getattr(ht, name) is not None


@pytest.mark.parametrize(
    "line",
    [
        "ht.Index(8).add(__import__('numpy').zeros((1, 8), int))",
        "ht.TorusN(8).turns(__import__('numpy').ones((1, 8)))",
        "ht.Embeddings(__import__('numpy').ones((1, 8)), 'raw', 'torusN').codes()",
    ],
)
def test_storing_and_searching_need_no_torch(line):
    code = f"import sys, hypertorus as ht; {line}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
