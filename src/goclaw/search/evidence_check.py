"""Evidence check: does a row say anything about what was asked? (engine.md 2.5)

Ranking always puts something first. The check keeps a row only if its meaning is near enough for this model, or if at
least half of the question's terms stand in it.
"""

import numpy as np
from numpy.typing import NDArray

LEAST = 0.5  # of a word; less says nothing, however short the question is
ROUNDING = 1e-9


def has_evidence(
    evidence: NDArray[np.float64], words: float, cosines: NDArray[np.float32] | None, floor: float | None
) -> NDArray[np.bool_]:
    """Per row: cosine at or above the floor, or at least half of the question's words (text/evidence.py) in it.

    Without a floor (None: the model has none) meaning alone never passes; a negative floor switches the check off.
    """
    if floor is not None and floor < 0:
        return np.ones(len(evidence), np.bool_)
    passed: NDArray[np.bool_] = evidence >= max(words / 2, LEAST) - ROUNDING
    if floor is not None and cosines is not None:
        passed |= cosines >= floor
    return passed
