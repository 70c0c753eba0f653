"""Product quantisation: the vector is cut into pieces, and each piece is the number of its nearest centroid."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from hypertorus.codes.grid_codes import GridCodes
from hypertorus.codes.packing import check_depth
from hypertorus.codes.protocol import Codes, Floats, NotFittedError, Quantiser, check_codes
from hypertorus.files.extras import require
from hypertorus.spaces import Space, Torus, TorusN


class ProductCodes(Quantiser):
    """`subspaces` pieces of `bits` bits each (1 to 8), by k-means of faiss.

    On a torus the pieces are runs of circles and k-means works on their cosines and sines, so that a cluster may lie
    across the wrap; a centroid is then put back on its circles and kept as angles. On a sphere it is the plain product
    quantiser. Learns on 8-bit grid codes, as the paper does, or `on="floats"`. Where the pieces do not come out even,
    `pad=True` fills up the last one.
    """

    def __init__(
        self,
        space: Space,
        bits: int = 8,
        subspaces: int = 16,
        *,
        on: Literal["codes", "floats"] = "codes",
        pad: bool = False,
    ) -> None:
        if on not in ("codes", "floats"):
            raise ValueError(f"on is {on!r}; learn on 'codes' or on 'floats'.")
        units = space.flat_dim if isinstance(space, Torus) else space.dim
        if subspaces < 1 or (units % subspaces and not pad):
            what = "circles" if isinstance(space, Torus) else "dimensions"
            raise ValueError(f"{units} {what} do not divide into {subspaces} pieces; choose a divisor, or pad=True.")
        self.space, self.bits, self.subspaces, self.on, self.pad = space, check_depth(bits), subspaces, on, pad
        self.grid = GridCodes(space, 8)
        self.centroids: Floats | None = None
        """[subspaces, 2^bits, numbers of a piece], as vectors under Euclidean distance."""

    def __repr__(self) -> str:
        return f"ProductCodes({self.space}, bits={self.bits}, subspaces={self.subspaces}, on={self.on!r})"

    @property
    def name(self) -> str:
        return f"pq{self.bits}x{self.subspaces}"

    @property
    def codebook_size(self) -> int:
        return 2**self.bits * self.grid.width

    @property
    def bits_per_vector(self) -> int:
        return self.bits * self.subspaces

    def fit(self, raw: npt.NDArray[Any]) -> Self:
        require("faiss", extra="engines")
        import faiss

        if len(raw) < 2**self.bits:
            raise ValueError(f"{len(raw)} rows are too few for {2**self.bits} centroids; fit on more, or fewer bits.")
        self.grid.fit(raw)
        pieces = self._pieces(raw)
        quantiser = faiss.ProductQuantizer(pieces.shape[1] * pieces.shape[2], self.subspaces, self.bits)
        quantiser.cp.min_points_per_centroid = 1
        quantiser.train(np.ascontiguousarray(pieces.reshape(len(pieces), -1)))
        centroids = faiss.vector_to_array(quantiser.centroids).reshape(self.subspaces, 2**self.bits, -1)
        self.centroids = self._placed(centroids)
        return self

    def encode(self, raw: npt.NDArray[Any]) -> Codes:
        centroids, pieces = self._fitted(), self._pieces(raw)
        codes = np.empty(pieces.shape[:2], np.uint8)
        for piece in range(self.subspaces):
            codes[:, piece] = _nearest(pieces[:, piece], centroids[piece])
        return codes

    def decode(self, codes: npt.NDArray[np.integer]) -> Floats:
        vectors = self.vectors(codes)
        if not isinstance(self.space, Torus):
            return self._unscaled(vectors)
        return vectors if self.space.dim == self.space.ambient_dim else self.space.turns_of_point(vectors)

    def vectors(self, codes: npt.NDArray[np.integer]) -> Floats:
        chosen = self._fitted()[np.arange(self.subspaces), check_codes(codes, self.subspaces, self.bits)]
        numbers = self.space.ambient_dim
        return np.ascontiguousarray(chosen.reshape(len(codes), -1)[:, :numbers])

    def distances(self, queries: npt.NDArray[Any], codes: npt.NDArray[np.integer], *, symmetric: bool = True) -> Floats:
        """Squared Euclidean distances of raw queries [n, dim] to codes [m, subspaces], by table look-up: [n, m].

        Symmetric takes the queries' codes, asymmetric the queries themselves, which costs nothing and is closer.
        """
        centroids = self._fitted()
        codes = check_codes(codes, self.subspaces, self.bits)
        pieces = self._pieces(queries)
        total = np.zeros((len(pieces), len(codes)), np.float32)
        for piece in range(self.subspaces):
            rows = pieces[:, piece]
            if symmetric:
                rows = centroids[piece][_nearest(rows, centroids[piece])]
            table = ((rows[:, None, :] - centroids[piece]) ** 2).sum(axis=-1)
            total += table[:, codes[:, piece]]
        return total

    def _pieces(self, raw: npt.NDArray[Any]) -> Floats:
        """Return the pieces [n, subspaces, numbers of a piece] on which k-means runs."""
        if self.on == "codes":
            vectors = self.grid.vectors(self.grid.encode(raw))
        else:
            vectors = self.space.project(raw).astype(np.float32)
        missing = -(self.grid.width % -self.subspaces) * (vectors.shape[1] // self.grid.width)
        return np.pad(vectors, ((0, 0), (0, missing))).reshape(len(vectors), self.subspaces, -1)

    def _placed(self, centroids: Floats) -> Floats:
        """Means of points of circles lie inside them; they are put back on."""
        if not isinstance(self.space, Torus):
            return centroids
        numbers = centroids.shape[-1]
        length = np.float32(np.sqrt(numbers / self.space.ambient_dim))
        return TorusN(numbers).project(centroids) * length

    def _unscaled(self, values: Floats) -> Floats:
        if self.on == "floats":
            return values
        grid = self.grid.fitted()
        return (grid.low + (values + 0.5 / 256) * grid.span).astype(np.float32)

    def _fitted(self) -> Floats:
        if self.centroids is None:
            raise NotFittedError(self)
        return self.centroids


def _nearest(rows: Floats, centroids: Floats) -> npt.NDArray[np.int64]:
    import faiss

    nearest: npt.NDArray[np.int64] = faiss.knn(np.ascontiguousarray(rows), centroids, 1)[1][:, 0]
    return nearest
