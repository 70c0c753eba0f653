"""Searching by results, files, stretches and names."""

import io

import numpy as np
import pytest
import soundfile

from hypertorus import circular_mean
from hypertorus.explorer.sounds import band
from hypertorus.sound.wave import read_wave

MARKUP = "<img src=x onerror=alert(1)>.wav"


def wav(samples, rate=16_000, kind="WAV"):
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format=kind)
    return file.getvalue()


def test_the_page_says_what_it_shows(client):
    about = client.get("/api/about").json()
    assert (about["kind"], about["count"], about["recordings"], about["title"]) == ("sounds", 9, 4, "recordings")
    assert about["chance"] == 0.5
    assert ".wav" in about["drop"]


def test_a_result_finds_its_neighbours_in_the_order_of_the_index(client, collection, ids):
    first = ids["POND_20240510_043000.wav"]
    found = client.post("/api/search", json={"like": [first], "k": 8}).json()
    wanted = collection.index.search(collection.index.vectors([first]), 9)
    flat = [number for each in found["results"] for number in (each["id"], *each["same"])]
    assert first not in flat
    assert sorted(flat) == sorted(set(wanted.ids[0].tolist()) - {first})
    shares = [each["distance"] for each in found["results"]]
    assert shares == sorted(shares)
    far = dict(zip(wanted.ids[0].tolist(), wanted.distances[0].tolist(), strict=True))
    for each in found["results"]:
        assert each["distance"] == pytest.approx(far[each["id"]] / (16 * 2**15))
    assert [each["id"] for each in found["query"]] == [first]


def test_place_and_time_come_from_the_name(client, ids):
    first = ids["POND_20240510_043000.wav"]
    card = next(each for each in client.post("/api/browse", json={"k": 9}).json()["results"] if each["id"] == first + 1)
    assert (card["site"], card["when"], card["start"]) == ("POND", "2024-05-10 04:30:00", 0.5)


def test_copies_are_folded_into_one(client, ids):
    found = client.post("/api/search", json={"like": [ids["POND_20240510_043000.wav"]], "k": 9}).json()
    folded = [each for each in found["results"] if each["same"]]
    assert any({ids["a.wav"], ids[MARKUP]} <= {each["id"], *each["same"]} for each in folded)


def test_one_per_recording(client, ids):
    asked = {"like": [ids["a.wav"]], "k": 9, "one_each": True}
    found = client.post("/api/search", json=asked).json()["results"]
    names = [each["name"] for each in found]
    assert len(names) == len(set(names)) == 4 - len([each for each in found if each["same"]])
    assert sum(each["more"] for each in found) > 0


def test_several_results_are_searched_for_by_their_circular_mean(client, collection, ids):
    chosen = [ids["POND_20240510_043000.wav"], ids["POND_20240511_043000.wav"]]
    found = client.post("/api/search", json={"like": chosen, "k": 3}).json()
    mean = circular_mean(collection.index.vectors(chosen))
    wanted = [n for n in collection.index.search(mean[None], 9).ids[0].tolist() if n not in chosen]
    assert found["results"][0]["id"] == wanted[0]
    assert "circular mean of 2" in found["sentence"]


def test_a_dropped_file_is_searched_for(client, tones):
    sent = client.post("/api/upload?name=heard.wav", content=wav(tones(410, 3100)))
    number = sent.json()["upload"]
    found = client.post("/api/search", json={"upload": number, "k": 2}).json()
    assert {each["name"] for each in found["results"]} == {"POND_20240511_043000.wav"}
    assert {each["at"] for each in found["results"]} == {0.0, 0.5}
    assert all(each["distance"] < 0.01 for each in found["results"])
    assert client.get(f"/sound/upload/{number}").headers["content-type"] == "audio/wav"
    assert client.get(f"/levels/upload/{number}").headers["levels-end"] == "1"


@pytest.mark.parametrize("name", ["heard.exe", "heard", "../../etc/passwd", "", "heard.pt"])
def test_a_file_of_another_kind_is_refused(client, name):
    refused = client.post("/api/upload", params={"name": name}, content=b"x")
    assert refused.status_code == 400
    assert ".wav" in refused.json()["error"]


@pytest.mark.parametrize("content", [b"", b"no sound", b"RIFF\xff\xff\xff\xffWAVEfmt ", b"fLaC" + bytes(100)])
def test_a_dropped_file_that_is_no_sound_is_one_sentence(client, content):
    number = client.post("/api/upload?name=heard.wav", content=content).json()["upload"]
    refused = client.post("/api/search", json={"upload": number})
    assert refused.status_code == 400
    assert refused.json()["error"].startswith("heard.wav is not a readable sound")


def test_an_upload_that_is_too_large_is_refused_whether_it_says_so_or_not(client):
    large = bytes((1 << 20) + 1)
    assert client.post("/api/upload?name=heard.wav", content=large).status_code == 413

    def pieces():
        yield large
        yield large

    assert client.post("/api/upload?name=heard.wav", content=pieces()).status_code == 413


def test_a_few_uploads_are_kept_under_names_of_ours(client, tones):
    numbers = [
        client.post("/api/upload?name=..%2F..%2Fheard.wav", content=wav(tones(500))).json()["upload"] for _ in range(9)
    ]
    gone = client.post("/api/search", json={"upload": numbers[0]})
    assert gone.status_code == 400
    assert "drop it again" in gone.json()["error"]
    assert client.post("/api/search", json={"upload": numbers[-1]}).status_code == 200


