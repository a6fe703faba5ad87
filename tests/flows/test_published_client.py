"""The published clients work unchanged: the steps of their live check, their habits, and what they read from answers.

The requests are written as those clients send them: words of their own under ``visibility``, null for nothing, filters
as a body, a reviewer in the body, the key in the address.
"""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.running_gateway import Gateway, running_gateway

WORKSPACE, PROJECT, TASK = "default", "apollo", "check-77"
BASE = "/api/agent-memory"
SOURCE = {"kind": "repo", "uri": "repo://checks/live", "title": "Live check"}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.fixture
def http(gateway: Gateway) -> Iterator[httpx2.Client]:
    with gateway.http(gateway.team.admin) as client:
        yield client


def send(http: httpx2.Client, method: str, path: str, body: Any = None, expected: int = 200) -> dict[str, Any]:
    answer = http.request(method, BASE + path, json=body)
    assert answer.status_code == expected, answer.text
    return answer.json()  # type: ignore[no-any-return]


def write_back(task: str = TASK, **changes: Any) -> dict[str, Any]:
    return {
        "schema_version": "openbrain.openclaw.writeback.v1",
        "workspace_id": WORKSPACE,
        "project_id": PROJECT,
        "task_id": task,
        "step_id": "write-1",
        "idempotency_key": f"{task}:write-1",
        "channel": {"kind": "cli", "id": "check", "thread_id": None},
        "runtime": {"name": "live-check", "version": None},
        "models_used": [{"provider": "none", "model": "direct", "role": "smoke"}],
        "source_refs": [SOURCE],
        "memory_payload": {
            "decisions": [],
            "outputs": [f"The live check {task} wrote governed memory through the gateway."],
            "lessons": [f"The live check {task} shows that generated memory stays evidence until review."],
            "constraints": ["A live check never prints the key it uses."],
            "next_steps": ["Keep the live check on the release list."],
            "artifacts": [{"kind": "script", "uri": "repo://checks/live", "description": None}],
            "entities": {"topics": ["live check"], "repos": ["goclaw"]},
        },
        "provenance": {"default_status": "generated", "confidence": 0.8, "requires_review": True},
        "retention": {"stale_after_days": 30},
        "visibility": {"workspace": "private", "project": "project", "channel": "cli"},
    } | changes


def recall(include_unconfirmed: bool, task: str = TASK) -> dict[str, Any]:
    return {
        "schema_version": "openbrain.openclaw.recall.v1",
        "workspace_id": WORKSPACE,
        "project_id": PROJECT,
        "task_id": task,
        "task_type": "smoke",
        "runtime": {"name": "live-check", "version": None},
        "model_intent": {"provider": "none", "model": "direct"},
        "query": f"live check {task} governed memory evidence",
        "entities": {"topics": ["live check"]},
        "scope": {
            "visibility": "project",
            "project_only": True,
            "include_unconfirmed": include_unconfirmed,
            "include_stale": False,
        },
        "limits": {"max_items": 10, "max_tokens": 4000, "recency_days": 7},
        "sensitivity": {"contains_code": False},
    }


def test_the_steps_of_the_live_check(http: httpx2.Client) -> None:
    assert send(http, "GET", "/health")["ok"] is True

    written = send(http, "POST", "/writeback", write_back())["memories"]
    ids = [memory["memory_id"] for memory in written]
    assert len(ids) == 5
    for memory in written:
        policy = memory["use_policy"]
        assert (policy["can_use_as_instruction"], policy["can_use_as_evidence"]) == (False, True)
        assert policy["requires_user_confirmation"] is True

    query = f"workspace_id={WORKSPACE}&project_id={PROJECT}&task_id_prefix={TASK}&limit=20"
    listed = send(http, "GET", f"/memories?{query}")
    assert listed["count"] == len(ids)

    assert send(http, "POST", "/recall", recall(False))["memories"] == []
    found = send(http, "POST", "/recall", recall(True))
    returned = [memory["memory_id"] for memory in found["memories"]]
    assert returned
    assert set(returned) <= set(ids)

    used, *others = returned
    ignored = [{"memory_id": memory_id, "reason": "not needed"} for memory_id in others[:2]]
    report = {"used_memory_ids": [used], "ignored": ignored}
    assert send(http, "POST", f"/recall/{found['request_id']}/usage", report)["ok"] is True

    decision = {"action": "evidence_only", "actor_label": "live check", "notes": "run 77"}
    reviewed = send(http, "PATCH", f"/memories/{ids[0]}/review", decision)["memory"]
    assert (reviewed["review_status"], reviewed["can_use_as_instruction"]) == ("evidence_only", False)
    assert send(http, "GET", f"/memories/{ids[0]}")["memory"]["id"] == ids[0]

    trace = send(http, "GET", f"/recall-traces/{found['request_id']}")
    assert [item["memory_id"] for item in trace["items"] if item["used"] is True] == [used]

    secret = "api_key: " + "sk-or-" + "v1-" + "0" * 40
    unsafe = write_back("check-78", memory_payload={"outputs": [f"A payload that holds {secret}"]})
    refused = send(http, "POST", "/writeback", unsafe, expected=422)
    assert refused == {
        "error": "Unsafe write-back blocked",
        "unsafe": [{"reason": "api_key", "field": "output.content"}],
    }


