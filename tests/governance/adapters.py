"""Adapters for the governance cases: the same operations through Python, through HTTP and through MCP.

Each factory gives a fresh, empty system: ``call(op, actor, body) -> (status, body)``. The cases speak of the published
family; the adapters ask in our own richer one and translate the name both ways, since the published answers have no
room for what the cases look at. Requests in the ``openclaw`` family are sent as they are.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import quote
from weakref import finalize

from anyio.from_thread import start_blocking_portal
from mcp import Client
from starlette.testclient import TestClient
from structlog.testing import capture_logs

from goclaw.gateway.agent_memory_requests import QueueQuery, ReviewCall, UsageReport, read_leniently
from goclaw.gateway.agent_memory_wire import (
    OWN_FAMILY,
    managed_memory,
    own_memory,
    recall_json,
    unsafe_json,
    written_json,
)
from goclaw.gateway.app import create_app
from goclaw.gateway.errors import error_details
from goclaw.gateway.mcp_server import mcp_server
from goclaw.gateway.review_routes import decide
from goclaw.gateway.review_wire import audit_json, inspection_json, queue_json, trace_json, trust_json
from goclaw.model import errors
from goclaw.model.errors import GoclawError, NotFound, UnsafeContent
from goclaw.model.principal import Principal
from tests.governance.world import World

Json = dict[str, Any]
Answered = tuple[int, Json]
CASES_FAMILY = "openbrain.agent_memory"
AUDIT_FILTERS = ("memory_id", "request_id", "event_type", "limit")
KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GoclawError)]
STATUS = {kind.code: kind.status for kind in KINDS}


class System:
    """What the three ways have in common: the world, and the clock that only the test may move."""

    def __init__(self) -> None:
        self.world = World()

    def call(self, op: str, actor: str, body: Json) -> Answered:
        """Do it as the actor."""
        if op == "clock":
            self.world.advance(
                days=body.get("advance_days", 0),
                hours=body.get("advance_hours", 0),
                seconds=body.get("advance_seconds", 0),
            )
            return 200, {}
        do: Callable[[str, Json], Answered] = getattr(self, op)
        return do(actor, body)

    def close(self) -> None:
        self.world.close()


class PythonApi(System):
    """The library."""

    def call(self, op: str, actor: str, body: Json) -> Answered:
        try:
            status, answer = super().call(op, actor, body)
        except UnsafeContent as error:
            return error.status, unsafe_json(error)
        except GoclawError as error:
            return error.status, {
                "error": error.message,
                "code": error.code,
                "hint": error.hint,
                "details": error_details(error),
            }
        return status, json.loads(json.dumps(answer))

    def writeback(self, actor: str, body: Json) -> Answered:
        answer = self.memory.write_back(self.world.principal(actor), body)
        return 200, _as_asked(written_json(replace(answer, family=OWN_FAMILY), body), answer.family)

    def recall(self, actor: str, body: Json) -> Answered:
        answer = self.memory.recall_for_task(self.world.principal(actor), body)
        return 200, _as_asked(recall_json(replace(answer, family=OWN_FAMILY)), answer.family)

    def search(self, actor: str, body: Json) -> Answered:
        principal = self._in_own_workspace(actor, body)
        found = self.memory.search(principal, body["query"], limit=_limit(body), include_history=True)
        return 200, {"memories": [own_memory(hit.record, hit.use_policy) for hit in found.hits]}

    def usage(self, actor: str, body: Json) -> Answered:
        report, _ = read_leniently(UsageReport, body)
        counts = self.memory.report_usage(
            self.world.principal(actor), body["request_id"], report.used_memory_ids, report.reasons
        )
        return 200, {"used": counts.used, "ignored": counts.ignored}

    def list_review(self, actor: str, body: Json) -> Answered:
        query, _ = read_leniently(QueueQuery, body)
        principal = self._in_own_workspace(actor, body)
        page = self.memory.review_queue(principal, query.filters, priority=query.priority, limit=query.limit)
        return 200, queue_json(page)

    def inspect(self, actor: str, body: Json) -> Answered:
        return 200, inspection_json(self.memory.inspect(self.world.principal(actor), body["memory_id"]))

    def review(self, actor: str, body: Json) -> Answered:
        call, _ = read_leniently(ReviewCall, body)
        record = decide(self.memory, self.world.principal(actor), body["memory_id"], call)
        return 200, {"memory": managed_memory(record, record.use_policy)}

    def trace(self, actor: str, body: Json) -> Answered:
        return 200, trace_json(self.memory.trace(self.world.principal(actor), body["request_id"]))

    def audit(self, actor: str, body: Json) -> Answered:
        filters = {name: body[name] for name in AUDIT_FILTERS if name in body}
        return 200, audit_json(self.memory.audit(self._in_own_workspace(actor, body), **({"limit": 200} | filters)))

    def policy(self, actor: str, body: Json) -> Answered:
        if "policy_id" in body:
            self.memory.revoke_policy(self.world.principal(actor), body["policy_id"])
            return 200, {}
        asked = _policy(body)
        expires_at = datetime.fromisoformat(asked["expires_at"]) if asked["expires_at"] else None
        policy = self.memory.set_policy(self._in_own_workspace(actor, body), **asked | {"expires_at": expires_at})
        return 201, trust_json(policy)

    @property
    def memory(self) -> Any:
        return self.world.engine.memory

    def _in_own_workspace(self, actor: str, body: Json) -> Principal:
        """Python has no word for a workspace beside the principal's own; naming another one is what HTTP answers."""
        principal = self.world.principal(actor)
        if body.get("workspace_id", principal.workspace_id) != principal.workspace_id:
            raise NotFound("There is no such workspace.")
        return principal


