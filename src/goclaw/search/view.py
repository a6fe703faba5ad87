"""View: the blocks a caller may see, as one long row of rows, with what holds each row back at this moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from goclaw.model.use_policy import EVERGREEN_BIT
from goclaw.search.block import Block

Rows = NDArray[np.intp]  # positions in the view
Number = TypeVar("Number", bound=np.generic)


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
        return joined([block.policies_at(self.now) for block in self.blocks], np.int16)

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Rows that may be in the answer. Everything is masked by this before the best are chosen."""
        allowed: NDArray[np.bool_] = (self.policies & np.int16(self.withheld_bits)) == 0
        return allowed & self.alive

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Rows that are not deleted."""
        return joined([block.alive for block in self.blocks], np.bool_)

    def slots(self, rows: Rows) -> NDArray[np.int64]:
        """The slots, as stored, of ascending rows."""
        return _chained([block.slots(own) for block, own in self._by_block(rows)])

    def column(self, rows: Rows, name: str) -> NDArray[Any]:
        """One of the blocks' columns at rows in any order; 0 for row -1."""
        found = np.zeros(len(rows), self._type_of(name))
        for block, start, end in zip(self.blocks, self.starts, self.starts[1:], strict=False):
            inside = (rows >= start) & (rows < end)
            found[inside] = getattr(block.columns, name)[rows[inside] - start]
        return found

    def _type_of(self, name: str) -> np.dtype[Any]:
        dtype: np.dtype[Any] = getattr(self.blocks[0].columns, name).dtype
        return dtype

    def rows_of(self, slots: Sequence[int]) -> Rows:
        """The row of each slot; -1 where it is in none of the blocks."""
        found = np.full(len(slots), -1, np.intp)
        for block, start in zip(self.blocks, self.starts.tolist(), strict=False):
            for place, slot in enumerate(slots):
                if slot >> 32 == block.namespace_id:
                    row = int(block.rows_of([slot])[0])
                    found[place] = row + start if row >= 0 else -1
        return found

    def describe(self, rows: Rows) -> "Candidates":
        """What is needed to put ascending rows into their final order."""
        parts = self._by_block(rows)
        slots = _chained([block.slots(own) for block, own in parts])
        ordinals = _chained([block.columns.ordinals[own] for block, own in parts])
        by_bit = (self.policies[rows] & np.int16(EVERGREEN_BIT)) != 0
        by_scope = np.repeat([block.is_evergreen for block, _ in parts], [len(own) for _, own in parts])
        return Candidates(
            rows=rows,
            slots=slots,
            memories=slots - ordinals,
            updated_at=_chained([block.columns.updated_at[own] for block, own in parts]),
            is_evergreen=by_bit | by_scope.astype(np.bool_),
        )

    def _by_block(self, rows: Rows) -> list[tuple[Block, Rows]]:
        """The blocks that ascending rows lie in, each with its own row numbers."""
        if len(self.blocks) == 1:
            return [(self.blocks[0], rows)]
        bounds = np.searchsorted(rows, self.starts).tolist()
        starts = self.starts.tolist()
        return [
            (block, rows[first:end] - start)
            for block, start, first, end in zip(self.blocks, starts, bounds, bounds[1:], strict=False)
            if end > first
        ]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows that may become hits; parallel arrays."""

    rows: Rows
    slots: NDArray[np.int64]  # as stored
    memories: NDArray[np.int64]  # slot of the first chunk: the same for all chunks of one memory
    updated_at: NDArray[np.int64]  # microseconds since 1970
    is_evergreen: NDArray[np.bool_]  # does not fade with age, by scope or by its own policy bit


def best_rows(scores: NDArray[Any], among: NDArray[np.bool_], count: int) -> Rows:
    """The rows with the ``count`` best positive scores among some, in the order of rows; all that tie with the last.

    (``argpartition`` would break ties by chance, and the order must be the same everywhere.)
    """
    rows = np.flatnonzero(among & (scores > 0))
    if len(rows) <= count:
        return rows
    values = scores[rows]
    best: Rows = rows[values >= np.partition(values, len(values) - count)[len(values) - count]]
    return best


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """Each number once, ascending. (For some hundred numbers twenty times as fast as numpy's own, which hashes.)"""
    ordered = np.sort(numbers)
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    found: NDArray[Number] = ordered[is_new]
    return found


def joined(arrays: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    """One array out of one for each block; without a copy where there is a single one."""
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else np.empty(0, kind)


def _chained(arrays: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return joined(arrays, np.int64)
