"""A real browser on a page over synthetic recordings; tests are skipped where there is no browser."""

import os
import re
import shutil
import threading
import time
from contextlib import ExitStack, contextmanager

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


@contextmanager
def served(place, folder):
    """Serve an index from a thread, and keep its answers in a folder; return the address of the page."""
    import uvicorn

    collection, sentences = open_collection(place)
    collection.place = folder / "index"
    listener = bound(None, 0)
    door = Door("127.0.0.1", listener.getsockname()[1], TOKEN)
    answers = Answers.open(folder / "answers.sqlite", collection.items)
    app = application(collection, answers, door, sentences=sentences, who="Ada")
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield door.address
    server.should_exit = True
    thread.join()
    listener.close()


@pytest.fixture
def serve(tmp_path):
    """Serve an index until the test ends, for tests that answer."""
    with ExitStack() as running:
        yield lambda place: running.enter_context(served(place, tmp_path))


@pytest.fixture(scope="session")
def shared(chirps, tmp_path_factory):
    """Address of one page for all tests that only look."""
    with served(chirps[0], tmp_path_factory.mktemp("shared")) as address:
        yield address


@pytest.fixture
def opened(chromium, shared, serve):  # noqa: ARG001, serve is here so that pages are closed before their server
    """Open the page in a new window, by default the shared one; whatever goes wrong in it fails the test."""
    contexts, problems = [], []

    def open_page(address=None, *, expected=None, **options):
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
        page.goto(address or shared)
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
