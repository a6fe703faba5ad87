"""Write-back by contract: all entries or none, evidence until a human says otherwise, nothing wider than allowed."""

import json

import pytest

from goclaw import Principal
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, NotFound, UnsafeContent
from goclaw.storage import channels, chunks, record_origins
from goclaw.storage.channels import Channel
from tests.flows.people import ADA, ALICE, ALICES_AGENT, CRON, IMPORT, NOBODY, RITA

JOB = Principal(None, run_kind="cron", agent_id="nightly", project_ids=("apollo",))
ALICE_REVIEWS = Principal("alice", roles=("reviewer",), project_ids=("apollo",))
QUAY_REVIEWS = Principal("rita", roles=("reviewer",), project_ids=("apollo",), channel_ids=("quay",))
SOURCES = [{"kind": "issue", "uri": "https://example.org/1", "title": "Issue 1"}]


def request(**fields):
    return {
        "schema_version": "openbrain.agent_memory.writeback.v1",
        "workspace_id": "default",
        "project_id": "apollo",
        "task_id": "t1",
        "source_refs": SOURCES,
        "memory_payload": {"lessons": ["Rolling restarts need two minutes per node"]},
        **fields,
    }


def claim(status, **more):
    return {"provenance": {"default_status": status, "requires_review": False, **more}}


def stored(engine):
    with engine.database.read() as reader:
        return chunks.count(reader)


def test_one_record_per_entry_in_the_contracts_order(memory):
    payload = {
        "decisions": ["We use blue-green rollouts"],
        "outputs": ["Wrote the runbook"],
        "lessons": ["Warm the cache first"],
        "constraints": ["Never deploy on Fridays"],
        "unresolved_questions": ["Who owns the load balancer?"],
        "next_steps": ["Ask the network team"],
        "failures": ["The first rollout timed out"],
        "artifacts": [{"kind": "doc", "uri": "https://example.org/d", "description": "The runbook"}],
    }
    answer = memory.write_back(ALICES_AGENT, request(memory_payload=payload))
    assert [record.kind for record in answer.records] == [
        "decision", "output", "lesson", "constraint", "open_question", "work_log", "failure", "artifact_reference",
    ]  # fmt: skip
    assert {record.review_status for record in answer.records} == {"pending"}
    assert {record.project_id for record in answer.records} == {"apollo"}
    assert answer.warnings == ()


@pytest.mark.parametrize(("who", "claimed", "provenance", "review", "flag"), [
    (ALICES_AGENT, "generated",      "generated",      "pending",       None),
    (ALICES_AGENT, "inferred",       "inferred",       "pending",       None),
    (ALICES_AGENT, "observed",       "observed",       "evidence_only", None),
    (ALICES_AGENT, "user_confirmed", "generated",      "pending",       "claimed_user_confirmed"),
    (ALICES_AGENT, "imported",       "generated",      "pending",       "claimed_imported"),
    (JOB,          "observed",       "observed",       "pending",       None),
    (RITA,         "user_confirmed", "user_confirmed", "confirmed",     None),
    (ALICE,        "user_confirmed", "generated",      "pending",       "claimed_user_confirmed"),
])  # fmt: skip
def test_what_a_claim_is_worth(memory, who, claimed, provenance, review, flag):
    (record,) = memory.write_back(who, request(**claim(claimed))).records
    assert (record.provenance, record.review_status) == (provenance, review)
    assert flag is None or flag in record.flags


def test_a_trusted_import_instructs_in_its_project_until_the_trust_ends(memory, clock):
    importer = Principal(None, run_kind="import", agent_id="crm", project_ids=("apollo",))
    body = request(**claim("imported"))
    policy = memory.set_policy(
        RITA, kind="trusted_import", source="import:crm", project_id="apollo", reason="reviewed feed"
    )
    (record,) = memory.write_back(importer, body).records
    assert record.use_policy.can_use_as_instruction
    memory.revoke_policy(RITA, policy.id)
    payload = {"lessons": ["Another lesson of the feed"]}
    (later,) = memory.write_back(importer, request(**claim("imported"), memory_payload=payload)).records
    assert later.review_status == "pending"
    assert memory.get(RITA, record.id).use_policy.can_use_as_instruction  # what it confirmed stays


