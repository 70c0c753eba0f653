"""The page as people use it: the whole way of a newcomer, with two tabs, and with what they drop on it."""

import json
import zipfile
from pathlib import Path

import numpy as np

from hypertorus import Index, read_annotations
from hypertorus.explorer.guard import HEADERS
from hypertorus.listen.index import SoundIndex
from hypertorus.listen.windows import SoundWindows
from tests.explorer.browser.conftest import MARKUP
from tests.explorer.browser.page import answer_by_truth, answers, current, ids_shown, look_for, until

INLINE = """
const style = document.createElement("style");
style.textContent = "body { opacity: 0.5 }";
document.head.append(style);
"""


def test_a_newcomer_goes_the_whole_way(opened, serve, chirps, tmp_path):  # noqa: PLR0915, a way has many steps
    species = chirps[1]
    page = opened(serve(chirps[0]))
    # Open, search by a result, and play it.
    first = current(page)
    wanted = species[first]
    page.keyboard.press("Enter")
    page.wait_for_selector("#query .card")
    assert page.locator("#sentence").inner_text().startswith("Nearest to ")
    page.wait_for_selector("#results .card canvas.ready")
    page.keyboard.press(" ")
    page.wait_for_selector("#results .card.playing")
    page.keyboard.press(" ")
    page.wait_for_selector("#results .card:not(.playing)")
    # Ten answers by keyboard; what is learnt is shown.
    look_for(page, "chirp")
    yes = answer_by_truth(page, species, wanted, 10)
    assert yes > 0
    until(page, "document.getElementById('learnt').textContent.includes('is learnt from')")
    until(page, f"document.getElementById('learnt').textContent.includes('{yes} yes and {10 - yes} no')")
    # Being asked about the most likely brings new ones.
    before = set(ids_shown(page))
    page.keyboard.press("a")
    until(page, "document.getElementById('sentence').textContent.startsWith('Most like')")
    assert set(ids_shown(page)) != before
    assert np.mean([species[each] == wanted for each in ids_shown(page)[:8]]) > np.mean(
        [each == wanted for each in species.values()]
    )
    # Run on everything, and move the threshold.
    page.click("#tab-everything")
    page.click("#run")
    until(page, "document.getElementById('found').textContent.includes('is not known before')")
    slider = page.get_by_role("slider", name="Threshold")
    slider.focus()
    there = slider.get_attribute("aria-valuenow")
    text = page.locator("#found").inner_text()
    slider.press("PageUp")
    until(page, f"document.getElementById('found').textContent !== {json.dumps(text)}")
    assert int(slider.get_attribute("aria-valuenow")) > int(there)
    slider.press("End")  # one item is above it, and what was answered with yes is taken all the same
    until(page, f"document.getElementById('found').textContent.includes('; with your answers, {yes} are taken.')")
    assert page.locator("#sites .columns li").count() == 4
    assert page.locator("#hours .columns li").count() == 5
    # A random sample of every band gives an estimate with its interval.
    page.click("#sample")
    until(page, "document.getElementById('sentence').textContent.startsWith('A random sample')")
    yes += answer_by_truth(page, species, wanted, min(12, len(ids_shown(page))))
    page.keyboard.press("a")
    page.wait_for_selector("#results .card:first-child:not(.said-yes, .said-no)")
    assert page.locator("#sentence").inner_text().startswith("A random sample")  # it goes on
    page.click("#tab-everything")
    until(page, "/about \\d+ % \\(\\d+ % to \\d+ %\\)/.test(document.getElementById('found').textContent)")
    # Take it away: every window by itself, and merged into events.
    page.check("#single")
    with page.expect_download() as download:
        page.click("#take-raven")
    tables = tmp_path / "tables"
    zipfile.ZipFile(download.value.path()).extractall(tables)
    assert len(read_annotations(tables / "all-chirp.selections.txt")) == yes
    page.uncheck("#single")
    with page.expect_download() as download:
        page.click("#take-birdnet")
    table = tmp_path / "labels.csv"
    table.write_bytes(Path(download.value.path()).read_bytes().replace(b"chirp", b"brought back"))
    # Bring it back in, under another name.
    page.set_input_files("#table", table)
    page.wait_for_selector(".chip >> text=brought back", state="attached")
    page.click("#tab-find")
    assert answers(page, "brought back") == (yes, 0, 0)
    # Undo, and reload: what was said is still there.
    look_for(page, "brought back")
    page.keyboard.press("z")
    until(page, "document.getElementById('status').textContent.includes('Taken back')")
    assert answers(page, "brought back") == (yes - 1, 0, 0)
    held = answers(page, "chirp")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert answers(page, "chirp") == held
    assert answers(page, "brought back") == (yes - 1, 0, 0)


