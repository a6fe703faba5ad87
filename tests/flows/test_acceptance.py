"""Acceptance: the seed's eight points, and workflows that may not write back before they pass them."""

import pytest

from goclaw import Principal
from goclaw.gateway.people import People, command_line
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, NotFound
from goclaw.storage import audit_log
from tests.flows.conftest import KEYWORDS
from tests.flows.people import ADA, ADAS_AGENT, ALICE, ALICES_AGENT, BOB, CRON, RITA

SOURCE = [{"kind": "issue", "uri": "https://example.test/issues/1", "title": "Issue 1"}]
OWNED = KEYWORDS | {"governance.review_owner": "rita"}


def write_back(memory, who=ALICES_AGENT, runtime="hermes", text="Bolts are checked weekly", **more):
    request = {
        "schema_version": "openbrain.agent_memory.writeback.v1",
        "workspace_id": "default",
        "project_id": "apollo",
        "runtime": {"name": runtime},
        "memory_payload": {"lessons": [text]},
        "source_refs": SOURCE,
        "visibility": {"project": "shared"},
        **more,
    }
    return memory.write_back(who, request).records[0]


def ask(memory, runtime="hermes", task_type="general", who=ALICES_AGENT):
    request = {
        "schema_version": "openbrain.agent_memory.recall.v1",
        "workspace_id": "default",
        "project_id": "apollo",
        "query": "bolts",
        "runtime": {"name": runtime},
        "task_type": task_type,
    }
    return memory.recall_for_task(who, request).request_id


def missing(report):
    return {point.number: point.missing for point in report.points if not point.passed}


def test_a_fresh_system_says_which_steps_are_missing(memory):
    report = memory.acceptance(RITA)
    assert [point.number for point in report.points] == list(range(1, 9))
    assert set(missing(report)) == {1, 2, 8}
    assert "recall" in missing(report)[1]
    assert "source_refs" in missing(report)[2]
    assert "review owner" in missing(report)[8]
    assert not report.passed


def test_it_passes_once_the_steps_are_done(open_store):
    memory = open_store(OWNED).memory
    ask(memory)
    assert "write-back" in missing(memory.acceptance(RITA))[1]
    write_back(memory)
    report = memory.acceptance(RITA)
    assert missing(report) == {}
    assert report.passed


def test_a_write_back_without_sources_fails_point_two(open_store):
    memory = open_store(OWNED).memory
    ask(memory)
    write_back(memory)
    write_back(memory, text="Nuts are too", source_refs=[])
    assert set(missing(memory.acceptance(RITA))) == {2}


def test_settings_that_open_a_door_are_named(open_store):
    loose = OWNED | {"governance.guard.transcript": "allow", "memory.write_access.roles": ("admin", "member")}
    memory = open_store(loose).memory
    ask(memory)
    write_back(memory)
    found = missing(memory.acceptance(RITA))
    assert set(found) == {2, 5}
    assert "governance.guard.transcript" in found[2]
    assert "memory.write_access.roles" in found[5]


def test_the_owner_of_the_queue_must_be_able_to_review(open_store):
    engine = open_store(OWNED)
    people = People(engine.database, engine.clock)
    people.add(command_line(), "default", "rita")
    ask(engine.memory)
    write_back(engine.memory)
    assert missing(engine.memory.acceptance(RITA)) == {
        8: "Make the owner a reviewer: goclaw people role rita member reviewer."
    }
    people.set_roles(command_line(), "default", "rita", ("member", "reviewer"))
    assert engine.memory.acceptance(RITA).passed


@pytest.mark.parametrize("who", [ALICE, BOB, ALICES_AGENT, ADAS_AGENT, CRON])
def test_the_checklist_and_the_workflows_are_for_reviewers(memory, who):
    with pytest.raises(AccessDenied):
        memory.acceptance(who)
    with pytest.raises(AccessDenied):
        memory.workflows.list(who)


@pytest.mark.parametrize("who", [RITA, ALICE, ADAS_AGENT, CRON])
def test_workflows_are_registered_by_administrators(memory, who):
    with pytest.raises(AccessDenied):
        memory.workflows.register(who, "hermes")
    memory.workflows.register(ADA, "hermes")
    with pytest.raises(AccessDenied):
        memory.workflows.remove(who, "hermes")


def test_on_a_fresh_system_write_back_is_open(memory):
    assert write_back(memory, runtime="anything").id


