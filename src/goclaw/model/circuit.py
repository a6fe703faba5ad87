"""Stops asking a service that keeps failing, and asks again with one try after a pause (engine.md 2.6)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from goclaw.model.clock import SECOND, Clock
from goclaw.model.errors import ProviderError, ProviderRefusal

FAILURES_TO_OPEN = 5
PAUSE_S = 30.0  # the first pause; each failed try doubles it
LONGEST_PAUSE_S = 15 * 60.0
TRIAL_PAUSE_S = 1.0  # while somebody else tries


class CircuitBreaker:
    """Closed: calls pass. Open: calls fail at once until the pause is over. Then one call tries for all."""

    def __init__(
        self, clock: Clock, service: str = "embedding service", error: type[ProviderError] = ProviderError
    ) -> None:
        """``service`` is what messages call it, ``error`` what is raised while it rests."""
        self._clock, self._service, self._error = clock, service, error
        self._lock = threading.Lock()
        self._failures = 0  # since the last success
        self._opened_at: int | None = None  # microseconds; None while closed
        self._pause_s = PAUSE_S
        self._trial_runs = False

    @property
    def is_open(self) -> bool:
        """Whether a call made now would fail at once."""
        with self._lock:
            return self._opened_at is not None and (self._trial_runs or self._left_s() > 0)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Around one call. Raises ProviderError with ``retry_after_s`` instead of calling while the circuit is open.

        A refused input (``final``) is an answer, so it counts as a success.
        """
        self._enter()
        error: ProviderError | None = None
        answered = False
        try:
            yield
            answered = True
        except ProviderError as caught:
            error = caught
            answered = caught.final
            raise
        finally:
            self._leave(answered, error)

    def _enter(self) -> None:
        with self._lock:
            if self._opened_at is None:
                return
            wait_s = TRIAL_PAUSE_S if self._trial_runs else self._left_s()
            if wait_s <= 0:
                self._trial_runs = True
                return
        raise self._error(f"The {self._service} rests after failures.", retry_after_s=wait_s)

    def _leave(self, answered: bool, error: ProviderError | None) -> None:
        with self._lock:
            was_trial, self._trial_runs = self._trial_runs, False
            if answered:
                self._failures, self._opened_at, self._pause_s = 0, None, PAUSE_S
                return
            if error is None:  # our own fault or an interrupt says nothing about the service
                return
            self._failures += 1
            asked_s = error.retry_after_s
            if was_trial:
                self._open(asked_s or min(self._pause_s * 2, LONGEST_PAUSE_S))
            elif isinstance(error, ProviderRefusal):
                self._open(asked_s or LONGEST_PAUSE_S)
            elif asked_s or self._failures >= FAILURES_TO_OPEN:
                self._open(asked_s or self._pause_s)

    def _open(self, pause_s: float) -> None:
        self._opened_at = self._clock.now()
        self._pause_s = min(pause_s, LONGEST_PAUSE_S)

    def _left_s(self) -> float:
        assert self._opened_at is not None
        passed_s = (self._clock.now() - self._opened_at) / SECOND
        # A clock that was set back must not keep the circuit open for as long.
        return 0.0 if passed_s < 0 else self._pause_s - passed_s
