"""Proposals over every way in: they wait in the queue and stand in the inspection, and decide nothing."""

from collections.abc import Iterator
from typing import Any

import pytest

from goclaw.bootstrap import Engine
from goclaw.gateway.mcp_tools import TOOLS
from goclaw.model.errors import GoclawError, InvalidInput, NotFound
from goclaw.model.principal import Principal, RunKind
from tests.running_gateway import Gateway, running_gateway

UNKNOWN = "0198c0de-0000-7000-8000-000000000000"
PROPOSE = next(tool for tool in TOOLS if tool.name == "memory_propose")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state")) as running:
        yield running


def waiting(gateway: Gateway, memory_id: str) -> list[dict[str, Any]]:
    with gateway.client(gateway.team.admin) as admin:
        queue = admin.review_queue(limit=200)["memories"]
    return next((each["proposals"] for each in queue if each["id"] == memory_id), [])


def test_an_agent_proposes_and_a_human_finds_it_in_queue_and_inspection(gateway: Gateway) -> None:
    with gateway.client(gateway.team.admin) as admin:
        memory_id = admin.write("The crane lifts nine tons", scope="agent_notes")["id"]
        before = admin.inspect(memory_id)
        with gateway.client(gateway.team.agent) as agent:
            proposal = agent.propose(memory_id, "mark_stale", notes="the crane was sold")
            again = agent.propose(memory_id, "mark_stale", notes="the crane was sold")
        after = admin.inspect(memory_id)
    assert (proposal["action"], proposal["notes"]) == ("proposed:mark_stale", "the crane was sold")
    assert again["id"] == proposal["id"]
    assert [row["id"] for row in waiting(gateway, memory_id)] == [proposal["id"]]
    assert proposal["id"] in [row["id"] for row in after["review_actions"]]
    assert after["lifecycle_status"] == before["lifecycle_status"]
    assert after["use_policy"] == before["use_policy"]


def refusal(gateway: Gateway, key: str, memory_id: str, action: str = "reject", **more: Any) -> tuple[Any, ...]:
    with gateway.client(key) as client, pytest.raises(GoclawError) as refused:
        client.propose(memory_id, action, **more)
    error = refused.value
    return type(error), error.message.replace(memory_id, "ID"), error.hint


def test_a_foreign_id_is_answered_as_an_unknown_one(gateway: Gateway) -> None:
    with gateway.client(gateway.team.alice) as alice:
        memory_id = alice.write("my optician is Sunrise-O", scope="personal")["id"]
    for key in (gateway.team.bob, gateway.team.stranger):
        foreign = refusal(gateway, key, memory_id)
        assert foreign == refusal(gateway, key, UNKNOWN)
        assert foreign[0] is NotFound
    assert waiting(gateway, memory_id) == []
    with gateway.client(gateway.team.bob) as bob:
        own = bob.write("my optician is Moonlight-O", scope="personal")["id"]
    foreign = refusal(gateway, gateway.team.bob, own, "merge", related_id=memory_id)
    unknown = refusal(gateway, gateway.team.bob, own, "merge", related_id=UNKNOWN)
    assert [str(part).replace(memory_id, "ID") for part in foreign] == [
        str(part).replace(UNKNOWN, "ID") for part in unknown
    ]


def test_a_wrong_action_and_a_secret_are_refused(gateway: Gateway) -> None:
    with gateway.client(gateway.team.alice) as alice:
        memory_id = alice.write("I like quiet berths", scope="personal")["id"]
    assert refusal(gateway, gateway.team.alice, memory_id, "burn")[0] is InvalidInput
    body = {"action": "reject", "notes": "the key is AKIAQ4R2ZJ7KXW3MTB5N"}
    with gateway.http(gateway.team.alice) as http:
        answer = http.post(f"/api/agent-memory/memories/{memory_id}/proposals", json=body)
    assert answer.status_code == 422
    assert "AKIAQ4R2ZJ7KXW3MTB5N" not in answer.text


def test_by_mcp_it_is_the_same_proposal(engine: Engine) -> None:
    claw = Principal("alice", run_kind=RunKind.AGENT, agent_id="claw")
    record = engine.memory.write(Principal("alice"), "I drink green tea", scope="personal")
    said = {"memory_id": record.id, "action": "mark_stale", "notes": "it was coffee today"}
    proposal = PROPOSE.call(engine.memory, claw, said)["proposal"]
    assert proposal["action"] == "proposed:mark_stale"
    assert proposal["id"] in [row.id for row in engine.memory.inspect(Principal("alice"), record.id).reviews]
    with pytest.raises(NotFound):
        PROPOSE.call(engine.memory, Principal("bob"), said)