def test_a_registered_workflow_recalls_and_writes_back_only_once_accepted(open_store):
    engine = open_store(OWNED)
    memory = engine.memory
    memory.workflows.register(ADA, "hermes")
    assert set(missing(memory.acceptance(RITA, workflow="hermes"))) == {1, 2}
    ask(memory)
    with pytest.raises(AccessDenied, match="not accepted"):
        write_back(memory)
    assert memory.list(ALICE).records == ()
    (row,) = _refusals(engine)
    said = {"why": "workflow_not_accepted", "workflow": "hermes", "task_type": "", "has_sources": True}
    assert row.detail.items() >= said.items()
    assert write_back(memory, runtime="other").id, "another workflow is not held"
    assert memory.acceptance(RITA, workflow="hermes").passed
    with pytest.raises(AccessDenied):
        memory.acceptance(RITA, workflow="hermes", accept=True)
    with pytest.raises(AccessDenied, match="not accepted"):
        write_back(memory)
    accepted = memory.acceptance(ADA, workflow="hermes", accept=True).workflow
    assert (accepted.accepted_by, accepted.is_held) == ("human:ada", False)
    assert write_back(memory, text="Nuts are checked daily").id


def test_a_workflow_that_does_not_pass_is_not_accepted(open_store):
    memory = open_store(OWNED).memory
    memory.workflows.register(ADA, "hermes")
    ask(memory)
    with pytest.raises(AccessDenied):
        write_back(memory, source_refs=[])
    with pytest.raises(Conflict, match="point 2"):
        memory.acceptance(ADA, workflow="hermes", accept=True)
    with pytest.raises(AccessDenied):
        write_back(memory)
    assert memory.acceptance(ADA, workflow="hermes", accept=True).passed, "its newest try names its sources"


def test_a_first_try_that_is_unsafe_or_misshapen_proves_nothing(open_store):
    memory = open_store(OWNED).memory
    memory.workflows.register(ADA, "hermes")
    ask(memory)
    with pytest.raises(InvalidInput):
        write_back(memory, memory_payload={"lessons": []})
    assert set(missing(memory.acceptance(RITA, workflow="hermes"))) == {1, 2}


def test_how_a_name_is_written_opens_nothing(memory):
    memory.workflows.register(ADA, "hermes")
    for name in ("HERMES", " hermes "):
        with pytest.raises(AccessDenied, match="not accepted"):
            write_back(memory, runtime=name)


def test_a_task_type_is_known_from_the_recall_it_follows(memory):
    memory.workflows.register(ADA, "hermes", task_type="deploy")
    deploy, other = ask(memory, task_type="deploy"), ask(memory, task_type="report")
    with pytest.raises(AccessDenied):
        write_back(memory, recall_request_id=deploy)
    with pytest.raises(AccessDenied):
        write_back(memory)
    assert write_back(memory, recall_request_id=other).id


def test_the_entry_of_a_task_type_goes_before_that_of_the_runtime(memory):
    memory.workflows.register(ADA, "hermes")
    memory.workflows.register(ADA, "hermes", task_type="report", require_acceptance=False)
    report = ask(memory, task_type="report")
    assert write_back(memory, recall_request_id=report).id
    with pytest.raises(AccessDenied):
        write_back(memory, recall_request_id=ask(memory, task_type="deploy"))


def test_what_is_removed_holds_nothing_any_more(engine, memory):
    memory.workflows.register(ADA, "hermes")
    with pytest.raises(Conflict):
        memory.workflows.register(ADA, "hermes")
    memory.workflows.remove(ADA, "hermes")
    assert memory.workflows.list(ADA) == []
    assert write_back(memory).id
    with pytest.raises(NotFound):
        memory.workflows.remove(ADA, "hermes")
    with pytest.raises(NotFound):
        memory.acceptance(ADA, workflow="hermes")
    with engine.database.read() as reader:
        rows = audit_log.page(reader, "default", event_type="policy_changed", limit=9)
    assert [row.detail["what"] for row in rows] == ["workflow_removed", "workflow_registered"]


def test_workflows_of_another_workspace_hold_nothing_here(memory):
    other = Principal("ada", roles=("admin",), workspace_id="elsewhere")
    memory.workflows.register(other, "hermes")
    assert write_back(memory).id
    assert memory.workflows.list(ADA) == []


def test_the_audit_log_is_verified_by_reviewers(memory):
    memory.write(ALICE, "one", scope="personal")
    found = memory.verify_audit(RITA)
    assert (found.problem, found.broken_at, found.sealed + found.unsealed) == (None, None, 1)
    with pytest.raises(AccessDenied):
        memory.verify_audit(ALICE)


def test_nobody_is_accepted_without_a_name(memory):
    with pytest.raises(InvalidInput):
        memory.acceptance(ADA, accept=True)


def _refusals(engine):
    with engine.database.read() as reader:
        return audit_log.page(reader, "default", event_type="memory_refused", limit=9)
