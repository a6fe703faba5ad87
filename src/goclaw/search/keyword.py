"""Keyword: exact BM25 over exactly the rows a caller may see."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goclaw.search.postings import Found
from goclaw.search.view import Rows, View, distinct
from goclaw.text.terms import QueryTerms

K1 = 1.2
_LEAST_B, _MOST_B = 0.3, 1.0
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class KeywordScores:
    """How well the words of each row fit; arrays over all rows of the view, deleted ones score 0."""

    bm25: NDArray[np.float64]
    rows: Rows  # those with a score, ascending
    matched: NDArray[np.int64]  # distinct query terms in the row
    found: Found  # every term in every row, as rows of the view
    numbers: NDArray[np.uint32]  # the distinct query terms, ascending; ``found.which`` counts in them
    idf: NDArray[np.float64]  # of each
    whole_idf: NDArray[np.float64]  # of each; a word nobody uses weighs like one that a single row has
    average: float  # length of a living row
    b: float
    evidence: NDArray[np.float64]  # for how many of the question's words each row speaks
    words: float  # of the question

    @property
    def term_count(self) -> int:
        """Distinct query terms."""
        return len(self.numbers)

    @property
    def idf_sum(self) -> float:
        """The weight of the whole question."""
        return float(self.whole_idf.sum())


def score_keywords(view: View, terms: QueryTerms) -> KeywordScores:
    """BM25 (k1 1.2, idf of Lucene) with the statistics of exactly these blocks.

    b follows the spread of the rows' lengths: where some texts are long because they say more, a fixed one would be
    wrong on one side or the other (search.md 2f). Rows that may not be shown count in the statistics, deleted ones do
    not. Sums are float64 in one order, so equal texts tie exactly and every engine ranks alike.
    """
    numbers = distinct(np.array(terms.hashes, np.uint32))
    total = view.row_count
    parts = [part for part in (_find(view, block_no, numbers) for block_no in range(len(view.blocks))) if part]
    count = max(view.alive_count, 1)
    average, b = _length_statistics(view, count)
    found, lengths = _together(parts)
    times = found.counts.astype(np.float64)
    frequencies = np.bincount(found.which, minlength=len(numbers))
    idf = idf_of(frequencies, count)
    weights = idf[found.which] * (times * (K1 + 1)) / (times + (K1 * (1 - b)) + (K1 * b / average) * lengths)
    bm25 = np.asarray(np.bincount(found.rows, weights=weights, minlength=total), np.float64)
    return KeywordScores(
        bm25=bm25,
        rows=np.flatnonzero(bm25),
        matched=np.bincount(found.rows, minlength=total),
        found=found,
        numbers=numbers,
        idf=idf,
        # (By its own idf an unused word would weigh five times as much as the found ones in a store of one row.)
        whole_idf=idf_of(np.maximum(frequencies, 1), count),
        average=average,
        b=b,
        evidence=_evidence(found, numbers, terms, total),
        words=len(numbers) if terms.evidence is None else terms.evidence.total,
    )


def _evidence(found: Found, numbers: NDArray[np.uint32], terms: QueryTerms, total: int) -> NDArray[np.float64]:
    """Words of the question that each row holds; a word counts once at most, however many of its pieces are there."""
    if terms.evidence is None:
        return np.bincount(found.rows, minlength=total).astype(np.float64)
    by_hash = {number: terms.evidence.shares.get(term) for term, number in zip(terms.words, terms.hashes, strict=True)}
    places = [by_hash[int(number)] or (-1, 0.0) for number in numbers]
    word = np.array([place for place, _ in places], np.int64)[found.which]
    share = np.array([part for _, part in places], np.float64)[found.which]
    counts = word >= 0
    weights = np.array(terms.evidence.weights, np.float64)
    keys, inverse = np.unique(found.rows[counts].astype(np.int64) * len(weights) + word[counts], return_inverse=True)
    held = np.bincount(inverse, weights=share[counts], minlength=len(keys))
    # Half of its pieces: an inflected form of the word, which then counts as the word.
    held = np.where(held >= weights[keys % len(weights)] / 2 - ROUNDING, weights[keys % len(weights)], held)
    return np.asarray(np.bincount(keys // len(weights), weights=held, minlength=total), np.float64)


def rows_with_any(view: View, terms: frozenset[int]) -> NDArray[np.bool_]:
    """Which living rows of the view hold any of the terms."""
    holds = np.zeros(view.row_count, np.bool_)
    numbers = np.array(sorted(terms), np.uint32)
    for number in range(len(view.blocks)):
        part = _find(view, number, numbers)
        if part is not None:
            holds[part[0].rows] = True
    return holds


def _together(parts: Sequence[tuple[Found, NDArray[np.int32]]]) -> tuple[Found, NDArray[np.int32]]:
    """The blocks' findings as one, with the lengths of the rows."""
    if not parts:
        return Found(np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0, np.intp)), np.empty(0, np.int32)
    if len(parts) == 1:
        return parts[0]
    founds = [found for found, _ in parts]
    whole = Found(
        np.concatenate([found.rows for found in founds]),
        np.concatenate([found.counts for found in founds]),
        np.concatenate([found.which for found in founds]),
    )
    return whole, np.concatenate([lengths for _, lengths in parts])


def _find(view: View, block_no: int, numbers: NDArray[np.uint32]) -> tuple[Found, NDArray[np.int32]] | None:
    """Where the terms stand in one block's living rows, as rows of the view, with the lengths of these rows."""
    block = view.blocks[block_no]
    found = block.postings.find(numbers)
    if found is None:
        return None
    if block.alive_count < block.row_count:
        alive = block.alive[found.rows]
        found = Found(found.rows[alive], found.counts[alive], found.which[alive])
    lengths = block.columns.lengths[found.rows]
    rows = found.rows + view.starts[block_no]
    return Found(rows, found.counts, found.which), lengths


def idf_of(frequencies: NDArray[np.number], count: int) -> NDArray[np.float64]:
    """The weight of terms by how many of ``count`` rows hold them."""
    idf: NDArray[np.float64] = np.log1p((count - frequencies + 0.5) / (frequencies + 0.5))
    return idf


def _length_statistics(view: View, count: int) -> tuple[float, float]:
    """Average length of the living rows, and b = their coefficient of variation, between 0.3 and 1."""
    total = sum(block.length_sum for block in view.blocks)
    squares = sum(block.length_squares for block in view.blocks)
    average = max(total / count, 1.0)
    variance = max(squares / count - (total / count) ** 2, 0.0)
    return average, float(min(_MOST_B, max(_LEAST_B, variance**0.5 / average)))
