"""Files of texts: labels, pairs, splits, plain lines, and what is wrong with them in one sentence."""

import json

import numpy as np
import pytest

from hypertorus import data as read_data
from hypertorus.datasets.read import read_any
from hypertorus.datasets.texts import TEXT_BYTES, Texts, texts_of

SENTENCES = [f"{colour} {what}" for what in ("bird", "fish") for colour in ("red", "green", "blue", "grey")]


def written(path, header, rows):
    path.write_text("\n".join([",".join(header), *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")
    return str(path)


def test_texts_with_labels_are_split_by_class_and_named_by_themselves(tmp_path):
    rows = [(sentence, sentence.split()[1]) for sentence in SENTENCES]
    data = read_data(written(tmp_path / "animals.csv", ("text", "label"), rows))
    assert (data.name, data.classes, len(data.train), len(data.test)) == ("animals", ("bird", "fish"), 6, 2)
    for part in (data.train, data.test):
        found = texts_of(part.__getitems__(range(len(part))))
        assert found == part.columns.names.tolist() == [SENTENCES[place] for place in part.columns.places]
        assert [data.classes[label] for label in part.labels] == [text.split()[1] for text in found]


@pytest.mark.parametrize("suffix", [".jsonl", ".tsv"])
def test_a_column_of_parts_decides_in_every_format(tmp_path, suffix):
    rows = [(text, text.split()[1], "test" if "grey" in text else "train") for text in SENTENCES]
    path = tmp_path / f"animals{suffix}"
    names = ("text", "label", "part")
    if suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows))
    else:
        path.write_text("\n".join("\t".join(row) for row in (names, *rows)))
    assert texts_of(read_data(str(path)).test.__getitems__([0, 1])) == ["grey bird", "grey fish"]


def test_of_a_pair_set_aside_the_anchor_is_tested_and_its_positive_stays(tmp_path):
    rows = [(f"question {n}", f"answer {n}") for n in range(20)]
    data = read_data(written(tmp_path / "pairs.csv", ("anchor", "positive"), rows), test_share=0.25)
    tested = texts_of(data.test.__getitems__(range(len(data.test))))
    kept = texts_of(data.train.__getitems__(range(len(data.train))))
    assert len(tested) == 5
    assert sorted(tested + kept) == sorted(text for row in rows for text in row)
    for text, label in zip(tested, data.test.labels.tolist(), strict=True):
        partner = kept[data.train.labels.tolist().index(label)]
        assert partner == text.replace("question", "answer")
    training, validation = data.with_validation(0.2)
    assert len(validation) == 3
    assert set(validation.labels.tolist()) <= set(training.labels.tolist())


def test_a_pair_that_shares_a_text_with_an_earlier_one_is_left_out(tmp_path):
    """Its anchor would be found as its own nearest text, in the class of the other pair."""
    rows = [(f"question {n // 2}", f"answer {n}") for n in range(20)] + [("another question", "answer 0")]
    with pytest.warns(UserWarning, match=r"11 of 21 pairs of .*pairs.csv were left out.* give texts that belong"):
        data = read_data(written(tmp_path / "pairs.csv", ("anchor", "positive"), rows), test_share=0.25)
    texts = [text for part in (data.train, data.test) for text in texts_of(part.__getitems__(range(len(part))))]
    assert sorted(texts) == sorted([f"question {n}" for n in range(10)] + [f"answer {2 * n}" for n in range(10)])


def test_texts_without_labels_are_lines_or_a_column(tmp_path):
    (tmp_path / "lines.txt").write_text("a gull\n\neine Möwe\n", encoding="utf-8")
    plain = read_any(str(tmp_path / "lines.txt"))
    assert texts_of(plain.__getitems__([0, 1])) == ["a gull", "eine Möwe"]
    column = read_any(written(tmp_path / "column.csv", ("text",), [("a gull",)]))
    assert (len(column), column.labels.tolist()) == (1, [-1])


def test_a_long_text_is_cut_within_its_bytes_and_never_within_a_letter():
    part = Texts.of(["ö" * TEXT_BYTES, "x" + "ö" * TEXT_BYTES])
    whole, uneven = texts_of(part.__getitems__([0, 1]))
    assert whole == "ö" * (TEXT_BYTES // 2)
    assert uneven == "x" + "ö" * (TEXT_BYTES // 2 - 1)
    assert np.char.str_len(part.columns.names).tolist() == [200, 200]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "text,label\nred bird,bird\n  ,fish\n", "row 2 of .*t.csv has no text; fill it or remove the row"),
        ("t.csv", "text,label\nred bird,bird\nblue fish,\n", "row 2 of .*t.csv has no label"),
        (
            "t.csv",
            "text,part\nred bird,train\n",
            "has the columns text, part; training needs the columns text and label",
        ),
        ("t.csv", "text,label\n", "t.csv has no rows"),
        (
            "t.csv",
            "anchor,positive\na,b\nc,d\n",
            "t.csv has 2 pairs of different texts; pass at least 4",
        ),
        ("t.csv", "text,label\na,b\nc\n", r"\(line 3 has 1 cells, and there are 2 columns\); fix it or write it again"),
        (
            "t.jsonl",
            '{"text": "a", "label": "b"}\n{"text": "a"}\n',
            "row 2 is not an object with the names of the first",
        ),
        ("t.jsonl", '{"text": "a", "label": "b"}\nno json\n', "row 2 is not JSON"),
        ("t.txt", "a gull\n", "has the columns text; training needs"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        read_data(str(tmp_path / name))