class Rest(System):
    """The gateway's routes."""

    def __init__(self) -> None:
        super().__init__()
        opened = ExitStack()
        self._http: TestClient = opened.enter_context(TestClient(create_app(self.world.engine)))
        opened.callback(self.world.close)
        self._close = finalize(self, opened.close)

    def close(self) -> None:
        self._close()

    def writeback(self, actor: str, body: Json) -> Answered:
        return self._completed(actor, self._send(actor, "POST", "/api/agent-memory/writeback", body))

    def recall(self, actor: str, body: Json) -> Answered:
        return self._completed(actor, self._send(actor, "POST", "/api/agent-memory/recall", body))

    def search(self, actor: str, body: Json) -> Answered:
        asked = {"query": body["query"], "limit": _limit(body), "include_history": True}
        asked |= {"workspace_id": body["workspace_id"]} if "workspace_id" in body else {}
        return self._found(actor, self._send(actor, "POST", "/api/memory/search", asked))

    def usage(self, actor: str, body: Json) -> Answered:
        report = {name: value for name, value in body.items() if name != "request_id"}
        return self._send(actor, "POST", f"/api/agent-memory/recall/{quote(body['request_id'], safe='')}/usage", report)

    def list_review(self, actor: str, body: Json) -> Answered:
        return self._send(actor, "POST", "/api/agent-memory/memories/review", body)

    def inspect(self, actor: str, body: Json) -> Answered:
        return self._send(actor, "GET", f"/api/agent-memory/memories/{quote(body['memory_id'], safe='')}")

    def review(self, actor: str, body: Json) -> Answered:
        decision = {name: value for name, value in body.items() if name != "memory_id"}
        return self._send(
            actor, "PATCH", f"/api/agent-memory/memories/{quote(body['memory_id'], safe='')}/review", decision
        )

    def trace(self, actor: str, body: Json) -> Answered:
        return self._send(actor, "GET", f"/api/agent-memory/recall-traces/{quote(body['request_id'], safe='')}")

    def audit(self, actor: str, body: Json) -> Answered:
        asked = {"limit": 200} | {name: body[name] for name in (*AUDIT_FILTERS, "workspace_id") if name in body}
        return self._request(actor, "GET", "/api/memory/audit", params=asked)

    def policy(self, actor: str, body: Json) -> Answered:
        if "policy_id" in body:
            return self._send(actor, "DELETE", f"/api/memory/policies/{body['policy_id']}")
        asked = _policy(body) | ({"workspace_id": body["workspace_id"]} if "workspace_id" in body else {})
        return self._send(actor, "POST", "/api/memory/policies", asked)

    def _send(self, actor: str, method: str, path: str, body: Json | None = None) -> Answered:
        sent = None if body is None else _in_own_family(body)
        return self._request(actor, method, path, json=sent)

    def _request(self, actor: str, method: str, path: str, **parts: Any) -> Answered:
        with capture_logs():  # a line for each request would drown what a runner prints
            response = self._http.request(method, path, headers={"x-brain-key": self.world.key(actor)}, **parts)
        return response.status_code, _translated(response.json())

    def _completed(self, actor: str, answer: Answered) -> Answered:
        """A published answer says less of a memory than the cases ask: the rest is what inspection says of it."""
        status, body = answer
        memories = [self._whole(actor, memory) for memory in body.get("memories", [])]
        return status, body | ({"memories": memories} if "memories" in body else {})

    def _whole(self, actor: str, memory: Json) -> Json:
        if "review_status" in memory:
            return memory
        known = self.inspect(actor, memory)[1]["memory"]
        return known | memory | {"use_policy": known["use_policy"] | memory["use_policy"]}

    def _found(self, actor: str, answer: Answered) -> Answered:
        """Hits of an explicit search as memories."""
        status, body = answer
        if "hits" not in body:
            return status, body
        memories = []
        for hit in body["hits"]:
            known = self.inspect(actor, {"memory_id": hit["record"]["id"]})[1]["memory"]
            memories.append(known | {"use_policy": hit["use_policy"]})
        return status, {"memories": memories}


