"""Fusion: one score from 0 to 1 out of the keyword list and the vector list.

Both ways are absolute: a score says how good a hit is, not how it compares with the other hits of this answer, so that
``memory.search.min_score`` means the same for every question (search.md 3).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.search.keyword import KeywordScores
from goclaw.search.view import Rows

# Fitted on conversations with a local MiniLM: at min_score 0.35 one answerable question in a hundred loses its answer,
# and of twenty questions about something else nineteen get an honest nothing; by keywords alone two and seventeen.
_KEYWORD_STEEPNESS = 1.8
_KEYWORD_SHARE = 0.5
_USUAL_FLOOR = 0.4  # of a model nobody has measured
_AT_FLOOR = 4 / 9  # the strength of a cosine at its model's floor

Floats = NDArray[np.float64]
Fused = NDArray[np.floating[Any]]
RankedList = tuple[Rows, NDArray[np.int64]]  # rows and their ranks, from 1


def keyword_strength(keyword: KeywordScores) -> Floats:
    """BM25 as 0-1: its share of the question's whole weight, so rare words count and missing words cost."""
    strength = np.zeros(len(keyword.bm25))
    if keyword.idf_sum > 0:
        share = keyword.bm25[keyword.rows] / keyword.idf_sum
        strength[keyword.rows] = -np.expm1(-_KEYWORD_STEEPNESS * share)
    return strength


def vector_strength(cosines: NDArray[np.float32], model_floor: float | None) -> NDArray[np.float32]:
    """Cosines as 0-1, read on the scale of their model, since models differ in what unrelated texts score.

    Two straight lines: from 0 to 0.44 at the model's floor (above nearly all unrelated pairs), and on to 1, which is
    reached five sixths of the way from the floor to 1.
    """
    floor = _USUAL_FLOOR if model_floor is None else min(max(model_floor, 0.05), 0.98)
    below = _AT_FLOOR / floor
    above = (1 - _AT_FLOOR) / ((1 - floor) * 5 / 6)
    join = np.maximum if above >= below else np.minimum  # the lines cross at the floor, and nowhere else
    strength: NDArray[np.float32] = join(
        cosines * np.float32(below), cosines * np.float32(above) + np.float32(_AT_FLOOR - floor * above)
    )
    return np.clip(strength, 0, 1, out=strength)


def fuse_scores(strength: Floats, worded: Rows, near: NDArray[np.float32], known: NDArray[np.bool_]) -> Fused:
    """The mean of keyword and vector strength; where a row has no vector yet, its words alone decide.

    ``worded`` are the rows with any keyword strength, ``known`` those with a vector.
    """
    fused = near * np.float32(1 - _KEYWORD_SHARE)
    words = strength[worded]
    fused[worded] = np.where(known[worded], fused[worded] + _KEYWORD_SHARE * words, words)
    return fused


def fuse_ranks(lists: Sequence[RankedList], row_count: int, *, k: int, depth: int) -> Floats:
    """Reciprocal rank fusion: the sum of 1 / (k + rank) over the lists, divided by the best possible sum.

    Rows behind ``depth`` in all lists take part with their best rank only, which puts them behind every row within, so
    the order does not depend on how many hits are asked for.
    """
    within, behind = np.zeros(row_count), np.zeros(row_count)
    for rows, ranks in lists:
        shares = 1.0 / (k + ranks)
        near, far = ranks <= depth, ranks > depth
        within[rows[near]] += shares[near]
        behind[rows[far]] = np.maximum(behind[rows[far]], shares[far])
    return np.where(within > 0, within, behind) * ((k + 1) / max(len(lists), 1))
