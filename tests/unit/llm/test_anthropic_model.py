"""Anthropic's models: good replies, bad ones, and what their protocol wants otherwise than OpenAI's."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from goclaw.llm.anthropic_model import AnthropicModel
from goclaw.llm.provider import ChatMessage, ChatReply, ChatRequest, ToolCall, ToolSpec, Usage
from goclaw.model.errors import ModelRefused, ModelReplyInvalid, ModelUnavailable, ProviderError
from tests.fakes import chat_server as fake
from tests.fakes.chat_server import ChatServer, Step
from tests.unit.llm.conftest import CANARY, TRAITS, WAIT_S, asks

TOOL = ToolSpec("look_up", "Looks something up.", {"type": "object", "properties": {"what": {"type": "string"}}})
BOTH = pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])


@pytest.fixture
def open_model(server: ChatServer) -> Iterator[Callable[..., AnthropicModel]]:
    opened: list[AnthropicModel] = []

    def open_one(base_url: str = "", takes_late_system: bool = False) -> AnthropicModel:
        traits = replace(TRAITS, takes_late_system=takes_late_system)
        opened.append(AnthropicModel(traits, base_url=base_url or server.anthropic_url, api_key=CANARY))
        return opened[-1]

    yield open_one
    for model in opened:
        model.close()


@pytest.fixture
def model(open_model: Callable[..., AnthropicModel]) -> AnthropicModel:
    return open_model()


def ask(model: AnthropicModel, request: ChatRequest, is_streamed: bool) -> tuple[list[str], ChatReply]:
    """The pieces that came, and the whole reply."""
    if not is_streamed:
        return [], model.complete(request)
    *pieces, reply = model.stream(request)
    assert isinstance(reply, ChatReply)
    return [piece for piece in pieces if isinstance(piece, str)], reply


def failure_of(model: AnthropicModel, is_streamed: bool = False, timeout_s: float = WAIT_S) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(model, replace(asks("My secret is " + CANARY), timeout_s=timeout_s), is_streamed)
    return caught.value


def text(content: str) -> dict[str, str]:
    return {"type": "text", "text": content}


def test_a_request_holds_what_was_asked_and_the_prefix_that_stays_is_cached(
    server: ChatServer, model: AnthropicModel
) -> None:
    first = (ChatMessage("system", "rules"), ChatMessage("system", ""), ChatMessage("system", "memory"))
    model.complete(ChatRequest((*first, *asks("hello").messages), temperature=0.0, json_schema={"type": "object"}))
    [request] = server.requests
    assert request.path == "/v1/messages"
    assert CANARY in request.headers.get("x-api-key", "") + request.headers.get("authorization", "")
    assert request.body == {
        "model": "fake-chat",
        "max_tokens": 256,
        "system": [text("rules"), {**text("memory"), "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": [text("hello")]}],
    }


@BOTH
def test_a_reply_has_text_usage_and_reason(server: ChatServer, model: AnthropicModel, is_streamed: bool) -> None:
    counts = {"input_tokens": 4, "output_tokens": 3, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 2}
    server.script = [fake.say("Grüße, 世界!", usage=counts)]
    pieces, reply = ask(model, asks("hello"), is_streamed)
    assert reply == ChatReply(ChatMessage("assistant", "Grüße, 世界!"), Usage(14, 3, 8), "stop")
    assert "".join(pieces) == ("Grüße, 世界!" if is_streamed else "")


@BOTH
def test_tools_are_offered_called_and_answered(server: ChatServer, model: AnthropicModel, is_streamed: bool) -> None:
    server.script = [Step(text="Let me see.", calls=(("look_up", '{"what": "x"}'), ("look_up", "{}")))]
    _, reply = ask(model, replace(asks("x?"), tools=(TOOL,)), is_streamed)
    assert reply.finish_reason == "tool_calls"
    assert reply.message.tool_calls == (ToolCall("id0", "look_up", '{"what": "x"}'), ToolCall("id1", "look_up", "{}"))
    assert server.requests[0].body["tools"] == [
        {"name": "look_up", "description": "Looks something up.", "input_schema": TOOL.parameters}
    ]
    answers = tuple(ChatMessage("tool", f"found {each}", tool_call_id=f"id{each}") for each in (0, 1))
    ask(model, ChatRequest((*asks("x?").messages, reply.message, *answers, *asks("go on").messages)), is_streamed)
    assistant, results = server.requests[1].messages[1:]
    assert [block["type"] for block in assistant["content"]] == ["text", "tool_use", "tool_use"]
    assert assistant["content"][1]["input"] == {"what": "x"}
    assert [block["type"] for block in results["content"]] == ["tool_result", "tool_result", "text"]
    assert results["content"][1] == {"type": "tool_result", "tool_use_id": "id1", "content": "found 1"}


@pytest.mark.parametrize("arguments", ['{"cut', "[]", "", "[" * 100_000])
def test_broken_arguments_go_back_as_none(server: ChatServer, model: AnthropicModel, arguments: str) -> None:
    said = ChatMessage("assistant", "", (ToolCall("id0", "look_up", arguments),))
    model.complete(ChatRequest((*asks("x").messages, said, ChatMessage("tool", "no JSON", tool_call_id="id0"))))
    assert server.requests[0].messages[1]["content"] == [
        {"type": "tool_use", "id": "id0", "name": "look_up", "input": {}}
    ]


@pytest.mark.parametrize("takes_late_system", [False, True])
def test_a_late_system_message_is_the_persons_where_the_model_takes_none(
    server: ChatServer, open_model: Callable[..., AnthropicModel], takes_late_system: bool
) -> None:
    messages = [ChatMessage("system", "rules"), ChatMessage("user", "hello"), ChatMessage("system", "hint")]
    open_model(takes_late_system=takes_late_system).complete(ChatRequest(tuple(messages)))
    apart = [
        {"role": "user", "content": [text("hello")]},
        {"role": "system", "content": [text("hint")]},
    ]
    together = [{"role": "user", "content": [text("hello"), text("hint")]}]
    assert server.requests[0].messages == (apart if takes_late_system else together)


@BOTH
@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("stop_sequence", "stop"),
        ("of its own", "stop"),
        ("refusal", "refusal"),
    ],
)
def test_every_reply_ends_for_one_of_four_reasons(
    server: ChatServer, model: AnthropicModel, finish: str, reason: str, is_streamed: bool
) -> None:
    server.script = [fake.say("x", finish=finish)]
    assert ask(model, asks("x"), is_streamed)[1].finish_reason == reason


@BOTH
def test_what_the_service_does_not_count_is_estimated(
    server: ChatServer, model: AnthropicModel, is_streamed: bool
) -> None:
    server.script = [fake.say("12345678", usage={"input_tokens": None})]
    assert ask(model, asks("1234", "5"), is_streamed)[1].usage == Usage(2, 2, 0)


def test_half_a_character_and_thoughts_stop_nothing(server: ChatServer, model: AnthropicModel) -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, text("out \ud83d")]
    server.script = [Step(body=json.dumps({"content": blocks, "stop_reason": "end_turn"}))]
    assert model.complete(asks("in \ud83d")).message.content == "out ?"
    assert server.requests[0].messages[0]["content"] == [text("in ?")]


@BOTH
@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "<html>",
        '{"content": "x", "stop_reason": "end_turn"}',
        '{"content": [{"type": "text"}], "stop_reason": "end_turn"}',
        '{"content": []}',
        'data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}}\n\n',
        'data: {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta"}}\n\n',
        'data: {"type": "message_start", "message": 7}\n\n',
        'data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "no end"}}\n\n',
    ],
    ids=lambda body: body[:60],
)
def test_nonsense_is_no_reply(server: ChatServer, model: AnthropicModel, body: str, is_streamed: bool) -> None:
    server.script = [Step(body=body)]
    assert isinstance(failure_of(model, is_streamed), ModelReplyInvalid)


@BOTH
def test_a_failure_inside_an_answer_is_one(server: ChatServer, model: AnthropicModel, is_streamed: bool) -> None:
    body = json.dumps({"type": "error", "error": {"message": CANARY}})
    server.script = [Step(body=f"event: error\ndata: {body}\n\n" if is_streamed else body)]
    error = failure_of(model, is_streamed)
    assert isinstance(error, ModelUnavailable)
    assert CANARY not in str(error)


@BOTH
@pytest.mark.parametrize(
    ("step", "kind", "retry_after_s"),
    [
        (fake.too_many("30"), ModelUnavailable, 30.0),
        (fake.fail(529), ModelUnavailable, None),
        (fake.fail(401), ModelRefused, 60.0),
        (fake.fail(400, '{"error": {"message": "Your credit balance is too low"}}'), ModelRefused, None),
        (fake.cut(), ModelUnavailable, None),
    ],
    ids=str,
)
def test_failures_have_a_kind_and_the_client_does_not_retry(
    server: ChatServer,
    model: AnthropicModel,
    step: Step,
    kind: type[ProviderError],
    retry_after_s: float | None,
    is_streamed: bool,
) -> None:
    server.script = [step]
    error = failure_of(model, is_streamed)
    assert type(error) is kind
    assert (error.retry_after_s, error.final) == (retry_after_s, False)
    assert len(server.requests) == 1


@BOTH
@pytest.mark.parametrize("step", [fake.slow(30), Step(drip_s=0.02)], ids=["silent", "dripping"])
def test_a_slow_service_is_left_in_time(
    server: ChatServer, model: AnthropicModel, step: Step, is_streamed: bool
) -> None:
    server.script = [step]
    assert "in time" in str(failure_of(model, is_streamed, timeout_s=0.1))


def test_a_service_that_is_not_there_names_the_setting(open_model: Callable[..., AnthropicModel]) -> None:
    assert "ai.model.base_url" in str(failure_of(open_model(base_url="http://127.0.0.1:1")))


@BOTH
def test_r105_nothing_the_service_says_and_no_key_is_told(
    server: ChatServer, model: AnthropicModel, caplog: pytest.LogCaptureFixture, is_streamed: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [fake.fail(400, json.dumps({"error": {"message": f"you sent {CANARY}"}}))]
    error = failure_of(model, is_streamed)
    assert CANARY not in str(error)
    assert error.__context__ is None
    assert CANARY not in caplog.text


def test_variables_made_for_other_programs_change_nothing(
    server: ChatServer, open_model: Callable[..., AnthropicModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Other: other-program")
    open_model().complete(asks("x"))
    assert not any("other-program" in value for value in server.requests[0].headers.values())
