"""Replies of a given shape: what is overlooked, what is asked again, and what fails."""

from collections.abc import Iterator

import pytest
from pydantic import BaseModel, ConfigDict, Field

from goclaw.llm.budget import TokenBudget
from goclaw.llm.guarded import GuardedModel, Guards
from goclaw.llm.json_reply import ask_for
from goclaw.llm.openai_compatible import OpenAiCompatibleModel
from goclaw.llm.provider import ChatMessage, ChatRequest, Usage
from goclaw.llm.service_errors import ServiceSettings
from goclaw.llm.usage import ModelUsage
from goclaw.model.circuit import CircuitBreaker
from goclaw.model.clock import ManualClock
from goclaw.model.errors import ModelReplyInvalid, ModelUnavailable
from tests.fakes import chat_server as fake
from tests.fakes.chat_server import ChatServer, Step
from tests.unit.llm.conftest import CANARY, TRAITS, asks


class City(BaseModel):
    """A city."""

    model_config = ConfigDict(extra="forbid")

    name: str
    people: int = Field(ge=0)
    rivers: tuple[str, ...] = ()


GOOD = '{"name": "Köln", "people": 1000000, "rivers": ["Rhein"]}'
KÖLN = City(name="Köln", people=1_000_000, rivers=("Rhein",))
WRONG = '{"name": "Köln", "people": -7}'


@pytest.fixture
def usage() -> ModelUsage:
    return ModelUsage()


@pytest.fixture
def model(server: ChatServer, usage: ModelUsage) -> Iterator[GuardedModel]:
    clock = ManualClock(0)
    behind = OpenAiCompatibleModel(TRAITS, base_url=server.url, api_key=CANARY, settings=ServiceSettings())
    circuit = CircuitBreaker(clock, "model service", ModelUnavailable)
    guarded = GuardedModel(
        behind, Guards(circuit, TokenBudget(clock, 0), usage, "background", 20.0), lambda seconds: None
    )
    yield guarded
    guarded.close()


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```",
        f"Sure! Here is the city [1]:\n\n{GOOD}\n\nAnything else? :-}}",
        f"<think>Perhaps {WRONG}? Or {{braces}} [</think>{GOOD}",
        f'<think>{{"name": "Bonn", "people": 1}} is too small</think>{GOOD}',
        f"\ufeff  {GOOD}",
        "[[[[" + GOOD,
    ],
)
def test_what_stands_around_the_json_is_overlooked(server: ChatServer, model: GuardedModel, text: str) -> None:
    server.script = [fake.say(text)]
    assert ask_for(model, asks("Which city?"), City) == KÖLN
    assert len(server.requests) == 1


def test_the_schema_is_asked_for_in_words_and_beside_them(server: ChatServer, model: GuardedModel) -> None:
    server.script = [fake.say(GOOD), fake.say(GOOD)]
    ask_for(model, asks("Which city?"), City)
    ask_for(model, ChatRequest((ChatMessage("system", "Be brief."), *asks("Which city?").messages)), City)
    for request, beginning in zip(server.requests, ("", "Be brief.\n\n"), strict=True):
        system, question = request.messages
        assert system["role"] == "system"
        assert system["content"].startswith(beginning)
        assert '"people"' in system["content"]
        assert question == {"role": "user", "content": "Which city?"}
        assert request.body["response_format"]["json_schema"]["schema"] == City.model_json_schema()


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        (fake.say(WRONG), "people: Input should be greater than or equal to 0"),
        (fake.say('{"name": "Köln", "people": 1, "secret": 1}'), "secret"),
        (fake.say(f"{WRONG} as seen in [1]"), "people"),
        (fake.say("[]"), "the whole"),
        (fake.say("I like cities."), "no JSON"),
        (fake.say(""), "empty"),
        (fake.say('{"name": "Kö', finish="length"), "cut off"),
        (fake.say('{"name": "Kö'), "no JSON"),
        (fake.inject(), "no JSON"),
        (fake.call("look_up"), "empty"),
    ],
    ids=lambda each: str(each.text) if isinstance(each, Step) else "",
)
def test_a_reply_that_does_not_fit_is_sent_back_once_with_the_reason(
    server: ChatServer, model: GuardedModel, usage: ModelUsage, bad: Step, named: str
) -> None:
    server.script = [bad, fake.say(GOOD)]
    assert ask_for(model, asks("Which city?"), City) == KÖLN
    first, second = server.requests
    assert second.messages[: len(first.messages)] == first.messages
    *said, repair = second.messages[len(first.messages) :]
    assert repair["role"] == "user"
    assert named in repair["content"]
    assert said == ([{"role": "assistant", "content": bad.text}] if bad.text else [])
    [figures] = usage.figures()
    assert (figures.calls, figures.usage) == (2, Usage(20, 10))


@pytest.mark.parametrize("second", [WRONG, "no", ""])
def test_a_second_reply_that_does_not_fit_is_the_last(
    server: ChatServer, model: GuardedModel, usage: ModelUsage, second: str
) -> None:
    server.script = [fake.say(f'{{"name": "{CANARY}"}}'), fake.say(second)]
    with pytest.raises(ModelReplyInvalid, match="City") as caught:
        ask_for(model, asks("Which city?"), City)
    assert CANARY not in str(caught.value)
    assert caught.value.__context__ is None
    [figures] = usage.figures()
    assert (figures.calls, len(server.requests)) == (2, 2)


def test_a_model_that_refuses_is_not_asked_again(server: ChatServer, model: GuardedModel) -> None:
    server.script = [fake.refuse(GOOD)]
    with pytest.raises(ModelReplyInvalid, match="refuses"):
        ask_for(model, asks("Which city?"), City)
    assert len(server.requests) == 1


def test_what_an_answer_says_beside_the_shape_reaches_nobody(server: ChatServer, model: GuardedModel) -> None:
    server.script = [fake.inject(GOOD)]
    assert ask_for(model, asks("Which city?"), City) == KÖLN


@pytest.mark.parametrize("text", ["{" * 50_000, "[" * 50_000, '{"a":' * 20_000, "[1," * 50_000, '{"a' * 50_000])
def test_nonsense_of_any_length_is_only_nonsense(server: ChatServer, model: GuardedModel, text: str) -> None:
    server.script = [fake.say(text), fake.say(GOOD)]
    assert ask_for(model, asks("Which city?"), City) == KÖLN
