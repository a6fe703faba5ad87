"""The scores, against rankings small enough to count by hand."""

import math

import pytest

from goclaw.evaluation.retrieval_scores import Averages, score_ranking, unique


def test_one_gold_item_at_rank_two():
    scores = score_ranking(["a", "gold", "b"], ["gold"])
    assert (scores["recall@1"], scores["recall@3"], scores["any@1"], scores["any@3"]) == (0, 1, 0, 1)
    assert scores["mrr"] == 0.5
    assert scores["ndcg@10"] == pytest.approx(1 / math.log2(3))


def test_two_gold_items_of_which_one_is_found():
    scores = score_ranking(["x", "a", *"bcdefghijkl"], ["a", "missing"])
    assert (scores["recall@10"], scores["any@10"]) == (0.5, 1)


def test_nothing_found():
    assert set(score_ranking([], ["a"]).values()) == {0.0}


def test_a_perfect_ranking_is_one():
    assert score_ranking(["a", "b"], ["b", "a"])["ndcg@10"] == pytest.approx(1)


def test_beyond_the_depth_nothing_counts():
    assert score_ranking([str(n) for n in range(200)], ["150"])["mrr"] == 0


def test_turns_become_sessions_where_they_stood_first():
    assert unique(["s2", "s1", "s2"]) == ["s2", "s1"]


def test_means_are_over_questions():
    averages = Averages()
    averages.add("single", {"mrr": 1.0})
    averages.add("multi", {"mrr": 0.0})
    means = averages.means()
    assert means["all"] == {"mrr": 0.5, "questions": 2}
    assert means["single"]["mrr"] == 1.0
