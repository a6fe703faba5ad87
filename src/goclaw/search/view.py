"""View: the blocks a caller may see, as one long row of rows, with what holds each row back at this moment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.model.use_policy import EVERGREEN_BIT
from goclaw.search.block import Block

Rows = NDArray[np.intp]  # positions in the view


@dataclass(frozen=True)
class View:
    """All rows of some blocks. Nothing outside of these blocks has any influence on what is computed here."""

    blocks: Sequence[Block]
    now: int  # microseconds since 1970
    withheld_bits: int  # policy bits that keep a row out of the answer

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each block begins; one more entry for the end."""
        return np.cumsum([0, *(block.row_count for block in self.blocks)], dtype=np.int64)

    @property
    def row_count(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def alive_count(self) -> int:
        return sum(block.alive_count for block in self.blocks)

    @cached_property
    def policies(self) -> NDArray[np.int16]:
        """The policy bits of every row at this moment."""
        return _joined([block.policies_at(self.now) for block in self.blocks], np.int16)

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Rows that may be in the answer. Everything is masked by this before the best are chosen."""
        allowed: NDArray[np.bool_] = (self.policies & np.int16(self.withheld_bits)) == 0
        return allowed & self.alive

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Rows that are not deleted."""
        return _joined([block.alive for block in self.blocks], np.bool_)

    def slots(self, rows: Rows) -> NDArray[np.int64]:
        """The slots, as stored."""
        return self._gathered(rows, np.int64, lambda block, own: block.slots(own))

    def memories(self, rows: Rows) -> NDArray[np.int64]:
        """The slot of the first chunk of each row's memory: the same for all chunks of one memory."""
        return self._gathered(rows, np.int64, lambda block, own: block.slots(own) - block.columns.ordinals[own])

    def updated_at(self, rows: Rows) -> NDArray[np.int64]:
        """When each row was last confirmed or changed, microseconds since 1970."""
        return self._gathered(rows, np.int64, lambda block, own: block.columns.updated_at[own])

    def is_evergreen(self, rows: Rows) -> NDArray[np.bool_]:
        """Rows that do not fade with age: by their scope, or by their own policy bit."""
        by_scope = np.array([block.is_evergreen for block in self.blocks], np.bool_)[self._block_of(rows)]
        by_bit: NDArray[np.bool_] = (self.policies[rows] & np.int16(EVERGREEN_BIT)) != 0
        return by_scope | by_bit

    def _block_of(self, rows: Rows) -> Rows:
        return np.searchsorted(self.starts[1:], rows, side="right")

    def _gathered(
        self, rows: Rows, kind: type[np.generic], read: Callable[[Block, Rows], NDArray[Any]]
    ) -> NDArray[Any]:
        block_of = self._block_of(rows)
        values = np.empty(len(rows), kind)
        for number in np.unique(block_of).tolist():
            of_this = block_of == number
            values[of_this] = read(self.blocks[number], rows[of_this] - self.starts[number])
        return values


def best_rows(scores: NDArray[Any], among: NDArray[np.bool_], count: int) -> Rows:
    """The rows with the ``count`` best positive scores among some, in the order of rows; all that tie with the last.

    (``argpartition`` would break ties by chance, and the order must be the same everywhere.)
    """
    rows = np.flatnonzero(among & (scores > 0))
    if len(rows) <= count:
        return rows
    values = scores[rows]
    return rows[values >= np.partition(values, len(values) - count)[len(values) - count]]


def _joined(arrays: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else np.empty(0, kind)
