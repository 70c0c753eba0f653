"""A picture of a sound: time to the right, pitch upwards in kHz, louder is brighter; all on one scale."""

from __future__ import annotations

import base64
import io

import matplotlib as mpl
from torch import Tensor

from hypertorus.report.style import figure, look
from hypertorus.sound.spectrogram import Spectrogram, mel

DEPTH = 60.0
"""Decibels from the brightest to the darkest."""
WIDTH, HEIGHT = 3.1, 1.9
"""Inches of a picture of one window."""
COLUMNS = 300
"""Of spectra in it."""
TICKS = (0.5, 1, 2, 4, 8, 16)


def spectrogram_picture(wave: Tensor, rate: int, seconds: float, begin: float = 0.0, widths: float = 1.0) -> str:
    """An address for `<img src>` that holds the picture itself, of `seconds` from the beginning of a wave [time].

    The axis of time begins at second `begin`, and the picture has the width of so many pictures of a window.
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
    there = min(1.0, len(wave) / sound.samples)  # nothing is drawn where there is no sound, for that is not silence
    low, high = mel(sound.lowest), mel(sound.highest)
    shown = [kilohertz for kilohertz in TICKS if sound.lowest <= 1000 * kilohertz <= sound.highest]
    # As vectors, with the picture itself in its own few pixels, a page of many stays small and sharp.
    with look(), mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "sounds", "font.size": 8}):
        fig = figure(WIDTH * widths, HEIGHT)
        ax = fig.subplots()
        place = (begin, begin + there * seconds, low, high)
        drawn = levels[:, : max(1, round(there * levels.shape[1]))]
        ax.imshow(drawn, "magma", aspect="auto", interpolation="none", vmin=0, vmax=1, origin="lower", extent=place)
        ax.set_xlim(begin, begin + seconds)
        ax.set_yticks([mel(1000 * kilohertz) for kilohertz in shown], [f"{kilohertz:g}" for kilohertz in shown])
        ax.set(ylabel="kHz", xlabel="seconds")
        file = io.BytesIO()
        fig.savefig(file, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(file.getvalue()).decode()}"
