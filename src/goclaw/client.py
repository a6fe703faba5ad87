"""Client: speaks to a running gateway and knows nothing of what is behind it. Answers are plain dictionaries.

Errors of the gateway come back as the errors of :mod:`goclaw.errors` they were, so a program may use the library or the
gateway and handle failures alike.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx2

from goclaw.model import errors
from goclaw.model.errors import (
    GatewayUnreachable,
    GoclawError,
    ProviderError,
    RateLimited,
    UnsafeContent,
    UnsafeFinding,
)

TIMEOUT_S = 60.0
Json = dict[str, Any]

_BY_CODE: dict[str, type[GoclawError]] = {
    kind.code: kind
    for kind in (
        errors.InvalidInput,
        errors.Unauthenticated,
        errors.AccessDenied,
        errors.NotFound,
        errors.Conflict,
        errors.VersionConflict,
        errors.StoreError,
        errors.StoreBusy,
        errors.StoreReadOnly,
        errors.StoreFull,
        errors.StoreDamaged,
        errors.ProviderError,
        errors.ProviderRefusal,
        errors.ModelMissing,
        errors.ModelUnavailable,
        errors.ModelRefused,
        errors.ModelReplyInvalid,
        errors.ModelBudgetSpent,
    )
}


class GatewayClient:
    """A connection to a gateway, with one key. Usable from several threads; close it, or use ``with``."""

    def __init__(self, url: str, key: str | None, *, timeout_s: float = TIMEOUT_S) -> None:
        """``url`` is where the gateway listens, such as http://127.0.0.1:8787; ``key`` says who asks."""
        headers = {"x-brain-key": key} if key else {}
        try:
            self._http = httpx2.Client(base_url=url, headers=headers, timeout=timeout_s, trust_env=False)
        except (httpx2.InvalidURL, ValueError):
            raise GatewayUnreachable("The address of the gateway cannot be used.", _HINT) from None

    def write(
        self,
        content: str,
        *,
        scope: str,
        idempotency_key: str | None = None,
        occurred_at: datetime | None = None,
        **fields: Any,
    ) -> Json:
        """Store a text; the record. ``fields`` as in ``Memory.write``: kind, tags, domain, project_id, ..."""
        body = {"content": content, "scope": scope, **fields}
        if occurred_at is not None:
            body["occurred_at"] = occurred_at.isoformat()
        headers = {"idempotency-key": idempotency_key} if idempotency_key else None
        return self._send("POST", "/api/memory/records", body, headers=headers)

    def list(self, *, cursor: str | None = None, limit: int = 50, **filters: str | None) -> Json:
        """A page: ``records``, newest first, and ``next_cursor``."""
        return self._send("GET", "/api/memory/records", params={"cursor": cursor, "limit": limit, **filters})

    def get(self, memory_id: str) -> Json:
        """One record. Raises NotFound."""
        return self._send("GET", _record(memory_id))

    def update(self, memory_id: str, *, expected_version: int | None = None, **changes: Any) -> Json:
        """Change content, kind, domain or tags; the record. Raises VersionConflict where it is not that version."""
        return self._send("PATCH", _record(memory_id), {"expected_version": expected_version, **changes})

    def forget(self, memory_id: str) -> Json:
        """Erase a record; the receipt."""
        return self._send("DELETE", _record(memory_id))

    def search(
        self, query: str, *, limit: int | None = None, include_history: bool = False, explain: bool = False
    ) -> Json:
        """Explicit search: ``hits``, ``reason``, ``notes``, ``withheld``, ``trace_id``; ``explanation`` if wanted."""
        body = {"query": query, "limit": limit, "include_history": include_history}
        return self._send("POST", "/api/memory/search", body, params={"explain": explain or None})

    def why(self, memory_id: str, query: str) -> Json:
        """What becomes of one record when a question is searched for: ``verdict``, ``rank``, ``score_parts``, ..."""
        return self._send("GET", f"/api/memory/records/{quote(memory_id, safe='')}/why", params={"query": query})

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        include_unconfirmed: bool = False,
        include_stale: bool = False,
    ) -> Json:
        """What may go into a prompt by itself; the same shape."""
        return self._send(
            "POST",
            "/api/memory/recall",
            {
                "query": query,
                "limit": limit,
                "include_unconfirmed": include_unconfirmed,
                "include_stale": include_stale,
            },
        )

    def context(self, session_id: str, message: str, **place: Any) -> Json:
        """What a model should be given of memory: ``session_part``, ``message_part``, ``report``, ``trace_id``, ...

        ``place`` says where: channel, chat_kind, sender.
        """
        return self._send("POST", "/api/memory/context", {"session_id": session_id, "message": message, **place})

    def chat(self, session_id: str, message: str, **more: Any) -> Json:
        """The agent's answer: ``text``, ``turn``, ``trace_id``, ``usage``. ``more``: message_id, and the place."""
        return self._send("POST", "/api/chat", {"session_id": session_id, "message": message, **more})

    def chat_events(self, session_id: str, message: str, **more: Any) -> Iterator[tuple[str, Json]]:
        """The same as it comes: ``text``, ``tool`` and last ``done``, each with its data. Raises as :meth:`chat`."""
        body = {"session_id": session_id, "message": message, "stream": True, **more}
        try:
            with self._http.stream("POST", "/api/chat", json=body) as response:
                if response.is_error:
                    response.read()
                    raise error_in(response)
                yield from _events(response.iter_lines())
        except httpx2.TimeoutException:
            raise GatewayUnreachable("The gateway did not answer in time.", "Try again; see its log.") from None
        except httpx2.RequestError:
            raise GatewayUnreachable("The answer broke off.", "Send the message again.") from None

    def record_turns(self, session_id: str, turns: Sequence[Mapping[str, Any]], **place: Any) -> Json:
        """Append turns to a conversation: ``session``, ``numbers``, ``added``, ``skipped``."""
        return self._send("POST", f"{_session(session_id)}/turns", {"turns": list(turns), **place})

    def sessions(self, *, cursor: str | None = None, limit: int = 50) -> Json:
        """A page of conversations, last used first: ``sessions`` and ``next_cursor``."""
        return self._send("GET", "/api/sessions", params={"cursor": cursor, "limit": limit})

    def session(self, session_id: str) -> Json:
        """The head of a conversation. Raises NotFound."""
        return self._send("GET", _session(session_id))

    def turns(self, session_id: str, *, first: int = 1, limit: int = 200) -> Json:
        """What was said from turn ``first`` on: ``session`` and ``turns``."""
        return self._send("GET", f"{_session(session_id)}/turns", params={"first": first, "limit": limit})

    def forget_session(self, session_id: str) -> Json:
        """Erase a conversation; the receipt."""
        return self._send("DELETE", _session(session_id))

    def export_session(self, session_id: str) -> Json:
        """All of a conversation, with the list of its archives."""
        return self._send("GET", f"{_session(session_id)}/export")

    def write_schema_note(self, datasource: str, table: str, text: str) -> Json:
        """Store what is known about a table; the record."""
        return self._send("POST", "/api/memory/schema-notes", {"datasource": datasource, "table": table, "text": text})

    def recall_for_task(self, request: Mapping[str, Any]) -> Json:
        """What an agent should know for a task; request and answer are those of the published contract."""
        return self._send("POST", "/api/agent-memory/recall", request)

    def write_back(self, request: Mapping[str, Any]) -> Json:
        """Store what was learned in a task; request and answer are those of the published contract."""
        return self._send("POST", "/api/agent-memory/writeback", request)

    def review(self, memory_id: str, action: str, **fields: Any) -> Json:
        """Decide about a record; the record. ``fields`` as the action needs: content, related_memory_id, notes, ..."""
        path = f"/api/agent-memory/memories/{_part(memory_id)}/review"
        record: Json = self._send("PATCH", path, {"action": action, **fields})["memory"]
        return record

    def propose(self, memory_id: str, action: str, *, notes: str | None = None, related_id: str | None = None) -> Json:
        """Say what should be decided about a record; the proposal, which waits for a human."""
        body = {"action": action, "notes": notes, "related_memory_id": related_id}
        path = f"/api/agent-memory/memories/{_part(memory_id)}/proposals"
        proposal: Json = self._send("POST", path, body)["proposal"]
        return proposal

    def review_queue(self, *, cursor: str | None = None, limit: int = 50, **filters: str | None) -> Json:
        """What waits for a decision: ``memories``, newest first, ``owner`` and ``next_cursor``."""
        params = {"cursor": cursor, "limit": limit, **filters}
        return self._send("GET", "/api/agent-memory/memories/review", params=params)

    def inspect(self, memory_id: str) -> Json:
        """One record with its sources, relations and reviews."""
        record: Json = self._send("GET", f"/api/agent-memory/memories/{_part(memory_id)}")["memory"]
        return record

    def traces(self, *, cursor: str | None = None, limit: int = 50) -> Json:
        """Recalls, newest first: ``traces`` and ``next_cursor``."""
        return self._send("GET", "/api/memory/traces", params={"cursor": cursor, "limit": limit})

    def trace(self, request_id: str) -> Json:
        """One recall explained."""
        return self._send("GET", f"/api/agent-memory/recall-traces/{_part(request_id)}")

    def impact(self, memory_id: str) -> Json:
        """How far a memory has reached: ``recalls``, ``tasks``, ``derived``."""
        return self._send("GET", f"{_record(memory_id)}/impact")

    def rollback(self, *, dry_run: bool = True, since: datetime | None = None, **culprit: Any) -> Json:
        """Undo what a source, run, actor (``by``) or import (``imported_from``) wrote; what became of each record."""
        body = {"dry_run": dry_run, **culprit}
        if since is not None:
            body["since"] = since.isoformat()
        return self._send("POST", "/api/memory/rollback", body)

    def rescan(self) -> str:
        """Queue a look of today's detectors at what is stored; the id of the job."""
        return str(self._send("POST", "/api/memory/rescan")["job_id"])

    def acceptance(self, *, workflow: str | None = None, task_type: str | None = None, accept: bool = False) -> Json:
        """The checklist: ``passed`` and ``points``; ``accept`` lets a workflow that passes write back."""
        asked = {"workflow": workflow, "task_type": task_type}
        if accept:
            return self._send("POST", "/api/memory/acceptance", asked)
        return self._send("GET", "/api/memory/acceptance", params=asked)

    def workflows(self) -> Sequence[Json]:
        """The registered workflows."""
        workflows: Sequence[Json] = self._send("GET", "/api/memory/workflows")["workflows"]
        return workflows

    def register_workflow(
        self, runtime_name: str, *, task_type: str | None = None, require_acceptance: bool = True
    ) -> Json:
        """Hold a workflow to the checklist; the workflow."""
        body = {"runtime_name": runtime_name, "task_type": task_type, "require_acceptance": require_acceptance}
        return self._send("POST", "/api/memory/workflows", body)

    def remove_workflow(self, runtime_name: str, *, task_type: str | None = None) -> Json:
        """Take a workflow off the list."""
        params = {"runtime_name": runtime_name, "task_type": task_type}
        return self._send("DELETE", "/api/memory/workflows", params=params)

    def audit(self, *, cursor: str | None = None, limit: int = 50, **filters: str | bool | None) -> Json:
        """Who did what: ``events``, newest first, and ``next_cursor``."""
        return self._send("GET", "/api/memory/audit", params={"cursor": cursor, "limit": limit, **filters})

    def export_audit(self, **filters: str | bool | None) -> Sequence[Json]:
        """All of its rows at once, newest first; the log then says who took how many."""
        events: Sequence[Json] = self._send("POST", "/api/memory/audit/export", filters)["events"]
        return events

    def verify_audit(self, *, organization: bool = False) -> Json:
        """Whether the audit log is as it was written: ``ok``, ``problem``, ``sealed``, ``unsealed``."""
        return self._send("GET", "/api/memory/audit/verify", params={"organization": organization})

    def policies(self) -> Sequence[Json]:
        """The trusted imports and promotions in force."""
        policies: Sequence[Json] = self._send("GET", "/api/memory/policies")["policies"]
        return policies

    def set_policy(self, *, expires_at: datetime | None = None, **fields: Any) -> Json:
        """Trust a source; the policy. ``fields``: kind, source, project_id, reason."""
        end = {} if expires_at is None else {"expires_at": expires_at.isoformat()}
        return self._send("POST", "/api/memory/policies", {**fields, **end})

    def revoke_policy(self, policy_id: str) -> Json:
        """End a policy now."""
        return self._send("DELETE", f"/api/memory/policies/{_part(policy_id)}")

    def stats(self) -> Json:
        """Counts of what the key's principal may read."""
        return self._send("GET", "/api/memory/stats")

    def reindex(self) -> str:
        """Queue a rebuild of the index; the id of the job."""
        return str(self._send("POST", "/api/memory/reindex")["job_id"])

    def jobs(self, *, state: str | None = None, kind: str | None = None, limit: int = 50) -> Sequence[Json]:
        """Jobs, newest first."""
        params = {"state": state, "kind": kind, "limit": limit}
        jobs: Sequence[Json] = self._send("GET", "/api/memory/jobs", params=params)["jobs"]
        return jobs

    def job(self, job_id: str) -> Json:
        """One job, with its progress."""
        return self._send("GET", _job(job_id))

    def retry_job(self, job_id: str) -> Json:
        """Put a dead or failed job back into the queue."""
        return self._send("POST", f"{_job(job_id)}/retry")

    def is_ready(self) -> bool:
        """Whether the gateway can work. Raises GatewayUnreachable where none answers."""
        return self._request("GET", "/readyz").status_code == 200

    def metrics(self) -> str:
        """Figures in Prometheus' text format."""
        response = self._request("GET", "/metrics")
        if response.status_code != 200:
            raise error_in(response)
        return response.text

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Json:
        given = {name: value for name, value in (params or {}).items() if value is not None}
        response = self._request(method, path, json=body, params=given, headers=headers)
        if response.is_error:
            raise error_in(response)
        try:
            answer: Json = response.json()
        except ValueError:
            raise _not_a_gateway() from None
        return answer

    def _request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        try:
            return self._http.request(method, path, **options)
        except httpx2.TimeoutException:
            raise GatewayUnreachable("The gateway did not answer in time.", "Try again; see its log.") from None
        except httpx2.RequestError:
            raise GatewayUnreachable("No gateway answers there.", _HINT) from None


