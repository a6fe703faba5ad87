"""Hybrid: one honest ranking; what is cut, what is withheld and why, and what nobody else's rows can change."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goclaw.model.clock import DAY
from goclaw.model.hit import Reason
from goclaw.model.scope import Scope
from goclaw.model.use_policy import EVERGREEN_BIT, HIDDEN_BIT, PENDING_BIT, STALE_BIT
from goclaw.search.hybrid import Ranked, Ranking
from tests.unit.search.asking import ask, found, store_of
from tests.unit.search.small_store import NOW, SmallStore

FREE = {"min_score": 0.0, "min_similarity": -1.0}  # no cut and no check
words = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=5).map(" ".join)
unit_vectors = st.sampled_from([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]])


def slots(ranking: Ranking) -> list[int]:
    return [hit.slot for hit in ranking.hits]


def test_words_and_meaning_together_beat_either() -> None:
    store = SmallStore()
    store.add("the deploy window is thursday", vector=[0.0, 1.0])
    both = store.add("the release window is friday", vector=[0.9, 0.436])
    store.add("ships leave the harbour", vector=[1.0, 0.0])
    ranking = ask(store, "release window", vector=[1, 0], floor=0.4)
    assert ranking.hits[0].slot == both
    parts = ranking.hits[0].parts
    assert parts["cosine"] == pytest.approx(0.9, abs=1e-3)
    assert (parts["keyword_rank"], parts["vector_rank"], parts["matched_terms"], parts["term_share"]) == (1, 2, 2, 1.0)
    assert parts["fused"] == ranking.hits[0].score


def test_the_best_chunk_stands_for_its_memory() -> None:
    store = SmallStore()
    memory = store.add("about something else", "the deploy window", "the deploy window is on thursday at noon")
    other = store.add("a deploy")
    ranking = ask(store, "deploy window", **FREE)
    assert [(hit.slot, hit.memory_first_slot) for hit in ranking.hits] == [(memory + 1, memory), (other, other)]


def test_a_long_memory_does_not_crowd_the_others_out() -> None:
    store = SmallStore()
    store.add(*["deploy notes"] * 400)
    others = [store.add(f"deploy notes and number {number}") for number in range(20)]
    ranking = ask(store, "deploy notes", limit=21, **FREE)
    assert len(ranking.hits) == 21
    assert {hit.memory_first_slot for hit in ranking.hits} > set(others)


def test_equal_scores_go_to_the_newer_then_by_slot() -> None:
    store = SmallStore()
    first = store.add("deploy", updated_at=NOW - DAY)
    second = store.add("deploy", updated_at=NOW - DAY)
    newer = store.add("deploy", updated_at=NOW)
    assert slots(ask(store, "deploy", half_life_days=0.0, **FREE)) == [newer, first, second]


def test_old_answers_fade_but_stay_and_evergreen_ones_do_not() -> None:
    store = SmallStore()
    old = store.add("deploy on thursday", updated_at=NOW - 3_000 * DAY)
    fixed = store.add("deploy on thursday", updated_at=NOW - 3_000 * DAY, policy=EVERGREEN_BIT)
    wiki = store.add("deploy on thursday", namespace=2, updated_at=NOW - 3_000 * DAY)
    store.states[2] = type(store.states[2])(2, store.namespace(9, Scope.WIKI).namespace, 1, 0)
    ranking = ask(store, "deploy thursday", states=[store.states[1], store.states[2]])
    by_slot = {hit.slot: hit for hit in ranking.hits}
    assert by_slot[fixed].parts["decay"] == by_slot[wiki].parts["decay"] == 1
    assert by_slot[old].score == pytest.approx(0.4 * by_slot[fixed].score)
    assert slots(ranking)[-1] == old


def test_min_score_is_read_before_decay() -> None:
    """A good answer from long ago has 0.4 of its score left, and is found."""
    store = SmallStore()
    old = store.add("deploy on thursday", updated_at=NOW - 3_000 * DAY)
    hit = ask(store, "deploy thursday").hits[0]
    assert hit.slot == old
    assert hit.score < 0.35 <= float(hit.parts["fused"] or 0)


def test_by_score_the_best_hit_decides_and_single_ones_have_a_lower_bar() -> None:
    store = store_of("alpha beta gamma delta", "alpha zeta", "alpha zeta zeta zeta zeta", *["zeta"] * 20)
    scores = [hit.score for hit in ask(store, "alpha beta gamma delta", **FREE).hits]
    bar = scores[1] / 0.6 - 1e-6
    assert len(scores) == 3
    assert scores[2] < scores[1] < bar < scores[0]
    assert len(ask(store, "alpha beta gamma delta", min_score=bar, min_similarity=-1.0).hits) == 2
    nothing = ask(store, "alpha beta gamma delta", min_score=scores[0] + 0.01, min_similarity=-1.0)
    assert (nothing.hits, nothing.reason) == ((), Reason.UNDER_MIN_SCORE)


def test_by_rank_every_hit_is_cut_alone() -> None:
    store = store_of(*[f"alpha note {'x ' * number}" for number in range(5)])
    ranking = ask(store, "alpha", by_score=False, min_score=0.96, min_similarity=-1.0)
    assert [hit.score for hit in ranking.hits] == pytest.approx([1.0, 61 / 62, 61 / 63])


def test_reasons_for_an_empty_answer() -> None:
    store = store_of("alpha beta", "gamma delta")
    assert ask(store, "?!").reason is Reason.NO_TERMS
    assert ask(store, "zeta").reason is Reason.NO_CANDIDATES
    assert ask(store, "alpha zeta eta theta", min_score=0.0).reason is Reason.NO_EVIDENCE
    assert ask(store, "alpha", withheld_bits=0, states=[]).reason is Reason.NO_CANDIDATES
    pending = SmallStore()
    pending.add("alpha beta", policy=PENDING_BIT)
    assert ask(pending, "alpha beta", withheld_bits=PENDING_BIT).reason is Reason.WITHHELD


def test_meaning_without_words_needs_the_floor_of_its_model() -> None:
    store = SmallStore()
    store.add("we ship on fridays", vector=[0.8, 0.6])
    assert ask(store, "release calendar", vector=[1, 0], min_score=0.0).reason is Reason.NO_EVIDENCE
    assert len(ask(store, "release calendar", vector=[1, 0], min_score=0.0, floor=0.7).hits) == 1
    assert len(ask(store, "release calendar", vector=[1, 0], min_score=0.0, floor=0.9, min_similarity=0.7).hits) == 1
    assert len(ask(store, "release calendar", vector=[1, 0], min_score=0.0, min_similarity=-1.0).hits) == 1


def test_masked_rows_that_would_have_ranked_are_named() -> None:
    store = SmallStore()
    shown = store.add("deploy on thursday")
    pending = store.add("deploy on thursday at noon", policy=PENDING_BIT)
    store.add("nothing of that", policy=PENDING_BIT)
    ranking = ask(store, "deploy thursday", withheld_bits=PENDING_BIT | HIDDEN_BIT)
    assert slots(ranking) == [shown]
    assert [(row.slot, row.policy) for row in ranking.withheld] == [(pending, PENDING_BIT)]


def test_masked_rows_behind_the_last_hit_of_a_full_answer_are_not_named() -> None:
    store = SmallStore()
    store.add("deploy on thursday")
    store.add("deploy on a thursday in spring, or on a friday, or whenever it suits", policy=PENDING_BIT)
    assert ask(store, "deploy thursday", withheld_bits=PENDING_BIT, limit=1).withheld == ()
    assert len(ask(store, "deploy thursday", withheld_bits=PENDING_BIT, limit=2).withheld) == 1


@pytest.mark.parametrize("by_score", [True, False])
def test_masked_rows_take_no_place_and_move_nobody(by_score: bool) -> None:
    """R032 in small: the mask comes before the choice of the best, so a thousand masked rows hide nothing."""
    store, clean = SmallStore(), SmallStore()
    for number in range(3):
        store.add(f"deploy plan {number}", vector=[0.6, 0.8])
        clean.add(f"deploy plan {number}", vector=[0.6, 0.8])
    for _ in range(1_000):
        store.add("deploy deploy plan", policy=STALE_BIT, vector=[1.0, 0.0])
    ranking = ask(store, "deploy plan", vector=[1, 0], withheld_bits=STALE_BIT, limit=3, by_score=by_score, **FREE)
    assert slots(ranking) == [1 << 32, (1 << 32) + 1, (1 << 32) + 2]
    assert [hit.parts["keyword_rank"] for hit in ranking.hits] == [1, 2, 3]
    assert 0 < len(ranking.withheld) <= 20


def test_time_alone_can_take_a_row_out() -> None:
    store = SmallStore()
    store.add("deploy on thursday", due=(NOW, HIDDEN_BIT))
    later = store.add("deploy on friday", due=(NOW + 1, HIDDEN_BIT))
    assert slots(ask(store, "deploy", withheld_bits=HIDDEN_BIT)) == [later]


def test_foreign_namespaces_change_nothing() -> None:
    """R032: five thousand rows of somebody else neither hide the three of the asker nor move their scores."""
    store = SmallStore()
    for number in range(3):
        store.add(f"deploy step {number}", namespace=1, vector=[0.8, 0.6])
    alone = ask(store, "deploy step", vector=[1, 0], limit=3, **FREE)
    for number in range(5_000):
        store.add(f"deploy deploy {number % 7}", namespace=2, vector=[1, 0])
    mine = [state for state in store.all_states() if state.id == 1]
    assert ask(store, "deploy step", vector=[1, 0], limit=3, states=mine, **FREE) == alone
    assert len(alone.hits) == 3


def test_a_limit_is_never_capped_by_the_settings() -> None:
    store = store_of(*[f"deploy {number}" for number in range(300)])
    assert len(ask(store, "deploy", limit=200, **FREE).hits) == 200
    assert len(ask(store, "deploy", limit=200, by_score=False, **FREE).hits) == 200


@given(
    rows=st.lists(st.tuples(words, unit_vectors | st.none(), st.integers(0, 400)), min_size=1, max_size=60),
    question=words,
    by_score=st.booleans(),
    cut=st.sampled_from([0.0, 0.35]),
)
@settings(max_examples=60, deadline=None)
def test_the_order_does_not_depend_on_the_limit(
    rows: list[tuple[str, list[float] | None, int]], question: str, by_score: bool, cut: float
) -> None:
    store = SmallStore()
    for text, vector, age in rows:
        store.add(text, vector=vector, updated_at=NOW - age * DAY)
    options = {"vector": [1.0, 0.0], "by_score": by_score, "min_score": cut, "floor": 0.5}
    all_hits: tuple[Ranked, ...] = ask(store, question, limit=200, **options).hits
    for limit in (1, 2, 6, 30):
        assert ask(store, question, limit=limit, **options).hits == all_hits[:limit]
    assert all(0 <= hit.score <= 1 for hit in all_hits)
    assert [hit.score for hit in all_hits] == sorted((hit.score for hit in all_hits), reverse=True)


def test_without_vectors_the_words_answer_and_a_row_that_waits_for_its_vector_is_found() -> None:
    store = SmallStore()
    store.add("ships leave the harbour", vector=[1.0, 0.0])
    waiting = store.add("the release window is friday")
    assert slots(ask(store, "release window")) == [waiting]
    assert waiting in slots(ask(store, "release window", vector=[1, 0]))


def test_a_vector_without_direction_is_no_vector() -> None:
    store = SmallStore()
    store.add("the release window", vector=[1.0, 0.0])
    for vector in ([0.0, 0.0], [float("nan"), 1.0]):
        (hit,) = ask(store, "release window", vector=vector).hits
        assert hit.parts["cosine"] is None
        assert hit.score == hit.parts["keyword"]


def test_many_small_namespaces_rank_as_one_large_one() -> None:
    many, one = SmallStore(), SmallStore()
    for number in range(60):
        text = f"deploy {'plan ' * (number % 4)} {number % 5}"
        many.add(text, namespace=number + 1, vector=[0.6, 0.8])
        one.add(text, vector=[0.6, 0.8])
    scores = [hit.score for hit in ask(many, "deploy plan", vector=[1, 0], limit=60, **FREE).hits]
    assert scores == [hit.score for hit in ask(one, "deploy plan", vector=[1, 0], limit=60, **FREE).hits]


def test_the_texts_come_in_the_order_of_their_fit() -> None:
    store = store_of("the office has plants", "deploy on thursday", "deploy")
    assert found(store, "deploy thursday", **FREE) == ["deploy on thursday", "deploy"]
