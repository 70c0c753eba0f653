"""The record walks whole: what training measured is what is found in the files that the commands write and read."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PIL import Image

import hypertorus
from hypertorus.datasets import read_data
from hypertorus.embeddings import read_embeddings
from hypertorus.evaluation import evaluate
from hypertorus.search import Index
from hypertorus.training import Settings, run_training

RNG = np.random.default_rng(0)
CENTRES = RNG.normal(size=(6, 12))


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Images in folders, vectors with paths, and sounds of six speakers, each hard enough to be told imperfectly."""
    place = tmp_path_factory.mktemp("sources")
    labels = np.arange(180) % 6
    vectors = CENTRES[labels] + 1.3 * RNG.normal(size=(180, 12))
    paths = [f"species-{label:02}/{row // 9}_{row}.ogg" for row, label in enumerate(labels)]
    np.savez(place / "vectors.npz", embedding=vectors.astype(np.float32), path=paths)
    for label in range(3):
        (place / "images" / f"kind-{label}").mkdir(parents=True)
        for number in range(20):
            noise = RNG.integers(0, 200, (16, 16, 3)) + 25 * label
            Image.fromarray(noise.astype(np.uint8)).save(place / "images" / f"kind-{label}" / f"{number:02}.png")
    for label, hertz in enumerate((400, 600, 900)):
        (place / "sounds" / f"bird-{label}").mkdir(parents=True)
        for number in range(24):
            pitch, time = hertz * RNG.uniform(0.7, 1.4), np.arange(4000) / 8000
            wave = np.sin(2 * np.pi * pitch * time) + RNG.normal(size=4000)
            soundfile.write(place / "sounds" / f"bird-{label}" / f"take{number // 4}_{number}.wav", wave / 5, 8000)
    return place


QUICK = {
    "vectors.npz": {"encoder": "none", "head": "linear", "epochs": 3},
    "images": {"encoder": "mlp:8", "epochs": 2},
    "sounds": {"encoder": "small-audio:4", "epochs": 2, "batch": 16},
}


@pytest.fixture(scope="module")
def trained(sources, tmp_path_factory):
    """A model of a source in a space, trained once: its folder and what training measured."""
    kept = {}

    def trained(source="vectors.npz", space="torusN", **more):
        key = (source, space, *more.items())
        if key not in kept:
            folder = tmp_path_factory.mktemp("models") / "model"
            settings = Settings(space=space, dim=8, **{**QUICK[source], **more})
            kept[key] = folder, run_training(read_data(str(sources / source)), settings, folder, show=False)
        return kept[key]

    return trained


@pytest.mark.parametrize("space", ["sphere", "torusN", "torusC"])
@pytest.mark.parametrize("source", ["vectors.npz", "images", "sounds"])
def test_evaluate_finds_the_numbers_of_training_in_what_embed_wrote(run, sources, trained, source, space):
    model, outcome = trained(source, space)
    assert 0 < outcome.test < 1  # or else any split would do
    assert run("embed", model, sources / source, "--out", "points.safetensors")[0] == 0
    assert run("encode", model, sources / source, "--out", "codes.safetensors")[0] == 0
    floats, codes = json.loads(run("evaluate", "points.safetensors", "--quantisers", "none,8bit", "--json")[1])
    assert (floats["precision_at_1"], codes["precision_at_1"]) == (outcome.test, outcome.test_8bit)
    assert (floats["space"], floats["dim"]) == (space, 8)
    by_codes = json.loads(run("evaluate", "codes.safetensors", "--quantisers", "8bit", "--json")[1])[0]
    assert by_codes["precision_at_1"] == outcome.test_8bit
    assert by_codes["bits_per_vector"] == codes["bits_per_vector"]
    measured = evaluate(hypertorus.load(model).embeddings(read_data(str(sources / source), **again(model))))
    assert measured["none"].precision_at_1 == outcome.test


def again(model):
    sound = hypertorus.load(model).sound
    return {} if sound is None else {"sound": sound.as_dict()}


