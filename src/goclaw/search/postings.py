"""Postings: which rows of a block hold a term, and how often; sorted once, with an unsorted tail of later rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from goclaw.search.growing import extend, held_bytes

_TERM = np.dtype([("number", "<u4"), ("count", "u1")])  # as text/terms.py packs it
MAX_ROWS = 1 << 24  # a row number has 24 bits in the sorting key

Numbers = NDArray[np.uint32]
Rows = NDArray[np.int32]
Counts = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Found:
    """Where terms occur: parallel arrays, by term and then row within the sorted part and within the tail."""

    rows: Rows
    counts: Counts
    which: NDArray[np.intp]  # index of the term in the question


@dataclass(frozen=True, slots=True)
class Triples:
    """Every (term, row, count) of some rows, unsorted."""

    terms: Numbers
    rows: Rows
    counts: Counts

    @classmethod
    def of(cls, blobs: Sequence[bytes], first_row: int) -> "Triples":
        """Unpack the blobs of rows that follow each other."""
        packed = np.frombuffer(b"".join(blobs), _TERM)
        sizes = np.fromiter((len(blob) // _TERM.itemsize for blob in blobs), np.int64, len(blobs))
        rows = np.repeat(np.arange(first_row, first_row + len(blobs), dtype=np.int32), sizes)
        return cls(packed["number"].astype(np.uint32), rows, packed["count"].astype(np.uint8))

    def lengths(self, first_row: int, count: int) -> NDArray[np.int32]:
        """How many words each of the rows holds."""
        totals = np.bincount(self.rows - first_row, self.counts, minlength=count)
        return totals.astype(np.int32)


@dataclass(frozen=True, slots=True)
class Postings:
    """The terms of a block. Immutable; :meth:`with_tail` shares what it can."""

    terms: Numbers  # distinct, ascending
    starts: NDArray[np.int64]  # terms[i] has rows[starts[i]:starts[i + 1]]
    rows: Rows
    counts: Counts
    tail: Triples  # rows appended since the sorting

    @classmethod
    def sort(cls, triples: Triples) -> "Postings":
        """Sort by term, then row."""
        key = triples.terms.astype(np.uint64) << np.uint64(32)
        key |= triples.rows.astype(np.uint64) << np.uint64(8)
        key |= triples.counts
        key.sort()
        terms = (key >> np.uint64(32)).astype(np.uint32)
        rows = ((key >> np.uint64(8)) & np.uint64(MAX_ROWS - 1)).astype(np.int32)
        starts = np.flatnonzero(np.diff(terms, prepend=terms[:1] + np.uint32(1)))
        return cls(
            terms=terms[starts],
            starts=np.append(starts, len(terms)).astype(np.int64),
            rows=rows,
            counts=(key & np.uint64(0xFF)).astype(np.uint8),
            tail=Triples(np.empty(0, np.uint32), np.empty(0, np.int32), np.empty(0, np.uint8)),
        )

    def with_tail(self, more: Triples) -> "Postings":
        """With the terms of appended rows."""
        tail = self.tail
        return replace(
            self,
            tail=Triples(
                extend(tail.terms, more.terms), extend(tail.rows, more.rows), extend(tail.counts, more.counts)
            ),
        )

    def all(self) -> Triples:
        """Everything, for sorting anew."""
        terms = np.repeat(self.terms, np.diff(self.starts))
        return Triples(
            np.concatenate([terms, self.tail.terms]),
            np.concatenate([self.rows, self.tail.rows]),
            np.concatenate([self.counts, self.tail.counts]),
        )

    def find(self, numbers: Numbers) -> Found | None:
        """The rows that hold any of the terms; ``numbers`` are distinct and ascending. None where no row does."""
        rows, counts, which = [], [], []
        if len(self.terms):
            at = np.searchsorted(self.terms, numbers)
            hits = np.flatnonzero(self.terms[np.minimum(at, len(self.terms) - 1)] == numbers)
            for term, start, end in zip(
                hits.tolist(), self.starts[at[hits]].tolist(), self.starts[at[hits] + 1].tolist(), strict=True
            ):
                rows.append(self.rows[start:end])
                counts.append(self.counts[start:end])
                which.append(np.full(end - start, term, np.intp))
        if len(self.tail.terms):
            late = np.flatnonzero(np.isin(self.tail.terms, numbers))
            term_of = np.searchsorted(numbers, self.tail.terms[late])
            late, term_of = late[order := np.argsort(term_of, kind="stable")], term_of[order]
            rows.append(self.tail.rows[late])
            counts.append(self.tail.counts[late])
            which.append(term_of)
        if not rows or not any(len(part) for part in rows):
            return None
        return Found(np.concatenate(rows), np.concatenate(counts), np.concatenate(which))

    @property
    def nbytes(self) -> int:
        tail = self.tail
        return held_bytes(self.terms, self.starts, self.rows, self.counts, tail.terms, tail.rows, tail.counts)
