"""A trace tells its reader no more than they may know, and after forgetting nothing of what was forgotten."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from goclaw.storage import recall_traces
from tests.cases.run_governance_cases import RC, WB, merge
from tests.governance.adapters import PythonApi, Rest, python_api, rest


@pytest.fixture
def system() -> Iterator[Rest]:
    opened = rest()
    yield opened
    opened.close()


@pytest.fixture
def library() -> Iterator[PythonApi]:
    opened = python_api()
    yield opened
    opened.close()


def written(system: Any, actor: str, **body: Any) -> str:
    _, answer = system.call("writeback", actor, merge(WB, body))
    return str(answer["memories"][0]["memory_id"])


def recalled(system: Any, actor: str, **body: Any) -> dict[str, Any]:
    status, answer = system.call("recall", actor, merge(RC, body))
    assert status == 200
    return answer  # type: ignore[no-any-return]


def test_a_private_question_is_told_to_its_asker_alone(system: Rest) -> None:
    asked = recalled(
        system,
        "agent:a1",
        query="what did Meier complain about",
        entities={"customers": ["Meier"]},
        model_intent={"model": "Meier-1"},
        remark="Meier again",
        sensitivity={"contains_customer_data": True},
    )
    request = {"request_id": asked["request_id"]}
    _, own = system.call("trace", "agent:a1", request)
    assert own["trace"]["query"] == "what did Meier complain about"
    assert own["trace"]["request_payload"]["entities"] == {"customers": ["Meier"]}
    status, theirs = system.call("trace", "human:alice", request)
    assert status == 200
    assert theirs["trace"]["task_id"] == "t2"
    assert "Meier" not in json.dumps(theirs)


def test_a_reviewer_sees_no_hit_of_somebody_elses_personal_memory(library: PythonApi) -> None:
    personal = {"project_id": None, "requested_visibility": "personal"}
    memory_id = written(library, "agent:a1", **personal, memory_payload={"lessons": ["Bob dislikes early meetings"]})
    scope = {"visibility": "personal", "project_only": False, "include_unconfirmed": True}
    asked = recalled(library, "agent:a1", project_id=None, query="early meetings of Bob", scope=scope)
    assert [memory["memory_id"] for memory in asked["memories"]] == [memory_id]
    report = library.memory.trace(library.world.principal("human:alice"), asked["request_id"])
    assert report.items == ()
    assert (report.trace.returned, report.trace.withheld) == ((), ())
    own = library.memory.trace(library.world.principal("agent:a1"), asked["request_id"])
    assert [item.memory_id for item in own.items] == [memory_id]


def test_forgetting_leaves_no_word_of_the_question_in_the_store(library: PythonApi) -> None:
    memory_id = written(library, "agent:a1", memory_payload={"lessons": ["Xylophones are stored in the attic"]})
    asked = recalled(
        library,
        "agent:a1",
        query="where are xylophones stored",
        entities={"topics": ["xylophones"]},
        remark="xylophones",
        scope={"include_unconfirmed": True},
    )
    world = library.world
    assert "xylophones" in _stored(world, asked["request_id"]).lower()
    world.engine.memory.forget(world.principal("agent:a1"), memory_id)
    after = _stored(world, asked["request_id"])
    assert "xylophones" not in after.lower()
    assert memory_id in after


def _stored(world: Any, request_id: str) -> str:
    world.engine.database.flush_later()
    with world.engine.database.read() as reader:
        trace = recall_traces.get(reader, "ws1", request_id)
    assert trace is not None
    return repr(trace)