def test_a_frozen_encoder_is_measured_as_the_saved_model_embeds(run, sources, trained):
    model, outcome = trained("images", "torusN", frozen=True, encoder="small:4")
    run("embed", model, sources / "images", "--out", "points.safetensors")
    rows = json.loads(run("evaluate", "points.safetensors", "--quantisers", "none,8bit", "--json")[1])
    assert [row["precision_at_1"] for row in rows] == [outcome.test, outcome.test_8bit]


def test_the_split_of_training_comes_back_however_recordings_were_told(run, sources, tmp_path):
    model = tmp_path / "model"
    settings = Settings(dim=8, **QUICK["sounds"])
    outcome = run_training(read_data(str(sources / "sounds"), group="none"), settings, model, show=False)
    run("embed", model, sources / "sounds", "--out", "points.safetensors")
    (row,) = json.loads(run("evaluate", "points.safetensors", "--quantisers", "none", "--json")[1])
    assert row["precision_at_1"] == outcome.test


def test_one_part_alone_gives_no_number_that_could_be_taken_for_trainings(run, sources, trained):
    model, _ = trained("sounds")
    run("embed", model, sources / "sounds", "--part", "test", "--out", "test.safetensors")
    assert (
        "hold the test part alone; embed the whole data set, without --part" in run("evaluate", "test.safetensors")[2]
    )
    alone = run("evaluate", "test.safetensors", "--test-share", 0.5)[2]
    assert "none of the classes of these 12 rows has two recordings" in alone


def test_rows_are_named_and_stand_in_the_order_of_the_source(run, sources, trained):
    model, _ = trained("images")
    run("embed", model, sources / "images", "--out", "points.safetensors")
    record = read_embeddings("points.safetensors")
    files = sorted(path.relative_to(sources / "images").as_posix() for path in (sources / "images").rglob("*.png"))
    assert record.names.tolist() == files
    assert record.label_names.tolist() == [name.split("/")[0] for name in files]
    alone = hypertorus.load(model).embed([sources / "images" / name for name in files])
    np.testing.assert_allclose(record.rows, alone, atol=1e-6)


def test_a_space_that_contradicts_the_file_is_refused(run, sources, trained):
    model, _ = trained("vectors.npz", "torusC")
    run("embed", model, sources / "vectors.npz", "--out", "points.safetensors")
    assert run("evaluate", "points.safetensors", "--space", "sphere") == (
        1,
        "",
        "hypertorus: space is sphere, but points.safetensors holds points of torusC; leave it out.",
    )
    assert run("evaluate", "points.safetensors", "--space", "torusC")[0] == 0


def test_queries_of_other_bits_or_another_model_are_refused(run, sources, trained):
    data = sources / "vectors.npz"
    (first, _), (second, _) = trained(), trained("vectors.npz", "torusN", seed=1)
    run("encode", first, data, "--out", "a.safetensors")
    run("encode", first, data, "--bits", 4, "--out", "a4.safetensors")
    run("encode", second, data, "--out", "b.safetensors")
    assert run("index", "build", "a.safetensors", "--out", "a.index")[0] == 0
    assert run("search", "a.index", "a4.safetensors")[2] == (
        "hypertorus: queries are codes of 4 bits, and the index has 8; encode them with as many."
    )
    names = [hypertorus.load(model).fingerprint for model in (second, first)]
    assert run("search", "a.index", "b.safetensors")[2] == (
        "hypertorus: queries are of the model {}, and the index is of the model {}; embed them by it.".format(*names)
    )
    assert "of the model" in run("index", "add", "a.index", "b.safetensors")[2]
    found = json.loads(run("search", "a.index", "a.safetensors", "-k", 1, "--json")[1])
    assert found["ids"] == [[row] for row in range(180)]
    assert found["labels"][:2] == [["species-00"], ["species-01"]]
    assert found["names"][3] == ["species-03/0_3.ogg"]


