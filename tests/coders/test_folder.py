"""A coder's folder: what is loaded is what was saved, or it is an error, also while another coder takes its place."""

import json
import threading

import numpy as np
import pytest

import hypertorus as ht
from hypertorus.coders.folder import is_coder
from hypertorus.files.tensors import tensor_bytes


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
        (lambda folder: [path.unlink() for path in folder.iterdir()], "has no config.json; pass the folder of a coder"),
        (lambda folder: folder.rename(folder.with_name("gone")), "there is no folder .*; pass the folder of a coder"),
        (lambda folder: (folder / "coder.safetensors").unlink(), "has no coder.safetensors"),
        (lambda folder: (folder / "config.json").write_text("{"), "not valid JSON"),
        (lambda folder: change_config(folder, format="hypertorus-model"), "not the config of a hypertorus coder"),
        (lambda folder: change_config(folder, format_version=9), "has format version 9"),
        (lambda folder: change_config(folder, bytes=0), "no valid 'bytes'"),
        (lambda folder: change_config(folder, bytes=True), "no valid 'bytes'"),
        (lambda folder: change_config(folder, kind="square"), "has kind 'square'"),
        (lambda folder: change_config(folder, numbers=41), r"no valid mean of shape \(41,\)"),
        (lambda folder: change_config(folder, sha256=0), "no valid 'sha256'"),
    ],
)
def test_a_damaged_folder_is_refused_in_a_sentence(folder, damage, sentence):
    damage(folder)
    with pytest.raises((ValueError, FileNotFoundError), match=sentence):
        ht.load_coder(folder)


def test_weights_whose_config_is_not_there_yet_are_a_whole_coder(folder, vectors, tmp_path):
    """A save replaces the weights, then config.json; this is what is found between the two, or after a crash there."""
    other = ht.codes_for(vectors, bytes=4, steps=0)
    other.save(tmp_path / "other")
    (tmp_path / "other" / "coder.safetensors").replace(folder / "coder.safetensors")
    for _ in range(2):
        again = ht.load_coder(folder)
        assert (again.fingerprint, again.facts) == (other.fingerprint, other.facts)
        assert is_coder(folder)
        (folder / "config.json").unlink(missing_ok=True)
    other.save(folder)  # what a crash left is replaced
    assert (folder / "config.json").exists()


def test_readers_get_the_old_coder_or_the_new(vectors, tmp_path):
    coders = [ht.codes_for(vectors, bytes=size, steps=0) for size in (4, 6)]
    coders[0].save(tmp_path)
    saving = threading.Thread(target=lambda: [coder.save(tmp_path) for coder in coders[::-1] * 30])
    saving.start()
    loaded = set()
    while saving.is_alive():
        loaded.add(ht.load_coder(tmp_path).fingerprint)
    saving.join()
    assert loaded == {coder.fingerprint for coder in coders}


def test_any_changed_byte_is_told(vectors, tmp_path):
    ht.codes_for(vectors, bytes=4, steps=0).save(tmp_path)
    path = tmp_path / "coder.safetensors"
    whole = path.read_bytes()
    for place in np.random.default_rng(0).integers(len(whole), size=50):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(ValueError, match=r"coder\.safetensors"):
            ht.load_coder(tmp_path)


@pytest.mark.parametrize(
    "name, content",
    [
        ("config.json", b'{"format": "hypertorus-model", "format_version": 1}'),
        ("config.json", b"[]"),
        ("coder.safetensors", b"weights of a month"),
        ("coder.safetensors", b"".join(tensor_bytes({}, {"config": '{"format": "hypertorus-model"}'}))),
    ],
)
def test_what_is_not_ours_is_not_replaced(coder, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(
        ValueError, match=rf"{name} is not of a hypertorus coder, so it is not replaced; choose another"
    ):
        coder.save(tmp_path)
    assert not is_coder(tmp_path)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, content)]


def test_what_json_cannot_hold_leaves_the_old_coder(folder, vectors):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    other = ht.codes_for(vectors, bytes=4, steps=0)
    other.facts["recall"] = float("nan")
    with pytest.raises(ValueError, match="the coder's config cannot be written as JSON"):
        other.save(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("name, value", [("mean", np.nan), ("bits", 5), ("bits", 0)])
def test_numbers_that_cannot_be_are_refused(vectors, tmp_path, name, value):
    coder = ht.codes_for(vectors, bytes=4, steps=0)
    coder.weights[name][0] = value
    coder.save(tmp_path / "coder")
    with pytest.raises(ValueError, match="fit the coder again"):
        ht.load_coder(tmp_path / "coder")
