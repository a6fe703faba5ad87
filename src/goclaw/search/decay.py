"""Decay: older rows weigh less, but never so little that a good old answer is lost (engine.md 2.4)."""

import numpy as np
from numpy.typing import NDArray

from goclaw.model.clock import DAY


def decay(
    updated_at: NDArray[np.int64], now: int, is_evergreen: NDArray[np.bool_], *, half_life_days: float, floor: float
) -> NDArray[np.float64]:
    """floor + (1 - floor) * 2^(-age / half life) per row; 1 for evergreen rows and where the half life is 0 (off).

    Times are microseconds since 1970. A row from the future (a clock stood wrong) is as new as one of now.
    """
    if half_life_days <= 0:
        return np.ones(len(updated_at))
    age_days = np.maximum(now - updated_at, 0) / DAY
    return np.where(is_evergreen, 1.0, floor + (1 - floor) * np.exp2(-age_days / half_life_days))
