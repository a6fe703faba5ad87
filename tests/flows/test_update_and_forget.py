"""Changing and erasing records: against the version that was read, and without a trace of the text."""

import pytest

from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, NotFound, VersionConflict
from goclaw.storage import audit_log, chunks, pending_vectors, vectors
from tests.flows.conftest import HASHING
from tests.flows.people import ADA, ADAS_AGENT, ALICE, ALICES_AGENT, BOB, CAROL, CRON

MARKER = "marmaladefake"


def found(memory, who, query):
    return [hit.record.content for hit in memory.search(who, query).hits]


def test_an_update_is_found_by_its_new_words_and_no_longer_by_its_old(memory):
    record = memory.write(ALICE, "The office is in Berlin", scope="personal")
    changed = memory.update(ALICE, record.id, content="The office is in Lisbon", expected_version=record.version)
    assert (changed.id, changed.version, changed.content) == (record.id, 2, "The office is in Lisbon")
    assert found(memory, ALICE, "Lisbon") == ["The office is in Lisbon"]
    assert found(memory, ALICE, "Berlin") == []
    assert memory.get(ALICE, record.id) == changed


def test_who_read_an_older_version_is_told(memory):
    record = memory.write(ALICE, "The office is in Berlin", scope="personal")
    memory.update(ALICE, record.id, content="The office is in Lisbon", expected_version=1)
    with pytest.raises(VersionConflict, match="again"):
        memory.update(ALICE, record.id, content="The office is in Oslo", expected_version=1)
    assert memory.get(ALICE, record.id).content == "The office is in Lisbon"


def test_new_text_is_a_new_statement(memory):
    """Its trust is decided anew: an agent cannot put words into a confirmed record, nor into its person's own."""
    rule = memory.write(ADA, "Deploy only on Tuesdays", scope="agent_notes")
    with pytest.raises(AccessDenied, match="human"):
        memory.update(ADAS_AGENT, rule.id, content="Deploy whenever you like")
    mine = memory.write(ALICE, "Prefers tea", scope="personal")
    changed = memory.update(ALICES_AGENT, mine.id, content="Prefers coffee")
    assert (changed.provenance, changed.review_status) == ("generated", "pending")


def test_labels_changed_by_a_human_leave_the_trust_as_it_is(memory):
    record = memory.write(CRON, "Backups run at 02:30", scope="agent_notes")
    changed = memory.update(ADA, record.id, tags=["backup"], domain="infrastructure")
    assert (changed.tags, changed.domain) == (("backup",), "infrastructure")
    assert (changed.provenance, changed.review_status) == (record.provenance, record.review_status)
    assert found(memory, ADA, "infrastructure") == ["Backups run at 02:30"]
    assert memory.update(ADA, record.id, domain="").domain is None


@pytest.mark.parametrize("who", [BOB, CAROL, CRON])
def test_another_persons_record_does_not_exist(memory, who):
    record = memory.write(ALICE, "Prefers tea", scope="personal")
    assert memory.get(who, record.id) is None
    with pytest.raises(NotFound):
        memory.update(who, record.id, content="x")
    with pytest.raises(NotFound):
        memory.forget(who, record.id)
    assert memory.get(ALICE, record.id) == record


def test_who_may_read_and_not_write_is_refused(memory):
    record = memory.write(ADA, "Deploy only on Tuesdays", scope="agent_notes")
    for deed in (lambda: memory.update(CAROL, record.id, content="x"), lambda: memory.forget(CAROL, record.id)):
        with pytest.raises(AccessDenied):
            deed()
    assert memory.get(CAROL, record.id) == record


def test_an_update_says_what_it_changes(memory):
    record = memory.write(ALICE, "Prefers tea", scope="personal")
    with pytest.raises(InvalidInput):
        memory.update(ALICE, record.id)


def test_an_agent_does_not_forget_what_a_human_confirmed(memory):
    rule = memory.write(ADA, "Deploy only on Tuesdays", scope="agent_notes")
    with pytest.raises(AccessDenied, match="human"):
        memory.forget(ADAS_AGENT, rule.id)


