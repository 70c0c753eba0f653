"""What is taken away and brought in."""

import io
import zipfile

import pytest
import soundfile

from hypertorus import Index, detect, learn, load, read_annotations, read_classes, read_embeddings
from hypertorus.explorer.bring import recording_of
from hypertorus.explorer.take import short_names
from hypertorus.export import firmware
from hypertorus.export.from_index import known_of_file
from hypertorus.workbench import open_classifiers
from tests.explorer.conftest import SOUND


@pytest.fixture
def said(client, ids):
    """Yes to the first window of both recordings of the pond, no to another."""
    first, second = ids["POND_20240510_043000.wav"], ids["POND_20240511_043000.wav"]
    for number, answer in ((first, "yes"), (second, "yes"), (ids["a.wav"], "no")):
        client.post("/api/say", json={"ids": [number], "question": "low/tone", "answer": answer})
    return first, second


@pytest.fixture
def take(client, tmp_path):
    def take(form, what="answers", **more):
        answer = client.get("/api/take", params={"question": "low/tone", "form": form, "what": what, **more})
        assert answer.status_code == 200, answer.text
        name = answer.headers["content-disposition"].split('"')[1]
        (tmp_path / name).write_bytes(answer.content)
        if name.endswith(".zip"):
            zipfile.ZipFile(tmp_path / name).extractall(tmp_path / form)
            return tmp_path / form
        return tmp_path / name

    return take


@pytest.mark.usefixtures("said")
def test_raven_tables_of_each_file_and_of_all_with_cumulative_times(take):
    folder = take("raven")
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.txt"))
    assert files == [
        "POND_20240510_043000.selections.txt",
        "POND_20240511_043000.selections.txt",
        "all-low-tone.selections.txt",
    ]
    rows = [line.split("\t") for line in (folder / files[2]).read_text().splitlines()]
    begins = [float(row[rows[0].index("Begin Time (s)")]) for row in rows[1:]]
    assert begins == [0.0, 1.5]  # the first recording has 1.5 seconds
    assert [(one.path, one.start, one.label) for one in read_annotations(folder / files[2])] == [
        ("POND_20240510_043000.wav", 0.0, "low/tone"),
        ("POND_20240511_043000.wav", 0.0, "low/tone"),
    ]


@pytest.mark.parametrize("form", ["birdnet", "parquet"])
@pytest.mark.usefixtures("said")
def test_one_table_of_all(take, form):
    found = read_annotations(take(form), form)
    assert [(one.start, one.end, one.score) for one in found] == [(0.0, 0.5, None)] * 2


@pytest.mark.usefixtures("said")
def test_audacity_has_a_file_for_each_recording(take):
    folder = take("audacity")
    assert sorted(path.name for path in folder.iterdir()) == [
        "POND_20240510_043000.labels.txt",
        "POND_20240511_043000.labels.txt",
    ]


@pytest.mark.usefixtures("said")
def test_what_a_threshold_finds_has_scores_and_a_persons_word_counts_more(client, take):
    threshold = client.post("/api/run", json={"question": "low/tone"}).json()["edges"][0] - 1
    found = read_annotations(take("birdnet", "found", threshold=threshold, windows="single"), "birdnet")
    assert len(found) == 9 - 1
    assert all(0 <= one.score <= 1 for one in found)
    none = read_annotations(take("birdnet", "found", threshold=10**9), "birdnet")
    assert [one.path for one in none] == ["POND_20240510_043000.wav", "POND_20240511_043000.wav"]


def test_cumulative_times_count_every_recording_of_the_index(client, ids, take):
    """As Raven counts them when the whole card is opened as one sequence, and as `hypertorus detect` does."""
    client.post("/api/say", json={"ids": [ids["a.wav"]], "question": "low/tone", "answer": "yes"})
    head, row = (line.split("\t") for line in (take("raven") / "all-low-tone.selections.txt").read_text().splitlines())
    assert float(row[head.index("Begin Time (s)")]) == 1.5 + 1 + 1  # the pond, and the other copy
    assert float(row[head.index("File Offset (s)")]) == 0


