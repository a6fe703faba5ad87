"""Request log: gives every request an id and a line in the log, and turns a crash into an answer that tells nothing.

A line holds the route's template, status, duration and the id of the key: no query string, body, key or contents.
"""

import time
import traceback
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from goclaw.gateway.errors import internal_error
from goclaw.gateway.metrics import GatewayMetrics
from goclaw.model.ids import new_id

REQUEST_ID_HEADER = b"x-request-id"
UNKNOWN_ROUTE = "unknown"
KNOWN_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})

_log = structlog.get_logger("goclaw.http")


class RequestLog:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, metrics: GatewayMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = new_id()
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (REQUEST_ID_HEADER, request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            _log_crash(request_id, error)
            if status:
                raise ConnectionError("An answer broke off.") from None  # half of it is out: close the connection
            await internal_error(scope)(scope, receive, send_with_id)
        finally:
            self._note(scope, status, time.perf_counter() - started)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # A client may call its method as it likes, so only those we know are named.
        method = scope["method"] if scope["method"] in KNOWN_METHODS else "other"
        route = route_of(scope)
        self._metrics.count_request(method, route, status, seconds)
        state = scope["state"]
        _log.info(
            "request",
            request_id=state["request_id"],
            method=method,
            route=route,
            status=status,
            milliseconds=round(seconds * 1000, 2),
            key=state.get("key_id"),
        )


def route_of(scope: Scope) -> str:
    """The template of the route, such as ``/api/memory/records/{memory_id}``; never the path that was asked for."""
    route = scope.get("route")
    return scope["state"].get("route") or str(getattr(route, "path", UNKNOWN_ROUTE))


def _log_crash(request_id: str, error: BaseException) -> None:
    """Where it happened and what kind of error it was; its words could hold contents, so they are left out."""
    _log.error("crash", request_id=request_id, kind=type(error).__name__, frames=_frames(error))


def _frames(error: BaseException) -> list[str]:
    frames: list[Any] = traceback.extract_tb(error.__traceback__)
    return [f"{frame.name}:{frame.lineno}" for frame in frames[-8:]]
