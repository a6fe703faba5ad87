"""Failures that users of other systems have reported, one test each, by the number of the case."""

from datetime import timedelta

import pytest

from goclaw.model.clock import from_us
from goclaw.model.errors import Conflict, NotFound
from goclaw.model.job import JobState
from tests.flows.conftest import HASHING
from tests.flows.people import ADA, ALICE, CRON, IMPORT, RITA


def contents(found):
    return [hit.record.content for hit in found.hits]


def test_R037_what_was_forgotten_does_not_come_back_by_an_import(memory):
    record = memory.write(IMPORT, "Customer 12 owes 400", scope="agent_notes")
    memory.forget(ADA, record.id)
    with pytest.raises(Conflict, match="forgotten"):
        memory.write(IMPORT, "Customer 12 owes 400", scope="agent_notes")
    assert contents(memory.search(ADA, "customer owes")) == []


def test_R038_what_was_rejected_does_not_come_back_from_the_same_source(memory):
    source = [{"kind": "conversation", "uri": "session:7"}]
    fact = memory.write(CRON, "The wombat is purple", scope="agent_notes", source_refs=source)
    memory.review(RITA, fact.id, "reject")
    again = memory.write(CRON, "The wombat is purple", scope="agent_notes", source_refs=source)
    assert (again.id, again.lifecycle) == (fact.id, "rejected")
    assert contents(memory.search(ADA, "wombat purple", include_history=True)) == []
    evidence = [{"kind": "conversation", "uri": "session:8"}]
    anew = memory.write(CRON, "The wombat is purple", scope="agent_notes", source_refs=evidence)
    assert (anew.lifecycle, anew.review_status) == ("active", "pending")


def test_R087_a_moment_in_the_future_is_no_advantage(memory, clock):
    later = from_us(clock.now()) + timedelta(days=3)
    memory.write(ALICE, "the wombat sleeps", scope="personal", occurred_at=later)
    clock.advance(days=-2)  # the clock is put back: the record is from tomorrow now
    memory.write(ALICE, "the wombat sleeps and eats", scope="personal")
    hits = memory.search(ALICE, "wombat sleeps eats").hits
    assert contents(memory.search(ALICE, "wombat sleeps eats"))[0] == "the wombat sleeps and eats"
    assert all(hit.score_parts["decay"] == 1 for hit in hits)


def test_R111_a_write_is_found_while_every_worker_is_stopped(open_store):
    engine = open_store(HASHING)
    engine.memory.write(ALICE, "the wombat sleeps", scope="personal")
    assert contents(engine.memory.search(ALICE, "wombat")) == ["the wombat sleeps"]
    assert engine.memory.stats(ADA)["store"]["vectors"]["pending"] == 1


def test_R118_what_was_not_done_is_not_reported_as_done(open_store):
    engine = open_store(
        {
            "memory.search.provider": "openai_compatible",
            "memory.search.base_url": "http://127.0.0.1:9/v1",
            "memory.search.model": "fake",
        }
    )
    with pytest.raises(NotFound):
        engine.memory.forget(ALICE, "unknown")
    engine.memory.write(ALICE, "the wombat sleeps", scope="personal")
    job_id = engine.memory.jobs.reindex(ADA)
    engine.workers.run_due_jobs(20)
    job = engine.memory.jobs.get(ADA, job_id)
    assert job.state is JobState.QUEUED  # to be tried again, with the reason
    assert job.last_error
    assert job.progress.get("done", 0) == 0
