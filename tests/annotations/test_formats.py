"""Annotations come back from every format as they went in, and what is no such file is one sentence."""

import re
from dataclasses import replace

import pytest

from hypertorus.annotations import FORMATS, Annotation, read_annotations, write_annotations
from hypertorus.annotations.table import LARGEST

OWLS = [
    Annotation("site/owl.wav", 0.0, 3.0, "Strix aluco_Tawny Owl", 0.9312, 400.0, 1200.5),
    Annotation("site/owl.wav", 4.5, 4.5, 'a "quoted", label', 0.0),
    Annotation("site/owl.wav", 61.000001, 3600.25, "", None, 0.0, 24_000.0),
    Annotation("site/owl.wav", 7.0, 8.0, "_ _a_a a_", 1.0),
]
WRENS = [Annotation("wren [1].flac", 0.5, 3.5, "zaunkönig ~ 鷦鷯", 0.25), Annotation("a/wren.wav", 1.0, 2.0, "a_a")]
KINDS = list(FORMATS)
TEXTS = ["raven", "audacity", "birdnet"]


def keeps(kind, annotations):
    """What a format can hold of them: BirdNET's has no bands."""
    return [replace(one, low=None, high=None) for one in annotations] if kind == "birdnet" else annotations


@pytest.mark.parametrize("kind", KINDS)
def test_annotations_of_one_recording_come_back(tmp_path, kind):
    file = tmp_path / f"owl.wav{FORMATS[kind]}"
    for annotations in (OWLS, []):
        write_annotations(file, annotations)
        assert read_annotations(file, recording="site/owl.wav") == keeps(kind, annotations)
        assert read_annotations(file, kind, recording="site/owl.wav") == keeps(kind, annotations)


@pytest.mark.parametrize("kind", ["raven", "birdnet", "parquet"])
def test_annotations_of_several_recordings_come_back(tmp_path, kind):
    file, every = tmp_path / f"all{FORMATS[kind]}", [*OWLS, *WRENS]
    lengths = {"a/wren.wav": 100.5, "silent.wav": 50.0, "site/owl.wav": 4000.0, "wren [1].flac": 9.0}
    write_annotations(file, every, lengths=lengths)
    assert read_annotations(file) == keeps(kind, every)


def test_times_of_a_combined_raven_table_are_cumulative(tmp_path):
    file = tmp_path / "all.selections.txt"
    lengths = {"first.wav": 60.0, "silent.wav": 30.5, "site/last.wav": 60.0}
    write_annotations(
        file, [Annotation("first.wav", 3, 6, "a"), Annotation("site/last.wav", 3, 6, "b")], lengths=lengths
    )
    header, *rows = [line.split("\t") for line in file.read_text().splitlines()]
    columns = [dict(zip(header, row, strict=True)) for row in rows]
    assert [(row["Begin Time (s)"], row["End Time (s)"]) for row in columns] == [("3.0", "6.0"), ("93.5", "96.5")]
    assert [(row["Begin File"], row["File Offset (s)"]) for row in columns] == [
        ("first.wav", "3.0"),
        ("last.wav", "3.0"),
    ]
    with pytest.raises(ValueError, match=r"lengths has no site/last\.wav; pass the length of every recording"):
        write_annotations(file, [Annotation("site/last.wav", 3, 6, "b")], lengths={"first.wav": 60.0})


@pytest.mark.parametrize(
    "kind, name", [("raven", "2 recordings; a Raven"), ("audacity", "2 recordings; write a file of")]
)
def test_a_file_of_one_recording_takes_no_others(tmp_path, kind, name):
    with pytest.raises(ValueError, match=f"the annotations are of {name}"):
        write_annotations(tmp_path / "some", WRENS, kind)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mark", ["\t", "\n", "\r", "\v", "\x85", "\u2028", "'", '"', "\\", ";", "=1+1", "#"])
