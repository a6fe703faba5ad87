"""The circuit breaker by itself: who may try after the pause, and what is raised meanwhile."""

import pytest

from goclaw.model.circuit import FAILURES_TO_OPEN, LONGEST_PAUSE_S, CircuitBreaker
from goclaw.model.clock import ManualClock
from goclaw.model.errors import ModelUnavailable, ProviderError, ProviderRefusal


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_700_000_000_000_000)


def test_after_the_pause_one_tries_and_the_others_wait(clock: ManualClock) -> None:
    circuit = CircuitBreaker(clock)
    with pytest.raises(ProviderError), circuit.guard():
        raise ProviderRefusal("no quota")
    clock.advance(seconds=LONGEST_PAUSE_S)
    with circuit.guard():
        assert circuit.is_open
        with pytest.raises(ProviderError, match="rests"), circuit.guard():
            pytest.fail("two tries at once")
    with circuit.guard():
        assert not circuit.is_open


def test_while_it_rests_it_raises_the_error_of_its_service(clock: ManualClock) -> None:
    circuit = CircuitBreaker(clock, "model service", ModelUnavailable)
    for _ in range(FAILURES_TO_OPEN):
        with pytest.raises(ProviderError, match="down"), circuit.guard():
            raise ProviderError("down")
    with pytest.raises(ModelUnavailable, match=r"The model service rests") as caught, circuit.guard():
        pytest.fail("asked a service that rests")
    assert caught.value.retry_after_s == 30.0
