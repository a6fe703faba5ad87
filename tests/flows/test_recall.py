"""Finding with rules: who sees what, what is held back and why, and what an answer leaves behind."""

from dataclasses import replace

import pytest

from goclaw.model.clock import from_us
from goclaw.model.errors import InvalidInput
from goclaw.model.freshness import chunk_policy
from goclaw.model.hit import Reason
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.provenance import Provenance
from goclaw.model.review import ReviewStatus
from goclaw.storage import chunks, memories, namespaces, recall_traces
from tests.flows.people import ADA, ALICE, ALICES_AGENT, BOB, CAROL, CRON, EVERYBODY, NOBODY, RITA, STRANGER, WEBHOOK

WORKSPACE = tuple(who for who in EVERYBODY if who not in (STRANGER, NOBODY))


def contents(found):
    return [hit.record.content for hit in found.hits]


def put_into(engine, record, **state):
    """Bring a stored record into a state that no way in of today's leads to."""
    changed = replace(record, version=record.version + 1, **state)

    def work(unit):
        memories.replace(unit, changed, record.version)
        policy = chunk_policy(changed, 90)
        slots = chunks.set_policy(unit, record.id, policy.bits, policy.due_at, policy.due_bits)
        namespaces.note_changes(unit, slots[0] >> 32, slots)

    engine.database.write(work)
    return changed


@pytest.mark.parametrize(("scope", "where", "writer", "readers"), [
    ("personal",     {},                       ALICE, (ALICE, ALICES_AGENT)),
    ("agent_notes",  {"project_id": "apollo"}, ALICE, (ALICE, BOB, RITA, ALICES_AGENT)),
    ("agent_notes",  {},                       ADA,   WORKSPACE),
    ("global",       {},                       ADA,   WORKSPACE),
    ("agent_config", {},                       ADA,   ()),
])  # fmt: skip
def test_who_finds_it(memory, scope, where, writer, readers):
    memory.write(writer, "The wombat lives in room seven", scope=scope, **where)
    for who in EVERYBODY:
        expected = ["The wombat lives in room seven"] if who in readers else []
        assert contents(memory.search(who, "wombat")) == expected, who


def test_an_unknown_identity_gets_nothing_and_leaves_nothing(engine):
    found = engine.memory.search(NOBODY, "anything")
    assert (found.hits, found.reason, found.trace_id) == ((), Reason.NO_IDENTITY, None)


def test_R058_R060_one_persons_answer_is_never_anothers(memory):
    memory.write(ALICE, "my clinic is Sunrise-A", scope="personal")
    memory.write(BOB, "my clinic is Moonlight-B", scope="personal")
    for _ in range(2):
        assert contents(memory.search(ALICE, "clinic")) == ["my clinic is Sunrise-A"]
        assert contents(memory.search(BOB, "clinic")) == ["my clinic is Moonlight-B"]
        assert contents(memory.search(CRON, "clinic")) == []
    assert memory.stats(ALICE)["records"] == memory.stats(BOB)["records"] == 1
    assert memory.stats(CRON)["records"] == 0


def test_foreign_rows_change_neither_rank_nor_score(memory):
    for text in ("deploy on Tuesday", "deploy with two approvals", "rollback after a failed deploy"):
        memory.write(ALICE, text, scope="personal")
    before = [(hit.record.id, hit.score) for hit in memory.search(ALICE, "deploy Tuesday").hits]
    for number in range(60):
        memory.write(BOB, f"deploy Tuesday number {number}", scope="personal")
    after = [(hit.record.id, hit.score) for hit in memory.search(ALICE, "deploy Tuesday").hits]
    assert after == before


def test_R032_a_small_owner_finds_all_of_theirs(memory):
    for number in range(300):
        memory.write(BOB, f"deploy step {number}", scope="personal")
    for number in range(3):
        memory.write(ALICE, f"deploy plan {number}", scope="personal")
    assert len(memory.search(ALICE, "deploy", limit=5).hits) == 3