def test_odd_names_survive_or_are_refused_plainly(tmp_path, kind, mark):
    file, odd = tmp_path / "odd", [Annotation(f"a{mark}b.wav", 1.0, 2.0, f"{mark}c{mark}{mark}d{mark}")]
    if kind in ("raven", "audacity") and mark in "\t\n\r":
        with pytest.raises(ValueError, match=r"has a tab or a line break, which a .* cannot hold; rename it"):
            write_annotations(file, odd, kind)
        assert list(tmp_path.iterdir()) == []
    else:
        write_annotations(file, odd, kind)
        assert read_annotations(file, kind, recording=odd[0].path) == odd


@pytest.mark.parametrize(
    "values, sentence",
    [
        ({"start": 3.0, "end": 2.0}, "from 3.0 to 2.0 s"),
        ({"start": -1.0}, "from -1.0 to"),
        ({"end": float("nan")}, "to nan s"),
        ({"end": 1e300}, r"to 1e\+300 s"),
        ({"score": float("inf")}, "has the score inf"),
        ({"low": 5.0}, "give both frequencies, or neither"),
        ({"low": 5.0, "high": 1.0}, "from 5.0 to 1.0 Hz"),
        ({"path": "a\0b"}, "no file can hold"),
        ({"path": ""}, "has no path"),
        ({"label": "caf\udce9"}, "no file can hold"),
    ],
)
def test_what_cannot_be_an_annotation_is_told(values, sentence):
    with pytest.raises(ValueError, match=sentence):
        Annotation(**{"path": "owl.wav", "start": 0.0, "end": 3.0, "label": "owl", **values})


RAVEN = "Selection\tView\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tBegin File\tSpecies\n"
BIRDNET = "Start (s),End (s),Scientific name,Common name,Confidence,File\n"


def test_tables_of_the_programs_themselves_are_read(tmp_path):
    raven, birdnet, audacity = tmp_path / "a.txt", tmp_path / "b.csv", tmp_path / "c.txt"
    raven.write_bytes(
        (RAVEN + "1\tWaveform 1\t1.5\t2\t\t\towl.wav\tTAOW\n1\tSpectrogram 1\t1.5\t2\t300\t900\towl.wav\tTAOW\n")
        .replace("\n", "\r\n")
        .encode("utf-8-sig")
    )
    assert read_annotations(raven) == [Annotation("owl.wav", 1.5, 2.0, "TAOW")]
    assert read_annotations(raven, label="View") == [Annotation("owl.wav", 1.5, 2.0, "Waveform 1")]
    birdnet.write_text("Start (s),End (s),Scientific name,Common name,Confidence\n0.0,3.0,,background,0.12\n\n")
    assert read_annotations(birdnet, recording="owl.wav") == [Annotation("owl.wav", 0.0, 3.0, "background", 0.12)]
    audacity.write_text("1.000000\t2.500000\tStrix aluco, Tawny Owl\t0.9300\n\\\t300.0\t900.0\n3.0\t3.0\n")
    assert read_annotations(audacity, recording="owl.wav") == [
        Annotation("owl.wav", 1.0, 2.5, "Strix aluco, Tawny Owl", 0.93, 300.0, 900.0),
        Annotation("owl.wav", 3.0, 3.0, ""),
    ]


