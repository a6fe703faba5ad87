"""A model behind its circuit breaker and budget, counted, and asked again where a short pause may help."""

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace

from goclaw.llm.budget import TokenBudget
from goclaw.llm.provider import ChatModel, ChatReply, ChatRequest, Usage, estimate_usage
from goclaw.llm.usage import ModelUsage
from goclaw.model.circuit import CircuitBreaker
from goclaw.model.errors import ModelReplyInvalid, ModelUnavailable, ProviderError

MOST_TRIES = 3
FIRST_PAUSE_S = 0.5  # where the service names none; each further one doubles it
LONGEST_PAUSE_S = 5.0  # somebody waits: a service that asks for more is reported, not waited for
MARGIN_S = 0.01  # the circuit reads another clock than the one that sleeps


@dataclass(frozen=True, slots=True)
class Guards:
    """What stands around a model."""

    circuit: CircuitBreaker
    budget: TokenBudget  # of the process
    usage: ModelUsage  # of the process
    purpose: str  # chat, background: what the figures are kept by
    timeout_s: float  # longest wait where a request names none, retries included


class GuardedModel:
    """A model as the rest of the program sees it."""

    def __init__(self, model: ChatModel, guards: Guards, sleep: Callable[[float], None] = time.sleep) -> None:
        self._model, self._guards, self._sleep = model, guards, sleep

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def window_tokens(self) -> int:
        return self._model.window_tokens

    @property
    def takes_late_system(self) -> bool:
        return self._model.takes_late_system

    def complete(self, request: ChatRequest) -> ChatReply:
        """As the protocol says; fails at once while the circuit is open or the budget spent."""
        tries = self._begin(request)
        while True:
            try:
                return self._complete_once(tries.request())
            except (ModelUnavailable, ModelReplyInvalid) as error:
                pause_s = tries.next_pause_s(error)
                if pause_s is None:
                    raise
            self._sleep(pause_s)

    def stream(self, request: ChatRequest) -> Iterator[str | ChatReply]:
        """As the protocol says; asked again only as long as no piece has arrived."""
        tries = self._begin(request)
        while True:
            attempt = _Attempt()
            try:
                yield from self._stream_once(tries.request(), attempt)
                return
            except (ModelUnavailable, ModelReplyInvalid) as error:
                pause_s = None if attempt.text else tries.next_pause_s(error)
                if pause_s is None:
                    raise
            self._sleep(pause_s)

    def close(self) -> None:
        """Close the model behind."""
        self._model.close()

    def _begin(self, request: ChatRequest) -> "_Tries":
        return _Tries(request, time.monotonic() + (request.timeout_s or self._guards.timeout_s))

    def _complete_once(self, request: ChatRequest) -> ChatReply:
        self._guards.budget.check()
        with self._guards.circuit.guard():
            try:
                reply = self._model.complete(request)
            except ProviderError:
                self._count_failure(Usage())
                raise
        self._count_reply(reply)
        return reply

    def _stream_once(self, request: ChatRequest, attempt: "_Attempt") -> Iterator[str | ChatReply]:
        self._guards.budget.check()
        with self._guards.circuit.guard():
            pieces = self._model.stream(request)
            try:
                for piece in pieces:
                    if isinstance(piece, ChatReply):
                        attempt.reply = piece
                        break
                    attempt.text += piece
                    yield piece
            finally:  # also where the reader goes away: what was sent is paid for
                if isinstance(pieces, Generator):
                    pieces.close()
                if attempt.reply is None:
                    self._count_failure(estimate_usage(request, attempt.text) if attempt.text else Usage())
        if attempt.reply is None:
            raise ModelReplyInvalid("The model's reply has no end.")
        self._count_reply(attempt.reply)
        yield attempt.reply

    def _count_reply(self, reply: ChatReply) -> None:
        self._guards.budget.spend(reply.usage)
        self._guards.usage.count_reply(self._guards.purpose, self.name, reply.usage)

    def _count_failure(self, usage: Usage) -> None:
        self._guards.budget.spend(usage)
        self._guards.usage.count_failure(self._guards.purpose, self.name, usage)


@dataclass(slots=True)
class _Attempt:
    """How far a stream has come."""

    text: str = ""
    reply: ChatReply | None = None


class _Tries:
    """How often and how long one request may still be tried."""

    def __init__(self, request: ChatRequest, deadline: float) -> None:
        self._request, self._deadline = request, deadline
        self._failed = 0

    def request(self) -> ChatRequest:
        """The request with the time that is left."""
        return replace(self._request, timeout_s=max(MARGIN_S, self._deadline - time.monotonic()))

    def next_pause_s(self, error: ProviderError) -> float | None:
        """Seconds to wait before the next try; None where there is none."""
        self._failed += 1
        pause_s = error.retry_after_s
        if pause_s is None:
            pause_s = FIRST_PAUSE_S * 2 ** (self._failed - 1)
        left_s = self._deadline - time.monotonic()
        if self._failed >= MOST_TRIES or pause_s > LONGEST_PAUSE_S or pause_s + MARGIN_S >= left_s or error.final:
            return None
        return pause_s + MARGIN_S