def test_R059_names_of_projects_are_names_and_no_patterns(memory):
    from goclaw import Principal

    projects = ["alpha", "alpha2", "alpha/beta", "alpha:beta", "al%"]
    members = {name: Principal("zoe", project_ids=(name,)) for name in projects}
    for name, member in members.items():
        memory.write(member, f"secret plan of {name}", scope="agent_notes", project_id=name)
    for name, member in members.items():
        assert contents(memory.search(member, "secret plan")) == [f"secret plan of {name}"]


STATES = {
    "confirmed": {"review_status": ReviewStatus.CONFIRMED, "provenance": Provenance.USER_CONFIRMED},
    "evidence": {"review_status": ReviewStatus.EVIDENCE_ONLY},
    "pending": {"review_status": ReviewStatus.PENDING},
    "stale": {"lifecycle": Lifecycle.STALE, "review_status": ReviewStatus.CONFIRMED},
    "stale pending": {"lifecycle": Lifecycle.STALE, "review_status": ReviewStatus.PENDING},
    "disputed": {"lifecycle": Lifecycle.DISPUTED},
    "superseded": {"lifecycle": Lifecycle.SUPERSEDED, "provenance": Provenance.SUPERSEDED},
    "merged": {"lifecycle": Lifecycle.MERGED, "review_status": ReviewStatus.MERGED},
    "rejected": {"lifecycle": Lifecycle.REJECTED, "review_status": ReviewStatus.REJECTED},
    "expired": {"lifecycle": Lifecycle.EXPIRED},
}


@pytest.fixture
def every_state(engine):
    for name, state in STATES.items():
        record = engine.memory.write(CRON, f"wombat {name}", scope="agent_notes")
        put_into(engine, record, **state)
    return engine.memory


def names(found):
    return {hit.record.content.removeprefix("wombat ") for hit in found.hits}


@pytest.mark.parametrize(("ask", "shown"), [
    # the table of governance.md 6
    (lambda m: m.recall(BOB, "wombat", limit=50),                            {"confirmed", "evidence"}),
    (lambda m: m.recall(BOB, "wombat", limit=50, include_unconfirmed=True),  {"confirmed", "evidence", "pending"}),
    (lambda m: m.recall(BOB, "wombat", limit=50, include_stale=True),        {"confirmed", "evidence", "stale"}),
    (lambda m: m.recall(BOB, "wombat", limit=50, include_stale=True, include_unconfirmed=True),
     {"confirmed", "evidence", "pending", "stale", "stale pending"}),
    (lambda m: m.search(BOB, "wombat", limit=50),
     {"confirmed", "evidence", "pending", "stale", "stale pending", "disputed"}),
    (lambda m: m.search(BOB, "wombat", limit=50, include_history=True), set(STATES) - {"rejected", "expired"}),
])  # fmt: skip
def test_what_each_way_in_shows(every_state, ask, shown):
    assert names(ask(every_state)) == shown


def test_what_is_held_back_is_named_with_its_reason(every_state):
    found = every_state.recall(BOB, "wombat", limit=50)
    why = {every_state.get(BOB, each.memory_id).content.removeprefix("wombat "): each.why for each in found.withheld}
    assert why == {
        "pending": "pending",
        "stale": "stale",
        "stale pending": "stale",
        "disputed": "disputed",
        "superseded": "superseded",
        "merged": "superseded",
        "rejected": "hidden",
        "expired": "hidden",
    }


def test_superseded_records_are_marked(every_state):
    hits = every_state.search(BOB, "wombat", limit=50, include_history=True).hits
    marked = {hit.record.content.removeprefix("wombat ") for hit in hits if hit.is_superseded}
    assert marked == {"superseded", "merged"}


def test_only_what_is_held_back_matches(engine):
    engine.memory.write(CRON, "wombat", scope="agent_notes")
    found = engine.memory.recall(BOB, "wombat")
    assert (found.hits, found.reason) == ((), Reason.WITHHELD)


def test_time_works_without_a_sweep(engine, clock):
    record = engine.memory.write(RITA, "the wombat sleeps until noon", scope="agent_notes")
    put_into(engine, record, stale_after=from_us(clock.now() + 10), expires_at=from_us(clock.now() + 3_600_000_000))
    assert len(engine.memory.recall(BOB, "wombat").hits) == 1
    clock.advance(seconds=1)
    assert engine.memory.recall(BOB, "wombat").hits == ()
    assert [hit.record.lifecycle for hit in engine.memory.search(BOB, "wombat").hits] == ["stale"]
    clock.advance(hours=2)
    assert engine.memory.search(BOB, "wombat", include_history=True).hits == ()
    assert engine.memory.get(BOB, record.id).lifecycle == "expired"


