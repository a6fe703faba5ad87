"""Embeds many texts in batches, so that one bad text fails alone and one bad moment loses nothing (engine.md 2.6)."""

from collections.abc import Sequence
from dataclasses import dataclass

from goclaw.embedding.provider import BadVectors, EmbeddingProvider, InputType, embed_texts
from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.errors import ProviderError

BATCH_TOKENS = 8_000
# So many texts refused one by one and none taken: it is not the texts.
REFUSALS_BEFORE_GIVING_UP = 3


@dataclass(frozen=True, slots=True)
class EmbeddingFailure:
    """Why a text has no vector."""

    reason: str  # safe to store and to show
    final: bool  # the text itself is refused; asking again is useless
    retry_after_s: float | None  # what the service asked for


Outcome = TextVectors | EmbeddingFailure


def estimate_tokens(text: str) -> int:
    """Roughly how many tokens a model sees: four bytes each, so that Chinese weighs more than English."""
    return len(text.encode("utf-8", "replace")) // 4 + 1


def plan_batches(texts: Sequence[str], max_items: int, max_tokens: int = BATCH_TOKENS) -> list[range]:
    """Consecutive ranges of ``texts``, each within both limits; a text over the limit is a batch of its own."""
    batches: list[range] = []
    start, tokens = 0, 0
    for position, text in enumerate(texts):
        cost = estimate_tokens(text)
        if position > start and (tokens + cost > max_tokens or position - start >= max_items):
            batches.append(range(start, position))
            start, tokens = position, 0
        tokens += cost
    if start < len(texts):
        batches.append(range(start, len(texts)))
    return batches


def embed_each(
    provider: EmbeddingProvider, texts: Sequence[str], input_type: InputType, timeout_s: float
) -> list[Outcome]:
    """Vectors or a failure for every text, in order; never raises ProviderError.

    A batch that is refused for its input, or answered with bad vectors, is halved until the bad text stands alone.
    Any other failure (busy, down, no quota) ends the run: texts not asked about yet fail with it, to be tried later.
    """
    outcomes: dict[int, Outcome] = {}
    waiting = plan_batches(texts, provider.max_batch_items)[::-1]
    alone: list[int] = []  # texts that failed by themselves
    while waiting:
        batch = waiting.pop()
        try:
            vectors = embed_texts(provider, [texts[position] for position in batch], input_type, timeout_s)
        except ProviderError as error:
            failure = EmbeddingFailure(str(error), error.final, error.retry_after_s)
            if not _is_about_the_input(error):
                return _fill(outcomes, len(texts), failure)
            if len(batch) > 1:
                waiting += [batch[len(batch) // 2 :], batch[: len(batch) // 2]]
                continue
            outcomes[batch.start] = failure
            alone.append(batch.start)
            if len(outcomes) == len(alone) >= REFUSALS_BEFORE_GIVING_UP and waiting:
                return _fill({}, len(texts), EmbeddingFailure(str(error), False, error.retry_after_s))
        else:
            outcomes.update(zip(batch, vectors, strict=True))
    return [outcomes[position] for position in range(len(texts))]


def _is_about_the_input(error: ProviderError) -> bool:
    return error.final or isinstance(error, BadVectors)


def _fill(outcomes: dict[int, Outcome], count: int, failure: EmbeddingFailure) -> list[Outcome]:
    return [outcomes.get(position, failure) for position in range(count)]
