"""An HTML page of a sound and its nearest neighbours, with spectrograms and players inside one file."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path

import soundfile
from torch import Tensor

from hypertorus.files.progress import Progress
from hypertorus.listen.encode import ear_of
from hypertorus.listen.index import Match, SoundIndex
from hypertorus.listen.windows import clock
from hypertorus.report.page import page, paragraph
from hypertorus.report.spectrogram_picture import spectrogram_picture
from hypertorus.sound.wave import read_wave, seconds_of

LONGEST = 30.0
"""Length in seconds up to which a query is shown completely; a longer one is shown by its best window."""

STYLE = """
.sound { box-sizing: border-box; max-width: 100%; }
.sound img { display: block; width: 100%; background: #fff; border-radius: 4px; }
.sound audio { display: block; width: 100%; height: 2.2rem; margin: 0.2rem 0 0.6rem; }
.sound b { overflow-wrap: anywhere; }
.sound small { color: var(--faint); display: block; }
.top { display: flex; flex-wrap: wrap; gap: 0 2.5rem; align-items: center; margin: 1.5rem 0 2rem; }
.top p { flex: 1 1 16rem; }
.query { border-left: 4px solid #D55E00; padding-left: 1rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1.2rem; margin-bottom: 3rem; }
.grid .sound { border: 1px solid var(--line); border-radius: 6px; padding: 0.7rem 0.8rem; font-size: 0.9em; }
.far { height: 4px; background: var(--line); border-radius: 2px; margin-top: 0.5rem; }
.far div { height: 100%; background: #D55E00; border-radius: 2px; }
"""


def sounds_page(
    sounds: SoundIndex,
    query: Path,
    matches: Sequence[Match],
    *,
    at: float | None = None,
    progress: Progress | None = None,
) -> str:
    """Return the page as HTML; `matches` is the result of `sounds.search(query, at=at)`."""
    if not sounds.folder.is_dir():
        raise FileNotFoundError(
            f"the recordings were in {sounds.folder}, which no longer exists; move them back, or fix `folder` in the "
            "sounds.json of the index."
        )
    ear = ear_of(sounds.model)
    several = at is None and sounds.has_several(query)
    cards = []
    for rank, match in enumerate(matches, start=1):
        cards.append(_neighbour(sounds.folder, match, rank, ear.rate, ear.seconds, several=several))
        if progress:
            progress(rank, len(matches))
    begin, seconds = _stretch(query, matches, at, ear.seconds)
    query_card = _query(query, begin, seconds, ear.rate, min(seconds / ear.seconds, 3))
    blocks = [
        f'<div class="top">{query_card}{paragraph(_introduction(sounds))}</div>',
        f'<div class="grid">{"".join(cards)}</div>',
    ]
    return page(f"What sounds like {query.name}?", blocks, STYLE)


def _introduction(sounds: SoundIndex) -> str:
    return (
        f"Below are its nearest neighbours among {len(sounds.index):,} clips of {len(sounds.windows.paths):,} files in "
        f"{sounds.folder.name}, nearest first. The distance goes from 0, the same code, to 1, the largest; random "
        f"codes have {sounds.chance:.2f}."
    )


def _stretch(query: Path, matches: Sequence[Match], at: float | None, window: float) -> tuple[float, float]:
    """Return start and length in seconds of the stretch of the query that is shown."""
    length = seconds_of(query)
    if at is None and length <= LONGEST:
        return 0.0, max(length, window)
    return (matches[0].at if matches else 0.0) if at is None else at, window


def _query(path: Path, begin: float, seconds: float, rate: int, widths: float) -> str:
    wave = read_wave(path, rate, begin, begin + seconds)
    picture = spectrogram_picture(wave, rate, seconds, begin, widths)
    end = begin + len(wave) / rate
    return (
        f'<div class="sound query" style="width: {18.1 * widths + 1.3:.4g}rem">{_media(picture, wave, rate)}'
        f"<b>{html.escape(path.name)}</b><small>{clock(begin)} to {clock(end)}</small></div>"
    )


def _neighbour(folder: Path, match: Match, rank: int, rate: int, window: float, *, several: bool) -> str:
    wave = read_wave(folder / match.path, rate, match.start, match.end)
    like = f", like the query from {clock(match.at)}" if several else ""
    return (
        f'<div class="sound">{_media(spectrogram_picture(wave, rate, window), wave, rate)}'
        f"<b>{rank}. {html.escape(match.path)}</b><small>{clock(match.start)} to {clock(match.end)}{like}</small>"
        f"<small>distance {match.distance:.3f}</small>"
        f'<div class="far"><div style="width: {100 * match.distance:.1f}%"></div></div></div>\n'
    )


def _media(picture: str, wave: Tensor, rate: int) -> str:
    """Return the picture and a player of the wave as HTML."""
    file = io.BytesIO()
    soundfile.write(file, wave.numpy(), rate, format="WAV", subtype="PCM_16")
    sound = base64.b64encode(file.getvalue()).decode()
    return (
        f'<img alt="Spectrogram" src="{picture}">'
        f'<audio controls preload="metadata" src="data:audio/wav;base64,{sound}"></audio>'
    )
