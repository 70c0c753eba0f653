"""Cards of exhibits: a query on top, its neighbours below, each with its code as a stripe of coloured bytes."""

from __future__ import annotations

import base64
import html

from hypertorus.welcome.drawings import image, strip
from hypertorus.welcome.exhibit import Answer, Codes, Exhibit, Thing

TITLES = {"digits": "Digits", "sounds": "Birdsong", "sentences": "Sentences"}
WORDS = {
    "digits": "{count:,} handwritten digits of 8 by 8 pixels",
    "sounds": "{count:,} songs of 16 made-up species; press one to hear it",
    "sentences": "{count:,} sentences on twelve topics, read by a small text model",
}
ANOTHER = {"digits": "Another digit", "sounds": "Another song", "sentences": "Another sentence"}


def exhibit_card(exhibit: Exhibit) -> str:
    """Return the card of an exhibit; its button shows another example."""
    examples = "".join(_example(exhibit, answer, first=number == 0) for number, answer in enumerate(exhibit.answers))
    return (
        f'<article class="exhibit card {exhibit.kind}"><header><h3>{TITLES[exhibit.kind]}</h3>'
        f'<button class="more">{ANOTHER[exhibit.kind]}</button></header>'
        f"<p>{WORDS[exhibit.kind].format(count=exhibit.count)}</p>"
        f'<div aria-live="polite">{examples}</div></article>'
    )


def _example(exhibit: Exhibit, answer: Answer, *, first: bool) -> str:
    rows = [_thing(exhibit.kind, answer.query, answer.code, None)]
    for thing, code, distance in zip(answer.neighbours, answer.codes, answer.distances, strict=True):
        rows.append(_thing(exhibit.kind, thing, code, distance))
    hits = round(exhibit.right * exhibit.queries)
    return (
        f'<div class="example"{"" if first else " hidden"} data-seconds="{answer.seconds:.9f}"><ol class="things">'
        f'{"".join(rows)}</ol><p class="took">Found in <b>{duration(answer.seconds)}</b>. The nearest is right for '
        f"{hits} of {exhibit.queries} unseen {exhibit.kind}.</p></div>"
    )


def duration(seconds: float) -> str:
    """Return a short time in words.

    >>> duration(0.0000312), duration(0.00234)
    ('31 microseconds', '2.3 milliseconds')
    """
    micro = 1e6 * seconds
    return f"{micro:.2g} microseconds" if micro < 99.5 else f"{micro / 1000:.2g} milliseconds"


def _thing(kind: str, thing: Thing, code: Codes, distance: float | None) -> str:
    """Return a row: what it is, its code, its class, and how far it is from the query, or that it is the query."""
    stripe = strip(code)
    far = "asked for" if distance is None else f"{distance:.3f} away"
    what = f'<span class="what">{html.escape(thing.label)}<small>{far}</small></span>'
    style = " query" if distance is None else ""
    return (
        f'<li class="thing{style}" data-code="{bytes(code.tolist()).hex()}" data-label="{html.escape(thing.label)}" '
        f'data-name="{html.escape(thing.name)}">{_seen(kind, thing)}{stripe}{what}</li>'
    )


def _seen(kind: str, thing: Thing) -> str:
    if kind == "sentences":
        return f"<q>{html.escape(thing.name)}</q>"
    if kind == "digits":
        return image(thing.picture, f"A handwritten {thing.label}", "pixels")
    sound = base64.b64encode(thing.sound).decode()
    return (
        f'<button class="play" aria-label="Play {html.escape(thing.label)}, {html.escape(thing.name)}">'
        f"{image(thing.picture, 'Its spectrogram')}"
        f'<audio preload="none" src="data:audio/wav;base64,{sound}"></audio></button>'
    )
