"""Usage: calls and tokens of this process, by what they were for and by model."""

import threading
from dataclasses import dataclass

from goclaw.llm.provider import Usage


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """What one model was used for one purpose."""

    purpose: str  # chat, background
    model: str
    calls: int  # requests that reached the service, failed ones too
    failures: int
    usage: Usage


class ModelUsage:
    """Counts; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._figures: dict[tuple[str, str], ModelFigures] = {}

    def count_reply(self, purpose: str, model: str, usage: Usage) -> None:
        """Count one call that was answered."""
        self._add(purpose, model, 0, usage)

    def count_failure(self, purpose: str, model: str, usage: Usage) -> None:
        """Count one call that failed or was broken off, and what it used up nevertheless."""
        self._add(purpose, model, 1, usage)

    def figures(self) -> tuple[ModelFigures, ...]:
        """All figures since the start, in the order of first use."""
        with self._lock:
            return tuple(self._figures.values())

    def _add(self, purpose: str, model: str, failures: int, usage: Usage) -> None:
        with self._lock:
            old = self._figures.get((purpose, model)) or ModelFigures(purpose, model, 0, 0, Usage())
            self._figures[purpose, model] = ModelFigures(
                purpose, model, old.calls + 1, old.failures + failures, old.usage + usage
            )
