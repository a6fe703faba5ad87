"""A scripted service, and what every test says of its model."""

from collections.abc import Iterator

import pytest

from goclaw.llm.provider import ChatMessage, ChatRequest, ModelTraits
from tests.fakes.chat_server import ChatServer

CANARY = "xq-" + "FAKE-canary-0001"
WAIT_S = 20.0  # longer than any answer here takes
TRAITS = ModelTraits(
    name="fake-chat", window_tokens=8_000, max_output_tokens=256, timeout_s=WAIT_S, takes_late_system=False
)


def asks(*texts: str) -> ChatRequest:
    """A request with the given messages of a person."""
    return ChatRequest(tuple(ChatMessage("user", text) for text in texts))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running
