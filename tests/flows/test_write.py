"""A write, from the words to the row: who may, what is refused, and how much trust it starts with."""

from dataclasses import replace

import pytest

from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, UnsafeContent
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.review import ReviewStatus
from goclaw.storage import audit_log, chunks, memories
from goclaw.storage.memories import RecordFilter
from tests.flows.people import (
    ADA,
    ADAS_AGENT,
    ALICE,
    ALICES_AGENT,
    BOB,
    CAROL,
    CRON,
    IMPORT,
    NOBODY,
    RITA,
    WEBHOOK,
)


def rows(engine, principal=ADA):
    with engine.database.read() as reader:
        return chunks.count(reader)


def audit(engine, workspace="default"):
    engine.database.flush_later()
    with engine.database.read() as reader:
        return [event.event_type for event in audit_log.page(reader, workspace, limit=100)]


def test_a_record_is_found_by_keyword_the_moment_it_is_acknowledged(memory):
    record = memory.write(ALICE, "Prefers metric units", scope="personal", kind="preference")
    found = memory.search(ALICE, "which units does she want?")
    assert [hit.record.id for hit in found.hits] == [record.id]
    assert memory.get(ALICE, record.id) == record


def test_the_record_says_who_wrote_it_and_where_it_lives(memory):
    record = memory.write(
        ALICE, "Deploys happen on Tuesdays", scope="agent_notes", project_id="apollo", external_ref="D1:3", turn=3
    )
    assert (record.scope, record.namespace.project_id, record.visibility) == ("agent_notes", "apollo", "project")
    assert (record.actor_id, record.actor_kind, record.external_ref, record.turn) == ("human:alice", "human", "D1:3", 3)
    assert record.version == 1


@pytest.mark.parametrize(("who", "scope", "where", "provenance", "review"), [
    # governance.md 2: the first state, by who writes
    (ADA,          "agent_notes",  {},                       "user_confirmed", "confirmed"),      # line 4
    (ADA,          "global",       {},                       "user_confirmed", "confirmed"),
    (ADA,          "agent_config", {},                       "user_confirmed", "confirmed"),
    (RITA,         "agent_notes",  {},                       "user_confirmed", "confirmed"),
    (ALICE,        "personal",     {},                       "observed",       "evidence_only"),  # line 6
    (ALICE,        "agent_notes",  {"project_id": "apollo"}, "observed",       "pending"),        # decision 2
    (ALICES_AGENT, "personal",     {},                       "generated",      "pending"),        # line 9
    (ADAS_AGENT,   "agent_notes",  {},                       "generated",      "pending"),
    (CRON,         "agent_notes",  {},                       "generated",      "pending"),
    (WEBHOOK,      "agent_notes",  {},                       "generated",      "pending"),        # line 2: tainted
    (IMPORT,       "agent_notes",  {},                       "generated",      "pending"),
])  # fmt: skip
def test_the_first_state(memory, who, scope, where, provenance, review):
    record = memory.write(who, "The billing service runs on host billing-3", scope=scope, **where)
    assert (record.provenance, record.review_status) == (provenance, review)
    assert record.use_policy.can_use_as_instruction is (review == "confirmed")


def test_outside_input_is_marked_as_such(memory):
    assert "tainted" in memory.write(WEBHOOK, "Disk full on db-1", scope="agent_notes").flags
    assert "tainted" in memory.write(IMPORT, "Customer since 2019", scope="agent_notes").flags


@pytest.mark.parametrize(("who", "scope", "where"), [
    (NOBODY,       "personal",     {}),
    (CAROL,        "agent_notes",  {}),
    (CAROL,        "global",       {}),
    (CAROL,        "agent_notes",  {"project_id": "apollo"}),
    (ADAS_AGENT,   "agent_config", {}),
    (CRON,         "personal",     {}),
    (CRON,         "global",       {}),
    (WEBHOOK,      "agent_config", {}),
])  # fmt: skip
def test_a_denied_write_leaves_nothing_but_its_audit_row(engine, who, scope, where):
    with pytest.raises(AccessDenied) as refused:
        engine.memory.write(who, "Never on Fridays", scope=scope, **where)
    assert refused.value.hint
    assert rows(engine) == 0
    assert audit(engine) == ["memory_refused"]


def test_R107_a_secret_is_refused_in_every_field_and_appears_nowhere(engine):
    token = "gh" + "p_" + "FAKE0000000000000000000000000000abcd"
    fields = (
        {"text": f"the token is {token}"},
        {"text": "x", "tags": [token]},
        {"text": "x", "domain": token},
        {"text": "x", "speaker": token},
        {"text": "x", "external_ref": token},
        {"text": "x", "session_id": token},
        {"text": "x", "metadata": {"note": {"deep": [token]}}},
        {"text": "x", "source_refs": [{"kind": "issue", "uri": f"https://example.org/{token}"}]},
    )
    for field in fields:
        with pytest.raises(UnsafeContent) as refused:
            engine.memory.write(ALICE, **field, scope="personal")
        assert token not in str(refused.value)
        assert {finding.reason for finding in refused.value.findings} <= {"api_key", "credential_like_string"}
    engine.memory.close()
    for file in engine.loaded.paths.state_dir.rglob("*"):
        if file.is_file():
            assert token.encode() not in file.read_bytes()
            assert token.lower().encode() not in file.read_bytes()


