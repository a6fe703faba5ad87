"""Recall for a task: within project, level and limits, the trusted before the doubtful, and a trace of it."""

import pytest

from goclaw import Principal
from goclaw.model.errors import InvalidInput, NotFound, UnknownItems
from goclaw.storage import channels
from goclaw.storage.channels import Channel
from tests.flows.conftest import HASHING
from tests.flows.people import ALICE, ALICES_AGENT, BOB, CAROL, CRON, RITA

BOTH = Principal("alice", project_ids=("apollo", "zeus"), run_kind="agent", agent_id="helper")
ZOE = Principal("zoe", roles=("reviewer",), project_ids=("apollo", "zeus"))


def ask(query="wombat", **fields):
    return {"workspace_id": "default", "project_id": "apollo", "query": query, **fields}


def contents(answer):
    return [hit.record.content for hit in answer.hits]


def note(memory, text, who=RITA, project="apollo", **more):
    return memory.write(who, text, scope="agent_notes", project_id=project, **more)


def test_only_the_named_project_unless_more_is_asked_for(memory):
    note(memory, "wombat in apollo", ZOE)
    note(memory, "wombat in zeus", ZOE, "zeus")
    memory.write(ZOE, "wombat for all", scope="agent_notes")
    memory.write(BOTH, "wombat of alice", scope="personal")
    assert contents(memory.recall_for_task(BOTH, ask())) == ["wombat in apollo"]
    wide = memory.recall_for_task(BOTH, ask(scope={"project_only": False}))
    assert set(contents(wide)) == {"wombat in apollo", "wombat in zeus", "wombat for all"}
    instructing = {hit.record.content for hit in wide.hits if hit.use_policy.can_use_as_instruction}
    assert instructing == {"wombat in apollo", "wombat for all"}  # from the other project it does not instruct


@pytest.mark.parametrize("lies_in", ["apollo", "", None], ids=["of a project", "of none", "unmanaged"])
def test_what_was_narrowed_to_a_channel_by_its_name_alone_is_found_there(engine, memory, lies_in):
    reviewer = Principal("rita", roles=("reviewer",), project_ids=("apollo",), channel_ids=("quay",))
    inside = Principal("alice", project_ids=("apollo",), channel_ids=("quay",), run_kind="agent", agent_id="helper")
    outside = Principal("bob", project_ids=("apollo",), run_kind="agent", agent_id="helper")
    if lies_in is not None:
        quay = Channel(workspace_id="default", channel_id="quay", project_id=lies_in, kind="", created_at=1)
        engine.database.write(lambda unit: channels.add(unit, quay))
    rule = memory.write(reviewer, "wombat of the quay", scope="agent_notes")
    narrowed = memory.review(reviewer, rule.id, "restrict_scope", visibility="channel", channel_id="quay")
    assert (narrowed.channel_id, narrowed.project_id) == ("quay", lies_in or None)
    here = {"channel": {"id": "quay"}, "scope": {"visibility": "channel"}}
    (hit,) = memory.recall_for_task(inside, ask(**here)).hits
    assert (hit.record.id, hit.use_policy.can_use_as_instruction) == (rule.id, True)
    assert contents(memory.recall_for_task(inside, ask(scope={"visibility": "channel"}))) == []
    assert contents(memory.recall_for_task(inside, ask(**here | {"channel": {"id": "pier"}}))) == []
    assert contents(memory.recall_for_task(outside, ask(**here))) == []


def test_foreign_places_do_not_exist(memory):
    for fields in ({"project_id": "zeus"}, {"workspace_id": "elsewhere"}):
        with pytest.raises(NotFound):
            memory.recall_for_task(ALICES_AGENT, ask(**fields))


def test_pending_and_stale_need_to_be_asked_for(memory):
    note(memory, "wombat rule")
    note(memory, "wombat guess", ALICES_AGENT)
    stale = note(memory, "wombat of old")
    memory.review(RITA, stale.id, "mark_stale")
    assert contents(memory.recall_for_task(ALICES_AGENT, ask())) == ["wombat rule"]
    unconfirmed = memory.recall_for_task(ALICES_AGENT, ask(scope={"include_unconfirmed": True}))
    assert set(contents(unconfirmed)) == {"wombat rule", "wombat guess"}
    old = memory.recall_for_task(ALICES_AGENT, ask(scope={"include_stale": True}))
    assert set(contents(old)) == {"wombat rule", "wombat of old"}


def test_limits_of_items_tokens_and_age(memory, clock):
    for number in range(5):
        note(memory, f"wombat {number} " + "eats grass " * 30)
    assert len(memory.recall_for_task(ALICES_AGENT, ask()).hits) == 5
    few = memory.recall_for_task(ALICES_AGENT, ask(limits={"max_items": 2}))
    assert (len(few.hits), few.is_truncated) == (2, True)
    tight = memory.recall_for_task(ALICES_AGENT, ask(limits={"max_tokens": 200}))
    assert (len(tight.hits), tight.is_truncated) == (2, True)
    clock.advance(days=9)
    assert memory.recall_for_task(ALICES_AGENT, ask(limits={"recency_days": 8})).hits == ()


