"""Forget a conversation: its turns, its archives, its summary and the record made of that. What was learned stays.

By the person it was held with, or by an administrator who is in the room. The words go from the rows, the files and, by
a truncating checkpoint, from the pages of the store; the receipt names the backups that still hold them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from goclaw.governance.audit import EventType, event
from goclaw.ingest.write import Writer
from goclaw.lifecycle.forget import Forgetter
from goclaw.model.clock import from_us
from goclaw.model.errors import AccessDenied, NotFound
from goclaw.model.home import homes_of
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.scope import Scope
from goclaw.model.session import ConversationReceipt, Session, person_home
from goclaw.storage import audit_log, jobs, memories, namespaces, session_archives, session_turns, sessions
from goclaw.storage.database import Unit
from goclaw.storage.memories import RecordFilter
from goclaw.workspace.archive import delete_archive
from goclaw.workspace.folder import WorkspaceFolder


@dataclass(frozen=True, slots=True)
class ConversationForgetter:
    """Erases conversations for those whose they are."""

    writer: Writer
    forgetter: Forgetter
    folder_of: Callable[[str, "str | None"], WorkspaceFolder]

    def forget(self, principal: Principal, session_id: str) -> ConversationReceipt:
        """Erase the conversation of that name. Raises NotFound, and AccessDenied where it is not the principal's."""
        database = self.writer.database
        with database.read() as reader:
            session = sessions.find(reader, principal.workspace_id, homes_of(principal), session_id)
            if session is None:
                raise NotFound("There is no such conversation.", "Use a session_id of the list of conversations.")
            archives = session_archives.of_session(reader, session.key)
        _require_right(principal, session)
        records = [self.forgetter.forget(principal, record) for record in self._summaries(principal, session)]
        folder = self.folder_of(session.workspace_id, session.agent_id)
        for archive in archives:
            delete_archive(folder, archive.file)
        now = self.writer.clock.now()
        turns = database.write(lambda unit: self._erase(unit, principal, session, now))
        database.checkpoint()
        return ConversationReceipt(
            session_id=session_id,
            forgotten_at=from_us(now),
            turns=turns,
            archives=len(archives),
            records=tuple(receipt.memory_id for receipt in records),
            kept_in=self.forgetter.older_backups(),
        )

    def _summaries(self, principal: Principal, session: Session) -> list[MemoryRecord]:
        person = session.sole_person
        if person is None or person != principal.person_id:
            return []
        place = Namespace(session.workspace_id, Scope.PERSONAL, owner_user_id=person)
        with self.writer.database.read() as reader:
            state = namespaces.find(reader, place)
            if state is None:
                return []
            return memories.page(
                reader, [state.id], filters=RecordFilter(external_ref=f"session:{session.key}"), limit=9
            )

    def _erase(self, unit: Unit, principal: Principal, session: Session, now: int) -> int:
        turns = session_turns.delete(unit, session.key)
        session_archives.delete(unit, session.key)
        sessions.delete(unit, session.key)
        jobs.delete_of_key(unit, session.workspace_id, session.key)
        detail = {"what": "conversation", "turns": turns}
        audit_log.append(unit, event(principal, EventType.MEMORY_FORGOTTEN, now, detail=detail))
        return turns


def _require_right(principal: Principal, session: Session) -> None:
    is_own = principal.person_id is not None and session.home == person_home(principal.person_id)
    if not principal.is_own_hand or not (is_own or principal.is_admin):
        raise AccessDenied(
            "A conversation is forgotten by the person it was held with, or by an administrator in its room.",
            "By own hand, not through an agent.",
        )
