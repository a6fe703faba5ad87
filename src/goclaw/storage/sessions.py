"""Sessions: conversations, found by their home and the name their users gave them. No read without the homes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, bindparam, or_, select

from goclaw.model.session import ChatKind, Session
from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import SESSIONS
from goclaw.storage.statement import InsertOrKeep, Statement, StatementFamily

_S = SESSIONS.c
_SHAPE = tuple(column for column in SESSIONS.columns if not column.name.startswith("lock_"))
_SESSIONS = select(*_SHAPE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What a turn changes in its session."""

    turns: int
    kept_chars: int
    participants: Sequence[str]
    is_unverified: bool
    updated_at: int


def _homes(size: int) -> list[object]:
    return [bindparam(f"home_{n}") for n in range(size)]


_INSERT = Statement(InsertOrKeep(SESSIONS))
_FIND = StatementFamily(
    lambda size: _SESSIONS.where(
        _S.workspace_id == bindparam("workspace"),
        _S.session_id == bindparam("name"),
        _S.home.in_(_homes(size)),
    )
)
_GET = Statement(_SESSIONS.where(_S.key == bindparam("which")))
_GET_LOCKED = Statement(_SESSIONS.where(_S.key == bindparam("which")).with_for_update())
_END_OF_TIME = 2**62
_PAGE = StatementFamily(
    lambda size: (
        _SESSIONS.where(
            _S.workspace_id == bindparam("workspace"),
            _S.home.in_(_homes(size)),
            or_(
                _S.updated_at < bindparam("moment"),
                and_(_S.updated_at == bindparam("same_moment"), _S.key < bindparam("last")),
            ),
        )
        .order_by(_S.updated_at.desc(), _S.key.desc())
        .limit(bindparam("at_most"))
    )
)
_GROW = Statement(
    SESSIONS.update()
    .where(_S.key == bindparam("which"))
    .values({name: bindparam(f"new_{name}") for name in Growth.__dataclass_fields__}),
    *(f"new_{name}" for name in Growth.__dataclass_fields__),
    "which",
)
_LOCK = Statement(
    SESSIONS.update()
    .where(
        _S.key == bindparam("which"),
        or_(_S.lock_until.is_(None), _S.lock_until < bindparam("now"), _S.lock_owner == bindparam("same_owner")),
    )
    .values(lock_owner=bindparam("owner"), lock_until=bindparam("until")),
    *("owner", "until", "which", "now", "same_owner"),
)
_UNLOCK = Statement(
    SESSIONS.update()
    .where(_S.key == bindparam("which"), _S.lock_owner == bindparam("owner"))
    .values(lock_owner=None, lock_until=None),
    *("which", "owner"),
)
_CUT = Statement(
    SESSIONS.update()
    .where(
        _S.key == bindparam("which"),
        _S.first_kept == bindparam("expected"),
        _S.lock_owner == bindparam("owner"),
    )
    .values(
        first_kept=bindparam("new_first"),
        summary=bindparam("new_summary"),
        kept_chars=_S.kept_chars - bindparam("cut_chars"),
    ),
    *("new_first", "new_summary", "cut_chars", "which", "expected", "owner"),
)
_SUMMARIZE = Statement(
    SESSIONS.update()
    .where(_S.key == bindparam("which"), _S.first_kept == bindparam("expected"))
    .values(summary=bindparam("new_summary")),
    *("new_summary", "which", "expected"),
)
_EXTRACTED = Statement(
    SESSIONS.update()
    .where(_S.key == bindparam("which"), _S.extracted_to < bindparam("at_least"))
    .values(extracted_to=bindparam("number")),
    *("number", "which", "at_least"),
)
_DELETE = Statement(SESSIONS.delete().where(_S.key == bindparam("which")))


def add(unit: Unit, session: Session) -> bool:
    """Keep a new conversation; False where its home has one of that name already."""
    row = (
        *(session.key, session.workspace_id, session.home, session.session_id, session.agent_id),
        *(session.chat_kind.value, session.run_kind, session.channel_kind, session.channel_id, session.thread_id),
        *(json.dumps(session.participants), int(session.is_unverified), session.turns, session.first_kept),
        *(
            session.kept_chars,
            session.extracted_to,
            session.summary,
            session.created_at,
            session.updated_at,
            None,
            None,
        ),
    )
    return unit.run(_INSERT, row) > 0


def find(reader: Reader, workspace_id: str, homes: Sequence[str], session_id: str) -> Session | None:
    """The conversation of that name in the first of the homes that has one, or None."""
    if not homes:
        return None
    rows = reader.all(_FIND.of(len(homes)), (workspace_id, session_id, *StatementFamily.padded(homes)))
    found = {session.home: session for session in map(_session, rows)}
    return next((found[home] for home in homes if home in found), None)


def get(reader: Reader, key: str) -> Session | None:
    """The conversation by its own key; for work that nobody reads."""
    row = reader.one(_GET, (key,))
    return None if row is None else _session(row)


def get_locked(unit: Unit, key: str) -> Session | None:
    """The conversation, held until the unit ends, so that turns get their numbers one after the other."""
    row = unit.one(_GET_LOCKED, (key,))
    return None if row is None else _session(row)


def page(
    reader: Reader, workspace_id: str, homes: Sequence[str], *, before: tuple[int, str] | None = None, limit: int
) -> list[Session]:
    """Conversations of these homes, last used first; ``before`` is (updated_at, key) of the last one before."""
    if not homes:
        return []
    moment, last = before or (_END_OF_TIME, "")
    params = (workspace_id, *StatementFamily.padded(homes), moment, moment, last, limit)
    return [_session(row) for row in reader.all(_PAGE.of(len(homes)), params)]


def grow(unit: Unit, key: str, growth: Growth) -> None:
    """Write down what new turns changed."""
    unit.run(
        _GROW,
        (
            growth.turns,
            growth.kept_chars,
            json.dumps(list(growth.participants)),
            int(growth.is_unverified),
            growth.updated_at,
            key,
        ),
    )


def lock(unit: Unit, key: str, owner: str, now: int, until: int) -> bool:
    """Take the lock for trimming, or hold it longer; False while somebody else has it (times in microseconds)."""
    return unit.run(_LOCK, (owner, until, key, now, owner)) > 0


def unlock(unit: Unit, key: str, owner: str) -> None:
    """Let go of the lock, if it is still the owner's."""
    unit.run(_UNLOCK, (key, owner))


def cut(unit: Unit, session: Session, owner: str, *, first_kept: int, cut_chars: int, summary: str) -> bool:
    """Move the pointer, if the lock is held and nobody moved it since ``session`` was read."""
    params = (first_kept, summary, cut_chars, session.key, session.first_kept, owner)
    return unit.run(_CUT, params) > 0


def set_summary(unit: Unit, key: str, first_kept: int, summary: str) -> bool:
    """Replace the summary of what stands before ``first_kept``; False where the pointer has moved on."""
    return unit.run(_SUMMARIZE, (summary, key, first_kept)) > 0


def note_extracted(unit: Unit, key: str, number: int) -> None:
    """Facts were looked for up to this turn."""
    unit.run(_EXTRACTED, (number, key, number))


def delete(unit: Unit, key: str) -> bool:
    """Delete the conversation; its turns and archives are the caller's."""
    return unit.run(_DELETE, (key,)) > 0


def _session(row: Row) -> Session:
    values = dict(zip([column.name for column in _SHAPE], row, strict=True))
    values["chat_kind"] = ChatKind(values["chat_kind"])
    values["participants"] = tuple(json.loads(values["participants"]))
    values["is_unverified"] = bool(values["is_unverified"])
    return Session(**values)
