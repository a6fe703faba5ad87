"""A provider behind its circuit breaker: when it opens, how long it rests, and who may try."""

from collections.abc import Sequence

import pytest

from goclaw.embedding.guarded import GuardedProvider
from goclaw.embedding.hashing import HashingProvider
from goclaw.embedding.provider import InputType, Vectors
from goclaw.model.circuit import FAILURES_TO_OPEN, LONGEST_PAUSE_S, PAUSE_S, CircuitBreaker
from goclaw.model.clock import ManualClock
from goclaw.model.errors import ProviderError, ProviderRefusal


class Service(HashingProvider):
    """Fails while ``error`` is set; counts what reaches it."""

    min_similarity_floor = 0.5
    max_batch_items = 7

    def __init__(self) -> None:
        super().__init__()
        self.error: BaseException | None = None
        self.calls = 0
        self.is_closed = False

    def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
        self.calls += 1
        if self.error is not None:
            raise self.error
        return super().embed(texts, input_type, timeout_s)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_700_000_000_000_000)


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def guarded(service: Service, clock: ManualClock) -> GuardedProvider:
    return GuardedProvider(service, CircuitBreaker(clock))


def ask(guarded: GuardedProvider) -> ProviderError | None:
    try:
        guarded.embed(["x"], "query", 1.0)
    except ProviderError as error:
        return error
    return None


def test_it_opens_after_so_many_failures_in_a_row_and_then_asks_nobody(
    guarded: GuardedProvider, service: Service
) -> None:
    service.error = ProviderError("down")
    for _ in range(FAILURES_TO_OPEN):
        assert not guarded.circuit.is_open
        ask(guarded)
    assert guarded.circuit.is_open
    error = ask(guarded)
    assert error is not None
    assert error.retry_after_s == PAUSE_S
    assert service.calls == FAILURES_TO_OPEN


def test_a_success_between_failures_starts_the_count_again(guarded: GuardedProvider, service: Service) -> None:
    for _ in range(3):
        service.error = ProviderError("down")
        for _ in range(FAILURES_TO_OPEN - 1):
            ask(guarded)
        service.error = None
        ask(guarded)
    assert not guarded.circuit.is_open


def test_a_refused_input_is_an_answer(guarded: GuardedProvider, service: Service) -> None:
    service.error = ProviderError("refused", final=True)
    for _ in range(FAILURES_TO_OPEN * 2):
        ask(guarded)
    assert not guarded.circuit.is_open


def test_r030_one_retry_after_makes_everybody_wait_as_long(
    guarded: GuardedProvider, service: Service, clock: ManualClock
) -> None:
    service.error = ProviderError("asked too often", retry_after_s=45.0)
    ask(guarded)
    service.error = None
    clock.advance(seconds=44)
    error = ask(guarded)
    assert error is not None
    assert error.retry_after_s == 1.0
    assert service.calls == 1
    clock.advance(seconds=1)
    assert ask(guarded) is None
    assert not guarded.circuit.is_open


def test_no_pause_is_longer_than_the_longest(guarded: GuardedProvider, service: Service) -> None:
    service.error = ProviderError("asked too often", retry_after_s=86_400.0)
    ask(guarded)
    error = ask(guarded)
    assert error is not None
    assert error.retry_after_s == LONGEST_PAUSE_S


def test_a_used_up_quota_opens_it_at_once_for_long(guarded: GuardedProvider, service: Service) -> None:
    service.error = ProviderRefusal("no quota")
    ask(guarded)
    error = ask(guarded)
    assert error is not None
    assert error.retry_after_s == LONGEST_PAUSE_S
    assert service.calls == 1


def test_after_the_pause_each_failed_try_doubles_it(
    guarded: GuardedProvider, service: Service, clock: ManualClock
) -> None:
    service.error = ProviderError("down")
    for _ in range(FAILURES_TO_OPEN):
        ask(guarded)
    for pause_s in (PAUSE_S, PAUSE_S * 2, PAUSE_S * 4):
        clock.advance(seconds=pause_s - 1)
        before = service.calls
        ask(guarded)
        assert service.calls == before
        clock.advance(seconds=1)
        ask(guarded)
        assert service.calls == before + 1
    service.error = None
    clock.advance(seconds=PAUSE_S * 8)
    assert ask(guarded) is None
    assert not guarded.circuit.is_open


def test_a_try_that_is_interrupted_lets_the_next_one_try(
    guarded: GuardedProvider, service: Service, clock: ManualClock
) -> None:
    service.error = ProviderRefusal("no quota")
    ask(guarded)
    clock.advance(seconds=LONGEST_PAUSE_S)
    service.error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        ask(guarded)
    service.error = None
    assert ask(guarded) is None


def test_a_clock_that_is_set_back_does_not_keep_it_open(
    guarded: GuardedProvider, service: Service, clock: ManualClock
) -> None:
    service.error = ProviderRefusal("no quota")
    ask(guarded)
    service.error = None
    clock.advance(days=-2)
    assert ask(guarded) is None


def test_the_guarded_provider_speaks_for_the_one_behind(guarded: GuardedProvider, service: Service) -> None:
    assert guarded.identity == service.identity
    assert (guarded.min_similarity_floor, guarded.max_batch_items) == (0.5, 7)
    guarded.close()
    assert service.is_closed
