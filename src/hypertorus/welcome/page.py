"""The welcome page: five screens, from what a byte is to what to do next, in one file that loads nothing else."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hypertorus import __version__
from hypertorus.bench.record import describe
from hypertorus.welcome.cards import exhibit_card
from hypertorus.welcome.charts import NAMES, bars, lines, rounded
from hypertorus.welcome.commands import Command
from hypertorus.welcome.drawings import dial, image, ring
from hypertorus.welcome.exhibit import Exhibit
from hypertorus.welcome.precision import Curve
from hypertorus.welcome.speed import NUMPY, Speed

STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Tour:
    """Everything that the page shows."""

    exhibits: Sequence[Exhibit]
    """The digits first."""
    without: str | None
    """The command that installs what sentences need, if they were left out."""
    speeds: Sequence[Speed]
    curves: Sequence[Curve]
    beginnings: Sequence[Command]
    explorations: Sequence[Command]
    paper: str
    """Address of the page of the paper, relative to this one."""
    here: Path
    """Folder in which the commands are pasted."""
    count: int
    """Number of codes that the speed was measured on."""
    seeds: int
    """Number of runs whose mean each precision is."""


def welcome_page(tour: Tour) -> str:
    """Return the page as HTML."""
    sections = "\n".join((_circle(tour), _at_work(tour), _speed(tour), _precision(tour), _next(tour)))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A byte is a circle: hypertorus</title><style>{_static("page.css")}</style></head>
<body><main>
{sections}
</main>
<footer>Made on this computer by <code>hypertorus</code> {__version__}: {html.escape(describe())}.
This page loads nothing from anywhere.</footer>
<p id="said" class="unseen" role="status"></p><script>{_static("page.js")}</script></body></html>
"""


def _static(name: str) -> str:
    return (STATIC / name).read_text()


def _circle(tour: Tour) -> str:
    answer = tour.exhibits[0].answers[0]
    count = len(answer.code)
    dials = "".join(dial(int(byte)) for byte in answer.code)
    said = ", ".join(str(int(byte)) for byte in answer.code)
    digit = image(answer.query.picture, f"A handwritten {answer.query.label}", "pixels")
    return f"""<section class="hero"><div><h1>A byte is a circle.</h1>
<p class="lead">Count past 255 in a byte and you are back at 0: integers that overflow are angles. <b>hypertorus</b>
teaches a network to describe pictures, sounds and sentences by a handful of such angles, so that what is alike comes to
lie close together.</p></div>
{ring()}
<figure class="digit-to-bytes card">{digit}<span class="arrow" aria-hidden="true">→</span>
<div class="dials" role="img" aria-label="Dials: {said}">{dials}</div>
<figcaption>This digit is these {count} bytes: {count} angles, each a hand on a dial and a colour of the wheel. Two
circles make a torus, the skin of a doughnut; {count} make a hypertorus.</figcaption></figure></section>"""


def _at_work(tour: Tour) -> str:
    cards = "\n".join(exhibit_card(exhibit) for exhibit in tour.exhibits)
    left_out = (
        '<p class="note">Sentences were left out, for the text model is not installed. To see them: '
        f"<code>{html.escape(tour.without)}</code>, then the same command again.</p>"
        if tour.without
        else ""
    )
    return f"""<section id="at-work"><h2>What is alike lies close</h2>
<p>Each network was trained on this computer, by the demo. At the top of a card is something that it has <b>never
seen</b>; below are the nearest of what it has, found by their bytes alone. Like things have like stripes: a stripe is
16 bytes, a colour is an angle. The same code is 0 away, and chance is 0.5.</p>
<div class="exhibits">{cards}</div>{left_out}</section>"""


def _speed(tour: Tour) -> str:
    return f"""<section id="speed"><h2>Exact, and quick</h2>
<p>Measured on this computer just now: the ten nearest of {tour.count:,} digits, each with noise of its own. Nothing is
approximate, every search returns the true nearest codes: {_times(tour.speeds)}.</p>
<div class="card chart">{bars(tour.speeds)}
<ul class="key"><li><i class="plain"></i>codes of this library, all of them compared</li>
<li><i class="arranged"></i>the same codes arranged in cells: those proved to be too far are skipped</li>
<li><i class="other"></i>other libraries, on the same vectors as 32-bit floats</li></ul></div>
<p class="note">One core, one query after another, in seconds of the processor. Codes of fewer bits are the first bits
of the same codes. The last column says how often the nearest neighbour is the right digit.</p></section>"""


def _times(speeds: Sequence[Speed]) -> str:
    """Return how often the codes of 8 bits are searched while numpy searches once, as a part of a sentence."""
    numpy = next(each.plain for each in speeds if each.name == NUMPY)
    plain, arranged = (rounded(rate / numpy) for rate in (speeds[0].plain, speeds[0].arranged or 0))
    return f"with 8 bits {plain} times as many a second as numpy, and {arranged} times as many in cells"


def _precision(tour: Tour) -> str:
    return f"""<section id="precision"><h2>What it costs</h2>
<p>Fewer bytes mean fewer right answers, but not many fewer. Small networks learnt the digits anew in each of four ways.
The chart shows how often the nearest neighbour of an unseen digit is the same digit, with the best code of at most so
many bytes{_at(tour.curves)}.</p>
<div class="beside"><div class="chart card">{lines(tour.curves)}</div>
<dl><div class="torusN-soft"><dt>soft torus</dt><dd>What this library trains by default: torusN, with angles that may be
vague at first and commit late. No calibration, no codebook.</dd></div>
<div class="sphere"><dt>sphere</dt><dd>What most people use: vectors of length 1, whose numbers are cut into steps
between limits that are measured beforehand.</dd></div>
<div class="torusN"><dt>torusN</dt><dd>As published: every two numbers are one angle.</dd></div>
<div class="torusC"><dt>torusC</dt><dd>As published: every number wraps around by itself. The least arithmetic, and the
hardest to train.</dd></div></dl></div>
<p class="note">Digits are easy, and this is a small grid: means over {_seeds(tour)}.
<a href="{html.escape(tour.paper)}">The page of the paper</a> has every run, every figure and every claim, also what
speaks against the torus.</p></section>"""


def _at(curves: Sequence[Curve], most: float = 16) -> str:
    """Return what the first two spaces find at the largest size that both have, up to so many bytes."""
    both = [size for size in curves[0].sizes if size <= most and all(size in curve.sizes for curve in curves[1:2])]
    if not both:
        return ""
    found = (f"{NAMES[curve.space]} {curve.sizes[max(both)]:.1%}" for curve in curves[:2])
    return f": at {max(both):g} bytes, {' and '.join(found)}"


def _seeds(tour: Tour) -> str:
    return "one run each" if tour.seeds == 1 else f"{tour.seeds} runs each"


def _next(tour: Tour) -> str:
    return f"""<section id="next"><h2>Your turn</h2>
<p>Look around in what was just built. Paste a command in <code>{html.escape(str(tour.here))}</code>; a page opens in
your browser.</p>
<div class="commands">{"".join(map(_command, tour.explorations))}</div>
<h3>Then with your own</h3>
<p>These work as they stand, on what the demo made. Put your own folder or file in its place.</p>
<div class="commands">{"".join(map(_command, tour.beginnings))}</div></section>"""


def _command(command: Command) -> str:
    title = html.escape(command.title)
    return (
        f'<div class="command card"><header><h3>{title}</h3><button class="copy" aria-label="Copy the command for '
        f'{title.lower()}">Copy</button></header><p>{html.escape(command.text)}</p>'
        f'<pre tabindex="0">{html.escape(command.command)}</pre></div>'
    )
