"""Server-sent events: how they are cut, and when reading ends."""

import time
from collections.abc import Iterator

import httpx2
import pytest

from goclaw.llm import event_stream
from goclaw.llm.event_stream import read_events, read_in_time, read_object
from goclaw.model.errors import ModelReplyInvalid

STREAM = (
    b': hello\r\n\r\nevent: a\r\ndata: {"n": 1}\r\n\r\ndata:{"n": "\xc3\xbc"}\n\ndata: [DONE]\n\ndata: nonsense\n\n'
)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_are_the_same_however_the_bytes_arrive(size: int) -> None:
    pieces = (STREAM[start : start + size] for start in range(0, len(STREAM), size))
    assert list(read_events(pieces)) == [{"n": 1}, {"n": "ü"}]


def test_an_end_without_a_line_feed_is_one() -> None:
    assert list(read_events(iter([b'data: {"n": 1}']))) == [{"n": 1}]


@pytest.mark.parametrize("text", [b"", b"[]", b"null", b'{"cut', b"\xff", b'{"a":' * 100_000])
def test_only_an_object_is_an_answer(text: bytes) -> None:
    with pytest.raises(ModelReplyInvalid):
        read_object(text)


def test_reading_ends_with_the_time() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x"

    with pytest.raises(httpx2.ReadTimeout):
        list(read_in_time(endless(), time.monotonic() - 1))


def test_reading_ends_with_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "MOST_BYTES", 3)
    later = time.monotonic() + 1000
    assert list(read_in_time(iter([b"12", b"3"]), later)) == [b"12", b"3"]
    with pytest.raises(ModelReplyInvalid, match="too much"):
        list(read_in_time(iter([b"12", b"34"]), later))