def test_a_stretch_is_what_the_model_listens_to(client, ids):
    number = ids["POND_20240510_043000.wav"]
    stretch = {"id": number, "start": 0.5, "end": 1.0}
    found = client.post("/api/search", json={"stretch": stretch, "k": 1}).json()
    assert found["results"][0]["id"] == number + 1
    assert found["results"][0]["distance"] == 0
    assert "all frequencies" in found["sentence"]


def test_a_band_of_a_stretch_leaves_out_all_other_frequencies(client, place, ids):
    path = place / "recordings" / "POND_20240510_043000.wav"
    wave = read_wave(path, 16_000, 0, 1.5)
    left = band(wave, 16_000, 2500, 3500)
    power = np.abs(np.fft.rfft(left.numpy())) ** 2
    hertz = np.fft.rfftfreq(len(left), 1 / 16_000)
    assert power[(hertz < 2300) | (hertz > 3700)].sum() < 1e-6 * power.sum()
    stretch = {"id": ids[path.name], "start": 0, "end": 0.5, "low": 2500, "high": 3500}
    found = client.post("/api/search", json={"stretch": stretch, "k": 1}).json()
    assert "2.5 to 3.5 kHz, everything else silenced" in found["sentence"]
    assert found["results"][0]["distance"] > 0


@pytest.mark.parametrize(
    "question",
    [
        {"like": []},
        {"like": ["0"]},
        {"like": [True]},
        {"like": list(range(501))},
        {"like": [0], "k": 0},
        {"like": [0], "k": 10**9},
        {"like": [0], "one_each": 1},
        {"like": "../../etc/passwd"},
        {"stretch": {"id": 0, "start": 1, "end": 0}},
        {"stretch": {"id": 0, "start": "0", "end": 1}},
        {"stretch": {"id": 0, "start": 0, "end": 10**400}},
        {"stretch": {"id": 0, "start": 0, "end": 1e300}},
        {"stretch": {"id": 0, "start": 0, "end": 0.4, "low": 3000, "high": 2000}},
        {"stretch": {"path": "/etc/passwd", "start": 0, "end": 1}},
        {"stretch": 7},
        {"upload": 5},
        {"upload": "heard.wav"},
        {"text": "an owl"},
        {},
    ],
)
def test_a_question_that_makes_no_sense_is_one_sentence(client, question):
    refused = client.post("/api/search", json=question)
    assert refused.status_code == 400
    assert refused.json()["error"].endswith((".", "MODEL"))


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"[" * 100_000, b"\xff", b'{"like": [NaN]}'])
def test_a_question_that_is_no_json_is_one_sentence(client, body):
    assert client.post("/api/search", content=body).status_code == 400


def test_a_question_is_bounded(client):
    assert client.post("/api/search", content=b" " * ((1 << 20) + 1)).status_code == 413


@pytest.mark.parametrize("address", ["/sound/item/99", "/levels/item/99", "/image/item/0", "/static/../app.py"])
def test_what_is_not_there_is_not_found(client, address):
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("address", ["/sound/item/..%2F..%2Fetc", "/sound/item/-1", "/static/..%2Fapp.py", "/sound"])
def test_no_path_of_the_browser_is_opened(client, address):
    assert client.get(address).status_code == 404


def test_an_id_that_is_not_in_the_index_is_not_found(client):
    assert client.post("/api/search", json={"like": [99]}).status_code == 404


def test_names_are_searched_in_any_case(client):
    found = client.post("/api/browse", json={"named": "pond_20240511"}).json()
    assert [each["name"] for each in found["results"]] == ["POND_20240511_043000.wav"] * 2
    assert found["sentence"].startswith("2 of 9")


def test_a_handful_is_the_same_for_the_same_seed(client):
    def handful(seed):
        return [each["id"] for each in client.post("/api/browse", json={"seed": seed, "k": 5}).json()["results"]]

    assert handful(1) == handful(1)
    assert len({tuple(handful(seed)) for seed in range(5)}) > 1


def test_a_sound_begins_at_its_window(client, place, ids):
    number = ids["POND_20240510_043000.wav"] + 1
    whole, _ = soundfile.read(place / "recordings" / "POND_20240510_043000.wav")
    heard, rate = soundfile.read(io.BytesIO(client.get(f"/sound/item/{number}").content))
    assert rate == 16_000
    np.testing.assert_allclose(heard, whole[8000:16_000], atol=1e-4)
    around, _ = soundfile.read(io.BytesIO(client.get(f"/sound/item/{number}?before=0.25&after=99").content))
    np.testing.assert_allclose(around, whole[4000:], atol=1e-4)
    _, slow = soundfile.read(io.BytesIO(client.get(f"/sound/item/{number}?slower=4").content))
    assert slow == 4000
    for wrong in ("slower=3", "before=x", "after=nan&slower=0"):
        assert client.get(f"/sound/item/{number}?{wrong}").status_code == 400


def test_levels_show_the_tone(client, ids):
    answer = client.get(f"/levels/item/{ids['a.wav']}")
    rows, columns = (int(answer.headers[f"levels-{name}"]) for name in ("rows", "columns"))
    steps = np.frombuffer(answer.content, np.uint8).reshape(rows, columns)
    loudest = steps[:, columns // 2].argmax() * float(answer.headers["levels-highest"]) / rows
    assert abs(loudest - 5000) < 50
    assert steps.max() / 2 - 110 == pytest.approx(20 * np.log10(0.3), abs=1)


def test_without_the_recordings_the_page_still_searches(client, collection, tmp_path):
    object.__setattr__(collection.sounds, "folder", tmp_path / "gone")
    missing = client.get("/sound/item/0")
    assert missing.status_code == 404
    assert "connect the disk" in missing.json()["error"]
    assert client.post("/api/search", json={"like": [0]}).status_code == 200
