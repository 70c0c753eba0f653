"""The folder of an engine: replaced whole, and opened only if every byte is as it was written."""

import json

import numpy as np
import pytest

import hypertorus as ht
from hypertorus.engines import ENGINES


@pytest.fixture(params=ENGINES)
def folder(request, tmp_path):
    codes = np.random.default_rng(0).integers(0, 256, (50, 16), np.uint8)
    ht.engine(request.param).build(codes, metric="l1", threads=1).save(tmp_path / "engine")
    return tmp_path / "engine"


def own_files(folder):
    return [path for path in sorted(folder.iterdir()) if path.name != "engine.json"]


def rewritten(folder, **changes):
    path = folder / "engine.json"
    content = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps(content))


def test_it_says_what_it_holds(folder):
    content = json.loads((folder / "engine.json").read_text())
    assert (content["format"], content["format_version"]) == ("hypertorus-engine", 1)
    assert {name: content[name] for name in ("dim", "bits", "metric", "count")} == {
        "dim": 16, "bits": 8, "metric": "l1", "count": 50,
    }  # fmt: skip
    assert set(content["files"]) == {path.name for path in own_files(folder)}
    assert set(content["versions"]) == {"hypertorus", content["package"]}


def test_damaged_files_are_one_sentence_and_never_opened(folder, monkeypatch):
    kind = type(ht.open_engine(folder))
    monkeypatch.setattr(kind, "_read", lambda *_, **__: pytest.fail("the library was given a damaged file"))
    for path in own_files(folder):
        whole = path.read_bytes()
        changed = bytearray(whole)
        changed[len(whole) // 2] ^= 1
        for damaged, error in (
            (whole[:-1], r"has \d+ bytes, not the \d+ that engine.json says"),
            (b"", "has 0 bytes"),
            (whole + b"x", "it was cut short or replaced: save the engine again"),
            (bytes(changed), "does not match its checksum in engine.json"),
        ):
            path.write_bytes(damaged)
            with pytest.raises(ValueError, match=error) as raised:
                ht.open_engine(folder)
            assert "\n" not in str(raised.value)
        path.unlink()
        with pytest.raises(FileNotFoundError, match=f"{path.name} is missing"):
            ht.open_engine(folder)
        path.write_bytes(whole)


@pytest.mark.parametrize(
    "content, error",
    [
        (b"", "is not valid JSON"),
        (b"[" * 100_000, "is not valid JSON"),
        (b"\xff", "is not valid JSON"),
        (b"[]", "is not of a hypertorus engine"),
        (b'{"format": "hypertorus-model"}', "is not of a hypertorus engine"),
        (b'{"format": "hypertorus-engine", "format_version": 2}', "has format version 2, and this hypertorus reads 1"),
        (b'{"format": "hypertorus-engine", "format_version": 1}', "does not match its own checksum"),
    ],
)
def test_foreign_json_is_one_sentence(content, error, tmp_path):
    (tmp_path / "engine.json").write_bytes(content)
    with pytest.raises(ValueError, match=error):
        ht.open_engine(tmp_path)


@pytest.mark.parametrize("changes", [{"dim": 17}, {"metric": "l2"}, {"count": 51}, {"engine": "flat"}, {"files": {}}])
def test_edited_json_is_refused(folder, changes):
    rewritten(folder, **changes)
    with pytest.raises(ValueError, match="does not match its own checksum"):
        ht.open_engine(folder)


@pytest.mark.parametrize(
    "changes, error",
    [
        ({"files": {"../engine/engine.json": {}}}, "does not describe"),
        ({"dim": -1}, "describes no engine"),
        ({"dim": "16"}, "describes no engine"),
        ({"metric": "l3"}, "describes no engine"),
        ({"options": [1]}, "describes no engine"),
        ({"count": 1.5}, "describes no engine"),
        ({"count": 51}, "engine.json says"),
        ({"dim": 24}, "engine.json says|of other vectors"),
        ({"engine": "annoy"}, "engine is 'annoy'"),
    ],
)
def test_json_that_was_forged_with_its_checksum_is_refused(folder, changes, error):
    from hypertorus.engines.folder import _seal

    rewritten(folder, **changes)
    content = json.loads((folder / "engine.json").read_text())
    content.pop("sha256")
    rewritten(folder, sha256=_seal(content))
    with pytest.raises(ValueError, match=error):
        ht.open_engine(folder)


def test_another_engine_is_refused(folder):
    other = "usearch" if "usearch" not in folder.joinpath("engine.json").read_text() else "exact"
    with pytest.raises(ValueError, match=f"not '{other}'; open it with ht.open_engine"):
        ht.engine(other).open(folder)


def test_saving_replaces_an_engine_and_nothing_else(folder, tmp_path):
    more = ht.engine("exact").build(np.zeros((3, 2), np.uint8))
    more.save(folder)
    assert len(ht.open_engine(folder)) == 3
    (tmp_path / "empty").mkdir()
    more.save(tmp_path / "empty")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("one")
    for path in (tmp_path / "thesis", tmp_path / "thesis" / "chapter.txt"):
        with pytest.raises(ValueError, match="is not the folder of an engine, so it is not replaced"):
            more.save(path)
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "one"
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        ht.open_engine(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"has no engine\.json"):
        ht.open_engine(tmp_path / "thesis")


def test_a_save_that_fails_leaves_the_old_one(folder, monkeypatch):
    engine = ht.open_engine(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def fail(_, place):
        (place / "half").write_text("half")
        raise OSError("no room")

    monkeypatch.setattr(type(engine), "_write", fail)
    with pytest.raises(OSError, match="no room"):
        engine.save(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert list(folder.parent.iterdir()) == [folder]
