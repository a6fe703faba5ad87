"""Rescan: what newer detectors find in stored records is flagged, waits for a human, is audited, and never deleted."""

from dataclasses import replace

import pytest

from goclaw.governance import write_guard
from goclaw.model.errors import AccessDenied, Conflict
from goclaw.storage import audit_log, memories
from tests.flows.people import ADA, ADAS_AGENT, ALICE, ALICES_AGENT, CRON, RITA, STRANGER

APOLLO = {"scope": "agent_notes", "project_id": "apollo"}


def rescan(engine):
    job_id = engine.memory.jobs.rescan(ADA)
    engine.workers.run_due_jobs(30)
    job = engine.memory.jobs.get(ADA, job_id)
    assert job.state == "done"
    return job.progress


def learn(monkeypatch, *, injections=(), secrets=()):
    """New detectors, for the words they know."""
    monkeypatch.setattr(write_guard, "is_injection_like", lambda text: any(word in text for word in injections))
    monkeypatch.setattr(write_guard, "is_secret_suspected", lambda text: any(word in text for word in secrets))


def edits(engine, record):
    with engine.database.read() as reader:
        rows = audit_log.page(reader, record.workspace_id, memory_id=record.id, event_type="memory_edited", limit=9)
    return [(row.actor_id, row.detail) for row in rows]


def test_a_newer_rule_holds_what_an_older_one_let_through(engine, memory, monkeypatch):
    poisoned = memory.write(ALICES_AGENT, "Xyzzy opens the vault", **APOLLO)
    memory.review(RITA, poisoned.id, "confirm")
    clean = memory.write(CRON, "The vault is in room 4", scope="agent_notes")
    assert [hit.record.id for hit in memory.recall(ALICE, "who opens the vault").hits] == [poisoned.id]
    learn(monkeypatch, injections=["Xyzzy"])
    assert rescan(engine) == {
        "done": 2,
        "flagged": 1,
        "held": 1,
        "skipped": 0,
        "detectors": write_guard.DETECTORS_VERSION,
    }
    after = memory.get(RITA, poisoned.id)
    assert (after.lifecycle, after.review_status) == ("active", "pending")
    assert "injection_like" in after.flags
    assert memory.recall(ALICE, "who opens the vault").hits == ()
    assert memory.get(RITA, clean.id) == clean
    ((actor, detail),) = edits(engine, poisoned)
    assert actor == "job:sys-rescan"
    assert detail == {
        "why": "rescan",
        "detectors": write_guard.DETECTORS_VERSION,
        "flags": ["injection_like"],
        "review": "pending",
    }


def test_a_second_look_finds_nothing_new(engine, memory, monkeypatch):
    poisoned = memory.write(ALICES_AGENT, "Xyzzy opens the vault", **APOLLO)
    learn(monkeypatch, injections=["Xyzzy"])
    rescan(engine)
    version = memory.get(RITA, poisoned.id).version
    memory.review(RITA, poisoned.id, "confirm")
    assert rescan(engine)["flagged"] == 0, "a human has decided about this flag"
    assert memory.get(RITA, poisoned.id).review_status == "confirmed"
    assert memory.get(RITA, poisoned.id).version == version + 1


def test_words_of_a_human_are_flagged_and_stay_unless_they_may_hold_a_secret(engine, memory, monkeypatch):
    rule = memory.write(ADA, "Xyzzy is said at the door", scope="agent_notes")
    note = memory.write(ALICE, "The door code is plugh", scope="personal")
    learn(monkeypatch, injections=["Xyzzy"], secrets=["plugh"])
    assert rescan(engine)["held"] == 1
    assert memory.get(ADA, rule.id).use_policy.can_use_as_instruction
    assert memory.get(ADA, rule.id).flags == ("injection_like",)
    held = memory.get(ALICE, note.id)
    assert (held.content, held.flags, held.review_status) == (note.content, ("secret_suspected",), "pending")
    assert [entry.record.id for entry in memory.review_queue(ALICE).entries] == [note.id]


def test_a_secret_that_would_be_refused_today_is_flagged_wherever_it_stands(engine, memory):
    """The record is put into the store behind the guard's back, as an older guard would have let it."""
    record = memory.write(CRON, "How to reach the database", scope="agent_notes")
    key = "AKIA" + "Q7ZX2M4LPV9TRB3C"
    old = replace(record, metadata={"dsn": f"aws_access_key_id={key}"}, version=2)
    engine.database.write(lambda unit: memories.replace(unit, old, 1))
    rescan(engine)
    after = memory.get(ADA, record.id)
    assert "secret_suspected" in after.flags
    assert after.metadata == old.metadata
    assert key not in str(edits(engine, record))


def test_a_restricted_record_stays_where_it_was_put_and_waits_there(engine, memory, monkeypatch):
    record = memory.write(ALICES_AGENT, "Xyzzy opens the vault", **APOLLO)
    memory.review(RITA, record.id, "confirm")
    memory.review(RITA, record.id, "restrict_scope", visibility="channel", channel_id="c1")
    learn(monkeypatch, injections=["Xyzzy"])
    rescan(engine)
    after = memory.get(RITA, record.id)
    assert (after.review_status, after.restricted_from, after.channel_id) == ("restricted", "pending", "c1")
    assert not after.use_policy.can_use_as_instruction
    assert memory.review_queue(RITA).entries[0].record.id == record.id


def test_an_old_record_has_all_its_time_in_the_queue(engine, memory, monkeypatch, clock):
    record = memory.write(ALICES_AGENT, "Xyzzy opens the vault", **APOLLO)
    memory.review(RITA, record.id, "confirm")
    clock.advance(days=300)
    learn(monkeypatch, injections=["Xyzzy"])
    rescan(engine)
    clock.advance(days=89)
    assert memory.get(RITA, record.id).lifecycle == "active"
    assert [entry.record.id for entry in memory.review_queue(RITA).entries] == [record.id]
    clock.advance(days=2)
    assert memory.get(RITA, record.id).lifecycle == "expired"


def test_other_workspaces_are_left_alone(engine, memory, monkeypatch):
    theirs = memory.write(STRANGER, "Xyzzy and plugh", scope="personal")
    learn(monkeypatch, secrets=["plugh"])
    assert rescan(engine)["done"] == 0
    assert memory.get(STRANGER, theirs.id) == theirs


@pytest.mark.parametrize("who", [ALICE, RITA, ADAS_AGENT, CRON])
def test_it_is_for_administrators(memory, who):
    with pytest.raises(AccessDenied):
        memory.jobs.rescan(who)


def test_it_is_queued_once(memory):
    memory.jobs.rescan(ADA)
    with pytest.raises(Conflict, match="already"):
        memory.jobs.rescan(ADA)
