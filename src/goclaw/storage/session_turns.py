"""Session turns: what was said, in its order. Rows are added, and blanked when somebody wants their words forgotten."""

import json
from collections.abc import Sequence

from sqlalchemy import bindparam, select

from goclaw.model.session import SessionTurn, TurnRole, TurnToolCall
from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import SESSION_TURNS
from goclaw.storage.statement import Statement

FORGOTTEN = "[forgotten]"

_T = SESSION_TURNS.c
_INSERT = Statement(SESSION_TURNS.insert())
_BETWEEN = Statement(
    select(SESSION_TURNS)
    .where(
        _T.session_key == bindparam("which"),
        _T.number >= bindparam("first"),
        _T.number <= bindparam("last"),
    )
    .order_by(_T.number)
    .limit(bindparam("at_most")),
    *("which", "first", "last", "at_most"),
)
_OF_MESSAGE = Statement(
    select(SESSION_TURNS).where(_T.session_key == bindparam("which"), _T.message_id == bindparam("message")),
    *("which", "message"),
)
_BLANK = Statement(
    SESSION_TURNS.update()
    .where(_T.session_key == bindparam("which"), _T.number == bindparam("number"))
    .values(content=bindparam("new_content"), tool_calls=None),
    *("new_content", "which", "number"),
)
_DELETE = Statement(SESSION_TURNS.delete().where(_T.session_key == bindparam("which")))
_NO_END = 2**62


def add(unit: Unit, session_key: str, turns: Sequence[SessionTurn]) -> None:
    """Append turns; their numbers are given already."""
    unit.run_many(_INSERT, [_row(session_key, turn) for turn in turns])


def between(
    reader: Reader, session_key: str, first: int = 1, last: int | None = None, limit: int = _NO_END
) -> list[SessionTurn]:
    """The turns with these numbers, both ends included, oldest first, at most ``limit``."""
    rows = reader.all(_BETWEEN, (session_key, first, _NO_END if last is None else last, limit))
    return [_turn(row) for row in rows]


def of_message(reader: Reader, session_key: str, message_id: str) -> SessionTurn | None:
    """The turn that a message became, or None."""
    row = reader.one(_OF_MESSAGE, (session_key, message_id))
    return None if row is None else _turn(row)


def blank(unit: Unit, session_key: str, number: int) -> bool:
    """Put a mark in place of a turn's words; False where there is no such turn."""
    return unit.run(_BLANK, (FORGOTTEN, session_key, number)) > 0


def delete(unit: Unit, session_key: str) -> int:
    """Delete every turn of a conversation; how many there were."""
    return unit.run(_DELETE, (session_key,))


def _row(session_key: str, turn: SessionTurn) -> Row:
    calls = [{"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in turn.tool_calls]
    return (
        *(session_key, turn.number, turn.role.value, turn.speaker, turn.user_id, turn.content, turn.channel),
        *(json.dumps(calls, ensure_ascii=False) if calls else None, turn.tool_call_id, int(turn.is_tainted)),
        *(turn.recorded_by, turn.message_id, turn.created_at),
    )


def _turn(row: Row) -> SessionTurn:
    _, number, role, speaker, user_id, content, channel, calls, call_id, is_tainted, recorder, message_id, moment = row
    return SessionTurn(
        number=number,
        role=TurnRole(role),
        speaker=speaker,
        user_id=user_id,
        content=content,
        created_at=moment,
        channel=channel,
        tool_calls=tuple(TurnToolCall(**call) for call in json.loads(calls)) if calls else (),
        tool_call_id=call_id,
        is_tainted=bool(is_tainted),
        recorded_by=recorder,
        message_id=message_id,
    )