def test_policies_are_made_by_reviewers_and_end(memory, clock):
    for who in (ALICE, ALICES_AGENT, CRON, IMPORT):
        with pytest.raises(AccessDenied):
            memory.set_policy(who, kind="promotion", source="agent:helper", project_id="apollo", reason="x")
    with pytest.raises(InvalidInput, match="reason"):
        memory.set_policy(RITA, kind="promotion", source="agent:helper", project_id="apollo", reason=" ")
    memory.set_policy(RITA, kind="promotion", source="agent:helper", project_id="apollo", reason="a good source")
    clock.advance(days=400)
    assert memory.policies(RITA) == []
    assert len(memory.policies(RITA, include_ended=True)) == 1


def test_no_project_goes_to_the_person_and_a_run_without_a_person_needs_one(memory):
    (record,) = memory.write_back(ALICES_AGENT, request(project_id=None)).records
    assert (record.scope, record.owner_user_id) == ("personal", "alice")
    with pytest.raises(InvalidInput, match="project_id"):
        memory.write_back(JOB, request(project_id=None))


@pytest.mark.parametrize(("who", "fields", "widest"), [
    (ALICES_AGENT, {"requested_visibility": "workspace"},                         "project"),
    (ALICES_AGENT, {"requested_visibility": "workspace", "project_id": None},     "personal"),
    (ALICES_AGENT, {"visibility": {"workspace": "shared"}},                       "project"),
    (ALICES_AGENT, {"requested_visibility": "organization"},                      "project"),
    (ALICES_AGENT, {"project_id": "other"},                                       "personal"),
    (JOB,          {"requested_visibility": "personal"},                          "workspace"),
])  # fmt: skip
def test_wider_than_allowed_is_refused_with_what_is_open(engine, who, fields, widest):
    with pytest.raises(AccessDenied) as refused:
        engine.memory.write_back(who, request(**fields))
    assert refused.value.hint == f"The widest you may use is {widest}."
    assert stored(engine) == 0


@pytest.mark.parametrize("fields", [
    {"memory_payload": {}},
    {"memory_payload": {"lessons": []}},
    {"memory_payload": {"lessons": ["  "]}},
    {"schema_version": "openbrain.agent_memory.writeback.v9"},
    {"workspace_id": ""},
    {"provenance": {"default_status": "superseded"}},
    {"provenance": {"confidence": 1.5}},
    {"retention": {"ttl_days": 0}},
    {"requested_visibility": "channel"},
])  # fmt: skip
def test_what_does_not_fit_the_contract(engine, fields):
    with pytest.raises(InvalidInput):
        engine.memory.write_back(ALICES_AGENT, request(**fields))
    assert stored(engine) == 0


def test_another_workspace_does_not_exist(memory):
    with pytest.raises(NotFound):
        memory.write_back(ALICES_AGENT, request(workspace_id="elsewhere"))


def test_nobody_writes_back(memory):
    with pytest.raises(AccessDenied):
        memory.write_back(NOBODY, request(requested_visibility="personal"))


def test_unknown_keys_are_taken_and_named(memory):
    answer = memory.write_back(ALICES_AGENT, request(actor_id="mallory", runtime={"name": "x", "region": "eu"}))
    assert [warning.split()[0] for warning in answer.warnings] == ["actor_id", "runtime.region"]
    assert answer.records[0].actor_id == "agent:helper"


def test_one_unsafe_entry_refuses_all_and_is_not_echoed(engine):
    token = "gh" + "p_" + "9fQ2kLmZx81PvRtYbN4cJ7dHsWe0aUiO3gT5"
    payload = {"lessons": ["harmless"], "outputs": [f"used {token}"]}
    for body in (
        request(memory_payload=payload),
        request(task_id=token),
        request(runtime={"name": token}),
        request(memory_payload={"lessons": ["x"], "entities": {"topics": [token]}}),
        request(memory_payload={"artifacts": [{"kind": "doc", "uri": f"https://e.org/{token}", "description": "d"}]}),
        request(surprise=token),
    ):
        with pytest.raises(UnsafeContent) as refused:
            engine.memory.write_back(ALICES_AGENT, body)
        assert token not in f"{refused.value} {refused.value.findings}"
    assert stored(engine) == 0


