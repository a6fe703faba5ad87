"""Rollback and impact: what a source, an actor, a run or an import wrote is found, its reach told, and undone."""

from datetime import timedelta

import pytest

from goclaw import Principal
from goclaw.lifecycle.rollback import Outcome
from goclaw.model.clock import from_us
from goclaw.model.errors import AccessDenied, InvalidInput, NotFound
from goclaw.storage import audit_log, record_links
from goclaw.storage.record_links import Relation
from tests.flows.people import ADA, ADAS_AGENT, ALICE, ALICES_AGENT, BOB, CRON, IMPORT, NOBODY, RITA, STRANGER

APOLLO = {"scope": "agent_notes", "project_id": "apollo"}
ADMIN = Principal("ada", roles=("admin",), project_ids=("apollo",))
WIKI = "https://wiki.test/poisoned"
SOURCE = [{"kind": "document", "uri": WIKI}]


def write_back(memory, who, text, task="t-1", **more):
    request = {
        "schema_version": "openbrain.agent_memory.writeback.v1",
        "workspace_id": "default",
        "project_id": "apollo",
        "task_id": task,
        "runtime": {"name": "hermes"},
        "memory_payload": {"lessons": [text]},
        "visibility": {"project": "shared"},
        **more,
    }
    (record,) = memory.write_back(who, request).records
    return record


def ask(memory, who, question, task=None):
    request = {
        "schema_version": "openbrain.agent_memory.recall.v1",
        "workspace_id": "default",
        "project_id": "apollo",
        "query": question,
        "scope": {"include_unconfirmed": True},
        "task_id": task,
    }
    return memory.recall_for_task(who, request).request_id


def outcomes(report):
    return {step.record.id: (str(step.outcome), step.why) for step in report.steps}


def audited(engine, record):
    with engine.database.read() as reader:
        rows = audit_log.page(reader, "default", memory_id=record.id, limit=100)
    return [(row.event_type, row.detail.get("why")) for row in reversed(rows) if row.event_type != "memory_returned"]


def test_a_dry_run_says_what_would_go_and_changes_nothing(engine, memory):
    poisoned = memory.write(ALICES_AGENT, "Disable the interlock before starting", source_refs=SOURCE, **APOLLO)
    clean = memory.write(ALICES_AGENT, "The interlock is checked weekly", **APOLLO)
    report = memory.rollback(RITA, source=WIKI)
    assert report.is_dry_run
    assert outcomes(report) == {poisoned.id: ("planned", None)}
    assert [memory.get(RITA, each.id).lifecycle for each in (poisoned, clean)] == ["active", "active"]
    assert audited(engine, poisoned) == [("memory_written", None)]


def test_it_rejects_with_one_audit_event_each_and_goes_on_where_it_ended(engine, memory):
    records = [memory.write(ALICES_AGENT, f"Poisoned line {n}", source_refs=SOURCE, **APOLLO) for n in range(3)]
    first = memory.rollback(RITA, source=WIKI, dry_run=False)
    assert (first.count(Outcome.DONE), first.is_dry_run) == (3, False)
    for record in records:
        after = memory.get(RITA, record.id)
        assert (after.lifecycle, after.review_status) == ("rejected", "rejected")
        assert audited(engine, record) == [("memory_written", None), ("memory_rejected", "rollback")]
        assert [row.notes for row in memory.inspect(RITA, record.id).reviews] == ["rollback"]
    assert memory.search(ALICE, "poisoned line", include_history=True).hits == ()
    again = memory.rollback(RITA, source=WIKI, dry_run=False)
    assert set(outcomes(again).values()) == {("skipped", "It is rejected already.")}


def test_what_a_human_confirmed_stays_unless_it_is_meant(memory):
    confirmed = memory.write(ALICES_AGENT, "Torque is 12 Nm", source_refs=SOURCE, **APOLLO)
    memory.review(RITA, confirmed.id, "confirm")
    disputed = memory.write(ALICES_AGENT, "Torque is 14 Nm", source_refs=SOURCE, **APOLLO)
    memory.review(RITA, disputed.id, "edit", content="Torque is 15 Nm")
    memory.review(RITA, disputed.id, "dispute")
    untouched = memory.write(ALICES_AGENT, "Torque is unknown", source_refs=SOURCE, **APOLLO)
    memory.review(RITA, untouched.id, "dispute")
    report = memory.rollback(RITA, source=WIKI, dry_run=False)
    assert outcomes(report) == {
        confirmed.id: ("skipped", "A human confirmed it."),
        disputed.id: ("skipped", "A human confirmed it."),
        untouched.id: ("done", None),
    }
    assert memory.get(RITA, confirmed.id).use_policy.can_use_as_instruction
    meant = memory.rollback(RITA, source=WIKI, dry_run=False, include_confirmed=True)
    assert meant.count(Outcome.DONE) == 2


