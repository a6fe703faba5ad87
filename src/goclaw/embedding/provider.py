"""What every embedding provider is and promises; vectors, identity and the errors they share.

A vector is a float32 array of length 1 (L2), so that a dot product is a cosine. Vectors of different identities must
never be compared (engine.md 2.8, index identity).
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.errors import ProviderError

Vectors = NDArray[np.float32]  # shape (texts, dims), rows of length 1
Vector = NDArray[np.float32]  # shape (dims,), length 1
InputType = Literal["document", "query"]


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """Which numbers these are: vectors with another identity mean something else."""

    provider: str  # local, hashing, openai, gemini, openai_compatible
    model: str
    provider_key: str  # sha256 (hex) of provider, address and model; never of a credential
    dims: int  # 0 where only the service knows and has not answered yet

    def is_same_as(self, other: "EmbeddingIdentity") -> bool:
        """Whether vectors of both may be compared; dimensions count once both know them."""
        mine, theirs = (self.provider, self.model, self.provider_key), (other.provider, other.model, other.provider_key)
        return mine == theirs and (self.dims == other.dims or 0 in (self.dims, other.dims))


class EmbeddingProvider(Protocol):
    """Turns texts into vectors. Safe to use from several threads."""

    @property
    def identity(self) -> EmbeddingIdentity:
        """Which numbers :meth:`embed` gives."""
        ...

    @property
    def min_similarity_floor(self) -> float | None:
        """Cosine above which a text of this model counts as evidence; None where nobody has measured it."""
        ...

    @property
    def max_batch_items(self) -> int:
        """Most texts of one call."""
        ...

    def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
        """One row per text, in the order of the texts.

        ``timeout_s`` is the longest wait for a service; a model in this process simply runs. Raises ProviderError:
        ``final`` where this input can never succeed, ``retry_after_s`` where the service asked for a pause.
        """
        ...

    def close(self) -> None:
        """Give back connections; the provider cannot be used afterwards."""
        ...


@runtime_checkable
class WordProvider(EmbeddingProvider, Protocol):
    """A provider whose model runs in this process, so that its words can be had one by one."""

    def embed_words(self, texts: Sequence[str]) -> Sequence[TextVectors]:
        """One for each text, with the vectors of its words where it is short; the same numbers as :meth:`embed`."""
        ...


def embed_texts(
    provider: EmbeddingProvider, texts: Sequence[str], input_type: InputType, timeout_s: float
) -> Sequence[TextVectors]:
    """All that the provider can say of each text, in order. Raises ProviderError."""
    if isinstance(provider, WordProvider):
        return provider.embed_words(texts)
    return [TextVectors(vector) for vector in provider.embed(texts, input_type, timeout_s)]


class BadVectors(ProviderError):
    """The service answered with something that is not a vector; another try may do better."""

    code = "bad_vectors"


def make_provider_key(provider: str, model: str, *details: str) -> str:
    """The sha256 that stands for provider, model and what else shapes the numbers (address, weights)."""
    return hashlib.sha256(json.dumps([provider, model, *details]).encode()).hexdigest()


def check_vectors(rows: Sequence[Any], dims: int) -> Vectors:
    """Rows from outside as unit vectors; ``dims`` 0 takes the length of the first.

    Raises BadVectors for anything else: no numbers, other lengths, NaN, infinity, or nothing but zeros (R027).
    """
    arrays = [_read_row(row) for row in rows]
    expected = dims or (len(arrays[0]) if arrays else 0)
    if expected == 0 and arrays:
        raise BadVectors("The embedding service sent an empty vector.")
    for array in arrays:
        if len(array) != expected:
            raise BadVectors(f"The embedding service sent {len(array)} numbers where {expected} were expected.")
    vectors = np.array(arrays, dtype=np.float64).reshape(len(arrays), expected)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or np.any(lengths == 0):
        raise BadVectors("The embedding service sent a vector of zeros, or with numbers that are none.")
    unit: Vectors = (vectors / lengths).astype(np.float32)
    return unit


def _read_row(row: Any) -> list[float]:
    if isinstance(row, list) and all(isinstance(each, int | float) and not isinstance(each, bool) for each in row):
        return row
    raise BadVectors("The embedding service sent something that is not a list of numbers.")
