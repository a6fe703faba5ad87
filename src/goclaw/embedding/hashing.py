"""Embeds by hashing words and pieces of words: no model, no meaning, always the same; for tests and demonstrations.

Texts that share words or pieces of words are near each other, others are nearly orthogonal.
"""

import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from goclaw.embedding.provider import EmbeddingIdentity, InputType, Vectors, make_provider_key

PROVIDER = "hashing"
MODEL = "words-and-trigrams"
DIMS = 256
WORD = re.compile(r"\w+")
WORD_WEIGHT = 1.0
PIECE_WEIGHT = 0.3  # pieces of three characters, so that "deploy" is near "deploys"


class HashingProvider:
    """Another ``model`` name or another ``dims`` gives other, incomparable numbers, as with real models."""

    min_similarity_floor: float | None = None
    max_batch_items = 2048

    def __init__(self, model: str = MODEL, dims: int = DIMS) -> None:
        self.identity = EmbeddingIdentity(PROVIDER, model, make_provider_key(PROVIDER, model), dims)

    def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
        """As the protocol says; a text without any word gets a fixed direction of its own."""
        vectors = np.zeros((len(texts), self.identity.dims), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature, weight in _features(text):
                number = zlib.crc32(f"{self.identity.model}\0{feature}".encode())
                row[(number >> 1) % len(row)] += weight if number & 1 else -weight
            if not row.any():  # no feature, or all cancelled out
                row[zlib.crc32(text.encode("utf-8", "replace")) % len(row)] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def close(self) -> None:
        """Nothing to give back."""


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in WORD.findall(text.lower()):
        yield word, WORD_WEIGHT
        edged = f"<{word}>"
        for start in range(len(edged) - 2):
            yield edged[start : start + 3], PIECE_WEIGHT