def test_a_trusted_import_was_confirmed_by_no_human_and_goes(memory):
    memory.set_policy(RITA, kind="trusted_import", source="import:crm", project_id="apollo", reason="Reviewed")
    importer = Principal(None, run_kind="import", agent_id="crm", project_ids=("apollo",))
    provenance = {"default_status": "imported", "requires_review": False}
    record = write_back(memory, importer, "Customers pay in advance", provenance=provenance, source_refs=SOURCE)
    assert record.use_policy.can_use_as_instruction
    other = memory.write(IMPORT, "Customers like blue", scope="agent_notes", source_refs=SOURCE)
    report = memory.rollback(RITA, imported_from="crm", dry_run=False)
    assert outcomes(report) == {record.id: ("done", None), other.id: ("done", None)}
    assert not memory.get(RITA, record.id).use_policy.can_use_as_evidence


def test_by_actor_run_and_time_all_of_which_must_fit(memory, clock):
    early = write_back(memory, ALICES_AGENT, "Early lesson", task="run-7")
    clock.advance(hours=1)
    noon = from_us(clock.now())
    late = write_back(memory, ALICES_AGENT, "Late lesson", task="run-7")
    longer = write_back(memory, ALICES_AGENT, "Lesson of another run", task="run-77")
    foreign = memory.write(CRON, "Nightly note", scope="agent_notes")

    def chosen(**culprit):
        return set(outcomes(memory.rollback(RITA, **culprit)))

    assert chosen(run="run-7") == {early.id, late.id}
    assert chosen(by="agent:helper") == {early.id, late.id, longer.id}
    assert chosen(by="agent:helper", since=noon) == {late.id, longer.id}
    assert chosen(by="agent:helper", since=noon, run="run-7") == {late.id}
    assert chosen(since=noon) == {late.id, longer.id, foreign.id}
    assert chosen(since=noon + timedelta(seconds=1)) == set()
    assert chosen(by="job:nightly") == {foreign.id}


@pytest.mark.parametrize("who", [ALICE, BOB, ALICES_AGENT, ADAS_AGENT, CRON, IMPORT, NOBODY])
def test_only_a_reviewers_own_hand_rolls_back(memory, who):
    record = memory.write(ALICES_AGENT, "Left alone", **APOLLO)
    for dry_run in (True, False):
        with pytest.raises(AccessDenied):
            memory.rollback(who, by="agent:helper", dry_run=dry_run)
    assert memory.get(RITA, record.id).lifecycle == "active"


def test_it_reaches_no_further_than_its_reviewer(memory):
    memory.write(ALICES_AGENT, "Alice drinks tea", scope="personal")
    memory.write(
        Principal("alice", project_ids=("zeus",), run_kind="agent", agent_id="helper"),
        "Zeus note",
        scope="agent_notes",
        project_id="zeus",
    )
    stranger = Principal("rita", roles=("reviewer",), workspace_id="elsewhere", project_ids=("apollo",))
    assert memory.rollback(RITA, by="agent:helper").steps == ()
    assert memory.rollback(stranger, by="agent:helper").steps == ()


def test_organization_memory_is_left_to_administrators(memory):
    record = memory.write(ADA, "Badges are worn", scope="agent_notes", visibility="organization")
    report = memory.rollback(RITA, by="human:ada", include_confirmed=True, dry_run=False)
    assert outcomes(report) == {record.id: ("failed", "It is not yours to decide about.")}
    assert memory.get(ADA, record.id).lifecycle == "active"


@pytest.mark.parametrize(
    "culprit", [{}, {"source": " "}, {"run": ""}, {"by": "import:crm", "imported_from": "crm"}], ids=str
)
def test_without_a_clear_culprit_nothing_is_undone(memory, culprit):
    with pytest.raises(InvalidInput):
        memory.rollback(RITA, **culprit)


def test_a_person_writes_anew_what_was_rolled_back(memory):
    record = memory.write(ALICES_AGENT, "Torque is 12 Nm", **APOLLO)
    memory.rollback(RITA, by="agent:helper", dry_run=False)
    assert memory.write(ALICES_AGENT, "Torque is 12 Nm", **APOLLO).id == record.id
    anew = memory.write(RITA, "Torque is 12 Nm", **APOLLO)
    assert anew.id != record.id
    assert (anew.review_status, "rejected_before" in anew.flags) == ("pending", True)
    assert memory.review(RITA, anew.id, "confirm").use_policy.can_use_as_instruction


