"""Decay: the seed's floor, half lives, and what does not age."""

import numpy as np
import pytest

from goclaw.model.clock import DAY
from goclaw.search.decay import decay
from tests.unit.search.small_store import NOW


def weight(age_days: float, *, evergreen: bool = False, half_life_days: float = 30, floor: float = 0.4) -> float:
    made = decay(
        np.array([NOW - round(age_days * DAY)]),
        NOW,
        np.array([evergreen]),
        half_life_days=half_life_days,
        floor=floor,
    )
    return float(made[0])


@pytest.mark.parametrize(("age_days", "expected"), [(0, 1.0), (30, 0.7), (60, 0.55), (36_500, 0.4), (-5, 1.0)])
def test_half_of_what_is_above_the_floor_goes_each_half_life(age_days: float, expected: float) -> None:
    assert weight(age_days) == pytest.approx(expected)


def test_old_rows_keep_their_order() -> None:
    assert weight(100) > weight(101)


def test_evergreen_rows_and_a_half_life_of_zero_do_not_fade() -> None:
    assert weight(1000, evergreen=True) == 1
    assert weight(1000, half_life_days=0) == 1
