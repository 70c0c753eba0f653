"""What tests of the page do with it and read from it."""

import re
import time


def until(page, expression, seconds=20):
    """Wait until an expression is true; the page's policy forbids Playwright's own way of waiting, by eval."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(20)


def ids_shown(page):
    return [int(each) for each in page.eval_on_selector_all("#results .card", "cards => cards.map(c => c.dataset.id)")]


def current(page):
    return int(page.locator("#results .card.current").get_attribute("data-id"))


def answers(page, name):
    text = page.locator(".chip", has_text=name).locator(".faint").inner_text()
    found = {sign: int(many) for many, sign in re.findall(r"(\d+) ([✓✗~])", text)}
    return found.get("✓", 0), found.get("✗", 0), found.get("~", 0)


def look_for(page, name):
    page.fill("#question", name)
    page.press("#question", "Tab")
    page.locator("#results .card.current").focus()


def answer_by_truth(page, species, wanted, count):
    """Press y or n on so many results, each as soon as the one before is on disk."""
    said = 0
    for _ in range(count):
        number = current(page)
        page.keyboard.press("y" if species[number] == wanted else "n")
        page.wait_for_selector(f"#results .card[data-id='{number}']:is(.said-yes, .said-no)")
        said += species[number] == wanted
    return said
