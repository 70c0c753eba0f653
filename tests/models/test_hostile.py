"""A model folder from anywhere: loading reaches no network, runs no code, and checks before it takes memory."""

import http.server
import json
import resource
import socket
import threading
import time

import pytest
import torch

from hypertorus.models import Model, load
from hypertorus.models.encoders import encoder


@pytest.fixture
def folder(tmp_path):
    Model(encoder("mlp:4", (20,)), (20,), 8, "torusN").save(tmp_path)
    return tmp_path


def rewrite(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.fixture
def requests(monkeypatch):
    """The requests that a server in the place of the Hugging Face hub sees, and all connections that are opened."""
    constants = pytest.importorskip("huggingface_hub.constants")
    seen = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    for name in ("ENDPOINT", "HUGGINGFACE_CO_URL_HOME", "_HF_DEFAULT_ENDPOINT"):
        monkeypatch.setattr(constants, name, address, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    connect = socket.socket.connect
    monkeypatch.setattr(socket.socket, "connect", lambda self, to: (seen.append(to), connect(self, to))[1])
    yield seen
    server.shutdown()
    server.server_close()


BACKBONES = [
    {"model_type": "upernet", "backbone": "owls/wren", "use_timm_backbone": False},
    {"model_type": "upernet", "backbone": "owls/wren", "use_pretrained_backbone": True},
    {"model_type": "dpt", "backbone": "owls/wren", "backbone_config": None, "is_hybrid": False},
    {"model_type": "detr", "backbone": "hf-hub:owls/wren", "use_timm_backbone": True, "use_pretrained_backbone": True},
    {"model_type": "resnet", "auto_map": {"AutoModel": "owls/wren--code.Model"}, "attn_implementation": "owls/kernel"},
    {"model_type": "timm_wrapper", "architecture": "hf-hub:owls/wren"},
    {"model_type": "timm_backbone", "backbone": "hf-hub:owls/wren", "use_pretrained_backbone": True},
    {"model_type": "upernet", "backbone_config": {"model_type": "timm_backbone", "backbone": "hf-hub:owls/wren"}},
    {"model_type": "owls/wren"},
]


@pytest.mark.parametrize("config", BACKBONES, ids=lambda config: f"{config['model_type']}")
def test_loading_asks_the_network_for_nothing(folder, requests, config):
    pytest.importorskip("transformers")
    rewrite(folder, encoder={"kind": "transformers", "config": config, "shape": [20]})
    with pytest.raises((ValueError, ImportError)):
        load(folder)
    assert requests == []


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [10**9]},
        {"shape": [20, 10**6, 10**6]},
        {"dim": 32_768},
        {"dim": 2**62},
        {"dim": 10**30},
        {"encoder": {"kind": "mlp", "numbers": 20, "width": 2**40}},
        {"encoder": {"kind": "root", "numbers": 10**10}},
        {"encoder": {"kind": "none", "numbers": 10**10}},
        {"encoder": {"kind": "small", "channels": 3, "width": 4, "blocks": [10**9, 1, 1]}},
        {"encoder": {"kind": "small", "channels": 3, "width": 4, "blocks": [0] * 10**6}},
        {"encoder": {"kind": "bands", "bands": 10**12}},
        {"encoder": {"kind": "mlp", "numbers": 20, "width": -4}},
    ],
    ids=str,
)
def test_absurd_sizes_are_an_error_before_memory_is_taken_for_them(folder, changes):
    rewrite(folder, **changes)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    with pytest.raises(ValueError, match=r".") as told:
        load(folder)
    assert "\n" not in str(told.value)
    assert time.perf_counter() - began < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


def test_absurd_depths_of_other_libraries_are_an_error(tmp_path):
    pytest.importorskip("transformers")
    tiny = {"model_type": "resnet", "embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}
    (tmp_path / "tiny.json").write_text(json.dumps(tiny))
    model = Model(encoder(f"transformers:{tmp_path / 'tiny.json'}", (3, 16, 16)), (3, 16, 16), 8, "torusN")
    model.save(tmp_path / "model")
    config = model.encoder.config()
    config["config"]["depths"] = [10**9, 1]
    rewrite(tmp_path / "model", encoder=config)
    with pytest.raises(ValueError, match="more layers than there are weights"):
        load(tmp_path / "model")
    config["config"]["depths"], config["config"]["hidden_sizes"] = [1, 1], [8, 2**20]
    rewrite(tmp_path / "model", encoder=config)
    with pytest.raises(ValueError, match=r"where its config.json wants shape"):
        load(tmp_path / "model")


def test_checking_leaves_layers_of_others_alone(folder):
    load(folder)
    assert len(torch.nn.Sequential(*[torch.nn.ReLU() for _ in range(10_000)])) == 10_000
