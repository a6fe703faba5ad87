"""How many tokens a day has."""

import pytest

from goclaw.llm.budget import TokenBudget
from goclaw.llm.provider import Usage
from goclaw.model.clock import DAY, HOUR, ManualClock
from goclaw.model.errors import ModelBudgetSpent

MORNING = 20_000 * DAY + 6 * HOUR


def test_what_is_spent_is_refused_until_midnight_utc() -> None:
    clock = ManualClock(MORNING)
    budget = TokenBudget(clock, 100)
    budget.spend(Usage(60, 39, cached_tokens=50))
    budget.check()
    budget.spend(Usage(0, 30))  # the call that crosses the limit was begun below it
    with pytest.raises(ModelBudgetSpent, match="max_tokens_per_day") as caught:
        budget.check()
    assert caught.value.retry_after_s == 18 * 3600
    clock.advance(hours=18)
    budget.check()
    assert budget.spent_today == 0


def test_no_limit_still_counts() -> None:
    budget = TokenBudget(ManualClock(MORNING), 0)
    budget.spend(Usage(10**9, 1))
    budget.check()
    assert budget.spent_today == 10**9 + 1


def test_a_clock_that_is_set_back_gives_no_second_budget() -> None:
    clock = ManualClock(MORNING)
    budget = TokenBudget(clock, 10)
    budget.spend(Usage(10, 0))
    clock.advance(days=-2)
    with pytest.raises(ModelBudgetSpent):
        budget.check()
