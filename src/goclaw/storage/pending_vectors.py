"""Pending vectors: the list of chunks that wait for their vector, and of those a model service will never take."""

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, func, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import PENDING_VECTORS
from goclaw.storage.statement import InsertOrKeep, Statement

_P = PENDING_VECTORS.c

_ADD = Statement(InsertOrKeep(PENDING_VECTORS))
_FIRST = Statement(select(_P.slot).where(_P.refused_because.is_(None)).order_by(_P.slot).limit(bindparam("at_most")))
_REMOVE = Statement(PENDING_VECTORS.delete().where(_P.slot == bindparam("which")))
_REFUSE = Statement(
    PENDING_VECTORS.update().where(_P.slot == bindparam("which")).values(refused_because=bindparam("why")),
    *("why", "which"),
)
_COUNT = Statement(select(func.count()).where(_P.refused_because.is_(None)))
_COUNT_REFUSED = Statement(select(func.count()).where(_P.refused_because.is_not(None)))


def add(unit: Unit, slots: Sequence[int]) -> None:
    """Put slots on the list; one that is there stays as it is."""
    unit.run_many(_ADD, [(slot, None) for slot in slots])


def first(reader: Reader, limit: int) -> list[int]:
    """The lowest waiting slots."""
    return [slot for (slot,) in reader.all(_FIRST, (limit,))]


def remove(unit: Unit, slots: Sequence[int]) -> None:
    """Cross slots off the list."""
    unit.run_many(_REMOVE, [(slot,) for slot in slots])


def note_refused(unit: Unit, refused: Mapping[int, str]) -> None:
    """Keep slots with the reason (without stored text) for which they will not be tried again."""
    unit.run_many(_REFUSE, [(why, slot) for slot, why in refused.items()])


def count(reader: Reader) -> int:
    """How many wait."""
    row = reader.one(_COUNT)
    return int(row[0]) if row else 0


def count_refused(reader: Reader) -> int:
    """How many will stay without a vector."""
    row = reader.one(_COUNT_REFUSED)
    return int(row[0]) if row else 0