@pytest.mark.parametrize(
    "kind, content, sentence",
    [
        ("raven", RAVEN + "1\tSpectrogram 1\t1.5", r"line 2 has 3 cells, and there are 8 columns"),
        (
            "raven",
            RAVEN + "1\tS\tnan\t2\t\t\towl.wav\tx",
            r"row 1 of .*: Begin Time \(s\) is 'nan', which is not a number",
        ),
        ("raven", RAVEN + "1\tS\t3\t2\t\t\towl.wav\tx", "from 3.0 to 2.0 s"),
        ("raven", RAVEN + "1\tS\t1\t1e99\t\t\towl.wav\tx", r"to 1e\+99 s"),
        ("raven", RAVEN + "1\tS\t1\t2\t9\t\towl.wav\tx", "give both frequencies"),
        ("raven", RAVEN + "1\tS\t1\t2\t\t\t\tx", "it names no recording in 'Begin Path' or 'Begin File'"),
        ("raven", RAVEN.replace("Species", "Mine") + "1\tS\t1\t2\t\t\towl.wav\tx", "has no column of labels"),
        ("raven", "Selection\tStart\n1\t2\n", r"has no column 'Begin Time \(s\)'"),
        ("raven", RAVEN.replace("View", "Selection"), "it has 'selection' twice"),
        ("raven", "", "has no column 'Begin Time"),
        ("birdnet", BIRDNET + "0,3,a,b,NaN,owl.wav", "Confidence is 'NaN', which is not a number"),
        ("birdnet", BIRDNET + "0,3,a,b,0.5,", "it names no recording in 'File'"),
        ("birdnet", BIRDNET + '0,3,"a,b,0.5,owl.wav', "line 2 has 3 cells"),
        ("birdnet", BIRDNET + "0,3," + "a" * 200_000 + ",b,0.5,owl.wav", "field larger than field limit"),
        ("birdnet", "path,label\na,b\n", r"has no column 'Start \(s\)', which a BirdNET table has; it has path, label"),
        ("audacity", "1.0\t2.0\tx\ty\tz\n", "label 1 has 5 columns"),
        ("audacity", "just words\n", "label 1 has 1 columns"),
        ("audacity", "1.0\t2.0\tx\ty\n", "score is 'y', which is not a number"),
        ("audacity", "2.0\t1.0\tx\n", "from 2.0 to 1.0 s"),
        ("audacity", "\\\t1.0\t2.0\n", "a band that follows no label"),
        ("parquet", "PAR1 and so on", "is not a Parquet file of annotations"),
    ],
)
def test_what_is_no_such_file_is_one_sentence(tmp_path, kind, content, sentence):
    file = tmp_path / "file"
    file.write_text(content)
    with pytest.raises(ValueError, match=sentence) as error:
        read_annotations(file, kind, recording="owl.wav" if kind == "audacity" else None)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_of_anything_are_one_sentence(tmp_path, kind):
    file = tmp_path / "file"
    write_annotations(file, OWLS, kind)
    whole = file.read_bytes()
    cut = [whole[: len(whole) // 2]] if kind == "parquet" else []
    for content in (b"\xff\xfe\0\0", bytes(range(256)), whole.replace(b"6", b"\xe9"), *cut):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=re.escape(str(file))) as error:
            read_annotations(file, kind, recording="owl.wav")
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", TEXTS)
def test_a_table_of_an_absurd_size_is_not_read(tmp_path, kind):
    file = tmp_path / "file"
    with file.open("wb") as sparse:
        sparse.truncate(LARGEST + 1)
    with pytest.raises(ValueError, match=r"has 268,435,457 bytes; a .* of at most 268,435,456 is read, so split it"):
        read_annotations(file, kind, recording="owl.wav")


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"start": ["soon"]}, "start is 'soon', which is of another type"),
        ({"start": [True]}, "start is 'True', which is of another type"),
        ({"end": [None]}, "end is 'None', which is of another type"),
        ({"end": [float("nan")]}, "to nan s"),
        ({"label": [3]}, "label is '3', which is of another type"),
        ({"label": None}, "it has no column label"),
    ],
)
def test_parquet_of_other_columns_is_one_sentence(tmp_path, change, sentence):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"path": ["owl.wav"], "start": [1], "end": [2.5], "label": ["owl"], "comment": ["loud"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "fine.parquet")
    assert read_annotations(tmp_path / "fine.parquet") == [Annotation("owl.wav", 1, 2.5, "owl")]
    changed = {name: values for name, values in {**columns, **change}.items() if values is not None}
    parquet.write_table(pyarrow.table(changed), tmp_path / "other.parquet")
    with pytest.raises(ValueError, match=sentence):
        read_annotations(tmp_path / "other.parquet")


def test_a_format_that_nobody_knows_is_told(tmp_path):
    with pytest.raises(ValueError, match="the format is 'xml'; choose one of raven, audacity, birdnet, parquet"):
        write_annotations(tmp_path / "a.xml", [], "xml")
    with pytest.raises(ValueError, match="does not say its format; end it in"):
        write_annotations(tmp_path / "a.xml", [])