def test_bits_of_an_index_are_those_of_the_codes(run, sources, trained):
    model, _ = trained()
    run("encode", model, sources / "vectors.npz", "--bits", 4, "--out", "codes.safetensors")
    run("index", "build", "codes.safetensors", "--out", "a.index")
    index = Index.open("a.index")
    assert (index.bits, index.model) == (4, hypertorus.load(model).fingerprint)
    np.testing.assert_array_equal(index.vectors(index.ids), read_embeddings("codes.safetensors").rows)
    run("index", "build", "codes.safetensors", "--bits", 2, "--out", "b.index")
    np.testing.assert_array_equal(Index.open("b.index").vectors(range(180)), index.vectors(index.ids) >> 2)
    assert (
        "codes are codes of 4 bits, and the index has 8"
        in run("index", "build", "codes.safetensors", "--bits", 8, "--out", "c")[2]
    )


def test_points_and_codes_build_the_same_index(run, sources, trained):
    model, _ = trained()
    run("embed", model, sources / "vectors.npz", "--out", "points.safetensors")
    run("encode", model, sources / "vectors.npz", "--out", "codes.safetensors")
    for name in ("points", "codes"):
        assert run("index", "build", f"{name}.safetensors", "--out", f"{name}.index")[0] == 0
    points, codes = (Index.open(f"{name}.index") for name in ("points", "codes"))
    apart = (points.vectors(range(180)) - codes.vectors(range(180))).astype(np.int8)
    assert np.abs(apart).max() <= 1  # an angle on the edge of an arc may round to either side
    assert points.labels.tolist() == codes.labels.tolist()


def test_codes_of_the_sphere_are_evaluated_and_refused_by_an_index(run, sources, trained):
    model, _ = trained("vectors.npz", "sphere")
    run("encode", model, sources / "vectors.npz", "--out", "codes.safetensors")
    (row,) = json.loads(run("evaluate", "codes.safetensors", "--json")[1])
    assert (row["quantiser"], row["space"]) == ("8bit", "sphere")
    for command in (("index", "build"), ("export", "c")):
        said = run(*command, "codes.safetensors", "--out", "out")[2]
        assert "codes do not wrap around" in said
        assert not Path("out").exists()


def test_codes_with_labels_are_exported(run, sources, trained):
    model, _ = trained()
    run("encode", model, sources / "vectors.npz", "--out", "codes.safetensors")
    code, out, _ = run("export", "c", "codes.safetensors", "--prototypes", 2, "--out", "firmware", "--json")
    assert code == 0
    assert Path("firmware", "src", "model.c").exists()
    assert json.loads(out)["name"] == "codes"


def test_anything_the_model_takes_is_embedded_with_or_without_labels(run, sources, trained):
    vectors, _ = trained()
    images, _ = trained("images")
    sounds, _ = trained("sounds")
    with np.load(sources / "vectors.npz") as arrays:
        np.save("x.npy", arrays["embedding"])
    flat = Path("flat")
    flat.mkdir()
    for number, path in enumerate(sorted((sources / "images").rglob("*.png"))[::7]):
        (flat / f"{number}.png").write_bytes(path.read_bytes())
    wave = sources / "sounds" / "bird-0" / "take0_0.wav"
    for model, data, rows in (
        (vectors, "x.npy", 180),
        (images, flat, 9),
        (images, flat / "0.png", 1),
        (sounds, wave, 1),
    ):
        code, _, said = run("embed", model, data, "--out", "e.safetensors", "--force")
        assert (code, said) == (0, "")
        record = read_embeddings("e.safetensors")
        assert (len(record), record.labels, record.parts) == (rows, None, None)
    assert "have no labels" in run("evaluate", "e.safetensors")[2]


def test_classes_of_one_recording_each_are_embedded_with_labels_and_without_a_split(run, sources, trained):
    model, _ = trained("sounds")
    for bird in ("jay", "owl"):
        Path("few", bird).mkdir(parents=True)
        Path("few", bird, f"{bird}.wav").write_bytes((sources / "sounds" / "bird-0" / "take0_0.wav").read_bytes())
    assert run("encode", model, "few", "--out", "few.safetensors")[0] == 0
    record = read_embeddings("few.safetensors")
    assert (record.label_names.tolist(), record.parts) == (["jay", "owl"], None)
    assert record.names.tolist() == ["jay/jay.wav", "owl/owl.wav"]


