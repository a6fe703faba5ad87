"""Evidence check: does a row say anything about what was asked? (engine.md 2.5)

Ranking always puts something first. The check keeps a row only if its meaning is near enough for this model, or if at
least half of the question's terms stand in it.
"""

import numpy as np
from numpy.typing import NDArray


def has_evidence(
    matched: NDArray[np.int64], term_count: int, cosines: NDArray[np.float32] | None, floor: float | None
) -> NDArray[np.bool_]:
    """Per row: cosine at or above the floor, or half of the terms (rounded up) matched.

    Without a floor (None: the model has none) meaning alone never passes; a negative floor switches the check off.
    """
    if floor is not None and floor < 0:
        return np.ones(len(matched), np.bool_)
    passed: NDArray[np.bool_] = matched >= max((term_count + 1) // 2, 1)
    if floor is not None and cosines is not None:
        passed |= cosines >= floor
    return passed
