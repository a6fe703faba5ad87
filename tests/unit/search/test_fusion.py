"""Fusion: absolute scores between 0 and 1, in both ways."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goclaw.search.fusion import fuse_ranks, fuse_scores, keyword_strength, vector_strength
from goclaw.search.keyword import KeywordScores
from goclaw.search.postings import Found


def ranked(*rows: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array(rows, np.intp), np.arange(1, len(rows) + 1)


def test_first_in_both_lists_is_the_best_possible() -> None:
    fused = fuse_ranks([ranked(3, 1), ranked(3, 2)], 4, k=60, depth=24)
    assert fused[3] == pytest.approx(1.0)
    assert fused[1] == fused[2] == pytest.approx(61 / 62 / 2)
    assert fused[0] == 0


def test_one_list_alone_is_divided_by_one_list() -> None:
    assert fuse_ranks([ranked(0, 1)], 2, k=60, depth=24).tolist() == pytest.approx([1, 61 / 62])


@pytest.mark.parametrize(("rank", "score"), [(1, 0.5), (6, 0.46), (10, 0.44), (24, 0.36)])
def test_a_hit_of_one_list_scores_at_most_a_half(rank: int, score: float) -> None:
    """The figures of engine.md 3.1."""
    fused = fuse_ranks([ranked(*range(24)), ranked(99)], 100, k=60, depth=24)
    assert fused[rank - 1] == pytest.approx(score, abs=0.005)


@given(st.permutations(range(60)), st.permutations(range(60)), st.integers(1, 59))
def test_rows_behind_the_depth_come_after_all_others(one: list[int], two: list[int], depth: int) -> None:
    fused = fuse_ranks([ranked(*one), ranked(*two)], 60, k=60, depth=depth)
    within = set(one[:depth]) | set(two[:depth])
    behind = set(range(60)) - within
    assert min(fused[list(within)]) > max(fused[list(behind)], default=-1)


def keywords(*bm25: float, idf_sum: float = 4.0) -> KeywordScores:
    scores = np.array(bm25)
    return KeywordScores(
        bm25=scores,
        rows=np.flatnonzero(scores),
        matched=np.ones(len(bm25), np.int64),
        found=Found(np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0, np.intp)),
        numbers=np.array([1, 2], np.uint32),
        idf=np.full(2, idf_sum / 2),
        whole_idf=np.full(2, idf_sum / 2),
        average=1.0,
        b=0.5,
        evidence=np.ones(len(bm25)),
        words=2,
    )


def test_keyword_strength_grows_with_the_share_of_the_question() -> None:
    strength = keyword_strength(keywords(0, 2, 4, 8.8))
    assert strength[0] == 0
    assert (np.diff(strength) > 0).all()
    assert strength[3] < 1
    assert keyword_strength(keywords(2, idf_sum=8))[0] < strength[1]


def test_vector_strength_is_read_on_the_scale_of_the_model() -> None:
    cosines = np.array([-0.2, 0.4, 0.9, 1.0], np.float32)
    assert vector_strength(cosines, None).tolist() == pytest.approx([0, 0.444, 1, 1], abs=0.001)
    for floor in (0.2, 0.7):
        scale = vector_strength(np.array([0, floor / 2, floor, floor + (1 - floor) * 5 / 6], np.float32), floor)
        assert scale.tolist() == pytest.approx([0, 0.222, 0.444, 1], abs=0.001)


def test_a_row_that_waits_for_its_vector_is_judged_by_its_words() -> None:
    near = vector_strength(np.array([0.9, 0, 0], np.float32), None)
    fused = fuse_scores(np.array([0.6, 0.6, 0.0]), np.array([0, 1]), near, np.array([True, False, False]))
    assert fused.tolist() == pytest.approx([0.8, 0.6, 0])


@given(
    st.lists(st.tuples(st.floats(0, 30), st.floats(-1, 1), st.booleans()), min_size=1, max_size=20),
    st.none() | st.floats(0, 1),
)
def test_scores_stay_between_0_and_1(rows: list[tuple[float, float, bool]], floor: float | None) -> None:
    words = keywords(*(row[0] for row in rows))
    known = np.array([row[2] for row in rows])
    near = vector_strength(np.array([row[1] for row in rows], np.float32) * known, floor)
    fused = fuse_scores(keyword_strength(words), words.rows, near, known)
    assert ((fused >= 0) & (fused <= 1)).all()
