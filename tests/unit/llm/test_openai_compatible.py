"""Services that speak OpenAI's protocol: good replies, bad ones, slow ones, and what never leaks."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from openai import OpenAIError

from goclaw.llm.openai_compatible import OpenAiCompatibleModel
from goclaw.llm.provider import ChatMessage, ChatReply, ChatRequest, ToolCall, ToolSpec, Usage
from goclaw.llm.service_errors import ServiceSettings
from goclaw.model.errors import ModelRefused, ModelReplyInvalid, ModelUnavailable, ProviderError
from tests.fakes import chat_server as fake
from tests.fakes.chat_server import ChatServer, Step
from tests.unit.llm.conftest import CANARY, TRAITS, WAIT_S, asks

TOOL = ToolSpec("look_up", "Looks something up.", {"type": "object", "properties": {"what": {"type": "string"}}})
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.fixture
def open_model(server: ChatServer) -> Iterator[Callable[..., OpenAiCompatibleModel]]:
    opened: list[OpenAiCompatibleModel] = []

    def open_one(base_url: str = "", takes_late_system: bool = False, **more: str) -> OpenAiCompatibleModel:
        model = OpenAiCompatibleModel(
            replace(TRAITS, takes_late_system=takes_late_system),
            base_url=base_url or server.url,
            api_key=CANARY,
            settings=ServiceSettings(),
            **more,
        )
        opened.append(model)
        return model

    yield open_one
    for model in opened:
        model.close()


@pytest.fixture
def model(open_model: Callable[..., OpenAiCompatibleModel]) -> OpenAiCompatibleModel:
    return open_model()


def ask(model: OpenAiCompatibleModel, request: ChatRequest, is_streamed: bool) -> tuple[list[str], ChatReply]:
    """The pieces that came, and the whole reply."""
    if not is_streamed:
        return [], model.complete(request)
    *pieces, reply = model.stream(request)
    assert isinstance(reply, ChatReply)
    return [piece for piece in pieces if isinstance(piece, str)], reply


def failure_of(model: OpenAiCompatibleModel, is_streamed: bool = False, timeout_s: float = WAIT_S) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(model, replace(asks("My secret is " + CANARY), timeout_s=timeout_s), is_streamed)
    return caught.value


BOTH = pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])


def test_a_request_holds_what_was_asked_and_the_key_in_its_header(
    server: ChatServer, model: OpenAiCompatibleModel
) -> None:
    model.complete(asks("hello"))
    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {CANARY}"
    assert request.body == {
        "model": "fake-chat",
        "messages": [{"role": "user", "content": "hello"}],
        "max_tokens": 256,
    }


def test_limits_of_a_request_win_and_have_the_services_name(
    server: ChatServer, open_model: Callable[..., OpenAiCompatibleModel]
) -> None:
    open_model(limit_field="max_completion_tokens").complete(replace(asks("x"), max_tokens=7, temperature=0.0))
    body = server.requests[0].body
    assert (body["max_completion_tokens"], body["temperature"]) == (7, 0.0)
    assert "max_tokens" not in body


@BOTH
def test_a_reply_has_text_usage_and_reason(server: ChatServer, model: OpenAiCompatibleModel, is_streamed: bool) -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}
    server.script = [fake.say("Grüße, 世界!", usage=usage)]
    pieces, reply = ask(model, asks("hello"), is_streamed)
    assert reply == ChatReply(ChatMessage("assistant", "Grüße, 世界!"), Usage(12, 3, 8), "stop")
    assert "".join(pieces) == ("Grüße, 世界!" if is_streamed else "")
    assert not is_streamed or len(pieces) > 1


@BOTH
def test_tools_are_offered_called_and_answered(
    server: ChatServer, model: OpenAiCompatibleModel, is_streamed: bool
) -> None:
    server.script = [Step(text="Let me see.", calls=(("look_up", '{"what": "x"}'), ("look_up", '{"wh')))]
    _, reply = ask(model, replace(asks("x?"), tools=(TOOL,)), is_streamed)
    assert reply.finish_reason == "tool_calls"
    assert reply.message.tool_calls == (
        ToolCall("id0", "look_up", '{"what": "x"}'),
        ToolCall("id1", "look_up", '{"wh'),  # as the model wrote it
    )
    assert server.requests[0].body["tools"][0]["function"] == {
        "name": "look_up",
        "description": "Looks something up.",
        "parameters": TOOL.parameters,
    }
    answers = (reply.message, ChatMessage("tool", "found", tool_call_id="id0"))
    ask(model, ChatRequest((*asks("x?").messages, *answers), (TOOL,)), is_streamed)
    assistant, answer = server.requests[1].messages[1:]
    assert assistant["tool_calls"][0]["function"] == {"name": "look_up", "arguments": '{"what": "x"}'}
    assert answer == {"role": "tool", "content": "found", "tool_call_id": "id0"}


@BOTH
@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (fake.say("x", finish="length"), "length"),
        (fake.say("x", finish="content_filter"), "refusal"),
        (fake.say("x", finish="of its own"), "stop"),
        (fake.say("x", finish="tool_calls"), "stop"),
        (fake.call("look_up", finish="stop"), "tool_calls"),
        (fake.call("look_up", '{"cut', finish="length"), "length"),
        (fake.refuse(), "refusal"),
        (fake.say(""), "stop"),
    ],
    ids=str,
)
def test_every_reply_ends_for_one_of_four_reasons(
    server: ChatServer, model: OpenAiCompatibleModel, step: Step, reason: str, is_streamed: bool
) -> None:
    server.script = [step]
    _, reply = ask(model, asks("x"), is_streamed)
    assert reply.finish_reason == reason
    assert reply.message.content == (step.text or step.refusal or "")


@BOTH
@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": -1}, {"prompt_tokens": "many"}, {"prompt_tokens": None}])
def test_what_the_service_does_not_count_is_estimated(
    server: ChatServer, model: OpenAiCompatibleModel, usage: dict[str, object] | None, is_streamed: bool
) -> None:
    server.script = [fake.say("12345678", usage=usage)]
    _, reply = ask(model, asks("1234", "5"), is_streamed)
    assert reply.usage == Usage(2, 2, 0)


def test_calls_without_an_index_are_told_apart_by_their_ids(server: ChatServer, model: OpenAiCompatibleModel) -> None:
    deltas = [
        {"tool_calls": [{"id": "a", "function": {"name": "one", "arguments": "{"}}]},
        {"tool_calls": [{"function": {"arguments": "}"}}]},
        {"tool_calls": [{"id": "b", "function": {"name": "two", "arguments": {"x": 1}}}]},
    ]
    events = [{"choices": [{"delta": delta}]} for delta in deltas] + [{"choices": [{"finish_reason": "stop"}]}]
    server.script = [Step(body="".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events))]
    _, reply = ask(model, asks("x"), is_streamed=True)
    assert reply.message.tool_calls == (ToolCall("a", "one", "{}"), ToolCall("b", "two", '{"x": 1}'))


@BOTH
@pytest.mark.parametrize("takes_late_system", [False, True])
def test_a_late_system_message_is_the_persons_where_the_model_takes_none(
    server: ChatServer, open_model: Callable[..., OpenAiCompatibleModel], takes_late_system: bool, is_streamed: bool
) -> None:
    messages = [ChatMessage("system", "rules"), ChatMessage("user", "hello"), ChatMessage("system", "hint")]
    model = open_model(takes_late_system=takes_late_system)
    ask(model, ChatRequest(tuple(messages)), is_streamed)
    roles = [message["role"] for message in server.requests[0].messages]
    assert roles == ["system", "user", "system" if takes_late_system else "user"]


@BOTH
def test_half_a_character_stops_nothing(server: ChatServer, model: OpenAiCompatibleModel, is_streamed: bool) -> None:
    server.script = [fake.say("out \ud83d")]
    _, reply = ask(model, asks("in \ud83d"), is_streamed)
    assert server.requests[0].messages[0]["content"] == "in ?"
    assert reply.message.content == "out ?"


def test_a_schema_is_asked_for(server: ChatServer, model: OpenAiCompatibleModel) -> None:
    model.complete(replace(asks("x"), json_schema=SCHEMA))
    wanted = server.requests[0].body["response_format"]
    assert wanted == {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA}}


@BOTH
def test_what_a_service_does_not_take_is_left_out_from_then_on(
    server: ChatServer, model: OpenAiCompatibleModel, is_streamed: bool
) -> None:
    request = replace(asks("x"), json_schema=SCHEMA, temperature=0.0)
    server.script = [fake.fail(400)]
    for _ in range(2):
        assert ask(model, request, is_streamed)[1].message.content == "ok"
    sent = [{"temperature", "response_format"} & set(request.body) for request in server.requests]
    assert sent == [{"temperature", "response_format"}, set(), set()]


def test_a_request_refused_for_another_reason_changes_nothing(server: ChatServer, model: OpenAiCompatibleModel) -> None:
    request = replace(asks("x"), temperature=0.0)
    server.script = [fake.fail(400), fake.fail(400)]
    with pytest.raises(ModelRefused) as caught:
        model.complete(request)
    assert caught.value.final
    model.complete(request)
    assert [request.body.get("temperature") for request in server.requests] == [0.0, None, 0.0]


@BOTH
@pytest.mark.parametrize(
    "step",
    [
        fake.garbage(),
        Step(body=""),
        Step(body="[]"),
        Step(body="null"),
        Step(body='{"choices": [{"message": {"content": "cut'),
        Step(body='data: {"choices": [{"delta": {"content": "cut'),
        Step(body='{"choices": "yes"}'),
        Step(body='data: {"choices": [{"delta": {"content": 7}}]}\n\n'),
        Step(body='data: {"choices": [{"delta": {"tool_calls": [7]}, "finish_reason": "stop"}]}\n\n'),
        Step(body='data: {"choices": [7]}\n\n'),
        Step(body='data: {"choices": [{"delta": {"content": "no end"}}]}\n\n'),
        Step(body='{"choices": [{"message": {"content": {"a": 1}}}]}'),
        Step(body='{"choices": [{"message": null}]}'),
        Step(body='{"choices": [{"delta": {}}]}'),
        fake.no_choices(),
        Step(body="[" * 100_000),
    ],
    ids=lambda step: str(step.body)[:50],
)
def test_nonsense_is_no_reply(server: ChatServer, model: OpenAiCompatibleModel, step: Step, is_streamed: bool) -> None:
    server.script = [step]
    error = failure_of(model, is_streamed)
    assert isinstance(error, ModelReplyInvalid)
    assert not error.final
    assert ask(model, asks("x"), is_streamed)[1].message.content == "ok"


@BOTH
def test_a_failure_inside_an_answer_is_one(server: ChatServer, model: OpenAiCompatibleModel, is_streamed: bool) -> None:
    body = json.dumps({"error": {"message": "overloaded " + CANARY}})
    server.script = [Step(body=f"data: {body}\n\n" if is_streamed else body)]
    error = failure_of(model, is_streamed)
    assert isinstance(error, ModelUnavailable)
    assert CANARY not in str(error)


def test_a_stream_that_ends_early_gives_its_pieces_and_then_fails(
    server: ChatServer, model: OpenAiCompatibleModel
) -> None:
    server.script = [Step(text="a long reply", keep_events=4)]
    pieces = model.stream(asks("x"))
    assert [next(pieces), next(pieces)] == ["a lo", "ng r"]
    with pytest.raises(ModelReplyInvalid):
        next(pieces)


@BOTH
def test_a_connection_that_breaks_is_a_service_that_is_not_there(
    server: ChatServer, model: OpenAiCompatibleModel, is_streamed: bool
) -> None:
    server.script = [fake.cut()]
    assert isinstance(failure_of(model, is_streamed), ModelUnavailable)


def test_an_endless_answer_is_cut_off(
    server: ChatServer, model: OpenAiCompatibleModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goclaw.llm.event_stream.MOST_BYTES", 1000)
    server.script = [Step(body="x" * 50_000)]
    assert "far too much" in str(failure_of(model))


@BOTH
@pytest.mark.parametrize(
    ("step", "kind", "retry_after_s"),
    [
        (fake.too_many("30"), ModelUnavailable, 30.0),
        (fake.too_many("2.5"), ModelUnavailable, 2.5),
        (fake.too_many(None), ModelUnavailable, None),
        (fake.fail(429, '{"error": {"details": [{"retryDelay": "34.5s"}]}}'), ModelUnavailable, 34.5),
        (fake.fail(429, '{"error": {"code": "insufficient_quota"}}'), ModelRefused, None),
        (fake.fail(503, headers={"Retry-After": "7"}), ModelUnavailable, 7.0),
        (fake.fail(500), ModelUnavailable, None),
        (fake.fail(408), ModelUnavailable, None),
        (fake.fail(529), ModelUnavailable, None),
        (fake.fail(400, '{"error": "API key not valid"}'), ModelRefused, 60.0),
        (fake.fail(401), ModelRefused, 60.0),
        (fake.fail(403), ModelRefused, 60.0),
        (fake.fail(404), ModelRefused, 60.0),
        (fake.fail(402), ModelRefused, 60.0),
    ],
    ids=str,
)
def test_failures_have_a_kind_and_the_client_does_not_retry(
    server: ChatServer,
    model: OpenAiCompatibleModel,
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


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_request_is_final(server: ChatServer, model: OpenAiCompatibleModel, status: int) -> None:
    server.script = [fake.fail(status)]
    error = failure_of(model)
    assert isinstance(error, ModelRefused)
    assert error.final


@BOTH
@pytest.mark.parametrize("step", [fake.slow(30), Step(drip_s=0.02)], ids=["silent", "dripping"])
def test_a_slow_service_is_left_in_time(
    server: ChatServer, model: OpenAiCompatibleModel, step: Step, is_streamed: bool
) -> None:
    server.script = [step]
    error = failure_of(model, is_streamed, timeout_s=0.1)
    assert isinstance(error, ModelUnavailable)
    assert "in time" in str(error)


def test_a_service_that_is_not_there_names_the_setting(open_model: Callable[..., OpenAiCompatibleModel]) -> None:
    error = failure_of(open_model(base_url="http://127.0.0.1:1/v1"))
    assert isinstance(error, ModelUnavailable)
    assert "ai.model.base_url" in str(error)


@BOTH
@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_r105_nothing_the_service_says_and_no_key_is_told(
    server: ChatServer,
    model: OpenAiCompatibleModel,
    caplog: pytest.LogCaptureFixture,
    status: int,
    is_streamed: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [fake.fail(status, json.dumps({"error": {"message": f"you sent {CANARY}"}}))]
    error: BaseException | None = failure_of(model, is_streamed)
    seen = 0
    while error is not None:
        assert CANARY not in str(error)
        assert not isinstance(error, OpenAIError)
        error, seen = error.__cause__ or error.__context__, seen + 1
    assert seen == 1
    assert CANARY not in caplog.text


def test_variables_made_for_other_programs_change_nothing(
    server: ChatServer, open_model: Callable[..., OpenAiCompatibleModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Other: other-program")
    open_model().complete(asks("x"))
    assert not any("other-program" in value for value in server.requests[0].headers.values())
