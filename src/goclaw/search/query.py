"""Query: a question as search takes it: its terms, its vectors, the moment, and which rows stay out of the answer."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goclaw.embedding.token_vectors import TextVectors, unpack_tokens
from goclaw.text.question import Question, read_question
from goclaw.text.terms import MAX_QUERY_CHARS, QueryTerms, query_terms


@dataclass(frozen=True, slots=True)
class Query:
    """One question; ``withheld_bits`` are the policy bits (model/use_policy.py) of rows that are not shown."""

    terms: QueryTerms
    asks: Question  # what kind of answer is wanted
    vector: NDArray[np.float32] | None  # of length 1; None: keywords only
    words: NDArray[np.int8] | None  # a vector for each telling word; None where the model has none
    now: int  # microseconds since 1970
    withheld_bits: int

    @classmethod
    def of(cls, text: str, *, vectors: TextVectors | None, now: int, withheld_bits: int) -> "Query":
        """Any text is a question: nothing in it is an operator, and only its first 2,000 characters count."""
        terms = query_terms(text)
        vector = _unit(vectors.vector) if vectors else None
        words = unpack_tokens([vectors.tokens])[0] if vector is not None and vectors and vectors.tokens else None
        return cls(terms, read_question(text[:MAX_QUERY_CHARS], terms), vector, words, now, withheld_bits)


def _unit(vector: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    """The vector at length 1; None where it has no direction."""
    if vector is None:
        return None
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length, np.float32) if np.isfinite(length) and length > 0 else None
