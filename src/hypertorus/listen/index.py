"""An index of recordings: it is built from a folder of sounds by a model, saved as a folder, and searched by sound."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.files.whole_folder import whole_folder
from hypertorus.listen.build import listen
from hypertorus.listen.encode import UnreadableClip, ear_of, encode_clips, torus_of
from hypertorus.listen.encoded import EncodedClips
from hypertorus.listen.folder import (
    AGAIN,
    CLIPS,
    INDEX,
    MODEL,
    check_replaceable,
    read_facts,
    recordings_of,
    write_facts,
)
from hypertorus.listen.forget import named_files
from hypertorus.listen.windows import SoundWindows
from hypertorus.models.folder import WEIGHTS
from hypertorus.models.model import Model, load
from hypertorus.search import Index, distances
from hypertorus.sound.clip import Clip
from hypertorus.sound.wave import seconds_of


class Match(NamedTuple):
    """A window of a recording that is like a window of the query."""

    path: str
    """Path of the recording, relative to the folder of the recordings."""
    start: float
    """Start of the window in seconds."""
    end: float
    """End of the window in seconds."""
    distance: float
    """Distance from 0, the same code, to 1, the largest; random codes have 0.5 (with l2, 0.33)."""
    at: float
    """Start of the window of the query in seconds."""

    @property
    def label(self) -> str:
        """The first folder of the path, which is the class where recordings lie in a folder for each; else ""."""
        first, slash, _ = self.path.partition("/")
        return first if slash else ""


@dataclass(frozen=True)
class SoundIndex:
    """Think of a field guide for the ear: give it a sound, and it lists the clips of recordings that are most like it.

    >>> import tempfile, soundfile
    >>> from hypertorus.models.encoders import encoder
    >>> from hypertorus.sound.spectrogram import Spectrogram
    >>> sound, noise = Spectrogram(seconds=0.5), np.random.default_rng(0).normal(size=16_000) / 10
    >>> model = Model(encoder("none", sound.shape), sound.shape, dim=16, space="torusN", sound=sound)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder)
    ...     (place / "recordings").mkdir()
    ...     soundfile.write(place / "recordings" / "noise.wav", noise, 16_000)
    ...     model.save(place / "model")
    ...     SoundIndex.build(place / "recordings", place / "model").save(place / "sounds")
    ...     SoundIndex.open(place / "sounds").search(place / "recordings" / "noise.wav", k=1)
    [Match(path='noise.wav', start=0.0, end=0.5, distance=0.0, at=0.0)]
    """

    folder: Path
    """Folder of the recordings."""
    model: Model
    index: Index
    windows: SoundWindows
    """File, start and end of the window of each id."""
    left_out: tuple[str, ...] = ()
    """A sentence on each file that could not be read, or not to its end."""

    @classmethod
    def build(
        cls,
        folder: str | os.PathLike[str],
        model: str | os.PathLike[str],
        *,
        bits: int = 8,
        metric: str = "cosine",
        progress: Progress | None = None,
        journal: Path | None = None,
    ) -> SoundIndex:
        """Return an index of every window of every .wav, .flac, .ogg and .mp3 below a folder, by the model in another.

        Files that cannot be read are left out with a warning. `progress(done, total)` counts seconds of sound. With a
        `journal`, a file in which codes are kept as soon as they are made, a run that was killed resumes; remove it
        when the index is saved.
        """
        recordings, network = Path(folder).absolute(), load(model)
        index = Index(torus_of(network, model).flat_dim, bits, metric, model=network.fingerprint)
        windows = SoundWindows()
        with _journal(journal, index) as encoded:
            left_out = listen(recordings, recordings, network, index, windows, progress, encoded)
        return cls(recordings, network, index, windows, left_out)

    def grown(
        self, folder: str | os.PathLike[str], *, progress: Progress | None = None, journal: Path | None = None
    ) -> SoundIndex:
        """Return the index with the new recordings of a folder added; save it to keep them.

        A recording is new if its path is. Paths are relative to the folder of the recordings; if the new ones are
        outside it, that folder becomes the one that both are in. `journal` is as in `build`.
        """
        more, base = Path(os.path.normpath(Path(folder).absolute())), _common(self.folder, Path(folder))
        windows = self.windows.copy()
        if base != self.folder:
            windows = windows.moved_below(self.folder.relative_to(base).as_posix())
        with _journal(journal, self.index) as encoded:
            left_out = listen(more, base, self.model, self.index, windows, progress, encoded)
        return replace(self, folder=base, windows=windows, left_out=(*self.left_out, *left_out))

    def without(self, names: Sequence[str]) -> SoundIndex:
        """Return the index without some recordings, named by path, folder or pattern; save it to forget them.

        Paths are those of `windows.paths`, relative to the folder of the recordings.
        """
        gone = named_files(self.windows.paths, names)
        kept = [number for number in range(len(self.windows)) if self.windows.files[number] not in gone]
        if not kept:
            raise ValueError("that would leave an index of nothing; remove its folder instead.")
        index = Index(self.index.dim, self.index.bits, self.index.metric, model=self.index.model)
        index.add(self.index.vectors(kept))
        if self.index.cells:
            index.arrange()
        return replace(self, index=index, windows=self.windows.take(kept))

    def narrowed(
        self, coordinates: int | None = None, bits: int | None = None, *, progress: Progress | None = None
    ) -> SoundIndex:
        """Return the index with codes of fewer coordinates and bits, without listening to anything again.

        It keeps the whole model, whose codes of a query are cut alike.
        """
        return replace(self, index=self.index.narrowed(coordinates, bits, progress=progress))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SoundIndex:
        """Return the index that was saved in this folder; its codes are memory-mapped.

        If another process replaces the folder meanwhile, the new one is opened.
        """
        place = Path(path)
        while True:
            before = _identity(place)
            try:
                opened = cls._open(place)
            except (OSError, ValueError):
                if _identity(place) == before:
                    raise
            else:
                if _identity(place) == before:
                    return opened

    @classmethod
    def _open(cls, place: Path) -> SoundIndex:
        facts = read_facts(place)
        model, index = load(place / MODEL), Index.open(place / INDEX, verify=False)  # its checksum was right just now
        if index.model not in (None, model.fingerprint):
            raise ValueError(f"{place / MODEL / WEIGHTS} is not of the model that made the codes; {AGAIN}")
        windows = SoundWindows.read(place / CLIPS, len(index))
        return cls(recordings_of(place, facts), model, index, windows, tuple(facts["left_out"]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything into one folder, atomically; an index of sounds in its place is replaced."""
        place = Path(path)
        check_replaceable(place)
        with whole_folder(place) as fresh:
            self.index.save(fresh / INDEX)
            self.windows.write(fresh / CLIPS)
            self.model.save(fresh / MODEL)
            write_facts(fresh, place, self.folder, self.left_out)

    def search(
        self, sound: str | os.PathLike[str], k: int = 10, *, at: float | None = None, not_itself: bool = False
    ) -> list[Match]:
        """Return the k windows of the recordings that are nearest to any window of a sound file, nearest first.

        With `at` only the window that starts at this second is searched for. `not_itself` leaves out the windows of the
        same file, if the sound is one of the recordings.
        """
        codes, starts = self._encode_query(os.fspath(sound), at)
        neighbours = self.index.search(codes, k, self._others(sound) if not_itself else None)
        rows, ids, far = np.repeat(np.arange(len(codes)), k), neighbours.ids.ravel(), neighbours.distances.ravel()
        best: dict[int, int] = {}
        # Neighbours of all windows of the query, nearest first: a clip is listed where it comes up first.
        for place in np.lexsort((rows, ids, far)):
            if ids[place] >= 0 and len(best) < k:
                best.setdefault(int(ids[place]), int(place))
        farthest = self.index.dim * int(self._coordinate_distances().max())
        return [
            Match(*self.windows[number], int(far[place]) / farthest, starts[rows[place]])
            for number, place in best.items()
        ]

    @property
    def chance(self) -> float:
        """The expected distance of random codes."""
        distances = self._coordinate_distances()
        return float(distances.mean() / distances.max())

    def has_several(self, sound: str | os.PathLike[str]) -> bool:
        """Return whether a sound file has more than one window."""
        return seconds_of(os.fspath(sound)) >= 1.5 * ear_of(self.model).seconds

    def _encode_query(self, path: str, at: float | None) -> tuple[npt.NDArray[np.uint8], list[float]]:
        """Return the code of each window of a query, and its start in seconds."""
        window, length = ear_of(self.model).seconds, seconds_of(path)
        if at is not None and not 0 <= at < length:
            raise ValueError(f"at is {at:g} s, but {path} has {length:g} s; choose a second within it.")
        clips = Clip(path).pieces(window) if at is None else [Clip(path, at, at + window)]
        codes, starts = [], []
        for piece in encode_clips(clips, self.model, self.index.bits, self.index.dim):
            if isinstance(piece, UnreadableClip):
                raise ValueError(piece.reason)  # noqa: TRY004
            codes.append(piece.codes)
            starts += [start for start, _ in piece.windows(window)]
        return np.concatenate(codes), starts

    def _others(self, sound: str | os.PathLike[str]) -> npt.NDArray[np.bool_]:
        """Return a mask of the windows of all other files."""
        numbers = []
        for resolve in (os.path.abspath, os.path.realpath):  # a recording may be a link, and so may their folder
            path, folder = Path(resolve(sound)), Path(resolve(self.folder))
            numbers.append(self.windows.file_number(Path(os.path.relpath(path, folder)).as_posix()))
        return ~np.isin(np.asarray(self.windows.files), [number for number in numbers if number is not None])

    def _coordinate_distances(self) -> npt.NDArray[np.uint32]:
        """Return the distance of a coordinate of 0 to each value of a coordinate."""
        values = np.arange(2**self.index.bits)[:, None]
        return distances(values, values[:1], self.index.metric, self.index.bits)


def _journal(path: Path | None, index: Index) -> AbstractContextManager[EncodedClips | None]:
    """Return the journal of what this model encodes with the bits and coordinates of the index."""
    if path is None:
        return nullcontext()
    return EncodedClips(path, model=index.model, bits=index.bits, coordinates=index.dim)


def _identity(place: Path) -> tuple[int, int, int] | None:
    """What tells a folder from another that takes its name, and perhaps its number, which file systems give again."""
    try:
        status = place.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_ctime_ns


def _common(folder: Path, more: Path) -> Path:
    """Return the folder itself if it holds the other, or else the nearest folder that holds both."""
    try:
        return Path(os.path.commonpath([folder, os.path.normpath(more.absolute())]))
    except ValueError as error:
        raise ValueError(f"{more} and {folder} are on different drives; copy the recordings to one.") from error
