"""Models on the Hugging Face hub, by a server of this machine that speaks as much of it as the library asks for."""

import base64
import http.server
import json
import os
import subprocess
import sys
import threading
from hashlib import sha1
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
import torch

from hypertorus.models import Model, load
from hypertorus.models.encoders import encoder

constants = pytest.importorskip("huggingface_hub.constants")

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(http.server.BaseHTTPRequestHandler):
    """Repositories of one commit, in memory: name -> path -> content."""

    repositories: dict[str, dict[str, bytes]]
    seen: list[str]
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        path = unquote(urlsplit(self.path).path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append(path)
        if path == "/api/repos/create":
            facts = json.loads(body)
            name = f"{facts['organization']}/{facts['name']}"
            self.repositories.setdefault(name, {})
            return self.answer({"url": f"http://{self.headers['Host']}/{name}", "name": name, "id": "1"})
        if path == "/api/validate-yaml":
            return self.answer({"errors": [], "warnings": []})
        name = "/".join(path.split("/")[3:5])
        if "/preupload/" in path:
            paths = [file["path"] for file in json.loads(body)["files"]]
            files = [{"path": path, "uploadMode": "regular", "shouldIgnore": False} for path in paths]
            return self.answer({"files": files})
        for line in map(json.loads, body.splitlines()):
            if line["key"] == "file":
                self.repositories[name][line["value"]["path"]] = base64.b64decode(line["value"]["content"])
        return self.answer(
            {"commitUrl": f"http://{self.headers['Host']}/{name}/commit/{COMMIT}", "commitOid": COMMIT, "success": True}
        )

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        self.seen.append(path)
        parts = path.strip("/").split("/")
        name = "/".join(parts[2:4] if parts[0] == "api" else parts[:2])
        if name not in self.repositories:
            return self.answer({"error": "not found"}, 404, {"X-Error-Code": "RepoNotFound"})
        files = self.repositories[name]
        if parts[0] == "api" and "tree" in parts:
            return self.answer([_entry(path, content) for path, content in files.items()])
        if parts[0] == "api":
            return self.answer({"id": name, "sha": COMMIT, "siblings": [{"rfilename": path} for path in files]})
        content = files["/".join(parts[4:])]
        return self.answer(content, headers={"X-Repo-Commit": COMMIT, "ETag": f'"{_oid(content)}"'})

    def do_HEAD(self):
        self.do_GET()

    def answer(self, content, status=200, headers=None):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(key, value)
        if not isinstance(content, bytes):
            self.send_header("Content-Type", "application/json")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def _oid(content):
    return sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _entry(path, content):
    return {"type": "file", "path": path, "size": len(content), "oid": _oid(content)}


@pytest.fixture(scope="module")
def hub():
    """A hub with nothing on it."""
    handler = type("Handler", (Hub,), {"repositories": {}, "seen": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    handler.address = f"http://127.0.0.1:{server.server_port}"
    yield handler
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    torch.manual_seed(0)
    model = Model(encoder("mlp:4", (3, 8, 8)), (3, 8, 8), 8, "torusN", classes=("owl", "jay"))
    sizes = [{"coordinates": 4, "bits": 8, "bytes": 4, "precision": 0.75}]
    model.training_facts = {"data": "cifar10", "test": 0.8, "chance": 0.1, "sizes": sizes}
    model.save(tmp_path_factory.mktemp("models") / "model")
    return model


PUSH_AND_LOAD = """
import sys, numpy as np, hypertorus as ht
model = ht.load(sys.argv[1])
print(model.push_to_hub("owls/calls", token="hf_of_a_test"))
print(ht.load("owls/calls").fingerprint == ht.load("owls/calls", revision="main").fingerprint == model.fingerprint)
try:
    ht.load("owls/nothing")
except FileNotFoundError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def pushed(hub, model, tmp_path_factory):
    """What a process said that pushed the model and loaded it, and the cache that it left."""
    folder, home = tmp_path_factory.mktemp("pushed"), tmp_path_factory.mktemp("home")
    model.save(folder)
    (folder / "run").mkdir()
    (folder / "run" / "secret.txt").write_text("not part of the model")
    online = {"HF_ENDPOINT": hub.address, "HF_HUB_OFFLINE": "0", "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    command = [sys.executable, "-c", PUSH_AND_LOAD, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **online})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), home


def test_a_model_goes_to_the_hub_and_comes_back(hub, pushed):
    said, _ = pushed
    assert said[0] == f"{hub.address}/owls/calls/commit/{COMMIT}"
    assert said[1] == "True"
    assert said[2].startswith("there is no folder owls/nothing, and no model of that name could be had")
    assert set(hub.repositories["owls/calls"]) == {"model.safetensors", "config.json", "README.md"}


@pytest.mark.usefixtures("pushed")
def test_only_the_two_files_of_a_model_are_fetched(hub):
    fetched = {path.split("/")[-1] for path in hub.seen if "/resolve/" in path}
    assert fetched == {"model.safetensors", "config.json"}


@pytest.mark.usefixtures("pushed")
def test_the_card_is_what_the_hub_reads_and_what_the_model_knows(hub):
    yaml = pytest.importorskip("yaml")
    card = hub.repositories["owls/calls"]["README.md"].decode()
    _, front, text = card.split("---\n", 2)
    assert yaml.safe_load(front) == {
        "library_name": "hypertorus",
        "tags": ["embeddings", "torus", "quantisation", "torusN"],
        "pipeline_tag": "image-feature-extraction",
        "datasets": ["uoft-cs/cifar10"],
        "metrics": ["precision"],
    }
    assert "# torusN, 8 raw numbers, trained on cifar10" in text
    assert "0.800 as floats, by guessing 0.100" in text
    assert "| 4 | 8 | 4 | 0.750 |" in text
    assert 'ht.load("owls/calls")' in text


def test_what_was_fetched_is_loaded_without_the_network(hub, model, pushed, monkeypatch, tmp_path):
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(pushed[1] / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    before = len(hub.seen)
    images = np.random.default_rng(0).integers(256, size=(3, 8, 8, 3), dtype=np.uint8)
    np.testing.assert_array_equal(load("owls/calls").encode(images), model.encode(images))
    with pytest.raises(FileNotFoundError, match="there is no folder owls/wren, and no model of that name"):
        load("owls/wren")
    monkeypatch.chdir(tmp_path)
    Path("owls").mkdir()  # which is someone's name on the hub, too
    assert load("owls/calls", revision="main").fingerprint == model.fingerprint
    assert len(hub.seen) == before


def test_a_folder_never_reaches_the_network(model, tmp_path, monkeypatch):
    import huggingface_hub

    def never(*_, **__):
        pytest.fail("the hub was asked")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", never)
    monkeypatch.chdir(tmp_path)
    model.save("owls/calls")
    assert load("owls/calls").fingerprint == model.fingerprint
    for place in (Path("owls/wren"), "owls/wren/", "./owls/wren", "/owls/wren", "~/owls", "a/b/c", "owls"):
        with pytest.raises(FileNotFoundError, match="pass the folder of a model"):
            load(place)
    mistyped = (
        r"^there is no folder owls/cals in owls, which holds calls; .* revision='main' to have it from the .* hub\.$"
    )
    with pytest.raises(FileNotFoundError, match=mistyped):
        load("owls/cals")
    with pytest.raises(ValueError, match="which has none"):
        load("owls/calls", revision="main")
    with pytest.raises(ValueError, match="is called user/name"):
        model.push_to_hub("calls")


def test_without_the_library_of_the_hub_a_missing_folder_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(FileNotFoundError, match=r"^there is no folder owls/calls; .* pip install 'hypertorus\[hub\]'"):
        load("owls/calls")