def test_an_agents_key_does_all_but_review(gateway: Gateway) -> None:
    with gateway.http(gateway.team.agent) as http:
        written = send(http, "POST", "/writeback", write_back("check-80"))["memories"]
        send(http, "POST", "/recall", recall(True, "check-80"))
        decision = {"action": "confirm", "actor_id": "human:ada", "reviewer": "ada"}
        send(http, "PATCH", f"/memories/{written[0]['memory_id']}/review", decision, expected=403)
        inspected = send(http, "GET", f"/memories/{written[0]['memory_id']}")["memory"]
    assert (inspected["review_status"], inspected["provenance"]["created_by"]) == ("pending", "agent")


def test_a_reviewer_in_the_body_is_ignored_and_reported(http: httpx2.Client) -> None:
    (memory, *_) = send(http, "POST", "/writeback", write_back("check-81"))["memories"]
    answer = send(http, "PATCH", f"/memories/{memory['memory_id']}/review", {"action": "reject", "reviewer": "eve"})
    assert answer["warnings"] == ["reviewer is not part of the contract and was ignored."]
    (action,) = send(http, "GET", f"/memories/{memory['memory_id']}")["memory"]["review_actions"]
    assert action["actor_id"] == "human:ada"


@pytest.mark.parametrize("path", ["/memories/review", "/memories/list"])
def test_lists_are_answered_to_a_body_as_to_an_address(http: httpx2.Client, path: str) -> None:
    send(http, "POST", "/writeback", write_back("check-82"))
    filters = {"workspace_id": WORKSPACE, "project_id": PROJECT, "limit": 20}
    by_body = send(http, "POST", path, filters)
    address = path.removesuffix("/list") + f"?workspace_id={WORKSPACE}&project_id={PROJECT}&limit=20"
    by_address = send(http, "GET", address)
    assert by_body["count"] > 0
    assert by_body == by_address


def test_the_key_in_the_address_opens_as_well(gateway: Gateway) -> None:
    with gateway.http() as http:
        assert send(http, "GET", f"/health?key={gateway.team.agent}")["ok"] is True
        assert send(http, "GET", "/health", expected=401)["error"]


def test_unknown_keys_are_reported_by_name_and_a_secret_in_a_name_is_not_repeated(http: httpx2.Client) -> None:
    strange = {"session_id": "s1", "a secret name": 1, "channel": {"colour": "red"}}
    answer = send(http, "POST", "/recall", recall(False) | strange)
    assert answer["warnings"] == [
        f"{name} is not part of the contract and was ignored." for name in ("session_id", "?", "channel.colour")
    ]


def test_what_is_left_out_or_null_is_the_default(http: httpx2.Client) -> None:
    asked = {"schema_version": "openbrain.agent_memory.recall.v1", "workspace_id": WORKSPACE, "query": "anything"}
    nothing = dict.fromkeys(("project_id", "channel", "runtime", "entities", "scope", "limits", "sensitivity"))
    assert (
        send(http, "POST", "/recall", asked | nothing)["schema_version"] == "openbrain.agent_memory.recall_response.v1"
    )


@pytest.mark.parametrize(
    ("path", "changes", "status"),
    [
        ("/writeback", {"schema_version": "openbrain.agent_memory.writeback.v9"}, 400),
        ("/writeback", {"workspace_id": ""}, 400),
        ("/writeback", {"workspace_id": None}, 400),
        ("/writeback", {"workspace_id": "other"}, 404),
        ("/writeback", {"memory_payload": {}}, 400),
        ("/writeback", {"memory_payload": {"lessons": ["  "]}}, 400),
        ("/writeback", {"provenance": {"default_status": "disputed"}}, 400),
        ("/writeback", {"provenance": {"confidence": 1.5}}, 400),
        ("/writeback", {"requested_visibility": "everyone"}, 400),
        ("/writeback", {"requested_visibility": "workspace", "idempotency_key": "wide"}, 403),
        ("/writeback", {"project_id": "gemini", "idempotency_key": "elsewhere"}, 403),
        ("/recall", {"limits": {"max_items": 51}}, 400),
        ("/recall", {"limits": {"max_tokens": 99}}, 400),
        ("/recall", {"query": ""}, 400),
        ("/recall", {"query": "with \0 in it"}, 400),
        ("/recall", {"project_id": "gemini"}, 404),
    ],
)
def test_what_does_not_fit_is_refused(gateway: Gateway, path: str, changes: dict[str, Any], status: int) -> None:
    body = (write_back("check-90") if path == "/writeback" else recall(False)) | changes
    with gateway.http(gateway.team.agent) as http:
        assert set(send(http, "POST", path, body, expected=status)) >= {"error", "request_id"}


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"text"', b"\xff", b'{"query": NaN}'])
def test_a_body_that_is_no_object_is_refused(http: httpx2.Client, body: bytes) -> None:
    assert http.post(f"{BASE}/recall", content=body).status_code == 400


def test_a_key_used_again_for_something_else_is_a_conflict(http: httpx2.Client) -> None:
    first = send(http, "POST", "/writeback", write_back("check-95"))
    again = send(http, "POST", "/writeback", write_back("check-95"))
    assert [memory["memory_id"] for memory in again["memories"]] == [m["memory_id"] for m in first["memories"]]
    send(http, "POST", "/writeback", write_back("check-95", step_id="another"), expected=409)
