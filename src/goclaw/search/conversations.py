"""Conversations: what was said before and after the candidates, and in the whole sessions they belong to.

Only rows that may be shown lend their weight to a neighbour; a candidate that may not be shown takes part for itself.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.search.view import Rows, View, distinct

_SESSION_BITS = 32
_HASHED = 1 << 16  # sessions are first told apart by their lowest bits, which a table answers at once
_BEST_OF_SESSION = 2

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Conversations:
    """The rows of some sessions, as utterances (one a memory) in the order in which they were said.

    A candidate of no session is an utterance without neighbours.
    """

    members: Rows  # rows of the view, by session, turn and slot
    starts: NDArray[np.intp]  # utterance i is members[starts[i]:starts[i + 1]]; no entry for the end
    sessions: NDArray[np.intp]  # of each utterance, counted from 0
    lends: NDArray[np.bool_]  # of each member: whether it may be shown

    @classmethod
    def around(cls, view: View, candidates: Rows) -> "Conversations":
        """All sessions of ascending candidates, among the rows that may be shown."""
        parts = [_in_block(view, number, candidates) for number in range(len(view.blocks))]
        rows, sessions, turns, memories = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((rows, turns, sessions))
        rows, sessions, memories = rows[order], sessions[order], memories[order]
        starts = np.flatnonzero(np.diff(memories, prepend=-1) | np.diff(sessions, prepend=-1))
        numbered = np.cumsum(np.diff(sessions[starts], prepend=sessions[:1]) != 0)
        return cls(rows, starts, numbered, view.allowed[rows])

    @cached_property
    def _places(self) -> tuple[Rows, NDArray[np.intp]]:
        order = np.argsort(self.members, kind="stable")
        utterances = np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.members)))
        return self.members[order], utterances[order]

    def utterances(self, rows: Rows) -> NDArray[np.intp]:
        """The utterance that each row is of; all rows must be members."""
        known, utterances = self._places
        return utterances[np.searchsorted(known, rows)]

    @cached_property
    def before(self) -> NDArray[np.intp]:
        """The utterance before each; -1 where the session begins."""
        indexes = np.arange(len(self.starts)) - 1
        return np.where(np.diff(self.sessions, prepend=-1) == 0, indexes, -1)

    @cached_property
    def after(self) -> NDArray[np.intp]:
        """The utterance after each; -1 where the session ends."""
        indexes = np.arange(len(self.starts)) + 1
        return np.where(np.diff(self.sessions, append=-1) == 0, indexes, -1)

    def first_rows(self, utterances: NDArray[np.intp]) -> Rows:
        """The first row of each utterance; -1 for -1, and for those that may not be shown."""
        at = self.starts[np.maximum(utterances, 0)]
        return np.where((utterances >= 0) & self.lends[at], self.members[at], -1)

    def last_rows(self, utterances: NDArray[np.intp]) -> Rows:
        """The last row of each utterance; -1 for -1, and for those that may not be shown."""
        ends = np.append(self.starts[1:], len(self.members)) - 1
        at = ends[np.maximum(utterances, 0)]
        return np.where((utterances >= 0) & self.lends[at], self.members[at], -1)

    def best(self, values: Floats) -> Floats:
        """The best value (over all rows of the view) of each utterance; 0 for one that may not be shown."""
        found: Floats = np.maximum.reduceat(np.where(self.lends, values[self.members], 0), self.starts)
        return found

    def best_of_session(self, best: Floats) -> Floats:
        """For each utterance the mean of the two best utterances of its session."""
        starts = np.flatnonzero(np.diff(self.sessions, prepend=-1))
        first = np.maximum.reduceat(best, starts)
        at = np.flatnonzero(best == first[self.sessions])  # where a session has its best, and what equals it
        rest = np.array(best)
        rest[at[np.diff(self.sessions[at], prepend=-1) != 0]] = -np.inf
        second = np.maximum.reduceat(rest, starts)
        found: Floats = np.where(np.isfinite(second), (first + second) / _BEST_OF_SESSION, first)[self.sessions]
        return found


_Part = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _in_block(view: View, number: int, candidates: Rows) -> _Part:
    """Row, session, turn and memory of what belongs to the candidates' sessions in one block."""
    block, start, end = view.blocks[number], int(view.starts[number]), int(view.starts[number + 1])
    own = candidates[(candidates >= start) & (candidates < end)] - start
    columns = block.columns
    wanted = distinct(columns.sessions[own])
    members = _of_sessions(columns.sessions, wanted[wanted > 0], view.allowed[start:end])
    rows = distinct(np.concatenate([members, own]))
    memories = columns.numbers[rows].astype(np.int64) - columns.ordinals[rows] + (number << _SESSION_BITS)
    sessions = columns.sessions[rows].astype(np.int64) + ((2 * number) << _SESSION_BITS)  # even: conversations
    alone = columns.sessions[rows] == 0
    sessions[alone] = memories[alone] + ((number + 1) << _SESSION_BITS)  # odd: memories that stand alone
    return (rows + start).astype(np.int64), sessions, columns.turns[rows].astype(np.int64), memories


def _of_sessions(column: NDArray[np.uint32], wanted: NDArray[np.uint32], allowed: NDArray[np.bool_]) -> Rows:
    if not len(wanted):
        return np.empty(0, np.intp)
    table = np.zeros(_HASHED, np.bool_)
    table[wanted & np.uint32(_HASHED - 1)] = True
    likely = np.flatnonzero(table[column & np.uint32(_HASHED - 1)] & allowed)
    return likely[np.isin(column[likely], wanted)]
