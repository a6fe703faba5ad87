"""Why a search found a record, or did not."""

import pytest

from goclaw import errors
from goclaw.model.scope import Scope
from tests.flows.conftest import HASHING
from tests.flows.people import ADA, ALICE, BOB


def why(memory, principal, record, query, **ask):
    return memory.explain(principal, query, record.id, **ask).record


def test_a_record_that_is_found(memory):
    record = memory.write(ALICE, "The ferry leaves at nine", scope="personal")
    told = memory.explain(ALICE, "when does the ferry leave?", record.id)
    assert (told.record.verdict, told.record.rank) == ("found", 1)
    assert told.record.score == memory.search(ALICE, "when does the ferry leave?").hits[0].score
    assert told.record.score_parts["matched_terms"] == 2
    assert told.words == ((record.id, told.record.score_parts["bm25"]),)
    assert told.meaning is None
    assert told.terms == ("ferri", "leav")
    assert told.best_score >= told.least_score > 0
    assert Scope.PERSONAL in {namespace.scope for namespace in told.namespaces}


def test_what_stands_behind_the_limit(memory):
    records = [memory.write(ALICE, f"ferry number {number}", scope="personal") for number in range(4)]
    best = memory.search(ALICE, "ferry", limit=1).hits[0].record.id
    verdicts = {record.id: why(memory, ALICE, record, "ferry", limit=1).verdict for record in records}
    assert verdicts.pop(best) == "found"
    assert set(verdicts.values()) == {"behind_limit"}


def test_what_may_not_be_shown(memory):
    record = memory.write(ALICE, "The ferry leaves at nine", scope="personal")
    newer = memory.write(ALICE, "The boat leaves at ten", scope="personal")
    memory.review(ALICE, record.id, "supersede", related_id=newer.id)
    told = why(memory, ALICE, record, "ferry")
    assert (told.verdict, told.withheld_as) == ("withheld", "superseded")
    assert why(memory, ALICE, record, "ferry", include_history=True).verdict == "found"


def test_what_does_not_match_or_not_enough(memory):
    record = memory.write(ALICE, "The ferry leaves at nine", scope="personal")
    memory.write(ALICE, "The old bakery by the northern bridge sells rye bread", scope="personal")
    assert why(memory, ALICE, record, "bakery").verdict == "no_match"
    assert why(memory, ALICE, record, "...").verdict == "no_match"
    far = "ferry bakery northern bridge rye bread"
    told = memory.explain(ALICE, far, record.id)
    assert told.record.verdict == "no_evidence"
    assert told.record.score_parts["term_share"] < 0.5
    assert why(memory, ALICE, record, far + " mill market square town hall").verdict == "under_min_score"


def test_what_is_not_searched_for_the_asker(memory):
    record = memory.write(ADA, "Answer in German", scope="agent_config")
    assert why(memory, ADA, record, "German").verdict == "not_searched"


def test_meaning_has_its_own_list(open_store):
    memory = open_store(HASHING).memory
    record = memory.write(ALICE, "The ferry leaves at nine", scope="personal")
    assert memory.wait_until_indexed()
    told = memory.explain(ALICE, "ferry", record.id)
    assert told.meaning == ((record.id, pytest.approx(told.record.score_parts["cosine"])),)


def test_features_that_were_weighed_are_named(memory):
    for turn, (speaker, text) in enumerate((("Ben", "Which instrument do you play?"), ("Ana", "The cello"))):
        record = memory.write(ALICE, text, scope="personal", session_id="s", turn=turn, speaker=speaker)
    told = why(memory, ALICE, record, "Which instrument does Ana play?")
    assert told.weighed["named_speaker"] > 0
    heavy = [abs(value) for value in told.weighed.values()]
    assert heavy == sorted(heavy, reverse=True)


def test_a_foreign_record_is_like_one_that_does_not_exist(memory):
    record = memory.write(ALICE, "The ferry leaves at nine", scope="personal")
    answers = []
    for memory_id in (record.id, "01a1e3a8-e860-7000-9eb4-655e4afac400"):
        with pytest.raises(errors.NotFound) as caught:
            memory.explain(BOB, "ferry", memory_id)
        answers.append(str(caught.value))
    assert answers[0] == answers[1]
    told = memory.explain(BOB, "ferry")
    assert told.words == ()
    assert told.best_score == 0
    assert all(namespace.owner_user_id in ("", "bob") for namespace in told.namespaces)


def test_nothing_of_it_is_traced(memory):
    record = memory.write(ALICE, "The ferry leaves at nine", scope="personal")
    memory.explain(ALICE, "ferry", record.id)
    assert memory.traces(ALICE).traces == ()
