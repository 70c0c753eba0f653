"""Draws a spectrogram: time to the right, frequency in kHz upwards, louder is brighter."""

from __future__ import annotations

import base64
import io

import matplotlib as mpl
from torch import Tensor

from hypertorus.report.style import figure, look
from hypertorus.sound.spectrogram import Spectrogram, mel

DEPTH = 60.0
"""Dynamic range from the brightest to the darkest in decibels."""
WIDTH, HEIGHT = 3.1, 1.9
"""Size of the picture of one window in inches."""
COLUMNS = 300
"""Number of spectra in the picture of one window."""
TICKS = (0.5, 1, 2, 4, 8, 16)


def spectrogram_picture(wave: Tensor, rate: int, seconds: float, begin: float = 0.0, widths: float = 1.0) -> str:
    """Return a picture of the first `seconds` of a wave [time], as a data address for `<img src>`.

    The time axis starts at second `begin`, and the picture is `widths` times as wide as that of one window.
    """
    times = rate / 16_000
    sound = Spectrogram(
        rate=rate,
        seconds=seconds,
        fft=min(round(1024 * times), int(seconds * rate)),
        hop=max(round(64 * times), int(seconds * rate / (COLUMNS * widths))),
        highest=rate / 2,
        padding="zeros",
        depth=DEPTH,
    )
    levels = sound.inputs(wave[: sound.samples])[0, 0].numpy()
    filled = min(1.0, len(wave) / sound.samples)  # beyond its end a sound is not silent, so nothing is drawn there
    low, high = mel(sound.lowest), mel(sound.highest)
    ticks = [kilohertz for kilohertz in TICKS if sound.lowest <= 1000 * kilohertz <= sound.highest]
    # As SVG, with the spectrogram itself in few pixels, a page with many pictures stays small and sharp.
    with look(), mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "sounds", "font.size": 8}):
        fig = figure(WIDTH * widths, HEIGHT)
        ax = fig.subplots()
        extent = (begin, begin + filled * seconds, low, high)
        pixels = levels[:, : max(1, round(filled * levels.shape[1]))]
        ax.imshow(pixels, "magma", aspect="auto", interpolation="none", vmin=0, vmax=1, origin="lower", extent=extent)
        ax.set_xlim(begin, begin + seconds)
        ax.set_yticks([mel(1000 * kilohertz) for kilohertz in ticks], [f"{kilohertz:g}" for kilohertz in ticks])
        ax.set(ylabel="kHz", xlabel="seconds")
        file = io.BytesIO()
        fig.savefig(file, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(file.getvalue()).decode()}"
