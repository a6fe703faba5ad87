"""Weights out of judged candidates."""

import numpy as np
import pytest

from goclaw.evaluation.dataset import Conversation, Item, Question
from goclaw.evaluation.fit import fit_ranker
from goclaw.evaluation.judged_candidates import STRANGER, Judged, strangers_for
from goclaw.search.ranker import KINDS, ODDS_AT_MIN_SCORE, score_of


def judged(dice: np.random.Generator, useful: float = 3.0, candidates: int = 30, kind: str = "alone") -> Judged:
    """One right candidate, told by ``coverage`` alone; ``bm25`` is noise and ``standing`` always the same."""
    is_gold = np.zeros(candidates, np.bool_)
    is_gold[int(dice.integers(candidates))] = True
    return Judged(
        category="any",
        mode="words_only",
        kinds=np.full(candidates, KINDS.index(kind)),
        is_gold=is_gold,
        first=np.zeros(candidates),
        gold_count=1,
        features={
            "coverage": dice.normal(size=candidates) + useful * is_gold,
            "bm25": dice.normal(size=candidates),
            "standing": np.ones(candidates),
        },
    )


def questions(count: int = 200, **options: float) -> list[Judged]:
    dice = np.random.default_rng(1)
    return [judged(dice, **options) for _ in range(count)]  # type: ignore[arg-type]


def test_what_tells_right_from_wrong_gets_the_weight() -> None:
    weights = fit_ranker(questions()).sets["words_only"]["alone"].of
    assert weights["coverage"] > 1
    assert abs(weights["bm25"]) < 0.3
    assert "standing" not in weights  # it tells nothing


def test_the_fit_is_the_best_point() -> None:
    asked = questions(60)
    weights = fit_ranker(asked).sets["words_only"]["alone"].of

    def loss(coverage: float) -> float:
        total = 0.0
        for each in asked:
            odds = coverage * each.features["coverage"] + weights["bm25"] * each.features["bm25"]
            total += float(np.logaddexp(0, np.log(np.exp(odds[~each.is_gold]).sum()) - odds[each.is_gold][0]))
        return total / len(asked) + 0.005 * coverage**2

    best = weights["coverage"]
    assert loss(best) < min(loss(best * 0.8), loss(best * 1.2))


def test_the_threshold_empties_two_questions_in_a_hundred() -> None:
    asked = questions(500)
    found = fit_ranker(asked).sets["words_only"]["alone"]
    best = [float(score_of(found.odds(each.features)).max()) for each in asked]
    assert 0.01 < np.mean([score < 0.35 for score in best]) < 0.025
    assert found.bias == pytest.approx(
        ODDS_AT_MIN_SCORE - np.quantile([found.odds(e.features).max() - found.bias for e in asked], 0.016), abs=0.01
    )


def test_too_few_questions_teach_nothing() -> None:
    assert fit_ranker(questions(19)).sets == {}
    assert fit_ranker([]).sets == {}


def test_right_answers_need_wrong_ones_beside_them() -> None:
    assert fit_ranker(questions(50, candidates=1)).sets == {}


def conversation(name: str, people: tuple[str, str], *asked: str) -> Conversation:
    items = tuple(Item(f"{name}{n}", "s", n, person, "hello", None) for n, person in enumerate(people))
    return Conversation(
        "mine", name, items, tuple(Question(f"q{n}", text, "any", True, ("x",)) for n, text in enumerate(asked))
    )


def test_strangers_are_asked_of_these_people() -> None:
    mine = conversation("a", ("Ana", "Ben"))
    other = conversation("b", ("Cleo", "Dan"), "What does Cleo tell Dan?", "Where is Danube?")
    found = strangers_for(mine, [other], 10)
    assert [each.text for each in found] == ["What does Ana tell Ben?", "Where is Danube?"]
    assert {(each.is_answerable, each.gold, each.category) for each in found} == {(False, (), STRANGER)}
    assert len(strangers_for(mine, [other], 1)) == 1
