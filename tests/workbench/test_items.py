"""Keys lead back to their rows, outlive a rebuilt index, and give the same random order."""

from types import SimpleNamespace

import numpy as np

from hypertorus.embeddings import Embeddings
from hypertorus.listen.windows import SoundWindows
from hypertorus.search import Index
from hypertorus.workbench import Items


def sounds(files):
    """As much of an index of sounds as items need."""
    windows, index = SoundWindows(), Index(2, model="m")
    for path, places in files.items():
        windows.add(path, places)
    index.add(np.zeros((len(windows), 2), int))
    return SimpleNamespace(folder="card", index=index, windows=windows, model=None)


FILES = {"a#1/x.wav": [(0.0, 3.0), (3.0, 5.25)], "b.wav": [(0.0, 3.0), (1 / 3, 3 + 1 / 3)]}


def test_every_key_leads_back_to_its_row():
    named = Index(1)
    named.add(np.zeros((5, 1), int), names=["b", "a", "b", "b", "a#2"])
    unnamed = Index(1)
    unnamed.add(np.zeros((3, 1), int), ids=np.array([9, 4, 30]))
    for items in (Items.of(named), Items.of(unnamed), Items.of(sounds(FILES))):
        keys = [items.key(row) for row in range(len(items))]
        assert len(set(keys)) == len(keys)
        assert items.rows(keys).tolist() == list(range(len(keys)))
        assert items.rows(["nothing", "#5", "b#9", "b.wav#0-2", "b.wav#x", ""]).tolist() == [-1] * 6
    assert [Items.of(named).key(row) for row in range(4)] == ["b", "a", "b#2", "b#3"]
    assert Items.of(sounds(FILES)).key(1) == "a#1/x.wav#3-5.25"


def test_keys_and_ranks_outlive_a_rebuilt_index():
    before, after = (
        Items.of(sounds(FILES)),
        Items.of(sounds({"new.wav": [(0.0, 3.0)], **dict(reversed(FILES.items()))})),
    )
    for row in range(len(before)):
        other = after.row(before.key(row))
        assert other is not None
        assert before.ranks[row] == after.ranks[other]


def test_forgotten_windows_are_no_items():
    heard = sounds(FILES)
    heard.index.remove([1])
    items = Items.of(heard)
    assert [items.key(row) for row in range(len(items))][1] == "b.wav#0-3"
    assert items.row("a#1/x.wav#3-5.25") is None


def test_ranks_are_random():
    index = Index(1)
    index.add(np.zeros((4000, 1), int), names=[f"{number}.wav" for number in range(4000)])
    ranks = Items.of(index).ranks
    assert len(np.unique(ranks)) == 4000
    shares = ranks / 2**64
    np.testing.assert_allclose([shares.mean(), shares.std()], [1 / 2, 12**-0.5], atol=0.02)
    assert abs(np.corrcoef(shares[1:], shares[:-1])[0, 1]) < 0.05


def test_recordings_are_those_of_training_unless_names_have_times():
    def recordings(*names):
        index = Index(1)
        index.add(np.zeros((len(names), 1), int), names=list(names))
        return Items.of(index).recordings.tolist()

    clips = recordings("owl/7_1.ogg", "jay/7_2.ogg", "jay/8_1.ogg")
    assert clips[0] == clips[1] != clips[2]
    assert len(set(recordings("A_20240501_050000.wav", "A_20240501_060000.wav"))) == 2
    assert len(set(recordings("REC_0001.wav", "REC_0002.wav"))) == 2  # or a whole card would be one recording
    assert len(set(recordings("IMG_0001.jpg", "IMG_0002.jpg", "DSC_1.jpg"))) == 3
    texts = recordings("bindings to SDL2_ttf", "bindings to SDL2_ttf; profiling", "bindings to SDL2_ttf")
    assert texts[0] == texts[2] != texts[1]
    record = Embeddings(np.zeros((3, 2), np.uint8), "codes", "torusC", groups=[5, 5, 6], names=["a", "b", "c"])
    assert Items.of_embeddings(record).recordings.tolist() == [5, 5, 6]