def test_a_dropped_file_is_searched_for(opened, chirps):
    page = opened()
    path = SoundIndex.open(chirps[0]).folder / "POND_20240510_030000.wav"
    page.set_input_files("#file", path)
    until(page, "document.getElementById('sentence').textContent.startsWith('Nearest to POND_20240510_03')")
    assert page.locator("#query .card").count() == 1
    page.wait_for_selector("#query canvas.ready")
    # The same by dragging, and a file that is no sound.
    data = page.evaluate_handle(
        "() => { const d = new DataTransfer(); d.items.add(new File(['no'], 'notes.txt')); return d; }"
    )
    page.dispatch_event("body", "dragenter", {"dataTransfer": data})
    assert page.locator("#drop").is_visible()
    page.dispatch_event("body", "drop", {"dataTransfer": data})
    page.wait_for_selector("#status.problem")
    assert "notes.txt is not a file" in page.locator("#status").inner_text()
    assert not page.locator("#drop").is_visible()


def test_a_name_that_is_markup_is_a_name(opened, serve, chirps):
    page = opened(serve(chirps[0]))
    page.fill("#search-text", "onerror")
    page.press("#search-text", "Enter")
    until(page, "document.getElementById('sentence').textContent.startsWith('12 of 192')")
    assert page.locator("#results .name").first.inner_text() == MARKUP
    page.locator("#results .card").first.focus()
    page.keyboard.press("l")
    assert MARKUP in page.locator("#closer-title").inner_text()
    page.keyboard.press("Escape")
    look_for(page, "<b>owl</b>")
    page.keyboard.press("y")
    page.wait_for_selector("#results .card.said-yes")
    assert "<b>owl</b>" in page.locator(".chip").inner_text()
    assert page.locator("img, b").count() == 0
    assert page.title() != "1"


def test_nothing_is_fetched_from_outside_and_the_policy_holds(opened):
    page = opened(expected="Content Security Policy|403")
    addresses = page.evaluate("performance.getEntriesByType('resource').map(entry => new URL(entry.name).origin)")
    assert set(addresses) == {page.evaluate("location.origin")}
    assert "token" not in page.evaluate("location.href")
    assert page.evaluate("document.cookie") == ""
    page.evaluate(INLINE)
    assert page.evaluate("getComputedStyle(document.body).opacity") == "1"
    assert "trusted-types" in HEADERS["Content-Security-Policy"]
    page.context.clear_cookies()
    page.evaluate("fetch('/api/about').then(answer => { document.title = String(answer.status) })")
    until(page, "document.title === '403'")


def test_two_tabs_know_of_each_other(opened, serve, chirps):
    address = serve(chirps[0])
    one, other = opened(address), opened(address)
    look_for(one, "owl")
    number = current(one)
    one.keyboard.press("y")
    one.wait_for_selector(f"#results .card[data-id='{number}'].said-yes")
    other.evaluate("window.dispatchEvent(new Event('focus'))")
    other.wait_for_selector(".chip >> text=owl")
    look_for(other, "owl")
    other.wait_for_selector(f"#results .card[data-id='{number}'].said-yes")
    other.keyboard.press("End")
    other.keyboard.press("n")
    other.wait_for_selector("#results .card.said-no")
    one.evaluate("window.dispatchEvent(new Event('focus'))")
    one.wait_for_selector("#results .card.said-no")
    assert answers(one, "owl") == answers(other, "owl") == (1, 1, 0)


def test_classes_have_digits_and_are_named_by_the_keyboard_alone(opened, serve, chirps):
    page = opened(serve(chirps[0]))
    page.keyboard.press("Enter")
    page.wait_for_selector("#query .card")
    for name in ("owl", "wren"):
        page.keyboard.press("c")
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        page.keyboard.press("y")
        until(page, f"[...document.querySelectorAll('.chip')].some(c => c.textContent.includes('{name}'))")
    number = current(page)
    page.keyboard.press("1")
    until(page, f"document.querySelector('[data-id=\"{number}\"] .said').textContent.includes('owl')")
    until(page, "document.querySelector('.chip').textContent.includes('2 ✓')")
    # What was searched for is an example, too.
    page.locator("#query .card").focus()
    page.keyboard.press("2")
    page.wait_for_selector("#query .said-yes")
    assert answers(page, "wren") == (2, 0, 0)


