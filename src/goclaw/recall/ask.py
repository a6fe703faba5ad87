"""Ask: what a caller wants found, and what it is willing to see (the table of governance.md 6)."""

from dataclasses import dataclass
from enum import StrEnum

from goclaw.model.errors import InvalidInput
from goclaw.model.storable import require_storable
from goclaw.model.use_policy import (
    DISPUTED_BIT,
    HISTORY_BIT,
    HOLDING_BITS,
    PENDING_BIT,
    STALE_BIT,
    UNVERIFIED_BIT,
)

MAX_LIMIT = 200


class Mode(StrEnum):
    """Recall may go into a prompt by itself; search was asked for by somebody who sees the marks."""

    AUTOMATIC = "automatic"
    EXPLICIT = "explicit"


# What is shown marked instead of withheld.
_SHOWN = {
    Mode.AUTOMATIC: 0,
    Mode.EXPLICIT: PENDING_BIT | STALE_BIT | DISPUTED_BIT | UNVERIFIED_BIT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question."""

    text: str
    mode: Mode
    limit: int | None = None  # 1-200; None: memory.search.max_results
    include_unconfirmed: bool = False  # automatic: also what waits for review
    include_stale: bool = False  # automatic: also what may be outdated
    include_history: bool = False  # explicit: also superseded and merged records, marked
    is_private: bool = False  # the question reaches no model outside this process

    def __post_init__(self) -> None:
        require_storable(self.text, "The question")  # its trace is kept: what leaves none is not answered
        for name in ("include_unconfirmed", "include_stale", "include_history"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidInput(f"{name} is neither true nor false.", "Use True or False.")
        if self.limit is None:
            return
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or not 1 <= self.limit <= MAX_LIMIT:
            raise InvalidInput("The limit is out of range.", f"Use a whole number from 1 to {MAX_LIMIT}.")

    @property
    def withheld_bits(self) -> int:
        """The policy bits that keep a row out of the answer."""
        shown = _SHOWN[self.mode]
        if self.mode is Mode.AUTOMATIC:
            shown |= PENDING_BIT if self.include_unconfirmed else 0
            shown |= STALE_BIT if self.include_stale else 0
        elif self.include_history:
            shown |= HISTORY_BIT
        return HOLDING_BITS & ~shown
