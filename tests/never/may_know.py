"""Who may know what: the rules of access written down a second time, from the specification, to judge answers by.

Every text that goes in carries a word of its own (a marker). The ledger knows where each of them lives now, and says
which words and ids of an answer its asker may not know.
"""

import base64
import binascii
import re
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from goclaw import Principal

ORGANIZATION = "*"
HOME = "home"  # workspaces whose name begins so have the managed channel; elsewhere a channel of its name is open
MANAGED_CHANNEL, OPEN_CHANNEL = "vault", "lounge"
_MARKER = re.compile(r"zq\d+x")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_CURSOR = re.compile(r"next_cursor='([^']+)'")
_numbers = count(1)


@dataclass(frozen=True)
class Place:
    """Where a memory lives."""

    workspace: str
    owner: str | None = None
    project: str | None = None
    channel: str | None = None
    is_config: bool = False  # scope agent_config
    is_guideline: bool = False  # scope global


@dataclass
class Note:
    """A memory as the ledger knows it."""

    place: Place
    person: str | None  # for whom it was written
    text: str  # the marker of what it says now
    times_widened: int = 0
    is_forgotten: bool = False
    sources: set[str] = field(default_factory=set)  # markers of where it came from; they travel with a merge


def new_marker() -> str:
    return f"zq{next(_numbers)}x"


def may_know(asker: Principal, place: Place) -> bool:
    """governance.md 3 and engine.md 2.2, for reading by id and in lists."""
    if asker.user_id is None and asker.run_kind in ("person", "agent"):
        return False
    if place.workspace not in (ORGANIZATION, asker.workspace_id):
        return False
    if place.owner is not None:
        return asker.run_kind in ("person", "agent") and asker.user_id == place.owner
    if place.is_config:
        return asker.run_kind == "person" and "admin" in asker.roles
    if place.channel == MANAGED_CHANNEL and place.workspace.startswith(HOME):
        return MANAGED_CHANNEL in asker.channel_ids
    if place.channel is not None and place.project is None:
        return place.channel in asker.channel_ids
    return place.project is None or place.project in asker.project_ids


def is_reviewer(asker: Principal) -> bool:
    return asker.run_kind == "person" and bool({"admin", "reviewer"} & set(asker.roles))


class Ledger:
    """Everything that was said in one sequence, and to whom it belongs."""

    def __init__(self) -> None:
        self.notes: dict[str, Note] = {}
        self.homes: dict[str, list[tuple[str, int | None]]] = {}  # marker: (memory id, how often widened by then)
        self.questions: dict[str, tuple[Principal, bool]] = {}  # marker: who asked, privately?
        self.traces: dict[str, Principal] = {}  # request id: who asked
        self.links: dict[str, set[str]] = {}  # request id: memories written back because of it
        self.seen: dict[Principal, set[str]] = {}  # markers this asker was rightly shown
        self.places: set[Place] = set()  # where anything was ever written

    def stays_with(self, marker: str, memory_id: str) -> None:
        """The word is part of the memory, wherever it goes."""
        self.homes.setdefault(marker, []).append((memory_id, None))

    def was_said(self, marker: str, memory_id: str) -> None:
        """The word was said about the memory; those who see it only since it was widened are not told."""
        homes = [home for home in self.homes.get(marker, []) if home[0] != memory_id]
        self.homes[marker] = [*homes, (memory_id, self.notes[memory_id].times_widened)]

    def known(self, asker: Principal) -> list[str]:
        """Ids of the living memories this asker may know."""
        return [
            memory_id for memory_id, note in self.notes.items() if not note.is_forgotten and may_know(asker, note.place)
        ]

    def leaks(self, asker: Principal, answer: Any, given: str = "", *, is_own_trace: bool = False) -> list[str]:
        """Words and ids in the answer that are not the asker's to know; what they said themselves is no leak."""
        text = _all_of(answer)
        mine = set(_MARKER.findall(given)) | set(_ID.findall(given))
        foreign = [
            f"text {marker}"
            for marker in set(_MARKER.findall(text)) - mine
            if not self._may_read(asker, marker, is_own_trace=is_own_trace)
        ]
        foreign += [f"id {each}" for each in set(_ID.findall(text)) - mine if not self._may_name(asker, each)]
        if not foreign:
            self.seen.setdefault(asker, set()).update(_MARKER.findall(text))
        return foreign

    def _may_read(self, asker: Principal, marker: str, *, is_own_trace: bool) -> bool:
        if marker in self.questions:
            who, is_private = self.questions[marker]
            return who == asker or (not is_private and is_reviewer(asker) and who.workspace_id == asker.workspace_id)
        return any(
            may_know(asker, self.notes[memory_id].place)
            and not self.notes[memory_id].is_forgotten
            and (
                times_widened in (None, self.notes[memory_id].times_widened)
                or (is_own_trace and marker in self.seen.get(asker, ()))
            )
            for memory_id, times_widened in self.homes.get(marker, [])
        )

    def _may_name(self, asker: Principal, named: str) -> bool:
        if named in self.notes:
            return may_know(asker, self.notes[named].place)
        if named in self.traces:
            who = self.traces[named]
            is_supervisor = is_reviewer(asker) and who.workspace_id == asker.workspace_id
            # A memory says which recall it was written back after: that is part of where it comes from.
            told = any(may_know(asker, self.notes[each].place) for each in self.links.get(named, ()))
            return who == asker or is_supervisor or told
        return True  # of a review or an audit row; those have their own checks


def _all_of(answer: Any) -> str:
    """Everything an answer holds, cursors opened, and everything an error says."""
    text = repr((answer, str(answer), vars(answer)) if isinstance(answer, Exception) else answer)
    for cursor in _CURSOR.findall(text):
        try:
            text += base64.urlsafe_b64decode(cursor).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return text
