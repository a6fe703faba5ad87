"""Forget words: what a forgotten record was learned from: turns, archives, summaries (engine.md 1 p).

Where a record was learned is written in its metadata by goclaw alone, so nobody can blank a conversation by pointing a
record of theirs at it. Files are changed first: an archive without the words of a record that is still there harms
nobody, the other way round would keep them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from goclaw.model.record import MemoryRecord
from goclaw.model.session import LEARNED_FROM, Session
from goclaw.storage import session_archives, session_turns, sessions
from goclaw.storage.database import Database, Reader, Unit
from goclaw.workspace.archive import forget_turns
from goclaw.workspace.folder import WorkspaceFolder

SUMMARY_GONE = "A summary stood here; something in it was forgotten."
FolderOf = Callable[[str, "str | None"], WorkspaceFolder]


@dataclass(frozen=True, slots=True)
class WordEraser:
    """Takes words out of conversations."""

    database: Database
    folder_of: FolderOf

    def erase_files(self, record: MemoryRecord) -> int:
        """Take the turns a record was learned from out of their archives; how many archived turns were changed."""
        changed = 0
        with self.database.read() as reader:
            for session, turns in _places(reader, record):
                folder = self.folder_of(session.workspace_id, session.agent_id)
                for archive in session_archives.of_session(reader, session.key):
                    inside = [number for number in turns if archive.from_turn <= number <= archive.to_turn]
                    if inside:
                        changed += forget_turns(folder, archive.file, inside)
        return changed

    def erase_rows(self, unit: Unit, record: MemoryRecord) -> dict[str, int]:
        """Blank the turns, and the summaries that were made of them; table to rows."""
        counts = {"session_turns": 0, "session_summaries": 0}
        for session, turns in _places(unit, record):
            counts["session_turns"] += sum(session_turns.blank(unit, session.key, number) for number in turns)
            is_summary = not turns
            if is_summary or any(number < session.first_kept for number in turns):
                counts["session_summaries"] += _drop_summaries(unit, session)
        return {table: rows for table, rows in counts.items() if rows}


def _places(reader: Reader, record: MemoryRecord) -> Iterable[tuple[Session, list[int]]]:
    for place in record.metadata.get(LEARNED_FROM, ()):
        if not isinstance(place, Mapping):
            continue
        session = sessions.get(reader, str(place.get("session")))
        if session is not None and session.workspace_id == record.workspace_id:
            yield session, [int(number) for number in place.get("turns", ())]


def _drop_summaries(unit: Unit, session: Session) -> int:
    """Every summary of the conversation, since each stands on the one before; a later trimming makes a new one."""
    dropped = 0
    for archive in session_archives.of_session(unit, session.key):
        session_archives.put(unit, session_archives.without_summary(archive, SUMMARY_GONE))
        dropped += 1
    if session.summary is not None:
        sessions.set_summary(unit, session.key, session.first_kept, SUMMARY_GONE)
    return dropped
