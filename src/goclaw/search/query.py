"""Query: a question as search takes it: its terms, its vector, the moment, and which rows stay out of the answer."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goclaw.text.terms import QueryTerms, query_terms


@dataclass(frozen=True, slots=True)
class Query:
    """One question; ``withheld_bits`` are the policy bits (model/use_policy.py) of rows that are not shown."""

    terms: QueryTerms
    vector: NDArray[np.float32] | None  # of length 1; None: keywords only
    now: int  # microseconds since 1970
    withheld_bits: int

    @classmethod
    def of(cls, text: str, *, vector: NDArray[np.float32] | None, now: int, withheld_bits: int) -> "Query":
        """Any text is a question: nothing in it is an operator, and only its first 2,000 characters count."""
        return cls(query_terms(text), _unit(vector), now, withheld_bits)


def _unit(vector: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    """The vector at length 1; None where it has no direction."""
    if vector is None:
        return None
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length, np.float32) if np.isfinite(length) and length > 0 else None
