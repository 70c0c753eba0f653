"""Drawings of codes as SVG: a byte is a colour of the colour wheel and a hand on a dial, 0 at the top, clockwise."""

from __future__ import annotations

import base64
import html
import math
from functools import cache
from typing import Any

import numpy as np

LIGHTNESS, CHROMA = 0.72, 0.115
"""Lightness and colourfulness of every colour in OKLCH, the same all around, so that only the hue says the angle."""
_TO_LMS = np.array(
    [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]]
)
_TO_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


@cache
def colour(byte: int) -> str:
    """Return the colour of a byte on the colour wheel; 255 and 0 are neighbours.

    >>> colour(0), colour(128), colour(255)
    ('#e3858e', '#2abbba', '#e38590')
    """
    angle = 2 * math.pi * (byte / 256 + 0.04)
    lab = np.array([LIGHTNESS, CHROMA * math.cos(angle), CHROMA * math.sin(angle)])
    linear = np.clip(_TO_RGB @ (_TO_LMS @ lab) ** 3, 0, 1)
    levels = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * level):02x}" for level in levels)


def strip(code: Any) -> str:
    """Return a code as a row of coloured cells."""
    cells = "".join(f'<i style="background:{colour(int(byte))}"></i>' for byte in code)
    said = ", ".join(str(int(byte)) for byte in code)
    return f'<span class="strip" role="img" aria-label="The bytes {said}" title="{said}">{cells}</span>'


def dial(byte: int) -> str:
    """Return a byte as a dial with a hand, and the number below."""
    x, y = at(byte, 15)
    return (
        f'<svg class="dial" viewBox="-22 -22 44 60" aria-hidden="true"><circle r="19" fill="none" '
        f'stroke="{colour(byte)}" stroke-width="5"/><line x2="{x:.1f}" y2="{y:.1f}" stroke="currentColor" '
        'stroke-width="2.4" stroke-linecap="round"/><circle r="2.4" fill="currentColor"/>'
        f"{_text(str(byte), 0, 35)}</svg>"
    )


def ring(start: int = 250, end: int = 12) -> str:
    """Return the circle of a byte, with the short way from one number across zero to another."""
    arcs = "".join(f'<path d="{arc(step, step + 4.3, 80)}" stroke="{colour(step + 2)}"/>' for step in range(0, 256, 4))
    steps = (end - start) % 256
    ends = "".join(_circle(*at(byte, 98)) for byte in (start, end))
    numbers = {start: (-24, -104), end: (32, -100), 64: (104, 5), 128: (0, 108), 192: (-108, 5)}
    inked = "".join(_text(str(byte), *numbers[byte]) for byte in (start, end))
    faint = "".join(_text(str(byte), *numbers[byte]) for byte in (64, 128, 192)) + _text("0", 0, -56)
    said = (
        f"A circle with the numbers 0 to 255 around it, each in its own colour. From {start} to {end} it is {steps} "
        "steps across zero."
    )
    return (
        f'<svg class="ring" viewBox="-126 -122 252 238" role="img" aria-label="{said}">'
        f'<g fill="none" stroke-width="17">{arcs}</g><g class="faint">{faint}</g>{inked}{ends}'
        f'<path d="{arc(start, start + steps, 98)}" fill="none" stroke="currentColor" stroke-width="2.5"/>'
        f'<g class="strong">{_text(f"{steps} steps", 0, 4)}</g>'
        f'<g class="faint">{_text(f"from {start} to {end}", 0, 24)}</g></svg>'
    )


def _circle(x: float, y: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="currentColor"/>'


def _text(text: str, x: float, y: float) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle">{text}</text>'


def at(byte: float, radius: float) -> tuple[float, float]:
    """Return the place of a byte on a circle: 0 at the top, and on clockwise.

    >>> [round(number) for number in at(64, 10)]
    [10, 0]
    """
    angle = 2 * math.pi * byte / 256
    return radius * math.sin(angle), -radius * math.cos(angle)


def arc(start: float, end: float, radius: float) -> str:
    """Return the path of an arc of less than half a turn."""
    (x, y), (to_x, to_y) = at(start, radius), at(end, radius)
    return f"M{x:.2f} {y:.2f}A{radius} {radius} 0 0 1 {to_x:.2f} {to_y:.2f}"


def image(png: bytes, said: str, style: str = "") -> str:
    """Return a picture that is inside the page."""
    data = base64.b64encode(png).decode()
    return f'<img class="{style}" alt="{html.escape(said, quote=True)}" src="data:image/png;base64,{data}">'
