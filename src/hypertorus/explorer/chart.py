"""The map of a collection: laid out once, in the background, and kept beside the index."""

from __future__ import annotations

import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.explorer.collection import Collection
from hypertorus.explorer.layout import layout
from hypertorus.files.atomic import replacing
from hypertorus.files.tensors import TensorFile, tensor_bytes

MOST = 100_000
"""Number of points on the map; of a larger collection, so many are chosen at random."""


class Chart:
    """Places of items in the plane; the first who asks begins the work."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        ids = collection.index.ids
        if len(ids) > MOST:
            ids = np.sort(np.random.default_rng(0).choice(ids, MOST, replace=False))
        self.ids = ids
        self.path = Path(f"{collection.place}.map.safetensors")
        self._places: npt.NDArray[np.float32] | None = None
        self._done, self._problem = 0.0, ""
        self._worker: threading.Thread | None = None
        self._lock = threading.Lock()

    def state(self) -> dict[str, Any]:
        """Return how far the work is, and begin it if nobody has."""
        with self._lock:
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, daemon=True)
                self._worker.start()
        if self._problem:
            raise ValueError(self._problem)
        return {"ready": self._places is not None, "done": self._done, "count": len(self.ids)}

    def content(self) -> bytes:
        """Return x and y of each point as numbers of 16 bits, and then its id as a number of 64 bits."""
        if self._places is None:
            raise LookupError("the map is not ready; ask how far it is first.")
        places = np.round(65535 * self._places).astype("<u2")
        return places[:, 0].tobytes() + places[:, 1].tobytes() + self.ids.astype("<f8").tobytes()

    def _work(self) -> None:
        try:
            key = self._key()
            places = self._kept(key)
            if places is None:
                places = layout(self.collection.index, self.ids, self._report)
                self._keep(key, places)
            self._places = places
        except Exception as error:  # noqa: BLE001, a thread has nobody else to tell
            self._problem = f"the map could not be made ({error}); search by results instead."

    def _report(self, done: int, total: int) -> None:
        self._done = done / total

    def _key(self) -> int:
        checksum = zlib.crc32(self.ids.tobytes())
        for part in np.array_split(self.ids, 1 + len(self.ids) // 10_000):
            checksum = zlib.crc32(self.collection.index.vectors(part).tobytes(), checksum)
        return checksum

    def _kept(self, key: int) -> npt.NDArray[np.float32] | None:
        try:
            file = TensorFile(self.path)
            places = np.array(file["places"], np.float32)
        except (OSError, ValueError, KeyError):
            return None  # there is none, or it is damaged: it is made again
        fits = file.metadata.get("key") == str(key) and places.shape == (len(self.ids), 2)
        return np.clip(places, 0, 1) if fits and np.isfinite(places).all() else None

    def _keep(self, key: int, places: npt.NDArray[np.float32]) -> None:
        try:
            with replacing(self.path) as file:
                file.writelines(tensor_bytes({"places": places}, {"format": "hypertorus-map", "key": str(key)}))
        except OSError:
            return  # a disk that cannot be written to: the map is made again next time
