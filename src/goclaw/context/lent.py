"""Lent: what the host application knows and memory does not: its systems, its message hooks, its queries.

Sections 8, 16 and 17 are the host's. It registers functions; each is asked when a context is put together, and one that
fails is left out and named in the report, because a context without it is better than no answer.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goclaw.context.line import one_line
from goclaw.context.section import Entry, Name, Section
from goclaw.model.principal import Principal
from goclaw.settings.log import log_for

log = log_for(__name__)

MAX_ENTRIES = 50
MAX_ENTRY_CHARS = 2_000
LENT = (Name.SYSTEMS, Name.HOOKS, Name.QUERIES)


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a lender is told."""

    principal: Principal
    session_id: str
    message: str  # empty for what holds for the whole conversation


Lender = Callable[[Occasion], Sequence[str]]


class LentSections:
    """The host's functions. ``systems`` must answer the same for the whole conversation: it is cached with it."""

    def __init__(self) -> None:
        self._lenders: dict[Name, list[Lender]] = {name: [] for name in LENT}
        self._lock = threading.Lock()

    def lend_systems(self, lender: Lender) -> None:
        """Lines about configured datasources, repositories, observability and MCP servers (section 8)."""
        self._add(Name.SYSTEMS, lender)

    def lend_message_context(self, lender: Lender) -> None:
        """What a message hook fetched for this message (section 16)."""
        self._add(Name.HOOKS, lender)

    def lend_queries(self, lender: Lender) -> None:
        """Queries that ran without error earlier in the conversation (section 17)."""
        self._add(Name.QUERIES, lender)

    def section(self, name: Name, occasion: Occasion) -> Section:
        """What the host lends for a section now."""
        with self._lock:
            lenders = tuple(self._lenders[name])
        lines: list[str] = []
        failed = 0
        for lender in lenders:
            try:
                lines += [one_line(text)[:MAX_ENTRY_CHARS] for text in lender(occasion) if text.strip()]
            except Exception as error:  # the host's code: whatever it raises, the turn goes on
                failed += 1
                log.warning("lender_failed", section=name, error=type(error).__name__)
        entries = tuple(Entry(f"- {line}") for line in lines[:MAX_ENTRIES])
        why = f"{failed} of {len(lenders)} lenders failed" if failed else ""
        return Section(name, entries, why=why, left_out=max(len(lines) - MAX_ENTRIES, 0))

    def _add(self, name: Name, lender: Lender) -> None:
        with self._lock:
            self._lenders[name].append(lender)