@pytest.mark.parametrize("text", ["before\0after", "ok \ud83c tail"])
def test_R097_R098_what_no_engine_can_store_is_refused(engine, text):
    with pytest.raises(InvalidInput):
        engine.memory.write(ALICE, text, scope="personal")
    assert rows(engine) == 0


def test_the_tag_critical_is_given_by_an_administrators_own_hand(memory):
    def tags(who, **where):
        return memory.write(who, "Production needs two approvals", tags=["critical", "ops"], **where).tags

    assert tags(ADA, scope="agent_notes") == ("critical", "ops")
    assert tags(ADAS_AGENT, scope="global") == ("ops",)
    assert tags(ALICE, scope="personal") == ("ops",)


def test_the_same_content_refreshes_instead_of_doubling(engine, clock):
    memory = engine.memory
    first = memory.write(ALICE, "Deploys happen on Tuesdays.", scope="personal", external_ref="a")
    clock.advance(days=3)
    again = memory.write(
        ALICE, "deploys  happen on Tuesdays", scope="personal", external_ref="b", source_refs=[{"kind": "log"}]
    )
    assert again.id == first.id
    assert again.content == first.content
    assert [source.kind for source in again.source_refs] == ["log"]
    assert again.metadata["also_seen"] == [{"external_ref": "b", "actor_id": "human:alice"}]
    assert again.last_seen_at > first.last_seen_at
    assert again.review_status == first.review_status
    assert rows(engine) == 1


def test_the_same_words_elsewhere_are_another_record(engine):
    memory = engine.memory
    ids = {
        memory.write(ALICE, "I like tea", scope="personal").id,
        memory.write(ALICE, "I like tea", scope="personal", speaker="Bob").id,
        memory.write(ALICE, "I like tea", scope="personal", kind="fact").id,
        memory.write(BOB, "I like tea", scope="personal").id,
        memory.write(ALICE, "I like TEA", scope="personal").id,
    }
    assert len(ids) == 5


def test_a_reviewer_who_says_the_same_confirms_it(memory):
    learned = memory.write(CRON, "Backups run at 02:30", scope="agent_notes")
    confirmed = memory.write(RITA, "Backups run at 02:30", scope="agent_notes")
    assert confirmed.id == learned.id
    assert (confirmed.provenance, confirmed.review_status) == ("user_confirmed", "confirmed")


def test_an_agent_that_says_the_same_raises_nothing(memory):
    memory.write(CRON, "Backups run at 02:30", scope="agent_notes")
    again = memory.write(ADAS_AGENT, "Backups run at 02:30", scope="agent_notes")
    assert again.review_status == "pending"


def test_what_was_forgotten_comes_back_by_a_persons_own_hand_only(memory):
    record = memory.write(ADA, "The vault stands in room 4", scope="agent_notes")
    memory.forget(ADA, record.id)
    for who in (CRON, ADAS_AGENT, IMPORT):
        with pytest.raises(Conflict, match="own hand"):
            memory.write(who, "The vault stands in room 4", scope="agent_notes")
    assert memory.write(ADA, "The vault stands in room 4", scope="agent_notes").id != record.id


def test_a_rejected_text_from_the_same_source_stays_rejected(engine):
    memory = engine.memory
    record = memory.write(CRON, "Restart db-1 nightly", scope="agent_notes")
    rejected = replace(record, lifecycle=Lifecycle.REJECTED, review_status=ReviewStatus.REJECTED, version=2)
    engine.database.write(lambda unit: memories.replace(unit, rejected, 1))
    assert memory.write(CRON, "Restart db-1 nightly", scope="agent_notes").id == record.id
    anew = memory.write(CRON, "Restart db-1 nightly", scope="agent_notes", source_refs=[{"kind": "runbook"}])
    assert anew.id != record.id
    assert "rejected_before" in anew.flags
    assert anew.review_status == "pending"


def test_each_write_has_one_audit_row(engine):
    engine.memory.write(ALICE, "one", scope="personal")
    engine.memory.write(ALICE, "two", scope="personal")
    assert audit(engine) == ["memory_written", "memory_written"]


def test_long_texts_are_found_by_every_part(memory):
    text = "\n\n".join(f"Chapter {n}: the word is keyword{n}." + " filler" * 200 for n in range(20))
    record = memory.write(ALICE, text, scope="personal")
    for word in ("keyword0", "keyword11", "keyword19"):
        hits = memory.search(ALICE, word).hits
        assert [hit.record.id for hit in hits] == [record.id]
        assert word in hits[0].chunk_text


def test_records_are_listed_newest_first_in_pages(memory, clock):
    for number in range(5):
        memory.write(ALICE, f"note {number}", scope="personal")
        clock.advance(seconds=1)
    first = memory.list(ALICE, limit=2)
    second = memory.list(ALICE, limit=2, cursor=first.next_cursor)
    last = memory.list(ALICE, limit=2, cursor=second.next_cursor)
    texts = [record.content for page in (first, second, last) for record in page.records]
    assert texts == ["note 4", "note 3", "note 2", "note 1", "note 0"]
    assert last.next_cursor is None
    assert memory.list(BOB).records == ()
    assert memory.list(ALICE, RecordFilter(kind="fact")).records == ()
    with pytest.raises(InvalidInput):
        memory.list(ALICE, cursor="nonsense")
