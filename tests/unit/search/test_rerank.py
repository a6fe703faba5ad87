"""The second ranking: what was said around a candidate, and by whom, decides beside its words."""

from dataclasses import replace

import numpy as np
import pytest

from goclaw.embedding.token_vectors import DIMS, TextVectors, pack_tokens
from goclaw.model.hit import Reason
from goclaw.search.hybrid import Options, search
from goclaw.search.query import Query
from goclaw.settings.settings import SearchSettings
from tests.unit.search.asking import ask, found
from tests.unit.search.small_store import NOW, READER, SmallStore

RANK_ONLY = {"min_score": 0.0, "min_similarity": -1.0}


def conversation(*turns: tuple[str, str], store: SmallStore | None = None, session: str = "s") -> SmallStore:
    """Turns as (speaker, text); fillers make the words of a question rare."""
    store = store or SmallStore()
    for number, (speaker, text) in enumerate(turns):
        store.add(text, said=(session, number, speaker))
    return store


def with_fillers(store: SmallStore) -> SmallStore:
    for number in range(40):
        store.add(f"weather report number {number}", said=(f"f{number // 8}", number % 8, ("Ana", "Ben")[number % 2]))
    return store


def test_an_answer_is_found_by_its_question_although_it_shares_no_word() -> None:
    store = with_fillers(
        conversation(
            ("Ben", "Which instrument do you play?"),
            ("Ana", "Cello, since I was seven!"),
            ("Ben", "That must be hard."),
        )
    )
    assert "Cello, since I was seven!" in found(store, "Which instrument does Ana play?", **RANK_ONLY)[:2]
    first_ranking = found(store, "Which instrument does Ana play?", ranker=None, **RANK_ONLY)
    assert "Cello, since I was seven!" not in first_ranking


def test_the_person_who_is_named_comes_before_the_other_one() -> None:
    store = with_fillers(
        conversation(
            ("Ana", "I went to the harbour museum"),
            ("Ben", "I went to the harbour museum, too"),
        )
    )
    assert found(store, "When did Ben visit the harbour museum?", **RANK_ONLY)[0].endswith("too")
    assert not found(store, "When did Ana visit the harbour museum?", **RANK_ONLY)[0].endswith("too")


def test_things_of_a_kind_are_found_by_the_kind() -> None:
    store = with_fillers(
        conversation(("Ana", "Ana: We got a puppy!"), ("Ben", "Ben: Fine."), ("Ana", "Ana: We got a ladder."))
    )
    assert found(store, "Which pets does Ana have?", **RANK_ONLY)[0] == "Ana: We got a puppy!"


def test_the_words_of_a_text_decide_where_its_vector_cannot() -> None:
    store = SmallStore()
    straight = np.eye(DIMS, dtype=np.float32)
    for number in range(30):
        words = pack_tokens(straight[[number, 31]], straight)
        store.add(f"utterance {number}", vector=[1.0, 0.0], words=words, said=("s", number, "Ana"))
    asked = TextVectors(np.array([1, 0], np.float32), pack_tokens(straight[[7]], straight))
    options = replace(
        Options.of(SearchSettings(), limit=5, model_no=1, model_floor=0.3), min_score=0.0, min_similarity=-1.0
    )
    query = Query.of("something else", vectors=asked, now=NOW, withheld_bits=0)
    ranking = search(READER, store.cache(), store.all_states(), query, options)
    assert store.texts[ranking.hits[0].slot] == "utterance 7"


def test_notes_keep_the_first_ranking() -> None:
    store = SmallStore()
    for number in range(12):
        store.add(f"host edge-{number} listens on port {4000 + number}")
    again, first = (ask(store, "port of edge-7", **options) for options in ({}, {"ranker": None}))
    assert [(hit.slot, hit.score) for hit in again.hits] == [(hit.slot, hit.score) for hit in first.hits]


def test_ranks_are_never_weighed_again() -> None:
    assert Options.of(SearchSettings(fusion="rrf"), limit=1, model_no=None, model_floor=None).ranker is None
    assert Options.of(SearchSettings(rerank="none"), limit=1, model_no=None, model_floor=None).ranker is None
    assert Options.of(SearchSettings(), limit=1, model_no=None, model_floor=None).ranker is not None


def test_scores_are_from_0_to_1_and_fall() -> None:
    store = with_fillers(conversation(*(("Ana", f"the ferry of {hour} is late") for hour in range(30))))
    scores = [hit.score for hit in ask(store, "Which ferry is late?", limit=50, **RANK_ONLY).hits]
    assert all(0 < score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


def test_the_order_does_not_depend_on_how_many_are_asked_for() -> None:
    store = with_fillers(conversation(*(("Ana", f"ferry {n} is late, said {n % 7}") for n in range(30))))
    long = [hit.slot for hit in ask(store, "Which ferry is late?", limit=40, **RANK_ONLY).hits]
    assert [hit.slot for hit in ask(store, "Which ferry is late?", limit=3, **RANK_ONLY).hits] == long[:3]


def test_a_thousand_equal_texts_are_no_thousand_candidates() -> None:
    store = conversation(*(("Ana", "the same words") for _ in range(1_000)))
    hits = ask(store, "same words", limit=5, **RANK_ONLY).hits
    assert [hit.slot & 0xFFFF for hit in hits] == sorted(hit.slot & 0xFFFF for hit in hits)


@pytest.mark.parametrize("check", [True, False])
def test_what_somebody_else_said_is_no_answer(check: bool) -> None:
    store = conversation(("Ben", "The sailing club in Kappeln won the autumn regatta with the old wooden boat"))
    conversation(("Ana", "What an old tree."), store=with_fillers(store), session="another day")
    question = "Did Ana win the autumn regatta in Kappeln with the old wooden boat of the sailing club?"
    ranking = ask(store, question, **({} if check else {"min_similarity": -1.0}))
    assert (ranking.reason is Reason.OTHER_PERSON) == check
    assert bool(ranking.hits) == (not check)
