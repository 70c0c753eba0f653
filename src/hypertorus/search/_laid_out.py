"""The index as far as its codes are laid out: in cells, with a coarse part, or cut to fewer coordinates and bits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Self

from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.search._arrange import arranged
from hypertorus.search._asked import check_count
from hypertorus.search._changes import Change
from hypertorus.search._coarse import CoarseFacts, coarse_facts
from hypertorus.search._coarsen import coarsened
from hypertorus.search._file import Contents
from hypertorus.search._library import check_angles
from hypertorus.search._narrow import narrowed_shape, narrowed_state
from hypertorus.search._rows import Shape
from hypertorus.search._state import State
from hypertorus.search._writer import WriterLock


class LaidOut(ABC):
    """How an index keeps its codes; the index itself is the class that inherits from it."""

    metric: str
    model: str | None
    _shape: Shape
    _state: State
    _metric_number: int
    _writing: WriterLock

    @classmethod
    @abstractmethod
    def _of(cls, contents: Contents) -> Self: ...

    @abstractmethod
    def _publish(self, state: State, change: Change | None) -> None: ...

    @property
    def cells(self) -> int:
        """How many cells the codes are arranged in; 0 before `arrange`."""
        return sum(len(segment.cells) for segment in self._state.segments if segment.cells is not None)

    @property
    def share(self) -> float:
        """The share of its codes that a typical query looks at, as measured by `arrange`; 1 before that."""
        segments = self._state.segments
        return sum(s.share * s.count for s in segments) / sum(s.count for s in segments) if segments else 1.0

    @property
    def coarse(self) -> CoarseFacts | None:
        """The coarse part: its coordinates and bits, and what `coarsen` found it to be worth."""
        return self._state.coarse

    def arrange(self, cells: int | None = None, threads: int | None = None, progress: Progress | None = None) -> None:
        """Arrange the codes in cells, so that a search looks at few of them; what it finds stays the same.

        Codes of a trained model form clusters, and a query has to look at about the share of one cluster; codes without
        clusters are searched no faster than before, and `share` says so. `cells` is twice the square root of the number
        of codes unless given. Codes that are added later are scanned until they are a quarter of all, and are arranged
        with the rest then. `progress(done, n)` is called now and then.

        >>> import numpy as np
        >>> from hypertorus import Index
        >>> index = Index(dim=4, metric="l1")
        >>> clusters = np.arange(0, 250, 25).repeat(100)[:, None]
        >>> _ = index.add(clusters + np.random.default_rng(0).integers(0, 8, (1000, 4)))
        >>> index.arrange()
        >>> index.cells, index.share < 0.2
        (63, True)
        """
        check_angles(self.metric)
        wanted = None if cells is None else check_count(cells, "cells")
        if threads is not None:
            thread_count(threads)
        with self._writing:
            state = self._state
            if not state.live:
                raise ValueError("there are no codes to arrange; add some first.")
            segment = arranged(state.segments, self._metric_number, wanted, threads, progress)
            self._publish(replace(state, segments=(segment,), version=state.version + 1, arranged=True), None)

    def coarsen(self, coordinates: int | None = None, bits: int = 4, *, progress: Progress | None = None) -> None:
        """Keep the top `bits` bits of the first `coordinates` of each code once more, apart from the codes.

        An exact search then reads this coarse part first, and of the codes only the `coarse.share` that it cannot rule
        out, if that is cheaper. `search(recall=0.99)` looks at as many of the best of the first pass as held that share
        of true neighbours, on codes of the index itself. Codes that are added later have a coarse part, too.

        >>> import numpy as np
        >>> from hypertorus import Index
        >>> _ = (index := Index(dim=8)).add(np.arange(16).reshape(2, 8))
        >>> index.coarsen(coordinates=4, bits=4)
        """
        check_angles(self.metric)
        facts = coarse_facts(self._shape, coordinates, bits)
        with self._writing:
            state = self._state
            if not state.live:
                raise ValueError("there are no codes to coarsen; add some first.")
            segments, worth = coarsened(state.segments, facts, self._metric_number, progress)
            self._publish(replace(state, segments=segments, version=state.version + 1, coarse=worth), None)

    def narrowed(
        self, coordinates: int | None = None, bits: int | None = None, *, progress: Progress | None = None
    ) -> Self:
        """An index with the first `coordinates` of each code at its top `bits` bits; nothing is encoded again.

        Ids, labels, names and the model stay, and `Embeddings` of that model, which are cut alike, search it. An
        arranged index is arranged anew, and a coarse part is not kept.

        >>> import numpy as np
        >>> from hypertorus import Index
        >>> index = Index(dim=4, metric="l1")
        >>> _ = index.add(np.array([[200, 31, 64, 7], [90, 255, 128, 9]]))
        >>> index.narrowed(coordinates=2, bits=2).vectors([0, 1]).tolist()
        [[3, 0], [1, 3]]
        """
        check_angles(self.metric)
        shape = narrowed_shape(self._shape, coordinates, bits)
        with self._writing:
            state = self._state
            if state.label_names is not None:
                state.label_names.shared = True
        index = self._of(Contents(shape, self.metric, narrowed_state(state, shape, progress), self.model))
        if state.arranged and state.live:
            index.arrange()
        return index
