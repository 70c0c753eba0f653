import pytest

from hypertorus.embeddings.recordings import recordings


def same(paths, group=None):
    """Which paths are of one recording, as sets of them."""
    numbers = recordings(paths, group)
    if numbers is None:
        return None
    found = {}
    for path, number in zip(paths, numbers.tolist(), strict=True):
        found.setdefault(number, set()).add(path)
    return sorted(map(sorted, found.values()))


def test_files_with_one_stem_are_of_one_recording_in_whatever_folder():
    paths = ["owl/XC_7_1.ogg", "jay/XC_7_2.ogg", "owl/XC_8_1.ogg", "owl/plain.ogg"]
    assert same(paths) == [["jay/XC_7_2.ogg", "owl/XC_7_1.ogg"], ["owl/XC_8_1.ogg"], ["owl/plain.ogg"]]
    assert same(paths, "stem") == same(paths, "auto") == same(paths)
    assert same(paths, "none") is None


def test_files_that_share_no_stem_are_each_a_recording():
    assert same(["owl/1_1.ogg", "owl/2_1.ogg"]) is None
    assert same(["owl/a.ogg", "jay/a.ogg"], "stem") is None


def test_a_file_listed_twice_is_one_recording_however_they_are_told():
    for group in ("auto", "none", "stem"):
        assert len(same(["a.ogg", "a.ogg", "b.ogg"], group)) == 2


def test_other_ways_are_refused():
    with pytest.raises(ValueError, match="group is 'folder'; choose one of auto, stem, none"):
        recordings(["a.ogg"], "folder")
