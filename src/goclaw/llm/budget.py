"""Budget: how many tokens this process may spend in a day, counted by days of UTC."""

import threading

from goclaw.llm.provider import Usage
from goclaw.model.clock import DAY, SECOND, Clock
from goclaw.model.errors import ModelBudgetSpent


class TokenBudget:
    """Shared by all models of a process. The call that crosses the limit is finished, the next one is not begun."""

    def __init__(self, clock: Clock, max_tokens_per_day: int) -> None:
        """``max_tokens_per_day`` 0 = no limit."""
        self._clock, self._limit = clock, max_tokens_per_day
        self._lock = threading.Lock()
        self._day = 0
        self._spent = 0

    @property
    def spent_today(self) -> int:
        """Tokens since midnight UTC."""
        with self._lock:
            self._turn_page()
            return self._spent

    def check(self) -> None:
        """Raises ModelBudgetSpent, with the seconds to midnight, where the day's tokens are used up."""
        if self._limit and self.spent_today >= self._limit:
            left_s = (DAY - self._clock.now() % DAY) / SECOND
            raise ModelBudgetSpent(
                "The tokens of the day are used up.",
                "They are counted anew at midnight UTC; ai.model.max_tokens_per_day is the limit.",
                retry_after_s=left_s,
            )

    def spend(self, usage: Usage) -> None:
        """Count what a call used up."""
        with self._lock:
            self._turn_page()
            self._spent += usage.total_tokens

    def _turn_page(self) -> None:
        today = self._clock.now() // DAY
        if today > self._day:  # a clock that was set back gives nobody a second budget
            self._day, self._spent = today, 0