def test_the_same_request_is_answered_the_same_and_another_one_is_a_conflict(engine):
    memory = engine.memory
    body = request(idempotency_key="k1")
    first = memory.write_back(ALICES_AGENT, body)
    again = memory.write_back(ALICES_AGENT, json.loads(json.dumps(body)))
    assert [record.id for record in again.records] == [record.id for record in first.records]
    assert again.is_replay
    with pytest.raises(Conflict):
        memory.write_back(ALICES_AGENT, request(idempotency_key="k1", memory_payload={"lessons": ["other"]}))
    assert memory.write_back(RITA, request(idempotency_key="k1")).is_replay is False  # keys belong to their principal


def test_a_request_sent_again_is_answered_where_its_record_went(memory):
    body = request(idempotency_key="k1")
    (record,) = memory.write_back(ALICES_AGENT, body).records
    for move in (
        lambda: memory.review(RITA, record.id, "restrict_scope", visibility="personal"),
        lambda: memory.widen(ALICE_REVIEWS, record.id, "workspace", "all need it"),
    ):
        moved = move()
        again = memory.write_back(ALICES_AGENT, body)
        assert again.is_replay
        assert again.records == (moved,)
    assert len(memory.list(ALICE).records) == 1


def test_a_request_sent_again_does_not_reveal_where_its_record_went(engine, memory):
    quay = Channel(workspace_id="default", channel_id="quay", project_id="apollo", kind="", created_at=1)
    engine.database.write(lambda unit: channels.add(unit, quay))
    body = request(idempotency_key="k1", memory_payload={"lessons": ["Item one", "Item two"]})
    mine, gone = memory.write_back(JOB, body).records
    memory.review(QUAY_REVIEWS, gone.id, "restrict_scope", visibility="channel", channel_id="quay")
    assert memory.get(JOB, gone.id) is None
    again = memory.write_back(JOB, body)
    assert again.is_replay
    assert again.records == (mine,)
    memory.forget(QUAY_REVIEWS, gone.id)
    assert memory.write_back(JOB, body).records == (mine,)
    assert stored(engine) == 1


def test_the_origin_is_kept(engine):
    (record,) = engine.memory.write_back(
        ALICES_AGENT, request(runtime={"name": "openclaw", "version": "1"}, flow_id="f", step_id="s", content_hash="h")
    ).records
    with engine.database.read() as reader:
        origin = record_origins.get_many(reader, [record.id])[record.id]
    assert (origin.task_id, origin.flow_id, origin.step_id, origin.runtime_name) == ("t1", "f", "s", "openclaw")


def test_retention_becomes_dates(memory, clock):
    (record,) = memory.write_back(ALICES_AGENT, request(retention={"ttl_days": 3, "stale_after_days": 2})).records
    assert (record.expires_at - record.created_at).days == 3
    assert (record.stale_after - record.created_at).days == 2


def test_after_a_private_recall_nothing_travels_far(memory):
    recall = {
        "workspace_id": "default",
        "project_id": "apollo",
        "query": "customer contract",
        "sensitivity": {"contains_customer_data": True},
    }
    request_id = memory.recall_for_task(RITA, recall).request_id
    wide = request(recall_request_id=request_id, requested_visibility="workspace", **claim("user_confirmed"))
    with pytest.raises(AccessDenied, match="private"):
        memory.write_back(RITA, wide)
    assert memory.write_back(RITA, request(recall_request_id=request_id)).records
    with pytest.raises(NotFound):
        memory.write_back(ALICES_AGENT, request(recall_request_id=request_id))


def test_an_administrator_may_write_for_the_workspace(memory):
    (record,) = memory.write_back(
        ADA, request(project_id=None, requested_visibility="workspace", **claim("user_confirmed"))
    ).records
    assert (record.visibility, record.review_status) == ("workspace", "confirmed")
