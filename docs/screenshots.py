"""Takes the pictures of the page in docs/explore.md, of synthetic recordings, and of the demo, into docs/images.

python docs/screenshots.py    (after make setup-browser, and make demo for its picture)
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import soundfile
import torch
import uvicorn
from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

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

IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 1200, "height": 860}
DEMO = Path(__file__).parent.parent / "build" / "demo" / "index.html"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        songs = write_recordings(Path(folder))
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        if DEMO.exists():
            shoot_demo(browser)
        else:
            print(f"There is no {DEMO}; its picture stays as it is.")
        with served(Path(folder)) as address:
            page = browser.new_page(viewport={"width": SIZE["width"], "height": SIZE["height"]})
            page.goto(address)
            page.wait_for_selector("html[data-ready]")
            walk(page, songs)


def write_recordings(here: Path) -> dict[int, int]:
    """Write recordings of four mornings at three sites, and an index; return the species of each window."""
    card, songs = here / "card", {}
    card.mkdir()
    for site, name in enumerate(("NORTH", "POND", "RIDGE")):
        for day in range(4):
            for hour in range(3, 9):
                rng = np.random.default_rng([site, day, hour])
                path = card / f"{name}_202405{day + 10}_{hour:02}0000.wav"
                songs[path.name] = rng.integers(0, 7 - (hour > 5), 12).tolist()
                wave = np.concatenate([Species.drawn(species).song(rng) for species in songs[path.name]])
                soundfile.write(path, wave, RATE, subtype="PCM_16")
    torch.manual_seed(0)
    ear = Spectrogram(seconds=SECONDS, bands=64)
    Model(encoder("bands", ear.shape), ear.shape, 64, "torusN", sound=ear).save(here / "model")
    sounds = SoundIndex.build(card, here / "model")
    sounds.save(here / "may")
    windows = [sounds.windows[number] for number in range(len(sounds.windows))]
    return {number: songs[path][round(start / SECONDS)] for number, (path, start, _) in enumerate(windows)}


@contextmanager
def served(here: Path) -> Iterator[str]:
    collection, _ = open_collection(here / "may")
    with bound(None, 0) as listener:
        door = Door.of(None, listener.getsockname()[1], None)
        answers = Answers.open(Answers.beside(here / "may"), collection.items)
        app = application(collection, answers, door, who="Ada")
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield door.address
        server.should_exit = True
        thread.join()


def walk(page: Page, songs: dict[int, int]) -> None:
    """Search, answer, look closer, and run on everything, with a picture of each."""

    def current() -> int:
        return int(page.locator("#results .card.current").get_attribute("data-id") or 0)

    def answer(wanted: int, count: int) -> None:
        for _ in range(count):
            number = current()
            page.keyboard.press("y" if songs[number] == wanted else "n")
            page.wait_for_selector(f"#results .card[data-id='{number}']:is(.said-yes, .said-no)")

    wanted = songs[current()]
    page.keyboard.press("Enter")
    page.wait_for_selector("#query .card")
    page.fill("#question", "sweep")
    page.press("#question", "Tab")
    page.locator("#results .card.current").focus()
    answer(wanted, 3)
    page.keyboard.press("a")
    page.wait_for_selector("#sentence >> text=Most like")
    answer(wanted, 6)
    page.select_option("#way", "boundary")
    page.locator("#results .card.current").focus()
    page.keyboard.press("a")
    page.wait_for_selector("#sentence >> text=Least certain")
    answer(wanted, 6)
    shoot(page, "find")
    page.keyboard.press("l")
    page.wait_for_timeout(1500)
    box, window = (page.locator(f"#closer-{part}").bounding_box() for part in ("picture", "window"))
    assert box is not None
    assert window is not None
    page.mouse.move(window["x"] + 2, box["y"] + 0.4 * box["height"])
    page.mouse.down()
    page.mouse.move(window["x"] + window["width"] - 2, box["y"] + 0.85 * box["height"])
    page.mouse.up()
    page.check("#region-band")
    shoot(page, "closer")
    page.keyboard.press("Escape")
    page.click("#tab-everything")
    page.click("#run")
    page.wait_for_selector("#sites .columns")
    page.click("#sample")
    page.wait_for_selector("#sentence >> text=A random sample")
    answer(wanted, 24)
    page.keyboard.press("a")
    page.wait_for_selector("#results .card:first-child:not(.said-yes, .said-no)")
    answer(wanted, 24)
    page.click("#tab-everything")
    page.wait_for_selector("#found >> text=random answer")
    shoot(page, "everything")


def shoot_demo(browser: Browser) -> None:
    """Take the first two screens of the page that `make demo` wrote."""
    page = browser.new_page(viewport={"width": SIZE["width"], "height": SIZE["height"]}, color_scheme="light")
    page.goto(DEMO.as_uri())
    end = page.locator("#speed").bounding_box()
    assert end is not None
    clip: FloatRect = {"x": 0, "y": 0, "width": SIZE["width"], "height": end["y"]}
    page.screenshot(path=IMAGES / "demo.png", full_page=True, clip=clip)


def shoot(page: Page, name: str) -> None:
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("document.getElementById('status').textContent = ''")
    page.wait_for_timeout(800)
    page.screenshot(path=IMAGES / f"explore-{name}.jpg", type="jpeg", quality=75)


if __name__ == "__main__":
    main()
