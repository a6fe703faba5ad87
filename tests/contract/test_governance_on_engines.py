"""Governance on every engine: workflows, what points to a record, rollback and rescan do the same everywhere."""

import pytest

from goclaw.governance import write_guard
from goclaw.ingest.draft import draft_of
from goclaw.ingest.rescan import Rescanner
from goclaw.ingest.worker import WorkerPool
from goclaw.ingest.write import Writer
from goclaw.lifecycle.rollback import Culprit, Outcome, Rollback
from goclaw.model.access import WriteAccess
from goclaw.model.clock import SystemClock
from goclaw.model.ids import IdMaker
from goclaw.model.job import JobKind, NewJob
from goclaw.settings.settings import Settings
from goclaw.storage import jobs, memories, namespaces, record_links, workflows
from goclaw.storage.record_links import Relation
from goclaw.storage.workflows import Workflow
from tests.flows.people import ALICES_AGENT, RITA

SOURCE = "https://wiki.test/poisoned"


@pytest.fixture
def writer(store):
    return Writer(store, SystemClock(), IdMaker(), Settings(), WriteAccess(), wants_vectors=False, wake=lambda: None)


def write(writer, text, **more):
    draft = draft_of(text, scope="agent_notes", project_id="apollo", max_content_chars=1_000, **more)
    return writer.write(ALICES_AGENT, draft)


def test_workflows_come_back_as_they_were_kept(store):
    plain = Workflow(
        workspace_id="default",
        runtime_name="hermes",
        task_type="",
        require_acceptance=True,
        registered_by="human:ada",
        created_at=1,
    )
    assert store.write(lambda unit: workflows.add(unit, plain))
    assert not store.write(lambda unit: workflows.add(unit, plain))
    with store.read() as reader:
        assert workflows.of_workspace(reader, "default") == [plain]
        assert workflows.of_workspace(reader, "elsewhere") == []
    assert store.write(lambda unit: workflows.accept(unit, plain, "human:ada", 2))
    with store.read() as reader:
        (accepted,) = workflows.of_workspace(reader, "default")
    assert (accepted.accepted_by, accepted.accepted_at, accepted.is_held) == ("human:ada", 2, False)
    assert store.write(lambda unit: workflows.remove(unit, "default", "hermes", ""))
    assert not store.write(lambda unit: workflows.remove(unit, "default", "hermes", ""))
    assert not store.write(lambda unit: workflows.accept(unit, plain, "human:ada", 3))


def test_what_points_to_a_record_is_found_by_its_relation(store):
    store.write(lambda unit: record_links.add(unit, "made", Relation.DERIVED_FROM, "source", 1))
    store.write(lambda unit: record_links.add(unit, "other", Relation.CONFLICTS_WITH, "source", 1))
    with store.read() as reader:
        assert record_links.pointing_to(reader, "source", Relation.DERIVED_FROM) == ["made"]
        assert record_links.pointing_to(reader, "made", Relation.DERIVED_FROM) == []


def test_a_rollback_ends_more_than_a_page_of_records(store, writer):
    ids = {
        write(writer, f"Poisoned line {number}", source_refs=[{"kind": "page", "uri": SOURCE}]).id
        for number in range(205)
    }
    write(writer, "A clean line")
    report = Rollback(writer).roll_back(RITA, Culprit(source=SOURCE))
    assert {step.record.id for step in report.steps} == ids
    assert report.count(Outcome.DONE) == len(ids)


def test_a_rescan_goes_through_every_place_of_its_workspace(store, writer, monkeypatch):
    kept = [write(writer, f"Xyzzy number {number}") for number in range(205)]
    monkeypatch.setattr(write_guard, "is_injection_like", lambda text: "Xyzzy" in text)
    pool = WorkerPool(
        store, writer.clock, {JobKind.RESCAN: Rescanner(store, writer.clock, Settings().governance).rescan}, 60
    )
    job = NewJob(kind=JobKind.RESCAN, dedupe_key="all", workspace_id="default")
    job_id = store.write(lambda unit: jobs.enqueue(unit, job, writer.clock.now()))
    pool.run_due_jobs(30)
    with store.read() as reader:
        places = [state.id for state in namespaces.of_workspace(reader, "default")]
        found = memories.get_many(reader, [record.id for record in kept], places)
        progress = jobs.get(reader, job_id).progress
    assert (progress["done"], progress["flagged"]) == (205, 205)
    assert {record.flags[-1] for record in found.values()} == {"injection_like"}
