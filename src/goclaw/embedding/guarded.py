"""A provider behind its circuit breaker, so that one that is down is not asked again and again."""

from collections.abc import Sequence

from goclaw.embedding.provider import EmbeddingIdentity, EmbeddingProvider, InputType, Vectors
from goclaw.model.circuit import CircuitBreaker


class GuardedProvider:
    """A provider behind its circuit breaker; the rest of the program sees only this one."""

    def __init__(self, provider: EmbeddingProvider, circuit: CircuitBreaker) -> None:
        self._provider = provider
        self.circuit = circuit

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._provider.identity

    @property
    def min_similarity_floor(self) -> float | None:
        return self._provider.min_similarity_floor

    @property
    def max_batch_items(self) -> int:
        return self._provider.max_batch_items

    def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
        """As the protocol says; fails at once while the circuit is open."""
        with self.circuit.guard():
            return self._provider.embed(texts, input_type, timeout_s)

    def close(self) -> None:
        """Close the provider behind."""
        self._provider.close()
