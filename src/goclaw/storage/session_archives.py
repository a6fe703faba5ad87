"""Session archives: which turns of a conversation lie in which file, and the summary made when they were put there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import bindparam, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import SESSION_ARCHIVES
from goclaw.storage.statement import InsertOrReplace, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionArchive:
    """One trimming of a conversation."""

    session_key: str
    from_turn: int
    to_turn: int
    file: str  # its name in the agent's workspace folder
    body_sha256: str
    summary: str | None  # of everything said up to ``to_turn``
    needs_summary: bool  # the summary is a stub, because no model answered
    created_at: int  # microseconds since 1970


_A = SESSION_ARCHIVES.c
_PUT = Statement(InsertOrReplace(SESSION_ARCHIVES))
_OF_SESSION = Statement(
    select(SESSION_ARCHIVES).where(_A.session_key == bindparam("which")).order_by(_A.from_turn),
)
_DELETE = Statement(SESSION_ARCHIVES.delete().where(_A.session_key == bindparam("which")))


def put(unit: Unit, archive: SessionArchive) -> None:
    """Keep it, in place of an earlier row for the same first turn."""
    unit.run(
        _PUT,
        (
            archive.session_key,
            archive.from_turn,
            archive.to_turn,
            archive.file,
            archive.body_sha256,
            archive.summary,
            int(archive.needs_summary),
            archive.created_at,
        ),
    )


def without_summary(archive: SessionArchive, mark: str) -> SessionArchive:
    """The row with a mark in place of its summary, which waits to be made anew."""
    return replace(archive, summary=mark, needs_summary=True)


def of_session(reader: Reader, session_key: str) -> Sequence[SessionArchive]:
    """The archives of a conversation, oldest first."""
    return [
        SessionArchive(
            session_key=row[0],
            from_turn=row[1],
            to_turn=row[2],
            file=row[3],
            body_sha256=row[4],
            summary=row[5],
            needs_summary=bool(row[6]),
            created_at=row[7],
        )
        for row in reader.all(_OF_SESSION, (session_key,))
    ]


def delete(unit: Unit, session_key: str) -> None:
    """Forget the rows; the files are the caller's."""
    unit.run(_DELETE, (session_key,))
