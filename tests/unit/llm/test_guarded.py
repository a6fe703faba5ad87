"""A guarded model: when it asks again, when it rests, and what it counts."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from goclaw.llm.budget import TokenBudget
from goclaw.llm.guarded import LONGEST_PAUSE_S, MARGIN_S, MOST_TRIES, GuardedModel, Guards
from goclaw.llm.openai_compatible import OpenAiCompatibleModel
from goclaw.llm.provider import ChatMessage, ChatReply, ChatRequest, Usage
from goclaw.llm.service_errors import ServiceSettings
from goclaw.llm.usage import ModelFigures, ModelUsage
from goclaw.model.circuit import FAILURES_TO_OPEN, PAUSE_S, CircuitBreaker
from goclaw.model.clock import ManualClock
from goclaw.model.errors import (
    ModelBudgetSpent,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnavailable,
    ProviderError,
)
from tests.fakes import chat_server as fake
from tests.fakes.chat_server import ChatServer
from tests.unit.llm.conftest import CANARY, TRAITS, asks

OK = ChatReply(ChatMessage("assistant", "ok"), Usage(10, 5), "stop")
Item = str | ChatReply | BaseException


class Scripted:
    """Says what it is told: a reply, pieces of a stream, or an error in between."""

    name, window_tokens, takes_late_system = "scripted", 1_000, True

    def __init__(self, *script: tuple[Item, ...]) -> None:
        self.script = list(script)
        self.timeouts: list[float | None] = []
        self.is_closed = False
        self.streams_left = 0

    def complete(self, request: ChatRequest) -> ChatReply:
        for item in self.stream(request):
            if isinstance(item, ChatReply):
                return item
        raise AssertionError("no reply in the script")

    def stream(self, request: ChatRequest) -> Iterator[str | ChatReply]:
        self.timeouts.append(request.timeout_s)
        try:
            for item in self.script.pop(0) if self.script else (OK,):
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self.streams_left += 1

    def close(self) -> None:
        self.is_closed = True


class House:
    """A guarded model with a clock that only its own pauses move."""

    def __init__(self, *script: tuple[Item, ...], limit: int = 0) -> None:
        self.clock = ManualClock(1_700_000_000_000_000)
        self.usage = ModelUsage()
        self.budget = TokenBudget(self.clock, limit)
        self.circuit = CircuitBreaker(self.clock, "model service", ModelUnavailable)
        self.scripted = Scripted(*script)
        self.pauses: list[float] = []
        self.model = GuardedModel(
            self.scripted, Guards(self.circuit, self.budget, self.usage, "chat", timeout_s=60.0), self._sleep
        )

    def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.clock.advance(seconds=seconds)

    @property
    def asked(self) -> int:
        return len(self.scripted.timeouts)

    @property
    def figures(self) -> ModelFigures:
        [figures] = self.usage.figures()
        return figures


def ask_whole(house: House, request: ChatRequest) -> ChatReply:
    return house.model.complete(request)


def ask_streamed(house: House, request: ChatRequest) -> ChatReply:
    *_, reply = house.model.stream(request)
    assert isinstance(reply, ChatReply)
    return reply


Ask = Callable[[House, ChatRequest], ChatReply]
BOTH = pytest.mark.parametrize("ask", [ask_whole, ask_streamed], ids=["whole", "streamed"])


def down(retry_after_s: float | None = None) -> ModelUnavailable:
    return ModelUnavailable("down", retry_after_s=retry_after_s)


@BOTH
def test_a_reply_is_counted(ask: Ask) -> None:
    house = House()
    assert ask(house, asks("x")) == OK
    assert house.figures == ModelFigures("chat", "scripted", 1, 0, OK.usage)
    assert house.budget.spent_today == 15
    assert house.scripted.streams_left == 1


@BOTH
def test_a_short_failure_is_tried_again(ask: Ask) -> None:
    house = House((down(),), (ModelReplyInvalid("cut"),))
    assert ask(house, asks("x")) == OK
    assert house.pauses == [0.5 + MARGIN_S, 1.0 + MARGIN_S]
    assert (house.figures.calls, house.figures.failures) == (3, 2)


@BOTH
def test_it_is_tried_so_often_and_no_more(ask: Ask) -> None:
    house = House(*[(down(),)] * 10)
    with pytest.raises(ModelUnavailable):
        ask(house, asks("x"))
    assert house.asked == MOST_TRIES


@BOTH
def test_a_short_retry_after_is_waited_for(ask: Ask) -> None:
    house = House((down(2.0),))
    assert ask(house, asks("x")) == OK
    assert house.pauses == [2.0 + MARGIN_S]


@BOTH
def test_a_long_retry_after_is_passed_on_and_holds_for_all(ask: Ask) -> None:
    house = House((down(LONGEST_PAUSE_S + 1),))
    for left_s in (LONGEST_PAUSE_S + 1, LONGEST_PAUSE_S + 1):
        with pytest.raises(ModelUnavailable) as caught:
            ask(house, asks("x"))
        assert caught.value.retry_after_s == left_s
    assert (house.asked, house.pauses) == (1, [])
    house.clock.advance(seconds=LONGEST_PAUSE_S + 1)
    assert ask(house, asks("x")) == OK


@BOTH
def test_nobody_waits_beyond_the_time_limit(ask: Ask) -> None:
    house = House((down(2.0),))
    with pytest.raises(ModelUnavailable):
        ask(house, replace(asks("x"), timeout_s=1.0))
    assert (house.asked, house.pauses) == (1, [])


@BOTH
def test_the_time_limit_is_for_all_tries_together(ask: Ask) -> None:
    house = House((down(),))
    ask(house, replace(asks("x"), timeout_s=30.0))
    first, second = house.scripted.timeouts
    assert first is not None
    assert second is not None
    assert 0 < second < first <= 30.0
    ask(house, asks("x"))
    assert house.scripted.timeouts[2] is not None
    assert 30.0 < house.scripted.timeouts[2] <= 60.0


@BOTH
@pytest.mark.parametrize("error", [ModelRefused("no key"), ModelRefused("too long", final=True)], ids=["all", "one"])
def test_a_refusal_is_not_tried_again(ask: Ask, error: ModelRefused) -> None:
    house = House((error,))
    with pytest.raises(ModelRefused):
        ask(house, asks("x"))
    assert (house.asked, house.pauses) == (1, [])
    assert house.circuit.is_open is not error.final


@BOTH
def test_after_many_failures_the_service_rests(ask: Ask) -> None:
    house = House(*[(down(),)] * FAILURES_TO_OPEN)
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            ask(house, asks("x"))
    assert house.asked == FAILURES_TO_OPEN
    with pytest.raises(ModelUnavailable, match="rests") as caught:
        ask(house, asks("x"))
    assert caught.value.retry_after_s == pytest.approx(PAUSE_S - house.pauses[-1])
    assert (house.asked, house.figures.calls) == (FAILURES_TO_OPEN, FAILURES_TO_OPEN)
    house.clock.advance(seconds=PAUSE_S)
    assert ask(house, asks("x")) == OK


@BOTH
def test_a_spent_budget_asks_nobody(ask: Ask) -> None:
    house = House(limit=10)
    ask(house, asks("x"))
    with pytest.raises(ModelBudgetSpent):
        ask(house, asks("x"))
    assert house.asked == 1
    house.clock.advance(days=1)
    assert ask(house, asks("x")) == OK


def test_a_stream_that_breaks_after_its_first_piece_is_not_begun_again() -> None:
    house = House(("12345678", down()))
    pieces = house.model.stream(asks("1234"))
    assert next(pieces) == "12345678"
    with pytest.raises(ModelUnavailable):
        next(pieces)
    assert house.asked == 1
    assert house.figures == ModelFigures("chat", "scripted", 1, 1, Usage(1, 2))  # estimated: it is paid for
    assert house.budget.spent_today == 3


def test_a_reader_that_goes_away_ends_the_stream_and_pays_for_it() -> None:
    house = House(("1234", "5678", OK))
    pieces = house.model.stream(asks("1234"))
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert house.scripted.streams_left == 1
    assert house.figures.usage == Usage(1, 1)
    assert not house.circuit.is_open


def test_a_stream_without_an_end_is_no_reply() -> None:
    house = House(("12",))
    with pytest.raises(ModelReplyInvalid, match="no end"):
        list(house.model.stream(asks("x")))


def test_it_speaks_for_the_model_behind() -> None:
    house = House()
    assert (house.model.name, house.model.window_tokens, house.model.takes_late_system) == ("scripted", 1_000, True)
    house.model.close()
    assert house.scripted.is_closed


def test_with_a_real_service_it_waits_as_it_is_told_and_then_succeeds(server: ChatServer) -> None:
    house = House()
    behind = OpenAiCompatibleModel(TRAITS, base_url=server.url, api_key=CANARY, settings=ServiceSettings())
    model = GuardedModel(behind, Guards(house.circuit, house.budget, house.usage, "chat", 20.0), house._sleep)
    server.script = [fake.fail(500), fake.too_many("3"), fake.say("hello"), fake.too_many("60"), fake.say("never said")]
    assert model.complete(asks("x")).message.content == "hello"
    assert house.pauses == [0.5 + MARGIN_S, 3.0 + MARGIN_S]
    with pytest.raises(ProviderError) as caught:
        model.complete(asks("x"))
    assert caught.value.retry_after_s == 60.0
    assert len(server.requests) == 4
    model.close()