class Mcp(Rest):
    """The gateway's tools; policies and the audit log have routes only."""

    def __init__(self) -> None:
        super().__init__()
        opened = ExitStack()
        self._portal = opened.enter_context(start_blocking_portal())
        opened.callback(self._close)
        self._close = finalize(self, opened.close)

    def writeback(self, actor: str, body: Json) -> Answered:
        return self._completed(actor, self._tool(actor, "openbrain_writeback", body))

    def recall(self, actor: str, body: Json) -> Answered:
        return self._completed(actor, self._tool(actor, "openbrain_recall", body))

    def search(self, actor: str, body: Json) -> Answered:
        own = self.world.principal(actor).workspace_id
        if body.get("workspace_id", own) != own:
            return 404, {}  # the tool has no word for a workspace: its key names the only one
        asked = {"query": body["query"], "limit": _limit(body), "include_history": True}
        return self._found(actor, self._tool(actor, "memory_search", asked))

    def usage(self, actor: str, body: Json) -> Answered:
        return self._tool(actor, "openbrain_report_usage", body)

    def list_review(self, actor: str, body: Json) -> Answered:
        return self._tool(actor, "openbrain_list_review_queue", body)

    def inspect(self, actor: str, body: Json) -> Answered:
        return self._tool(actor, "openbrain_inspect_memory", {"memory_id": body["memory_id"]})

    def review(self, actor: str, body: Json) -> Answered:
        return self._tool(actor, "openbrain_review_memory", body)

    def trace(self, actor: str, body: Json) -> Answered:
        return self._tool(actor, "openbrain_get_recall_trace", {"request_id": body["request_id"]})

    def _tool(self, actor: str, name: str, arguments: Json) -> Answered:
        try:
            principal = self.world.principal(actor)
        except GoclawError as error:
            return error.status, {"error": error.message}
        result = self._portal.call(_call_tool, self.world.engine.memory, principal, name, _in_own_family(arguments))
        body = json.loads(result.content[0].text)
        if not result.is_error:
            return 200, _translated(body)
        return STATUS[body["code"]], body | {"unsafe": body.get("details", {}).get("findings", [])}


async def _call_tool(memory: Any, principal: Principal, name: str, arguments: Json) -> Any:
    async with Client(mcp_server(memory, lambda _: principal)) as client:
        return await client.call_tool(name, arguments)


def _in_own_family(body: Json) -> Json:
    named = body.get("schema_version")
    if isinstance(named, str) and named.startswith(f"{CASES_FAMILY}."):
        return body | {"schema_version": named.replace(CASES_FAMILY, OWN_FAMILY, 1)}
    return body


def _translated(body: Json) -> Json:
    named = body.get("schema_version")
    return _as_asked(body, CASES_FAMILY) if isinstance(named, str) and named.startswith(f"{OWN_FAMILY}.") else body


def _as_asked(body: Json, family: str) -> Json:
    """The answer under the name of the family that was asked in."""
    return body | {"schema_version": body["schema_version"].replace(OWN_FAMILY, family, 1)}


def _limit(body: Mapping[str, Any]) -> int:
    return int((body.get("limits") or {}).get("max_items", 10))


def _policy(body: Mapping[str, Any]) -> Json:
    """A policy as the cases name one."""
    sources = (body.get(name) for name in ("source", "actor_id", "principal", "actor", "import_id"))
    return {
        "kind": body.get("kind", "trusted_import"),
        "source": next((source for source in sources if source), ""),
        "project_id": body.get("project_id"),
        "reason": body.get("reason", "as the case says"),
        "expires_at": body.get("expires_at"),
    }


def python_api() -> PythonApi:
    """A fresh system behind the library."""
    return PythonApi()


def rest() -> Rest:
    """A fresh system behind the gateway's routes."""
    return Rest()


def mcp() -> Mcp:
    """A fresh system behind the gateway's tools."""
    return Mcp()