def test_embeddings_are_written_for_other_programs(run, sources, trained):
    model, _ = trained()
    run("embed", model, sources / "vectors.npz", "--out", "points.safetensors")
    record = read_embeddings("points.safetensors")
    for name in ("points.fbin", "points.fvecs", "points.hdf5:points", "points.parquet"):
        code, _, said = run("embed", model, sources / "vectors.npz", "--out", name.partition(":")[0])
        assert code == 0, said
        other = read_embeddings(name, space="torusN", kind="points")
        np.testing.assert_array_equal(other.rows, record.rows)
    assert (other.labels.tolist(), other.classes) == (record.labels.tolist(), record.classes)
    assert (other.parts.tolist(), other.groups.tolist()) == (record.parts.tolist(), record.groups.tolist())
    assert other.names.tolist() == record.names.tolist()
    assert run("embed", model, sources / "vectors.npz", "--out", "points.u8bin")[2] == (
        "hypertorus: points.u8bin would hold uint8, but the rows are float32; write them as .fbin, .fvecs, .parquet, "
        ".arrow, .feather, .hdf5 or .h5."
    )


def test_embeddings_are_learned_from_as_vectors(run, sources, trained):
    model, _ = trained()
    run("embed", model, sources / "vectors.npz", "--out", "points.safetensors")
    data, own = read_data("points.safetensors"), read_data(str(sources / "vectors.npz"))
    assert data.classes == own.classes
    assert data.test.labels.tolist() == own.test.labels.tolist()
    assert data.test.columns.names.tolist() == own.test.columns.names.tolist()


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["train", "v.npy"], "v.npy has no labels; pass them with --labels FILE, an .npy or a .txt"),
        (["train", "v.npy", "--labels", "few.txt"], "there are 180 rows but labels of shape (2,); give each row one"),
        (["train", "v.npz"], "v.npz holds one, two; name the array of its rows: v.npz:NAME"),
    ],
)
def test_data_without_labels_are_one_sentence(run, arguments, sentence):
    np.save("v.npy", np.zeros((180, 4), np.float32))
    np.savez("v.npz", one=np.zeros((180, 4)), two=np.zeros((180, 4)))
    Path("few.txt").write_text("owl\njay\n")
    code, _, said = run(*arguments, "--out", "model")
    assert code == 1
    assert sentence in said
    assert "\n" not in said
    assert not Path("model").exists()


def test_labels_from_a_text_file_are_learned(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = np.arange(180) % 6
    np.savez("v.npz", X=CENTRES[labels], y=labels)
    np.save("v.npy", CENTRES[labels])
    Path("labels.txt").write_text("\n".join(f"species {label}" for label in labels))
    assert read_data("v.npz").classes == tuple("012345")
    assert read_data("v.npy", labels=Path("labels.txt")).classes[5] == "species 5"


def test_a_damaged_record_is_refused(run, sources, trained):
    model, _ = trained()
    run("embed", model, sources / "vectors.npz", "--out", "points.safetensors")
    content = bytearray(Path("points.safetensors").read_bytes())
    content[-5] ^= 1
    Path("points.safetensors").write_bytes(content)
    assert "is damaged: the checksum of its" in run("evaluate", "points.safetensors")[2]


def test_the_record_is_what_the_index_and_the_model_agree_on(sources, trained):
    model = hypertorus.load(trained()[0])
    data = read_data(str(sources / "vectors.npz"))
    index = model.index(data.train)
    neighbours = index.search(model.embeddings(data.test, bits=8), k=3)
    np.testing.assert_array_equal(neighbours.ids, index.search(model.encode(data.test), k=3).ids)
    rows = dict(zip(data.train.columns.names, data.train.labels.tolist(), strict=True))
    assert neighbours.labels.tolist() == [[f"species-{rows[name]:02}" for name in row] for row in neighbours.names]
    with pytest.raises(ValueError, match="of the model 0123"):
        index.search(replace(model.embeddings(data.test, bits=8), model="0123"))
