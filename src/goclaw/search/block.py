"""Block: what one namespace looks like to search, in memory; an immutable view that a newer one replaces."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.model.namespace import NamespaceState
from goclaw.model.scope import EVERGREEN_SCOPES
from goclaw.search.growing import extend, held_bytes
from goclaw.search.int8_vectors import Int8Vectors
from goclaw.search.postings import Postings, Triples
from goclaw.storage.chunks import BlockRow
from goclaw.text.structure import NO_STRUCTURE, STRUCTURE_BYTES

NEVER = np.iinfo(np.int64).max  # due_at of a row whose policy time does not change
_SLOT_BITS = 32
_SLOT_MASK = (1 << _SLOT_BITS) - 1
_STRUCTURE = np.dtype([("session", "<u4"), ("turn", "<u4"), ("speaker", "<u4"), ("traits", "<u2")])
_TAIL_ROWS = 1_000  # an unsorted tail or a number of deleted rows above this, and above a tenth, is worth sorting anew


@dataclass(frozen=True, slots=True)
class Columns:
    """One value per row."""

    numbers: NDArray[np.uint32]  # slot without its namespace, ascending
    ordinals: NDArray[np.uint16]  # place of the chunk in its memory
    lengths: NDArray[np.int32]  # words
    policies: NDArray[np.int16]  # bits of model/use_policy.py
    updated_at: NDArray[np.int64]  # microseconds since 1970
    checks: NDArray[np.uint32]  # of terms and structure, to notice that a row was tokenised anew
    sessions: NDArray[np.uint32]  # as text/structure.py packs them, like the next three
    turns: NDArray[np.uint32]
    speakers: NDArray[np.uint32]
    traits: NDArray[np.uint16]

    @classmethod
    def of(cls, rows: Sequence[BlockRow], lengths: NDArray[np.int32]) -> "Columns":
        """The columns of stored rows."""
        slots, ordinals, terms, policies, _, _, updated_at, packed = zip(*rows, strict=True) if rows else ((),) * 8
        structures = np.frombuffer(b"".join(map(_whole, packed)), _STRUCTURE)
        return cls(
            (np.array(slots, np.int64) & _SLOT_MASK).astype(np.uint32),
            np.array(ordinals, np.uint16),
            lengths,
            np.array(policies, np.int16),
            np.array(updated_at, np.int64),
            np.array(list(map(_check, terms, packed)), np.uint32),
            structures["session"].astype(np.uint32),
            structures["turn"].astype(np.uint32),
            structures["speaker"].astype(np.uint32),
            structures["traits"].astype(np.uint16),
        )

    def extended(self, more: "Columns") -> "Columns":
        """With rows behind."""
        return Columns(*(extend(mine, theirs) for mine, theirs in zip(self._all(), more._all(), strict=True)))

    def only(self, kept: NDArray[np.bool_]) -> "Columns":
        """The kept rows, moved together."""
        return Columns(*(column[kept] for column in self._all()))

    def _all(self) -> tuple[NDArray[Any], ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    @property
    def nbytes(self) -> int:
        return held_bytes(*self._all())


@dataclass(frozen=True)
class Block:
    """The rows of a namespace up to ``last_slot``, as they were after ``changes``.

    Deleted rows stay in their place, not alive, until enough of them are there to sort anew; they count nowhere.
    """

    namespace_id: int
    is_evergreen: bool  # age says nothing about truth in this scope
    last_slot: int
    changes: int
    columns: Columns
    alive: NDArray[np.bool_]
    dues: Mapping[int, tuple[int, int]]  # row -> (moment, the policy it has from then on)
    postings: Postings
    vectors: Int8Vectors | None  # None: never asked for

    @classmethod
    def load(cls, state: NamespaceState, rows: Sequence[BlockRow]) -> "Block":
        """The block of a namespace in this state, from all its rows in the order of their slots."""
        triples = Triples.of([row.terms for row in rows], 0)
        return cls(
            namespace_id=state.id,
            is_evergreen=state.namespace.scope in EVERGREEN_SCOPES,
            last_slot=state.last_slot,
            changes=state.changes,
            columns=Columns.of(rows, triples.lengths(0, len(rows))),
            alive=np.ones(len(rows), np.bool_),
            dues=_dues(rows, range(len(rows))),
            postings=Postings.sort(triples),
            vectors=None,
        )

    @property
    def row_count(self) -> int:
        """Rows, the deleted ones included."""
        return len(self.alive)

    @cached_property
    def alive_count(self) -> int:
        """Rows that are not deleted."""
        return int(np.count_nonzero(self.alive))

    @cached_property
    def length_sum(self) -> int:
        """Words of all living rows together."""
        return int(self._living_lengths.sum())

    @cached_property
    def length_squares(self) -> int:
        """The squares of the living rows' lengths together; with the sum they give the spread."""
        return int(np.square(self._living_lengths).sum())

    @property
    def _living_lengths(self) -> NDArray[np.int64]:
        return self.columns.lengths[self.alive].astype(np.int64)

    @property
    def nbytes(self) -> int:
        own = self.columns.nbytes + held_bytes(self.alive)
        return own + self.postings.nbytes + (self.vectors.nbytes if self.vectors else 0)

    def is_as_new_as(self, state: NamespaceState) -> bool:
        """Whether it holds all that a reader who read this state can see (or more: it then saw a later state)."""
        return self.last_slot >= state.last_slot and self.changes >= state.changes

    def slots(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """The slots, as stored, of rows."""
        return (np.int64(self.namespace_id) << _SLOT_BITS) | self.columns.numbers[rows].astype(np.int64)

    def rows_of(self, slots: Sequence[int]) -> NDArray[np.intp]:
        """The row of each slot; -1 where it is not known."""
        numbers = np.array([slot & _SLOT_MASK for slot in slots], np.uint32)
        rows = np.searchsorted(self.columns.numbers, numbers)
        known = rows < self.row_count
        known[known] = self.columns.numbers[rows[known]] == numbers[known]
        return np.where(known, rows, -1)

    def with_appended(self, rows: Sequence[BlockRow], last_slot: int) -> "Block":
        """With rows that came after its last slot, in the order of their slots."""
        if not rows:
            return replace(self, last_slot=last_slot)
        first = self.row_count
        triples = Triples.of([row.terms for row in rows], first)
        return replace(
            self,
            last_slot=last_slot,
            columns=self.columns.extended(Columns.of(rows, triples.lengths(first, len(rows)))),
            alive=extend(self.alive, np.ones(len(rows), np.bool_)),
            dues={**self.dues, **_dues(rows, range(first, first + len(rows)))},
            postings=self.postings.with_tail(triples),
            vectors=self.vectors.with_rows(len(rows)) if self.vectors else None,
        )

    def with_changes(self, slots: Sequence[int], found: Sequence[BlockRow], changes: int) -> "Block | None":
        """With what became of ``slots``: ``found`` as they are now, the others deleted.

        None where the rows alone cannot tell (a text was tokenised anew, a row is unknown): load it again.
        """
        touched, kept = self.rows_of(slots), self.rows_of([row.slot for row in found])
        checks = np.array([_check(row.terms, row.structure) for row in found], np.uint32)
        if (kept < 0).any() or (self.columns.checks[kept] != checks).any():
            return None
        touched = touched[touched >= 0]
        alive, policies = self.alive.copy(), self.columns.policies.copy()
        updated_at = self.columns.updated_at.copy()
        alive[touched] = False
        alive[kept] = True
        policies[kept] = [row.policy for row in found]
        updated_at[kept] = [row.updated_at for row in found]
        gone = set(touched.tolist())
        return replace(
            self,
            changes=changes,
            alive=alive,
            columns=replace(self.columns, policies=policies, updated_at=updated_at),
            dues={**{row: due for row, due in self.dues.items() if row not in gone}, **_dues(found, kept.tolist())},
        )

    def tidied(self) -> "Block":
        """Sorted anew, without the deleted rows, when its tail or the deleted rows have grown too many."""
        tail = self.row_count - int(self.postings.tail.rows[0]) if len(self.postings.tail.rows) else 0
        dead = self.row_count - self.alive_count
        return self.sorted_anew() if max(tail, dead) > max(_TAIL_ROWS, self.row_count // 10) else self

    def sorted_anew(self) -> "Block":
        """The same rows, as if they had just been loaded."""
        triples = self.postings.all()
        keep = self.alive[triples.rows]
        moved_to = (np.cumsum(self.alive) - 1).astype(np.int32)
        triples = Triples(triples.terms[keep], moved_to[triples.rows[keep]], triples.counts[keep])
        return replace(
            self,
            columns=self.columns.only(self.alive),
            alive=np.ones(self.alive_count, np.bool_),
            dues={int(moved_to[row]): due for row, due in self.dues.items() if self.alive[row]},
            postings=Postings.sort(triples),
            vectors=self.vectors.only(self.alive) if self.vectors else None,
        )

    def policies_at(self, now: int) -> NDArray[np.int16]:
        """The policy bits of every row at a moment, microseconds since 1970."""
        due = {row: policy for row, (moment, policy) in self.dues.items() if moment <= now}
        if not due:
            return self.columns.policies
        policies = self.columns.policies.copy()
        policies[list(due)] = list(due.values())
        return policies


def _whole(packed: bytes | None) -> bytes:
    return packed if packed is not None and len(packed) == STRUCTURE_BYTES else NO_STRUCTURE


def _check(terms: bytes, packed: bytes | None) -> int:
    return zlib.crc32(packed or b"", zlib.crc32(terms))


def _dues(rows: Iterable[BlockRow], places: Iterable[int]) -> dict[int, tuple[int, int]]:
    return {
        place: (row.due_at, row.due_policy)
        for row, place in zip(rows, places, strict=True)
        if row.due_at is not None and row.due_policy is not None
    }
