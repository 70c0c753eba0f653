import json
import shutil

import numpy as np
import pytest

import hypertorus as ht
from hypertorus.coders.folder import is_coder


@pytest.fixture
def folder(coder, tmp_path):
    coder.save(tmp_path / "coder")
    return tmp_path / "coder"


def test_what_is_saved_comes_back(coder, folder, vectors):
    again = ht.load_coder(folder)
    assert (again.kind, again.bytes, again.facts, again.fingerprint) == (
        coder.kind,
        coder.bytes,
        coder.facts,
        coder.fingerprint,
    )
    np.testing.assert_array_equal(again.transform(vectors), coder.transform(vectors))
    assert {path.name for path in folder.iterdir()} == {"coder.safetensors", "config.json"}
    assert is_coder(folder)
    assert not is_coder(folder.parent)


def change_config(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))


@pytest.mark.parametrize(
    "damage, sentence",
    [
        (lambda folder: (folder / "config.json").unlink(), "there is no .*config.json"),
        (lambda folder: (folder / "coder.safetensors").unlink(), "has no coder.safetensors"),
        (lambda folder: (folder / "config.json").write_text("{"), "not valid JSON"),
        (lambda folder: change_config(folder, format="hypertorus-model"), "not the config of a hypertorus coder"),
        (lambda folder: change_config(folder, format_version=9), "has format version 9"),
        (lambda folder: change_config(folder, bytes=0), "no valid 'bytes'"),
        (lambda folder: change_config(folder, bytes=True), "no valid 'bytes'"),
        (lambda folder: change_config(folder, kind="square"), "has kind 'square'"),
        (lambda folder: change_config(folder, numbers=41), r"no valid mean of shape \(41,\)"),
        (lambda folder: change_config(folder, sha256="0"), "does not match the checksum"),
    ],
)
def test_a_damaged_folder_is_refused_in_a_sentence(folder, damage, sentence):
    damage(folder)
    with pytest.raises((ValueError, FileNotFoundError), match=sentence):
        ht.load_coder(folder)


def test_a_mixture_of_two_coders_does_not_load(folder, vectors, tmp_path):
    ht.codes_for(vectors, bytes=4, steps=0).save(tmp_path / "other")
    shutil.copy(tmp_path / "other" / "coder.safetensors", folder)
    with pytest.raises(ValueError, match="does not match the checksum"):
        ht.load_coder(folder)


@pytest.mark.parametrize("name, value", [("mean", np.nan), ("bits", 5), ("bits", 0)])
def test_numbers_that_cannot_be_are_refused(vectors, tmp_path, name, value):
    coder = ht.codes_for(vectors, bytes=4, steps=0)
    coder.weights[name][0] = value
    coder.save(tmp_path / "coder")
    with pytest.raises(ValueError, match="fit the coder again"):
        ht.load_coder(tmp_path / "coder")
