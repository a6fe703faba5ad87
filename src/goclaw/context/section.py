"""The 17 sections of a context, in the seed's order: which part and group each stands in, and when it gives way.

``gives_way`` says in which order the sections of a part are shrunk, then dropped, where they exceed the budget; None:
never. Sections of the groups System and User, the time and what the host application lends do not count towards it:
the seed holds the memory groups to the budget.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from goclaw.model.hit import Hit
from goclaw.model.record import MemoryRecord

LEAST_TEXT_CHARS = 2_000  # a text that would be cut to less is dropped instead
HEAD_SHARE = 0.7  # of a shortened text, as of a long Memory.md: 14,000 of 20,000
CUT = "\n[... {left_out:,} characters are left out here ...]\n"


class Part(StrEnum):
    """Where a section stands: before the history, for the whole conversation, or after the person's message."""

    SESSION = "session"
    MESSAGE = "message"


class Group(StrEnum):
    """What a section speaks of."""

    MEMORY = "Memory"
    SYSTEM = "System"
    USER = "User"
    MESSAGE = "Message"


class Name(StrEnum):
    """The sections, as the report calls them."""

    CRITICAL = "critical_constraints"
    MEMORY_FILE = "memory_file"
    AGENT_CONFIG = "agent_configuration"
    NOTE_COUNT = "note_count"
    NOTES_ABOUT_USER = "notes_about_user"
    RECENT = "recent_memory"
    PREVIOUS = "previous_context"
    SYSTEMS = "systems"
    FILES = "memory_files"
    USER_FILE = "user_file"
    IDENTITY = "current_user"
    TIME = "current_time"
    NOTES = "matching_notes"
    LEARNED = "learned_knowledge"
    PERSONAL = "personal_memory"
    HOOKS = "message_hooks"
    QUERIES = "successful_queries"


@dataclass(frozen=True, slots=True)
class Place:
    """One row of the seed's list."""

    number: int
    name: Name
    part: Part
    group: Group
    heading: str
    gives_way: int | None = None  # 1 gives way first

    @property
    def counts(self) -> bool:
        """Whether its characters are held to the budget."""
        return self.group is Group.MEMORY or self.gives_way is not None


PLACES: dict[Name, Place] = {
    place.name: place
    for place in (
        Place(1, Name.CRITICAL, Part.SESSION, Group.MEMORY, "CRITICAL CONSTRAINTS"),
        Place(2, Name.MEMORY_FILE, Part.SESSION, Group.MEMORY, "MEMORY.MD", 5),
        Place(3, Name.AGENT_CONFIG, Part.SESSION, Group.MEMORY, "AGENT CONFIGURATION", 6),
        Place(4, Name.NOTE_COUNT, Part.SESSION, Group.MEMORY, "AGENT NOTES", 1),
        Place(5, Name.NOTES_ABOUT_USER, Part.SESSION, Group.MEMORY, "NOTES ABOUT THE CURRENT USER", 4),
        Place(6, Name.RECENT, Part.SESSION, Group.MEMORY, "RECENT MEMORY", 2),
        Place(7, Name.PREVIOUS, Part.SESSION, Group.MEMORY, "PREVIOUS CONTEXT", 3),
        Place(8, Name.SYSTEMS, Part.SESSION, Group.SYSTEM, "CONFIGURED SYSTEMS"),
        Place(9, Name.FILES, Part.SESSION, Group.SYSTEM, "MEMORY FILES"),
        Place(10, Name.USER_FILE, Part.SESSION, Group.USER, "USER.MD"),
        Place(11, Name.IDENTITY, Part.SESSION, Group.USER, "CURRENT USER"),
        Place(12, Name.TIME, Part.MESSAGE, Group.MESSAGE, "CURRENT TIME"),
        Place(13, Name.NOTES, Part.MESSAGE, Group.MESSAGE, "AGENT NOTES FOR THIS MESSAGE", 1),
        Place(14, Name.LEARNED, Part.MESSAGE, Group.MESSAGE, "LEARNED KNOWLEDGE", 3),
        Place(15, Name.PERSONAL, Part.MESSAGE, Group.MESSAGE, "PERSONAL MEMORY", 2),
        Place(16, Name.HOOKS, Part.MESSAGE, Group.MESSAGE, "FETCHED FOR THIS MESSAGE"),
        Place(17, Name.QUERIES, Part.MESSAGE, Group.MESSAGE, "QUERIES THAT RAN WITHOUT ERROR"),
    )
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing a section shows; a record, or a line of text."""

    text: str
    record: MemoryRecord | None = None
    hit: Hit | None = None  # where a search found it


@dataclass(frozen=True, slots=True)
class Section:
    """A section with what it shows; the first entries are the ones it keeps longest."""

    name: Name
    entries: tuple[Entry, ...] = ()
    notice: str = ""  # what the model should know about the entries
    why: str = ""  # it is empty, shrunk or dropped
    left_out: int = 0  # entries that found no place, whether by a cap or by the budget

    @property
    def place(self) -> Place:
        return PLACES[self.name]

    @property
    def text(self) -> str:
        """What the model reads; empty where there is nothing to show."""
        if not self.entries:
            return ""
        notice = f"{self.notice}\n" if self.notice else ""
        return f"## {self.place.heading}\n{notice}" + "\n".join(entry.text for entry in self.entries) + "\n"

    @property
    def chars(self) -> int:
        return len(self.text)

    def shrunk_by(self, excess: int) -> "Section":
        """The section at least ``excess`` characters shorter: without its last records, or cut; else empty."""
        if len(self.entries) == 1 and self.entries[0].record is None:
            return self._cut_by(excess)
        kept = list(self.entries)
        saved = 0
        while kept and saved < excess:
            saved += len(kept.pop().text) + 1
        gone = len(self.entries) - len(kept)
        return replace(self, entries=tuple(kept), left_out=self.left_out + gone)

    def _cut_by(self, excess: int) -> "Section":
        text = self.entries[0].text
        room = len(text) - excess - len(CUT) - 12
        if room < LEAST_TEXT_CHARS:
            return replace(self, entries=(), left_out=self.left_out + 1)
        return replace(self, entries=(Entry(shortened(text, int(room * HEAD_SHARE), room - int(room * HEAD_SHARE))),))


def shortened(text: str, head: int, tail: int) -> str:
    """The first ``head`` and the last ``tail`` characters, with a line between that says how many are missing."""
    left_out = len(text) - head - tail
    if left_out <= 0:
        return text
    return text[:head] + CUT.format(left_out=left_out) + (text[-tail:] if tail else "")


def text_of(sections: Sequence[Section]) -> str:
    """Sections as one text, each group under its name; empty ones leave no trace."""
    written: list[str] = []
    group = None
    for section in sections:
        if not section.entries:
            continue
        if section.place.group is not group:
            group = section.place.group
            written.append(f"# {group}\n")
        written.append(section.text)
    return "\n".join(written)