_HINT = "Start one with `goclaw serve`, or set GOCLAW_URL to where it listens."


def _events(lines: Iterable[str]) -> Iterator[tuple[str, Json]]:
    """The events of a stream; an ``error`` is raised, and so is an end without ``done``."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data: Json = json.loads(line.removeprefix("data: "))
            if name == "error":
                raise _BY_CODE.get(str(data["code"]), GoclawError)(str(data["error"]), str(data["hint"]))
            yield name, data
    if name != "done":
        raise GatewayUnreachable("The answer broke off.", "Send the message again.")


def error_in(response: httpx2.Response) -> GoclawError:
    """The error that an answer of the gateway stands for."""
    try:
        body = response.json()
        if response.status_code == UnsafeContent.status and "unsafe" in body:  # the published form of the contract
            return UnsafeContent([UnsafeFinding(each["reason"], each["field"]) for each in body["unsafe"]])
        message, code, hint = str(body["error"]), str(body["code"]), str(body["hint"])
    except (ValueError, KeyError, TypeError):
        return _not_a_gateway()
    if code == UnsafeContent.code:
        findings = body.get("details", {}).get("findings", [])
        return UnsafeContent([UnsafeFinding(each["reason"], each["field"]) for each in findings])
    if code == RateLimited.code:
        return RateLimited(message, hint, retry_after_s=float(response.headers.get("retry-after", "1")))
    if code == "internal":
        return GoclawError(message, f"{hint} Request id: {body.get('request_id', 'unknown')}.")
    kind = _BY_CODE.get(code, errors.InvalidInput if response.status_code < 500 else GoclawError)
    error = kind(message, hint)
    if isinstance(error, ProviderError) and "retry-after" in response.headers:
        error.retry_after_s = float(response.headers["retry-after"])
    return error


def _not_a_gateway() -> GatewayUnreachable:
    return GatewayUnreachable("Something else than a gateway answers there.", _HINT)


def _session(session_id: str) -> str:
    return f"/api/sessions/{quote(session_id, safe='')}"


def _record(memory_id: str) -> str:
    return f"/api/memory/records/{_part(memory_id)}"


def _job(job_id: str) -> str:
    return f"/api/memory/jobs/{_part(job_id)}"


def _part(text: str) -> str:
    """An id as one part of a path; an empty one would be another route."""
    if not text or text in (".", ".."):
        raise errors.InvalidInput("An id is missing.", "Name one record or job.")
    return quote(text, safe="")
