"""Vector index: which vectors may be searched now, and the vector of a question.

Vectors of two models are never compared (their numbers mean different things). When the configured model is not the one
the index was built with, vector search pauses, keywords go on, and the answer says so until a reindex switches over.
"""

from dataclasses import dataclass

from goclaw.embedding.provider import EmbeddingIdentity, EmbeddingProvider
from goclaw.embedding.query_cache import QueryCache
from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.errors import ProviderError
from goclaw.model.hit import Reason
from goclaw.settings.log import log_for
from goclaw.storage import index_meta
from goclaw.storage.database import Reader, Unit
from goclaw.storage.index_meta import IndexIdentity
from goclaw.text.chunker import CHUNKER_VERSION
from goclaw.text.terms import TOKENS_VERSION

log = log_for(__name__)

IN_PROCESS = frozenset({"local", "hashing"})  # providers that send nothing anywhere


@dataclass(frozen=True, slots=True)
class VectorState:
    """What vector search can do at this moment."""

    model_no: int | None  # None: only keywords
    reason: Reason | None  # why only keywords, where a provider is configured
    floor: float | None  # cosine that counts as evidence for this model; None: none is known


class VectorIndex:
    """The configured embedding provider beside the index in the store; safe for many threads."""

    def __init__(self, provider: EmbeddingProvider | None, query_timeout_s: float) -> None:
        self._provider = provider
        self._timeout_s = query_timeout_s
        self._cache = QueryCache()

    @property
    def provider(self) -> EmbeddingProvider | None:
        return self._provider

    def identity(self) -> IndexIdentity | None:
        """What the index must have been built with to be comparable; None without a provider."""
        if self._provider is None:
            return None
        model = self._provider.identity
        return IndexIdentity(
            provider=model.provider,
            model=model.model,
            provider_key=model.provider_key,
            dims=model.dims,
            chunker_version=CHUNKER_VERSION,
            tokens_version=TOKENS_VERSION,
        )

    def state(self, reader: Reader) -> VectorState:
        """Whether the vectors of the store fit the configured model."""
        if self._provider is None:
            return VectorState(None, None, None)
        current = index_meta.current(reader)
        if current is None or not self._fits(current.identity):
            return VectorState(None, Reason.VECTORS_PAUSED, None)
        floor = self._provider.min_similarity_floor
        return VectorState(current.model_no, None, current.auto_floor if floor is None else floor)

    def _fits(self, built: IndexIdentity) -> bool:
        """Only what shapes the numbers counts: words and pieces of another version are mended without a pause."""
        assert self._provider is not None
        numbers = EmbeddingIdentity(built.provider, built.model, built.provider_key, built.dims)
        return self._provider.identity.is_same_as(numbers)

    def adopt(self, unit: Unit) -> bool:
        """Make the configured model the index's own where none was ever built; True if that is new.

        Nothing is lost by it: there are no vectors yet. A different model is never adopted silently.
        """
        identity = self.identity()
        if identity is None or index_meta.current(unit) is not None:
            return False
        index_meta.switch_to(unit, index_meta.add_building(unit, identity), None)
        return True

    def embed_query(self, text: str, *, in_process_only: bool = False) -> TextVectors | None:
        """The question's vectors, or None where the provider does not answer in time: keywords then answer alone.

        ``in_process_only``: the text must not leave this process, so a service is not asked.
        """
        if self._provider is None or (in_process_only and self._provider.identity.provider not in IN_PROCESS):
            return None
        try:
            return self._cache.embed(self._provider, text, self._timeout_s)
        except ProviderError as error:
            log.warning("question_not_embedded", provider=self._provider.identity.provider, error=error.message)
            return None

    def clear_cache(self) -> None:
        """Forget the vectors of past questions."""
        self._cache.clear()
