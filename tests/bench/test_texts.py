"""`python -m benchmarks.text`: what it keeps is taken again only for the seeds it was measured with."""

import json

from benchmarks.text import __main__ as texts


def test_a_measurement_of_other_seeds_is_not_taken_for_this_one(tmp_path, monkeypatch):
    measured = []

    def measure(data, _other, _work, seeds):
        measured.append((data, list(seeds)))
        return {"seeds": list(seeds), "rows": {}}

    monkeypatch.setattr(texts, "read_set", lambda name, *_: name)
    monkeypatch.setattr(texts, "measure", measure)
    for seeds in (["0"], ["0", "1"], ["0", "1"]):
        words = ["text", "--json", tmp_path / "out.json", "--work", tmp_path, "--sets", "packages", "--seeds", *seeds]
        monkeypatch.setattr("sys.argv", list(map(str, words)))
        texts.main()
    assert measured == [("packages", [0]), ("packages", [0, 1])]
    record = json.loads((tmp_path / "out.json").read_text())
    assert record["result"]["packages"]["seeds"] == [0, 1]
    assert record["command"].endswith("--sets packages --seeds 0 1")
