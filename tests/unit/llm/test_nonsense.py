"""Whatever JSON a service sends, reading it ends in a reply or in one of our errors."""

import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goclaw.llm import anthropic_wire, openai_wire
from goclaw.llm.provider import ChatReply, ChatRequest
from goclaw.model.errors import ProviderError
from tests.unit.llm.conftest import asks

NAMES = (
    "choices delta message content text finish_reason stop tool_calls function name arguments id index "
    "usage prompt_tokens completion_tokens prompt_tokens_details cached_tokens refusal error type "
    "message_start content_block_start content_block_delta content_block text_delta input_json_delta "
    "partial_json tool_use input message_delta stop_reason end_turn input_tokens output_tokens "
    "cache_read_input_tokens "
)
WORDS = st.sampled_from(NAMES.split())
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.sampled_from(["", "x", "\ud83d", "Ü"])
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner), max_leaves=8)
BODIES = st.dictionaries(WORDS, VALUES, max_size=5)


def near_openai(part: str) -> st.SearchStrategy[dict[str, object]]:
    message = st.fixed_dictionaries({}, optional={"content": VALUES, "tool_calls": VALUES, "refusal": VALUES})
    choice = st.fixed_dictionaries({}, optional={part: message | VALUES, "finish_reason": VALUES})
    return st.fixed_dictionaries({}, optional={"choices": st.lists(choice | VALUES, max_size=2), "usage": VALUES})


def check(read: Callable[[], ChatReply]) -> None:
    try:
        reply = read()
    except ProviderError:
        return
    assert reply.finish_reason in ("stop", "length", "tool_calls", "refusal")
    assert reply.usage.input_tokens >= 0
    json.dumps([reply.message.content, [call.arguments for call in reply.message.tool_calls]]).encode()
    reply.message.content.encode()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(BODIES | near_openai("message"))
def test_whole_replies_of_openais_protocol(body: dict[str, object]) -> None:
    check(lambda: openai_wire.read_reply(body, asks("x")))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(BODIES)
def test_whole_replies_of_anthropics(body: dict[str, object]) -> None:
    check(lambda: anthropic_wire.read_reply(body, asks("x")))


@pytest.mark.parametrize("growing", [openai_wire.GrowingReply, anthropic_wire.GrowingReply])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(events=st.lists(BODIES | near_openai("delta"), max_size=4))
def test_streams(growing: Callable[[ChatRequest], openai_wire.GrowingReply], events: list[dict[str, object]]) -> None:
    def read() -> ChatReply:
        reply = growing(asks("x"))
        for event in events:
            assert isinstance(reply.take(event), str)
        return reply.finish()

    check(read)
