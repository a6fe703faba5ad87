"""The client turns answers of the gateway, and what is no gateway, back into our errors."""

import socket
from typing import Any

import httpx2
import pytest

from goclaw.client import GatewayClient, error_in
from goclaw.model import errors


def answer(status: int, body: Any, headers: dict[str, str] | None = None) -> httpx2.Response:
    return httpx2.Response(status, json=body, headers=headers)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "invalid_input", errors.InvalidInput),
        (401, "unauthenticated", errors.Unauthenticated),
        (403, "access_denied", errors.AccessDenied),
        (404, "not_found", errors.NotFound),
        (409, "conflict", errors.Conflict),
        (409, "version_conflict", errors.VersionConflict),
        (413, "too_large", errors.InvalidInput),
        (503, "store_full", errors.StoreFull),
        (502, "provider_refusal", errors.ProviderRefusal),
        (502, "model_refused", errors.ModelRefused),
        (502, "model_reply_invalid", errors.ModelReplyInvalid),
        (503, "model_missing", errors.ModelMissing),
        (503, "model_unavailable", errors.ModelUnavailable),
        (503, "model_budget_spent", errors.ModelBudgetSpent),
    ],
)
def test_an_error_comes_back_as_the_error_it_was(status: int, code: str, kind: type[errors.GoclawError]) -> None:
    error = error_in(answer(status, {"error": "No.", "code": code, "hint": "Do.", "request_id": "r"}))
    assert type(error) is kind
    assert (error.message, error.hint) == ("No.", "Do.")


def test_a_refusal_of_the_guard_keeps_its_findings() -> None:
    error = error_in(
        answer(
            422,
            {
                "error": "x",
                "code": "unsafe_content",
                "hint": "y",
                "details": {"findings": [{"reason": "private_key", "field": "content"}]},
            },
        )
    )
    assert isinstance(error, errors.UnsafeContent)
    assert error.findings == (errors.UnsafeFinding("private_key", "content"),)


def test_too_many_requests_say_when_to_come_back() -> None:
    error = error_in(answer(429, {"error": "x", "code": "rate_limited", "hint": "y"}, {"retry-after": "7"}))
    assert isinstance(error, errors.RateLimited)
    assert error.retry_after_s == 7


def test_a_model_that_rests_says_when_to_come_back() -> None:
    error = error_in(answer(503, {"error": "x", "code": "model_unavailable", "hint": "y"}, {"retry-after": "30"}))
    assert isinstance(error, errors.ModelUnavailable)
    assert error.retry_after_s == 30


def test_an_internal_error_names_its_request() -> None:
    error = error_in(answer(500, {"error": "x", "code": "internal", "hint": "y", "request_id": "r-1"}))
    assert type(error) is errors.GoclawError
    assert "r-1" in error.hint


@pytest.mark.parametrize("body", ["<html>", [], {}, {"error": "x"}, None])
def test_an_answer_of_something_else_is_no_gateways(body: Any) -> None:
    assert isinstance(error_in(answer(502, body)), errors.GatewayUnreachable)


def test_where_nobody_listens_the_hint_says_how_to_start_one() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound but not listening: connecting is refused
        with (
            GatewayClient(f"http://127.0.0.1:{unused.getsockname()[1]}", "gck_x_y") as client,
            pytest.raises(errors.GatewayUnreachable) as refused,
        ):
            client.stats()
    assert "goclaw serve" in refused.value.hint


@pytest.mark.parametrize("url", ["", "127.0.0.1:8787", "ftp://127.0.0.1", "http://["])
def test_an_address_that_cannot_be_used_says_the_same(url: str) -> None:
    with pytest.raises(errors.GatewayUnreachable), GatewayClient(url, None) as client:
        client.stats()


@pytest.mark.parametrize("memory_id", ["", ".", ".."])
def test_no_id_is_never_another_route(memory_id: str) -> None:
    with GatewayClient("http://127.0.0.1:9", "gck_x_y") as client, pytest.raises(errors.InvalidInput):
        client.forget(memory_id)