def test_windows_that_touch_are_one_event_unless_each_is_wanted(client, said, take):
    client.post("/api/say", json={"ids": [said[0] + 1], "question": "low/tone", "answer": "yes"})
    single = read_annotations(take("parquet", windows="single"))
    assert [(one.start, one.end) for one in single] == [(0.0, 0.5), (0.5, 1.0), (0.0, 0.5)]
    merged = take("parquet")
    found = read_annotations(merged)
    assert [(one.start, one.end, one.low) for one in found] == [(0.0, 1.0, SOUND.lowest), (0.0, 0.5, SOUND.lowest)]
    assert len(list(take("clips").rglob("*.wav"))) == 2
    for _ in range(4):
        client.post("/api/undo", json={})
    client.post("/api/bring", params={"name": merged.name}, content=merged.read_bytes())
    brought = {str(number): "yes" for number in (said[0], said[0] + 1, said[1])}
    assert client.get("/api/said").json()["classes"] == {"low/tone": brought}


@pytest.mark.usefixtures("said")
def test_clips_are_the_windows(take):
    folder = take("clips")
    clips = sorted(folder.rglob("*.wav"))
    assert [clip.name for clip in clips] == ["POND_20240510_043000_0-0.5.wav", "POND_20240511_043000_0-0.5.wav"]
    assert [soundfile.info(clip).frames for clip in clips] == [8000, 8000]


@pytest.mark.usefixtures("said")
def test_a_model_folder_with_what_was_learnt(take, collection):
    folder = take("model")
    assert load(folder / "model").fingerprint == collection.network.fingerprint
    (classifier,) = open_classifiers(folder / "model" / "classifiers.safetensors")
    assert classifier.name == "low/tone"
    assert set(read_embeddings(folder / "model" / "classes.safetensors").label_names) == {"low/tone", "none"}
    assert "low/tone" in Index.open(folder / "prototypes.index").labels


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"form": "pdf"}, "choose one of raven"),
        ({"what": "all"}, "choose one of answers"),
        ({"question": "wren"}, "nothing to take"),
        ({"what": "found", "threshold": "x"}, "must be a number"),
        ({"form": "../../x"}, "choose one of raven"),
    ],
)
@pytest.mark.usefixtures("said")
def test_what_cannot_be_taken_is_one_sentence(client, wrong, sentence):
    asked = {"question": "low/tone", "form": "raven", "what": "answers", **wrong}
    refused = client.get("/api/take", params=asked)
    assert refused.status_code == 400
    assert sentence in refused.json()["error"]


@pytest.mark.parametrize("form", ["birdnet", "parquet", "raven"])
def test_what_was_taken_away_is_brought_back(client, said, take, form):
    path = take(form)
    if form == "raven":
        path = path / "all-low-tone.selections.txt"
    for _ in said:
        client.post("/api/undo", json={})
    client.post("/api/undo", json={})
    assert client.get("/api/said").json()["classes"] == {}
    brought = client.post("/api/bring", params={"name": path.name, "who": "Grace"}, content=path.read_bytes()).json()
    assert brought == {"annotations": 2, "answered": 2, "classes": ["low/tone"], "unknown": 0, "example": None}
    assert client.get("/api/said").json()["classes"] == {"low/tone": {str(number): "yes" for number in said}}
    again = client.post("/api/bring", params={"name": path.name}, content=path.read_bytes()).json()
    assert again["answered"] == 0


def test_tables_of_recordings_with_similar_names_stay_apart_and_are_found_again():
    paths = ["a/owl.wav", "a/owl.flac", "2024.05.01.wav", "wren.wav"]
    assert short_names(paths) == {**{path: path for path in paths[:2]}, paths[2]: "2024.05.01", paths[3]: "wren"}
    for path, name in short_names(paths).items():
        assert recording_of(paths, f"{name.rpartition('/')[2]}.labels.txt") == path
    assert recording_of(paths, "owl.labels.txt") is None


def test_labels_of_audacity_belong_to_the_recording_of_their_name(client, ids):
    sent = {"name": "POND_20240510_043000.labels.txt"}
    brought = client.post("/api/bring", params=sent, content=b"0.55\t0.9\towl\n").json()
    assert (brought["answered"], brought["classes"]) == (1, ["owl"])
    number = ids["POND_20240510_043000.wav"] + 1
    assert client.get("/api/said").json()["classes"] == {"owl": {str(number): "yes"}}
    unnamed = client.post("/api/bring", params={"name": "labels.txt"}, content=b"0.55\t0.9\towl\n")
    assert "names no recording" in unnamed.json()["error"]