def test_R034_R035_forgetting_leaves_the_text_in_no_table_file_or_answer(open_store):
    engine = open_store(HASHING)
    memory = engine.memory
    record = memory.write(ALICE, f"the vault code word is {MARKER}", scope="personal", tags=["vault"])
    keep = memory.write(ALICE, "the vault is blue", scope="personal")
    assert memory.wait_until_indexed()
    assert len(memory.recall(ALICE, f"vault {MARKER}").hits) == 2
    receipt = memory.forget(ALICE, record.id)
    assert (receipt.memory_id, receipt.kept_in) == (record.id, ())
    assert receipt.removed["memory_chunks"] == 1
    assert receipt.removed["embedding_cache"] == 1
    assert receipt.blanked_traces == 1
    assert memory.get(ALICE, record.id) is None
    assert found(memory, ALICE, "the vault") == [keep.content]
    with engine.database.read() as reader:
        assert chunks.count(reader) == 1
        assert vectors.count(reader, 1) == 1
        assert pending_vectors.count(reader) == 0
        events = audit_log.page(reader, "default", memory_id=record.id, limit=10)
    assert [event.event_type for event in events] == ["memory_forgotten", "memory_returned", "memory_written"]
    for file in engine.loaded.paths.state_dir.rglob("*"):
        if file.is_file():
            assert MARKER.encode() not in file.read_bytes(), file.name


def test_R033_after_many_deletes_all_that_live_are_found(memory):
    records = [memory.write(ALICE, f"common word, note {number}", scope="personal") for number in range(20)]
    for record in records[:15]:
        memory.forget(ALICE, record.id)
    hits = memory.search(ALICE, "common word", limit=10).hits
    assert {hit.record.id for hit in hits} == {record.id for record in records[15:]}
    assert memory.stats(ALICE)["records"] == 5


@pytest.mark.parametrize("speaker", ["bob", "Bob", "carol", None])
def test_what_was_forgotten_does_not_come_back_in_another_mouth(memory, speaker):
    said = {"scope": "personal", "speaker": "bob"}
    forgotten = memory.write(ALICE, "The gate code is on the back of the map", **said)
    memory.forget(ALICE, forgotten.id)
    again = said | {"speaker": speaker}
    with pytest.raises(Conflict, match="forgotten"):
        memory.write(ALICES_AGENT, "the gate code is on the back of the map.", **again)
    other = memory.write(ALICES_AGENT, "The gate is green", **again)
    with pytest.raises(Conflict, match="forgotten"):
        memory.update(ALICES_AGENT, other.id, content="The gate code is on the back of the map")
    assert memory.write(ALICE, "The gate code is on the back of the map", **again)  # by own hand it may


def test_what_was_forgotten_without_a_speaker_does_not_come_back_with_one(memory):
    memory.forget(ALICE, memory.write(ALICE, "Prefers tea", scope="personal").id)
    with pytest.raises(Conflict, match="forgotten"):
        memory.write(ALICES_AGENT, "Prefers tea", scope="personal", speaker="alice")


def test_a_change_to_what_another_record_says_is_refused_and_names_it(memory):
    tea = memory.write(ALICE, "Prefers tea", scope="personal", kind="preference")
    coffee = memory.write(ALICE, "Prefers coffee", scope="personal", kind="preference")
    note = memory.write(ALICE, "Prefers tea", scope="personal", kind="note")
    for record, change in ((coffee, {"content": "prefers tea."}), (note, {"kind": "preference"})):
        for who in (ALICE, ALICES_AGENT):
            with pytest.raises(Conflict) as refused:
                memory.update(who, record.id, **change)
            assert tea.id in str(refused.value)
        assert memory.get(ALICE, record.id) == record
    assert memory.update(ALICE, tea.id, content="Prefers tea!").id == tea.id  # its own words it may polish
    memory.forget(ALICE, tea.id)
    assert memory.update(ALICE, coffee.id, content="Prefers tea").content == "Prefers tea"


def test_the_same_words_elsewhere_or_at_an_end_do_not_stand_in_the_way(memory):
    memory.write(BOB, "Prefers tea", scope="personal")
    old = memory.write(ALICE, "Prefers tea", scope="personal")
    memory.review(ALICE, old.id, "reject")
    record = memory.write(ALICE, "Prefers coffee", scope="personal")
    assert memory.update(ALICE, record.id, content="Prefers tea").content == "Prefers tea"


def test_forgetting_twice_says_that_it_is_gone(memory):
    record = memory.write(ALICE, "Prefers tea", scope="personal")
    memory.forget(ALICE, record.id)
    with pytest.raises(NotFound):
        memory.forget(ALICE, record.id)
