"""Pending vectors: chunks that still need a vector, and those whose text the service refused for good."""

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, delete, func, select, update

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import PENDING_VECTORS
from goclaw.storage.statement import InsertOrKeep, Statement, StatementFamily, in_portions

_P = PENDING_VECTORS.c
_WAITS = _P.refused_because.is_(None)

_ADD = Statement(InsertOrKeep(PENDING_VECTORS))
_FIRST = Statement(select(_P.slot).where(_WAITS).order_by(_P.slot).limit(bindparam("at_most")))
_REMOVE = StatementFamily(
    lambda size: delete(PENDING_VECTORS).where(_P.slot.in_([bindparam(f"slot_{n}") for n in range(size)]))
)
_REFUSE = Statement(
    update(PENDING_VECTORS).where(_P.slot == bindparam("which")).values(refused_because=bindparam("reason")),
    *("which", "reason"),
)
_COUNT = Statement(select(func.count()).select_from(PENDING_VECTORS).where(_WAITS))
_COUNT_REFUSED = Statement(select(func.count()).select_from(PENDING_VECTORS).where(~_WAITS))


def add(unit: Unit, slots: Sequence[int]) -> None:
    """Put slots on the list; those that stand on it already stay as they are."""
    unit.run_many(_ADD, [(slot, None) for slot in slots])


def first(reader: Reader, limit: int) -> list[int]:
    """Up to ``limit`` slots that wait, ascending."""
    return [slot for (slot,) in reader.all(_FIRST, (limit,))]


def remove(unit: Unit, slots: Sequence[int]) -> None:
    """Cross slots off the list."""
    for portion in in_portions(slots):
        unit.run(_REMOVE.of(len(portion)), StatementFamily.padded(portion))


def note_refused(unit: Unit, reasons: Mapping[int, str]) -> None:
    """Slot to the reason why it will never have a vector; it stays on the list and is not tried again."""
    unit.run_many(_REFUSE, list(reasons.items()))


def count(reader: Reader) -> int:
    """How many chunks wait."""
    return _number(reader, _COUNT)


def count_refused(reader: Reader) -> int:
    """How many chunks were refused for good."""
    return _number(reader, _COUNT_REFUSED)


def _number(reader: Reader, statement: Statement) -> int:
    row = reader.one(statement)
    return int(row[0]) if row else 0
