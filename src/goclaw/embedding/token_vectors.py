"""Token vectors: one short int8 vector for each word that says something, for texts short enough to be worth it.

A model that reads a text has a vector for each of its pieces before they become one. Kept apart, they tell which words
of a question a text answers (late interaction). 64 numbers of one byte a word: about a kilobyte a turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DIMS = 64
MOST_TOKENS = 64  # of a text; a longer one is told by its whole vector alone
_SCALE = 254.0  # the numbers of a unit vector of 64 hardly ever exceed a half; those that do are cut

COSINE = np.float32(1 / _SCALE**2)

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TextVectors:
    """What a model gives for one text."""

    vector: Floats  # of the whole text, of length 1
    tokens: bytes | None = None  # packed; None where the model gives none, or the text is too long


def pack_tokens(hidden: Floats, projection: Floats) -> bytes:
    """Vectors of a text's words (words x model dims) as stored: projected to DIMS, of length 1, int8."""
    short = hidden @ projection
    short /= np.maximum(np.linalg.norm(short, axis=1, keepdims=True), 1e-9)
    codes: NDArray[np.int8] = np.clip(np.rint(short * _SCALE), -127, 127).astype(np.int8)
    return codes.tobytes()


def unpack_tokens(packed: Sequence[bytes]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """All vectors of several texts below each other, and how many each text has; broken ones have fewer.

    A dot product of two of them, times :data:`COSINE`, is their cosine.
    """
    counts = np.array([len(one) // DIMS for one in packed], np.int64)
    whole = b"".join(one[: count * DIMS] for one, count in zip(packed, counts.tolist(), strict=True))
    return np.frombuffer(whole, np.int8).reshape(-1, DIMS), counts
