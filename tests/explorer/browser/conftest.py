"""A real browser on a page over synthetic recordings; tests are skipped where there is no browser."""

import os
import re
import shutil
import threading
import time

import numpy as np
import pytest
import soundfile
import torch

from hypertorus.datasets.chirps import RATE, SECONDS, Species
from hypertorus.explorer.app import application
from hypertorus.explorer.guard import Door
from hypertorus.explorer.opening import open_collection
from hypertorus.explorer.serve import bound
from hypertorus.listen.index import SoundIndex
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram
from hypertorus.workbench import Answers

MARKUP = "<img src=x onerror=document.title=1>_20240511_050000.wav"
TOKEN = "abcdefgh12345678"


def chromium_path():
    return os.environ.get("HYPERTORUS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing; run: make setup-browser")
    if chromium_path() is None:
        pytest.skip("chromium is missing; run: make setup-browser")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def chirps(tmp_path_factory):
    """An index of 16 recordings of 12 songs each, and the species of each window by its id."""
    here = tmp_path_factory.mktemp("chirps")
    (here / "card").mkdir()
    names = [f"{site}_20240510_{hour:02}0000.wav" for site in ("NORTH", "POND", "RIDGE") for hour in range(3, 8)]
    songs = {}
    for number, name in enumerate([*names, MARKUP]):
        rng = np.random.default_rng([7, number])
        songs[name] = rng.integers(0, 5, 12).tolist()
        wave = np.concatenate([Species.drawn(species).song(rng) for species in songs[name]])
        soundfile.write(here / "card" / name, wave, RATE, subtype="PCM_16")
    torch.manual_seed(0)
    ear = Spectrogram(seconds=SECONDS, bands=48)
    Model(encoder("bands", ear.shape), ear.shape, 32, "torusN", sound=ear).save(here / "model")
    sounds = SoundIndex.build(here / "card", here / "model")
    sounds.save(here / "sounds")
    windows = sounds.windows
    species = {number: songs[windows[number][0]][round(windows[number][1] / SECONDS)] for number in range(len(windows))}
    return here / "sounds", species


@pytest.fixture
def serve(tmp_path):
    """Serve an index from a thread until the test ends; its answers are in a folder of the test."""
    import uvicorn

    running = []

    def start(place, *options):
        collection, sentences = open_collection(place, *options)
        collection.place = tmp_path / "index"
        listener = bound(None, 0)
        door = Door("127.0.0.1", listener.getsockname()[1], TOKEN)
        answers = Answers.open(tmp_path / "answers.sqlite", collection.items)
        app = application(collection, answers, door, sentences=sentences, who="Ada")
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        running.append((server, thread, listener))
        while not server.started:
            time.sleep(0.01)
        return door.address

    yield start
    for server, thread, listener in running:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture
def opened(chromium, serve, chirps):
    """Open the page in a new window; whatever goes wrong in it fails the test."""
    contexts, problems = [], []

    def open_page(place=None, *, address=None, expected=None, **options):
        context = chromium.new_context(**{"viewport": {"width": 1100, "height": 800}, **options})
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))

        def said(message):
            if message.type == "error" and not (expected and re.search(expected, message.text)):
                problems.append(message.text)

        page.on("console", said)
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(address or serve(chirps[0] if place is None else place))
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
