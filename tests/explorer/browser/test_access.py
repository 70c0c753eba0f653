"""The page for everyone: without a mouse, by day and at night, on a phone."""

from pathlib import Path

import pytest

from tests.explorer.browser.page import answer_by_truth, current, ids_shown, look_for, until

ACCESSIBLE = (Path(__file__).parent / "accessible.js").read_text()


def test_without_a_mouse(opened):
    page = opened()
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    first = current(page)
    page.keyboard.press("ArrowRight")
    assert current(page) == ids_shown(page)[1]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert current(page) == ids_shown(page)[1]
    page.keyboard.press("Home")
    assert current(page) == first
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle + document.activeElement.className")
    assert outline.startswith("solidcard")
    # Select two, and search for their mean.
    for key in ("x", "ArrowRight", "x", "m"):
        page.keyboard.press(key)
    until(page, "document.getElementById('sentence').textContent.includes('circular mean of 2')")
    page.locator("#none").press("Enter")
    assert not page.locator("#mean").is_visible()
    page.keyboard.press("m")
    assert "Select results" in page.locator("#status").inner_text()
    # A stretch by numbers alone.
    page.keyboard.press("l")
    until(page, "document.getElementById('closer-picture').width > 400")
    page.locator("#region-start").focus()
    page.keyboard.type("0.2")
    page.locator("#region-end").focus()
    page.keyboard.type("1.4")
    page.locator("#closer-search").focus()
    page.keyboard.press("Enter")
    until(page, "document.getElementById('sentence').textContent.includes('0:00.2 to 0:01.4, all frequ')")
    # The search box, and the tabs.
    page.keyboard.press("/")
    page.keyboard.type("ridge")
    page.keyboard.press("Enter")
    until(page, "document.getElementById('sentence').textContent.startsWith('60 of 192')")
    page.locator("#tab-find").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#everything").is_visible()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#find").is_visible()
    # Every control can be reached with the tab key.
    reached = set()
    page.locator("#tab-find").focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"search-text", "handful", "question", "way", "ask", "undo", "one-each", "contrast", "slower"} <= reached
    assert any("card" in each for each in reached)


def test_a_stretch_is_drawn_with_the_mouse(opened):
    page = opened()
    page.keyboard.press("l")
    until(page, "document.getElementById('closer-picture').width > 400")
    box = page.locator("#closer-picture").bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 120)
    page.mouse.up()
    page.check("#region-band")
    assert "silenced" in page.locator("#closer-note").inner_text()
    page.click("#closer-search")
    until(page, "document.getElementById('sentence').textContent.includes('everything else silenced')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_by_day_and_at_night(opened, serve, chirps, scheme):
    page = opened(serve(chirps[0]), color_scheme=scheme, reduced_motion="reduce")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(part => part < 60)")
    assert dark == (scheme == "dark")
    look_for(page, "chirp")
    answer_by_truth(page, chirps[1], chirps[1][current(page)], 3)
    page.keyboard.press("x")
    assert page.evaluate(ACCESSIBLE) == []
    page.keyboard.press("l")
    until(page, "document.getElementById('closer-picture').width > 400")
    assert page.evaluate(ACCESSIBLE) == []
    page.keyboard.press("Escape")
    page.click("#tab-everything")
    page.click("#run")
    page.wait_for_selector("#sites .columns")
    assert page.evaluate(ACCESSIBLE) == []
    page.click("#tab-map")
    until(page, "document.getElementById('map-note').textContent.includes('rectangle')")
    assert page.evaluate(ACCESSIBLE) == []


def test_the_check_of_accessibility_sees_what_is_wrong(opened):
    page = opened()
    page.evaluate("document.body.append(document.createElement('button'))")
    page.evaluate(
        "const p = document.createElement('p'); p.textContent = 'x'; p.style.color = '#999'; document.body.append(p)"
    )
    page.evaluate("const c = document.createElement('canvas'); c.id = 'title'; document.body.append(c)")
    found = " ".join(page.evaluate(ACCESSIBLE))
    assert all(each in found for each in ("no name: <button", "contrast", "no role: <canvas", "id twice: title"))


def test_on_a_phone(opened):
    page = opened(viewport={"width": 400, "height": 800}, has_touch=True, is_mobile=True)
    for view in ("find", "everything", "map"):
        page.click(f"#tab-{view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 400, view
    page.click("#tab-find")
    page.wait_for_selector("#results .card canvas.ready")
    small = "b => b.filter(e => e.offsetHeight && (e.offsetHeight < 24 || e.offsetWidth < 24)).map(e => e.outerHTML)"
    assert page.eval_on_selector_all("button", small) == []
    page.tap("#results .card [title='Look closer (l)']")
    until(page, "document.getElementById('closer-picture').width > 400")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
