"""Our answers against the published schemas, and the published examples against our routes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goclaw.gateway.keys import KeyRequest
from goclaw.gateway.people import People, command_line
from goclaw.gateway.projects import Projects
from goclaw.model.principal import ActorKind
from tests.governance.adapters import Rest, rest

PUBLISHED = Path(__file__).parents[3] / "shared" / "ob1-contracts"
WORKSPACE, PROJECT = "workspace_123", "project_ob1"  # of the examples

pytestmark = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="the published contracts do not lie beside this checkout (../shared/ob1-contracts)"
)


def example(name: str) -> dict[str, Any]:
    return json.loads((PUBLISHED / "examples" / name).read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def contract(name: str) -> dict[str, Any]:
    return json.loads((PUBLISHED / "contracts" / name).read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def check(answer: Any, schema: dict[str, Any]) -> None:
    jsonschema.validate(answer, schema, format_checker=jsonschema.FormatChecker())


RECALLS = ("general.recall-request.json", "code-review.recall.json", "taskflow.recall.json")
WRITES = ("general.writeback-request.json", "code-review.writeback.json", "taskflow.writeback.json")


@pytest.fixture
def system() -> Iterator[Rest]:
    opened = rest()
    world = opened.world
    by, people = command_line(), People(world.engine.database, world.clock)
    projects = Projects(world.engine.database, world.clock)
    people.add(by, WORKSPACE, "rita", roles=("member", "reviewer"))
    projects.add(by, WORKSPACE, PROJECT)
    projects.add_member(by, WORKSPACE, PROJECT, "rita")
    for actor, request in {
        "human:rita": KeyRequest(kind=ActorKind.HUMAN, user_id="rita", workspace_id=WORKSPACE),
        "agent:claw": KeyRequest(kind=ActorKind.AGENT, user_id="rita", name="claw", workspace_id=WORKSPACE),
    }.items():
        world.keys[actor] = world.ring.create(by, request).secret
    yield opened
    opened.close()


def published(system: Rest, path: str, body: dict[str, Any], actor: str = "agent:claw") -> tuple[int, dict[str, Any]]:
    return system._send(actor, "POST", f"/api/agent-memory/{path}", body)


@pytest.mark.parametrize("name", WRITES)
def test_an_example_of_a_write_back_is_stored_as_evidence(system: Rest, name: str) -> None:
    status, answer = published(system, "writeback", example(name))
    assert status == 200
    assert answer["schema_version"] == "openbrain.openclaw.writeback_response.v1"
    assert "warnings" not in answer
    memory = contract("recall-response.schema.json")["properties"]["memories"]["items"]
    assert answer["memories"]
    for each in answer["memories"]:
        check(each, memory)
        assert each["use_policy"] == {
            "can_use_as_instruction": False,
            "can_use_as_evidence": True,
            "requires_user_confirmation": True,
        }
        assert each["scope"]["visibility"] == "project"


@pytest.mark.parametrize("name", RECALLS)
def test_an_example_of_a_recall_is_answered_exactly_in_the_published_shape(system: Rest, name: str) -> None:
    for each in WRITES:
        published(system, "writeback", example(each))
    question = example(name)
    question["scope"]["include_unconfirmed"] = True
    for query in (question["query"], example(WRITES[0])["memory_payload"]["lessons"][0]):
        status, answer = published(system, "recall", question | {"query": query})
        assert status == 200
        check(answer, contract("recall-response.schema.json"))
    assert answer["memories"], "an empty answer alone would prove little"


def test_the_answers_of_reviewed_and_plain_memories_keep_the_shape(system: Rest) -> None:
    _, written = published(system, "writeback", example(WRITES[0]))
    for memory in written["memories"]:
        system.review("human:rita", {"memory_id": memory["memory_id"], "action": "confirm"})
    note = {"content": "Reviews of PR 123 are done in pairs", "scope": "agent_notes", "project_id": PROJECT}
    assert system._send("human:rita", "POST", "/api/memory/records", note)[0] == 201
    question = example(RECALLS[0]) | {"query": "PR 123 reviewed in pairs"}
    _, answer = published(system, "recall", question)
    assert any(memory["use_policy"]["can_use_as_instruction"] for memory in answer["memories"])
    assert any(memory["source"]["kind"] == "agent_memory" for memory in answer["memories"])
    check(answer, contract("recall-response.schema.json"))


def test_the_example_of_a_usage_report_is_understood(system: Rest) -> None:
    published(system, "writeback", example(WRITES[0]))
    question = example(RECALLS[0]) | {"query": "Agent Memory"}
    question["scope"]["include_unconfirmed"] = True
    _, answer = published(system, "recall", question)
    first, second, *_ = [memory["memory_id"] for memory in answer["memories"]]
    report = example("general.usage-report.json")
    ignored = report["ignored_memory_ids"][0]
    report |= {
        "used_memory_ids": [first],
        "ignored_memory_ids": [second],
        "usage_notes": {second: report["usage_notes"][ignored]},
    }
    status, booked = published(system, f"recall/{answer['request_id']}/usage", report)
    assert (status, booked) == (200, {"ok": True, "used": 1, "ignored": 1})
    _, trace = system.trace("agent:claw", {"request_id": answer["request_id"]})
    reasons = {item["memory_id"]: item["ignored_reason"] for item in trace["items"]}
    assert reasons[second] == report["usage_notes"][second]


def test_a_usage_report_about_memories_of_another_recall_is_refused_whole(system: Rest) -> None:
    _, answer = published(system, "recall", example(RECALLS[0]))
    status, refused = published(system, f"recall/{answer['request_id']}/usage", example("general.usage-report.json"))
    assert status == 422
    assert refused["details"] == {"done": 0, "unknown": 3}


@pytest.mark.parametrize("family", ["openbrain.agent_memory", "openbrain.openclaw", "goclaw.agent_memory"])
def test_the_answer_mirrors_the_family_of_the_request(system: Rest, family: str) -> None:
    sent = example(WRITES[0]) | {"schema_version": f"{family}.writeback.v1"}
    asked = example(RECALLS[0]) | {"schema_version": f"{family}.recall.v1"}
    headers = {"x-brain-key": system.world.key("agent:claw")}
    for path, body in (("writeback", sent), ("recall", asked)):
        answer = system._http.post(f"/api/agent-memory/{path}", json=body, headers=headers).json()
        assert answer["schema_version"] == f"{family}.{path}_response.v1"


def test_our_own_family_adds_what_the_published_one_has_no_room_for(system: Rest) -> None:
    status, answer = published(
        system, "writeback", example(WRITES[0]) | {"schema_version": "goclaw.agent_memory.writeback.v1"}
    )
    assert status == 200
    memory = answer["memories"][0]
    assert memory["use_policy"]["do_not_inject_automatically"] is True
    assert (memory["review_status"], memory["lifecycle_status"]) == ("pending", "active")
    assert memory["memory_type"] == "output"
    assert memory["provenance"]["actor_id"] == "agent:claw"
