"""Unchanged: what was computed over whole namespaces, kept as long as nothing in them changed.

Every namespace counts its new and its changed rows, so equal counters mean equal rows, in every process.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from goclaw.model.namespace import NamespaceState

Value = TypeVar("Value")
MOST_KEPT = 256


class Unchanged:
    """Answers by the counters of the namespaces they were computed over; the least used go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, what: str, states: Sequence[NamespaceState], compute: Callable[[], Value]) -> Value:
        """The answer for these namespaces as they are now; ``compute`` must depend on their rows alone."""
        key = (what, *sorted((state.id, state.last_slot, state.changes) for state in states))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                found: Value = self._kept[key]
                return found
        value = compute()
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return value