def test_recordings_of_another_folder_are_found_by_their_names(client):
    head = "Start (s),End (s),Scientific name,Common name,Confidence,File\r\n"
    table = head + "0,0.5,owl,owl,1,E:\\card\\POND_20240510_043000.wav\r\n0,1,owl,owl,1,nowhere.wav\r\n"
    brought = client.post("/api/bring", params={"name": "owls.csv"}, content=table.encode()).json()
    assert (brought["answered"], brought["unknown"], brought["example"]) == (1, 1, "nowhere.wav")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("owls.csv", b"\xff\xfe"),
        ("owls.txt", b"Begin Time (s)\tEnd Time (s)\n1"),
        ("owls.parquet", b"PAR1"),
        ("owls.exe", b"MZ"),
        ("../owls", b""),
    ],
)
def test_a_table_that_is_none_is_one_sentence(client, name, content):
    refused = client.post("/api/bring", params={"name": name}, content=content)
    assert refused.status_code == 400
    assert "hypertorus-explore-" not in refused.json()["error"]
    assert client.get("/api/said").json()["classes"] == {}


@pytest.mark.usefixtures("said")
def test_a_zip_holds_no_path_that_leads_out(client):
    content = client.get("/api/take", params={"question": "low/tone", "form": "clips", "what": "answers"}).content
    for name in zipfile.ZipFile(io.BytesIO(content)).namelist():
        assert not name.startswith("/")
        assert ".." not in name


@pytest.fixture
def classes_file(client, take, tmp_path):
    """Answer for a class, yes to some ids and no to others, and take the model away."""

    def make(question, yes, no):
        for number, answer in (dict.fromkeys(yes, "yes") | dict.fromkeys(no, "no")).items():
            client.post("/api/say", json={"ids": [number], "question": question, "answer": answer})
        return take("model", question=question).rename(tmp_path / question) / "model" / "classes.safetensors"

    return make


def test_what_the_page_gives_is_detected_combined_and_grown(classes_file, ids, place, tmp_path, tones):
    low = [ids["POND_20240510_043000.wav"], ids["POND_20240510_043000.wav"] + 1, ids["POND_20240511_043000.wav"]]
    high = [ids["a.wav"], ids["a.wav"] + 1]
    files = [classes_file("low", low, [*high, low[1] + 1]), classes_file("high", high, [*low, high[0] - 1])]

    def found(classes):
        made = detect(place / "recordings", files[0].parent, tmp_path / "out", classes=classes, overlap=0, restart=True)
        return [(one.label, one.path, one.start, one.end) for one in read_annotations(made.together[0])]

    pond = [("low", "POND_20240510_043000.wav", 0.0, 1.0), ("low", "POND_20240511_043000.wav", 0.0, 0.5)]
    assert found(None) == pond
    # Together: what is no example of the one class is an example of the other all the same.
    both = read_classes(files[0]).with_examples([read_classes(files[1])])
    assert both.counts == {"high": 2, "low": 3, "none": 2}
    both.examples.save(tmp_path / "both.safetensors")
    copies = [("high", "copies/<img src=x onerror=alert(1)>.wav", 0.0, 0.5), ("high", "copies/a.wav", 0.0, 1.0)]
    assert found(tmp_path / "both.safetensors") == [*pond, *copies]
    # With more examples of a class, and a new one, from a folder.
    for name, hertz in (("low", 420), ("middle", 3000), ("middle", 3100)):
        path = tmp_path / "examples" / name / f"{hertz}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, tones(hertz), 16_000)
    grown = both.with_examples([learn(tmp_path / "examples", load(place / "model"))])
    assert grown.counts == {"high": 2, "low": 4, "middle": 2, "none": 2}
    grown.examples.save(tmp_path / "grown.safetensors")
    assert {label for label, *_ in found(tmp_path / "grown.safetensors")} == {"low", "high", "middle"}
    for known in (tmp_path / "grown.safetensors", tmp_path / "low" / "prototypes.index"):
        assert "low" in firmware(known_of_file(known), None, "portable").known.classes
