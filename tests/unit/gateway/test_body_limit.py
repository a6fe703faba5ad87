"""A body is read up to the limit and not a byte further."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from goclaw.gateway.body_limit import BodyLimit


class Reached:
    """An application that notes the body it is given."""

    body: bytes | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.body = b""
        more = True
        while more:
            message = await receive()
            self.body += message.get("body", b"")
            more = message.get("more_body", False)


def ask(pieces: Sequence[bytes], headers: Sequence[tuple[bytes, bytes]] = (), method: str = "POST") -> tuple[Any, ...]:
    """The body that the application saw, the status sent, and how many pieces were taken from the client."""
    reached, taken, sent = Reached(), 0, []

    async def receive() -> Message:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": pieces[taken - 1], "more_body": taken < len(pieces)}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "headers": list(headers), "state": {}}
    asyncio.run(BodyLimit(reached, 10)(scope, receive, send))
    return reached.body, sent[0]["status"] if sent else None, taken


def test_a_body_within_the_limit_arrives_whole() -> None:
    assert ask([b"12345", b"", b"67890"]) == (b"1234567890", None, 3)


def test_an_announced_length_above_the_limit_is_refused_unread() -> None:
    assert ask([b"x"], [(b"content-length", b"11")]) == (None, 413, 0)


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"5")], [(b"transfer-encoding", b"chunked")]])
def test_what_comes_decides_whatever_was_announced(headers: list[tuple[bytes, bytes]]) -> None:
    assert ask([b"123456"] * 1000, headers) == (None, 413, 2)


def test_a_get_has_no_body_to_read() -> None:
    assert ask([b""], method="GET") == (b"", None, 1)