def test_fast_fingers_answer_one_result_after_the_other(opened, serve, chirps):
    page = opened(serve(chirps[0]))
    look_for(page, "owl")
    first = ids_shown(page)[:4]
    # All keys before the first answer is on disk, and one taken back.
    page.evaluate(
        "for (const key of 'ynuyz') document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
        "{ key, bubbles: true }))"
    )
    until(page, "document.getElementById('status').textContent.includes('Taken back: yes')")
    said = page.evaluate("fetch('/api/said').then(found => found.json()).then(found => found.classes.owl)")
    assert said == {str(number): answer for number, answer in zip(first, ("yes", "no", "unsure"), strict=False)}


def test_the_loudest_of_the_frequencies_that_are_shown_is_the_brightest(opened):
    page = opened()
    page.wait_for_selector("#results .card canvas.ready")
    brightest = """(() => {
        const canvas = document.querySelector("#results canvas.ready");
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return pixels.reduce((most, value, at) => (at % 4 === 0 ? Math.max(most, value) : most), 0);
    })()"""
    for low, high in (("0", ""), ("0", "0.5"), ("7", "8")):
        page.fill("#lowest", low)
        page.fill("#highest", high)
        assert page.evaluate(brightest) > 250, (low, high)
    assert page.locator("#results .axis").first.inner_text().endswith("8.0 kHz")


def test_texts_are_answered_and_taken_away(opened, serve, tmp_path):
    index = Index(4)
    index.add(np.random.default_rng(0).integers(0, 256, (40, 4)), names=[f"text_{number}" for number in range(40)])
    index.save(tmp_path / "texts.index")
    page = opened(serve(tmp_path / "texts.index"))
    assert not page.locator("#one-each").is_visible()
    look_for(page, "owl")
    for key in "yynn":
        page.keyboard.press(key)
        page.wait_for_timeout(50)
    until(page, "document.getElementById('learnt').textContent.includes('on texts that were left out')")
    page.click("#tab-everything")
    with page.expect_download() as download:
        page.click("#take-names")
    assert Path(download.value.path()).read_text().count(",owl,") == 2
    page.keyboard.press("z")
    until(page, "document.getElementById('status').textContent.includes('Taken back')")
    page.set_input_files("#table", {"name": "owl.csv", "mimeType": "text/csv", "buffer": b"name,label\ntext_3,jay\n"})
    page.wait_for_selector(".chip >> text=jay", state="attached")


def test_the_map_is_brushed_to_search(opened):
    page = opened()
    page.click("#tab-map")
    until(page, "document.getElementById('map-note').textContent.includes('rectangle')")
    box = page.locator("#map-picture").bounding_box()
    page.mouse.move(box["x"] + 6, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 6, box["y"] + box["height"] - 6)
    page.mouse.up()
    page.wait_for_selector("#map-acts:not([hidden])")
    assert page.locator("#map-count").inner_text().startswith("192 items")
    page.click("#map-like")
    until(page, "document.getElementById('sentence').textContent.includes('circular mean of 192')")
    page.click("#tab-map")
    page.locator("#map-picture").focus()
    page.keyboard.press("Shift+ArrowLeft")
    page.click("#map-show")
    until(page, "document.getElementById('sentence').textContent.includes('that were chosen')")


def test_a_hundred_thousand_windows(opened, serve, chirps, tmp_path):
    small = SoundIndex.open(chirps[0])
    windows = SoundWindows()
    path = small.windows.paths[0]
    index = type(small.index)(small.index.dim, small.index.bits, model=small.index.model)
    index.add(np.random.default_rng(0).integers(0, 256, (100_000, small.index.dim), dtype=np.uint8))
    windows.add(path, [(1.5 * (number % 12), 1.5 * (number % 12) + 1.5) for number in range(100_000)])
    SoundIndex(small.folder, small.model, index, windows).save(tmp_path / "many")
    page = opened(serve(tmp_path / "many"))
    assert "100,000 windows" in page.locator("#about").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector("#query .card")
    page.wait_for_selector("#results .card canvas.ready")
    look_for(page, "chirp")
    page.keyboard.press("y")
    page.wait_for_selector("#results .card.said-yes")
    page.click("#tab-everything")
    page.click("#run")
    page.wait_for_selector("#histogram svg rect")
    assert "100,000 items" in page.locator("#scores-title").inner_text()
