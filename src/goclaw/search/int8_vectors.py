"""Int8 vectors: the vectors of a block at a quarter of their size, good enough to choose who is scored exactly."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.search.growing import extend, held_bytes

simsimd: Any
try:
    simsimd = importlib.import_module("simsimd")
except ImportError:  # no wheel for this machine: numpy answers alike, only slower
    simsimd = None

_FLOAT = np.dtype("<f4")
_PORTION = 4_096  # rows turned into float32 at once where there is no int8 kernel

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Int8Vectors:
    """One row per block row. A row without a usable vector has scale 0, so it scores 0 and ranks nowhere."""

    model_no: int
    matrix: NDArray[np.int8]  # rows x dims
    scales: Floats  # cosine = (row . query) * scale * query's scale

    @classmethod
    def empty(cls, model_no: int, rows: int, dims: int) -> "Int8Vectors":
        """Rows that have no vector yet."""
        return cls(model_no, np.zeros((rows, dims), np.int8), np.zeros(rows, np.float32))

    @property
    def dims(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def nbytes(self) -> int:
        return held_bytes(self.matrix, self.scales)

    def with_rows(self, count: int) -> "Int8Vectors":
        """With ``count`` more rows, still without vectors."""
        return replace(
            self,
            matrix=extend(self.matrix, np.zeros((count, self.dims), np.int8)),
            scales=extend(self.scales, np.zeros(count, np.float32)),
        )

    def with_vectors(self, vectors: Mapping[int, bytes]) -> "Int8Vectors":
        """With vectors (float32 bytes by row) for rows that had none.

        The rows are written in place: a reader of the older view multiplies them by its own scale, which is still 0.
        """
        rows = np.fromiter(vectors, np.intp, len(vectors))
        floats = read_floats(list(vectors.values()), self.dims)
        scales = self.scales.copy()
        self.matrix[rows], scales[rows] = quantise(floats)
        return replace(self, scales=scales)

    def only(self, kept: NDArray[np.bool_]) -> "Int8Vectors":
        """The kept rows, moved together."""
        return replace(self, matrix=self.matrix[kept], scales=self.scales[kept])

    def cosines(self, query: "Int8Query") -> Floats:
        """Approximate cosine of every row; 0 where there is no vector or it is of another length."""
        if self.dims != query.codes.shape[1] or not len(self.matrix):
            return np.zeros(len(self.matrix), np.float32)
        cosines: Floats = _dot(query.codes, self.matrix) * self.scales
        cosines *= query.scale
        return cosines


@dataclass(frozen=True, slots=True)
class Int8Query:
    """A question's vector, of length 1, made comparable once for all blocks."""

    codes: NDArray[np.int8]  # 1 x dims
    scale: np.float32

    @classmethod
    def of(cls, query: Floats) -> "Int8Query":
        """Quantise it."""
        codes, scales = quantise(query[None, :])
        return cls(codes, scales[0])


def read_floats(raw: Sequence[bytes], dims: int) -> Floats:
    """Stored vectors as rows of length 1; all zeros where one is of another length, not finite, or zero."""
    size = dims * _FLOAT.itemsize
    if any(len(one) != size for one in raw):
        raw = [one if len(one) == size else bytes(size) for one in raw]
    floats = np.frombuffer(b"".join(raw), _FLOAT).reshape(len(raw), dims)
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", floats, floats))
    good = np.isfinite(norms) & (norms > 0)
    if good.all():
        return np.asarray(floats / norms[:, None], np.float32)
    clean = np.zeros_like(floats)
    clean[good] = floats[good] / norms[good, None]
    return clean


def quantise(floats: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Rows as int8 and the scale that takes them back; rows of zeros have scale 0."""
    peaks = np.abs(floats).max(axis=1, initial=0)
    scales = (peaks / 127).astype(np.float32)
    codes = np.rint(floats * (127 / np.where(peaks > 0, peaks, 1))[:, None]).astype(np.int8)
    return codes, scales


def _dot(codes: NDArray[np.int8], matrix: NDArray[np.int8]) -> Floats:
    return dots(codes, matrix).ravel()


def dots(codes: NDArray[np.int8], matrix: NDArray[np.int8]) -> Floats:
    """Dot products of every row of ``codes`` with every row of ``matrix``; by one thread, whatever BLAS would do."""
    if simsimd is not None:
        # the kernel's own tensor is turned into an array first: a dtype here would copy it number by number
        return np.asarray(simsimd.cdist(codes, matrix, metric="dot")).reshape(len(codes), -1).astype(np.float32)
    queries = codes.astype(np.float32)
    portions = range(0, len(matrix), _PORTION)
    return np.concatenate([queries @ matrix[at : at + _PORTION].astype(np.float32).T for at in portions], axis=1)