@pytest.mark.parametrize("limits", [{"max_items": 0}, {"max_items": 51}, {"max_tokens": 99}, {"recency_days": 0}])
def test_limits_outside_the_contract_are_errors(memory, limits):
    with pytest.raises(InvalidInput):
        memory.recall_for_task(ALICES_AGENT, ask(limits=limits))


def test_entities_raise_and_never_filter(memory):
    note(memory, "the deploy checklist for billing")
    note(memory, "the deploy checklist for search")
    for name in ("billing", "search"):
        answer = memory.recall_for_task(ALICES_AGENT, ask("deploy checklist", entities={"topics": [name]}))
        assert contents(answer)[0].endswith(name)
        assert len(answer.hits) == 2


def test_of_a_contradiction_the_confirmed_comes_first_with_advice(memory):
    rule = note(memory, "The wombat eats 5 carrots a day")
    guess = note(memory, "The wombat eats 9 carrots a day, surely 9 carrots", ALICES_AGENT)
    answer = memory.recall_for_task(ALICES_AGENT, ask("wombat carrots", scope={"include_unconfirmed": True}))
    assert [hit.record.id for hit in answer.hits] == [rule.id, guess.id]
    assert [(each.memory_ids, each.advice) for each in answer.conflicts] == [((rule.id, guess.id), f"prefer {rule.id}")]


def test_a_private_question_is_for_its_asker_alone(open_store):
    memory = open_store(HASHING).memory
    note(memory, "wombat")
    private = ask("wombat of customer Globex", sensitivity={"contains_customer_data": True})
    request_id = memory.recall_for_task(ALICES_AGENT, private).request_id
    assert memory.trace(ALICES_AGENT, request_id).query == "wombat of customer Globex"
    assert memory.trace(RITA, request_id).query == "(private)"


def test_the_trace_tells_the_whole_story(memory):
    used, ignored = note(memory, "wombat rule one"), note(memory, "wombat rule two")
    held = note(memory, "wombat guess", ALICES_AGENT)
    answer = memory.recall_for_task(ALICES_AGENT, ask(task_id="t9"))
    counts = memory.report_usage(ALICES_AGENT, answer.request_id, [used.id], {ignored.id: "other site"})
    assert (counts.used, counts.ignored) == (1, 1)
    written = memory.write_back(
        ALICES_AGENT,
        {
            "schema_version": "openbrain.agent_memory.writeback.v1",
            "workspace_id": "default",
            "project_id": "apollo",
            "recall_request_id": answer.request_id,
            "memory_payload": {"outputs": ["Fed the wombat"]},
        },
    ).records[0]
    memory.review(RITA, written.id, "reject")
    report = memory.trace(RITA, answer.request_id)
    assert report.trace.request["task_id"] == "t9"
    told = {item.memory_id: (item.used, item.ignored_reason, item.withheld_reason) for item in report.items}
    assert told == {
        used.id: (True, None, None),
        ignored.id: (False, "other site", None),
        held.id: (None, None, "pending"),
    }
    assert report.items[0].snapshot["use_policy"]["can_use_as_instruction"]
    assert [each.memory_id for each in report.writebacks] == [written.id]
    assert "memory_rejected" in [event.event_type for event in report.writebacks[0].later_events]


def test_a_usage_report_is_the_askers_and_whole(memory):
    record = note(memory, "wombat rule")
    other = note(memory, "not returned at all")
    request_id = memory.recall_for_task(ALICES_AGENT, ask()).request_id
    for who in (ALICE, BOB, RITA, CRON):
        with pytest.raises(NotFound):
            memory.report_usage(who, request_id, [record.id])
    with pytest.raises(UnknownItems):
        memory.report_usage(ALICES_AGENT, request_id, [record.id, other.id])
    with pytest.raises(InvalidInput):
        memory.report_usage(ALICES_AGENT, request_id, [record.id], {record.id: "both"})
    with pytest.raises(NotFound):
        memory.report_usage(ALICES_AGENT, "nope", [])
    assert memory.trace(ALICES_AGENT, request_id).items[0].used is None  # nothing was booked


def test_traces_are_for_the_asker_and_reviewers_as_far_as_they_may_read(memory):
    memory.write(ALICE, "wombat of alice", scope="personal")
    found = memory.recall(ALICE, "wombat")
    assert len(memory.trace(ALICE, found.trace_id).items) == 1
    assert memory.trace(RITA, found.trace_id).items == ()
    for who in (BOB, CAROL, CRON, ALICES_AGENT):
        with pytest.raises(NotFound):
            memory.trace(who, found.trace_id)


def test_the_audit_shows_ones_own_deeds_and_to_reviewers_what_they_may_read(memory):
    mine = memory.write(ALICE, "wombat of alice", scope="personal")
    shared = note(memory, "wombat rule")
    memory.recall(ALICE, "wombat")

    def seen(who, **filters):
        return {(event.event_type, event.memory_id) for event in memory.audit(who, **filters).events}

    assert ("memory_written", mine.id) in seen(ALICE)
    assert ("memory_written", mine.id) not in seen(RITA)
    assert ("memory_written", shared.id) in seen(RITA)
    assert ("memory_returned", shared.id) in seen(RITA, memory_id=shared.id)
    assert seen(BOB) == set()
    memory.forget(ALICE, mine.id)
    assert ("memory_forgotten", mine.id) in seen(ALICE)
    assert not any(memory_id == mine.id for _, memory_id in seen(RITA))