def test_what_nobody_reviews_expires(engine, clock):
    record = engine.memory.write(CRON, "the wombat eats grass", scope="agent_notes")
    clock.advance(days=89)
    assert len(engine.memory.search(BOB, "wombat").hits) == 1
    clock.advance(days=1)
    assert engine.memory.search(BOB, "wombat").hits == ()
    assert engine.memory.get(BOB, record.id).lifecycle == "expired"


def test_outside_its_project_a_record_does_not_instruct(memory):
    rule = memory.write(RITA, "Apollo deploys need two approvals", scope="agent_notes", project_id="apollo")
    assert rule.use_policy.can_use_as_instruction
    hit = memory.recall(ALICE, "apollo deploys approvals").hits[0]
    assert hit.use_policy.can_use_as_instruction


def test_an_answer_leaves_a_trace(engine):
    memory = engine.memory
    memory.write(ALICE, "The wombat lives in room seven", scope="personal")
    memory.write(ALICES_AGENT, "The wombat may live in room eight", scope="personal")
    found = memory.recall(ALICE, "where does the wombat live?", limit=3)
    engine.database.flush_later()
    with engine.database.read() as reader:
        trace = recall_traces.get(reader, "default", found.trace_id)
    assert (trace.actor_id, trace.mode, trace.query) == ("human:alice", "automatic", "where does the wombat live?")
    assert [(hit["memory_id"], hit["rank"]) for hit in trace.returned] == [(found.hits[0].record.id, 1)]
    assert [each["why"] for each in trace.withheld] == ["pending"]


def test_evergreen_records_do_not_fade_and_others_do(memory, clock):
    memory.write(ALICE, "The wombat lives in room seven", scope="personal")
    memory.write(ADA, "The wombat must be fed at noon", scope="agent_notes", tags=["critical"])
    clock.advance(days=300)
    faded, fresh = memory.search(ALICE, "wombat room seven").hits[0], memory.search(ADA, "wombat fed noon").hits[0]
    assert 0.4 < faded.score_parts["decay"] < 0.41
    assert fresh.score_parts["decay"] == 1


@pytest.mark.parametrize(("query", "reason"), [
    ("", Reason.NO_TERMS),
    ("?!", Reason.NO_TERMS),
    ("platypus", Reason.NO_CANDIDATES),
])  # fmt: skip
def test_an_empty_answer_says_why(memory, query, reason):
    memory.write(ALICE, "The wombat lives in room seven", scope="personal")
    assert memory.search(ALICE, query).reason is reason


@pytest.mark.parametrize("limit", [0, -1, 201, 1.5, "5", True])
def test_a_limit_is_a_number_from_1_to_200(memory, limit):
    with pytest.raises(InvalidInput, match="200"):
        memory.search(ALICE, "wombat", limit=limit)


def test_a_limit_is_not_capped_by_the_setting(memory):
    for number in range(30):
        memory.write(ALICE, f"wombat number {number}", scope="personal")
    assert len(memory.search(ALICE, "wombat", limit=30).hits) == 30
    assert len(memory.search(ALICE, "wombat").hits) == 6


def test_schema_notes_are_found_and_never_injected(memory):
    first = memory.write_schema_note(ADA, "shop", "orders", "orders(id, customer_id, total): one row an order")
    again = memory.write_schema_note(ADA, "shop", "orders", "orders(id, customer_id, total, currency)")
    assert again.id == first.id
    assert contents(memory.search(CAROL, "shop orders")) == ["orders(id, customer_id, total, currency)"]
    assert memory.recall(CAROL, "shop orders").hits == ()
    for who in (CAROL, ALICES_AGENT, WEBHOOK, NOBODY):
        with pytest.raises(Exception, match="administrators"):
            memory.write_schema_note(who, "shop", "orders", "lies")
