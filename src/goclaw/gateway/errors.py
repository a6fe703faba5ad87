"""Errors: every failure becomes one shape, ``{error, code, hint, details?, request_id}``, and says nothing it must not.

What a caller sent is never repeated, since it may be a secret; an internal error shows its request id and nothing else.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from goclaw.gateway.answers import Answer
from goclaw.model.errors import GoclawError, ProviderError, RateLimited, UnknownItems, UnsafeContent

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
MAX_DETAILS = 20

_BY_STATUS = {
    400: ("invalid_input", "The request cannot be understood.", "Send a JSON body with content-type application/json."),
    404: ("not_found", "There is no such route.", "See /openapi.json."),
    405: ("method_not_allowed", "The route does not take this method.", "See /openapi.json."),
    413: ("too_large", "The request is too large.", "Send less, or raise server.max_body_bytes."),
}


def install_error_handlers(app: FastAPI) -> None:
    """Make every error of the application's routes answer in our shape."""
    app.add_exception_handler(GoclawError, _on_goclaw_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_error)


def error_json(error: GoclawError) -> dict[str, Any]:
    """An error where the answer has begun already, as the last event of a stream."""
    if type(error).status >= 500 and type(error).status not in (502, 503):
        return {"error": "Something went wrong inside goclaw.", "code": "internal", "hint": ""}
    return {"error": error.message, "code": error.code, "hint": error.hint}


def answer_for(error: GoclawError, scope: Scope) -> Response:
    """The answer for one of our errors."""
    if type(error).status >= 500 and type(error).status not in (502, 503):
        return internal_error(scope)
    pause_s = error.retry_after_s if isinstance(error, RateLimited | ProviderError) else None
    headers = {"retry-after": str(max(1, round(pause_s)))} if pause_s is not None else None
    if error.status == 401:
        headers = {"www-authenticate": "Bearer"}
    return _answer(scope, error.status, error.message, error.code, error.hint, error_details(error), headers)


def error_details(error: GoclawError) -> dict[str, Any] | None:
    """What an error says beside its words; None for most."""
    if isinstance(error, UnsafeContent):
        return {"findings": [{"reason": each.reason, "field": each.field} for each in error.findings]}
    if isinstance(error, UnknownItems):
        return {"done": 0, "unknown": error.unknown}
    return None


def internal_error(scope: Scope) -> Response:
    """What an unexpected failure says: its request id, by which the log tells the rest."""
    return _answer(scope, 500, "Something went wrong inside goclaw.", "internal", "Look for the request id in the log.")


def status_answer(status: int, scope: Scope, headers: Mapping[str, str] | None = None) -> Response:
    """The answer for a plain HTTP status."""
    code, message, hint = _BY_STATUS.get(status, ("error", "The request was refused.", ""))
    return _answer(scope, status, message, code, hint, headers=headers)


def invalid_fields(errors: Sequence[Any]) -> list[dict[str, str]]:
    """Which fields are wrong and how, without their values."""
    return [{"field": _field(error["loc"]), "problem": str(error["type"])} for error in errors[:MAX_DETAILS]]


def _field(path: Sequence[str | int]) -> str:
    return ".".join(_shown(part) for part in path)


def _shown(part: str | int) -> str:
    """A part of a field's path; a name that could hold anything else than a name is not repeated."""
    return str(part) if isinstance(part, int) or _PLAIN_NAME.fullmatch(part) else "?"


def _on_goclaw_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, GoclawError)
    return answer_for(error, request.scope)


def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    details = {"fields": invalid_fields(error.errors())}
    names = ", ".join(dict.fromkeys(each["field"] for each in details["fields"]))
    return _answer(
        request.scope,
        422,
        f"The request does not fit: {names}.",
        "invalid_input",
        "Compare it with /openapi.json; unknown fields are refused.",
        details,
    )


def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return status_answer(error.status_code, request.scope, error.headers)


def _answer(
    scope: Scope,
    status: int,
    message: str,
    code: str,
    hint: str,
    details: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    body: dict[str, Any] = {"error": message, "code": code, "hint": hint}
    if details:
        body["details"] = details
    body["request_id"] = scope.get("state", {}).get("request_id", "")
    return Answer(body, status, headers=dict(headers or {}))
