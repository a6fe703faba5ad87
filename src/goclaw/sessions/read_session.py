"""Read conversations: lists, one of them, its turns. Every read goes through the homes the principal may look into."""

from collections.abc import Sequence
from dataclasses import dataclass

from goclaw.model.errors import InvalidInput, NotFound
from goclaw.model.home import homes_of
from goclaw.model.principal import Principal
from goclaw.model.session import Session, SessionTurn
from goclaw.recall.cursor import MAX_PAGE, check_page_size, decode_cursor, encode_cursor
from goclaw.storage import session_archives, session_turns, sessions
from goclaw.storage.database import Database, Reader
from goclaw.storage.session_archives import SessionArchive


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Some conversations, last used first."""

    sessions: tuple[Session, ...]
    next_cursor: str | None  # None at the end


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation with all that was said in it, also what was trimmed."""

    session: Session
    turns: tuple[SessionTurn, ...]
    archives: tuple[SessionArchive, ...]


@dataclass(frozen=True, slots=True)
class SessionReader:
    """Shows people their conversations."""

    database: Database

    def page(self, principal: Principal, cursor: str | None = None, limit: int = 50) -> SessionPage:
        """Conversations the principal may see, ``limit`` (1-200) at a time; follow ``next_cursor``."""
        check_page_size(limit)
        before = None if cursor is None else decode_cursor(cursor)
        with self.database.read() as reader:
            found = sessions.page(reader, principal.workspace_id, homes_of(principal), before=before, limit=limit + 1)
        shown = found[:limit]
        last = encode_cursor(shown[-1].updated_at, shown[-1].key) if len(found) > limit else None
        return SessionPage(tuple(shown), last)

    def get(self, principal: Principal, session_id: str) -> Session:
        """The conversation of that name. Raises NotFound, also where the principal may not know of it."""
        with self.database.read() as reader:
            return require_session(reader, principal, session_id)

    def turns(
        self, principal: Principal, session_id: str, first: int = 1, limit: int = MAX_PAGE
    ) -> Sequence[SessionTurn]:
        """What was said from turn ``first`` on, at most ``limit`` turns. Raises NotFound."""
        check_page_size(limit)
        if isinstance(first, bool) or not isinstance(first, int) or not 1 <= first < 2**62:
            raise InvalidInput("The first turn has no such number.", "Turns are counted from 1.")
        with self.database.read() as reader:
            session = require_session(reader, principal, session_id)
            return session_turns.between(reader, session.key, first, limit=limit)

    def transcript(self, principal: Principal, session_id: str) -> Transcript:
        """All of it, with the list of its archives. Raises NotFound."""
        with self.database.read() as reader:
            session = require_session(reader, principal, session_id)
            turns = session_turns.between(reader, session.key)
            return Transcript(session, tuple(turns), tuple(session_archives.of_session(reader, session.key)))


def find_session(reader: Reader, principal: Principal, session_id: str) -> Session | None:
    """The conversation of that name, the principal's own before those of rooms; or None."""
    return sessions.find(reader, principal.workspace_id, homes_of(principal), session_id)


def require_session(reader: Reader, principal: Principal, session_id: str) -> Session:
    """As :func:`find_session`; raises NotFound where there is none the principal may know of."""
    session = find_session(reader, principal, session_id)
    if session is None:
        raise NotFound("There is no such conversation.", "Use a session_id of the list of conversations.")
    return session