def test_the_report_names_recalls_tasks_and_what_came_of_them(engine, memory, clock):
    poisoned = memory.write(ALICES_AGENT, "Valve pressure may exceed the limit", source_refs=SOURCE, **APOLLO)
    request = ask(memory, ALICES_AGENT, "valve pressure limit", task="t-9")
    after = write_back(memory, ALICES_AGENT, "Raised the valve setting", task="t-9", recall_request_id=request)
    summary = memory.write(CRON, "Summary of valves", scope="agent_notes")
    _link(engine, summary, poisoned, clock)
    report = memory.rollback(RITA, source=WIKI)
    assert report.request_ids == (request,)
    assert report.task_ids == ("t-9",)
    assert report.written_after == (after.id,)
    assert report.derived == (summary.id,)
    assert memory.rollback(RITA, by="agent:helper").written_after == (), "it is one of the steps there"


def test_impact_of_one_memory(engine, memory, clock):
    note = memory.write(ALICES_AGENT, "Conveyor three jams on Mondays", **APOLLO)
    clock.advance(hours=1)
    first = ask(memory, ALICES_AGENT, "conveyor three", task="t-1")
    memory.report_usage(ALICES_AGENT, first, [note.id])
    learned = write_back(memory, ALICES_AGENT, "Jam cleared by hand", task="t-2", recall_request_id=first)
    clock.advance(hours=1)
    second = memory.recall(BOB, "conveyor three").trace_id
    target = memory.write(RITA, "Conveyor 3 jams every Monday", **APOLLO)
    memory.review(RITA, note.id, "merge", related_id=target.id)
    step = memory.write(CRON, "Conveyors, summed up", scope="agent_notes")
    _link(engine, step, target, clock)

    impact = memory.impact(RITA, note.id)
    assert [(met.request_id, met.asked_by, met.rank, met.used, met.withheld_why) for met in impact.recalls] == [
        (second, "human:bob", None, None, "pending"),
        (first, "agent:helper", 1, True, None),
    ]
    assert [(task.task_id, task.request_ids, task.written_back) for task in impact.tasks] == [
        ("t-1", (first,), ()),
        ("t-2", (first,), (learned.id,)),
    ]
    assert [(each.memory_id, each.relation, each.of) for each in impact.derived] == [
        (target.id, "merged_into", note.id),
        (step.id, "derived_from", target.id),
    ]
    assert impact.is_complete


def test_impact_tells_nobody_what_others_asked(memory):
    note = memory.write(ALICES_AGENT, "Conveyor three jams on Mondays", **APOLLO)
    mine = memory.search(BOB, "conveyor three").trace_id
    memory.search(ALICE, "conveyor three")
    assert [met.request_id for met in memory.impact(BOB, note.id).recalls] == [mine]
    for who in (STRANGER, NOBODY, Principal("dora", roles=("reviewer",))):
        with pytest.raises(NotFound):
            memory.impact(who, note.id)


def test_traces_are_listed_newest_first_with_counts_of_what_the_reader_may_read(memory, clock):
    memory.write(ALICES_AGENT, "Conveyor three jams on Mondays", **APOLLO)
    first = memory.search(ALICE, "conveyor three").trace_id
    clock.advance(seconds=1)
    second = ask(memory, ALICES_AGENT, "conveyor", task="t-1")
    listed = memory.traces(RITA).traces
    assert [(each.request_id, each.asked_by, each.returned) for each in listed] == [
        (second, "agent:helper", 1),
        (first, "human:alice", 1),
    ]
    assert (listed[0].task_id, listed[0].mode) == ("t-1", "automatic")
    outside = Principal("dora", roles=("reviewer",))
    # A reviewer of no project sees no recall of a project, and of others no count of what they may not read.
    assert [(each.request_id, each.returned) for each in memory.traces(outside).traces] == [(first, 0)]
    assert [each.request_id for each in memory.traces(ALICE).traces] == [first]
    for who in (BOB, STRANGER, NOBODY):
        assert memory.traces(who).traces == ()
    page = memory.traces(RITA, limit=1)
    assert [each.request_id for each in page.traces] == [second]
    rest = memory.traces(RITA, limit=1, cursor=page.next_cursor)
    assert ([each.request_id for each in rest.traces], rest.next_cursor) == ([first], None)


def test_a_private_question_stays_with_its_asker(memory):
    request = {
        "schema_version": "openbrain.agent_memory.recall.v1",
        "workspace_id": "default",
        "query": "what does the customer owe?",
        "sensitivity": {"contains_customer_data": True},
    }
    memory.recall_for_task(ALICES_AGENT, request)
    assert [each.query for each in memory.traces(ALICES_AGENT).traces] == ["what does the customer owe?"]
    assert [each.query for each in memory.traces(RITA).traces] == ["(private)"]


def _link(engine, made, source, clock):
    engine.database.write(lambda unit: record_links.add(unit, made.id, Relation.DERIVED_FROM, source.id, clock.now()))
