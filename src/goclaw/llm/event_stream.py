"""Event stream: reads what a service sends within its time and size, whole or as server-sent events."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx2

from goclaw.model.errors import ModelReplyInvalid

MOST_BYTES = 64 * 1024 * 1024  # a reply longer than this is none
_PREFIX = b"data:"
_END = b"[DONE]"


def read_in_time(pieces: Iterator[bytes], deadline: float) -> Iterator[bytes]:
    """The pieces until ``deadline`` (of ``time.monotonic``).

    The client's timeout is for each piece; a service that drips would keep us for ever. Raises httpx2.ReadTimeout, and
    ModelReplyInvalid where the service sends without end.
    """
    size = 0
    for piece in pieces:
        if time.monotonic() > deadline:
            raise httpx2.ReadTimeout("")
        size += len(piece)
        if size > MOST_BYTES:
            raise ModelReplyInvalid("The model service sent far too much.")
        yield piece


def read_events(pieces: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of server-sent events. Raises ModelReplyInvalid for anything else."""
    for line in _lines(pieces):
        if not line.startswith(_PREFIX):
            continue  # names of events, comments that keep the connection open
        data = line[len(_PREFIX) :].strip()
        if data == _END:
            return
        yield read_object(data)


def read_object(text: bytes) -> dict[str, Any]:
    """A JSON object from outside. Raises ModelReplyInvalid for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise not_its_protocol()
    return value


def not_its_protocol() -> ModelReplyInvalid:
    """The error for an answer that nobody can read."""
    return ModelReplyInvalid("The model service sent an answer that is cut, empty or not its protocol.")


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = bytearray()
    for piece in pieces:
        rest += piece
        while (end := rest.find(b"\n")) >= 0:
            yield bytes(rest[:end]).rstrip(b"\r")
            del rest[: end + 1]
    yield bytes(rest)
