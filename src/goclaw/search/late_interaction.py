"""Late interaction: how well each word of a question is answered by the nearest word of a text (MaxSim)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.embedding.token_vectors import COSINE, unpack_tokens
from goclaw.search.int8_vectors import dots

Floats = NDArray[np.floating[Any]]


def nearest_words(
    question: NDArray[np.int8], texts: Mapping[int, bytes], count: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """For each word of the question and each of ``count`` texts the cosine of the nearest word (words x count).

    ``question`` is as unpacked (words x dims), ``texts`` are packed vectors by place. Texts without any score 0; the
    second array tells which have some.
    """
    found = np.zeros((len(question), count), np.float32)
    known = np.zeros(count, np.bool_)
    places = np.fromiter(texts, np.intp, len(texts))
    words, lengths = unpack_tokens(list(texts.values()))
    places, lengths = places[lengths > 0], lengths[lengths > 0]
    if not len(places) or words.shape[1] != question.shape[1]:
        return found, known
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    found[:, places] = np.maximum.reduceat(dots(question, words), starts, axis=1) * COSINE
    known[places] = True
    return found, known
