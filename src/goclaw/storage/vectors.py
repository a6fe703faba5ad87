"""Vectors: one row for each chunk and embedding model, float32 bytes, found by slot."""

from collections.abc import Mapping, Sequence

from sqlalchemy import and_, bindparam, func, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import CHUNK_VECTORS, MEMORY_CHUNKS
from goclaw.storage.statement import InsertOrReplace, Statement, StatementFamily, in_portions

_V = CHUNK_VECTORS.c
_C = MEMORY_CHUNKS.c

_PUT = Statement(InsertOrReplace(CHUNK_VECTORS))
_BETWEEN = Statement(
    select(_V.slot, _V.vec)
    .where(_V.slot >= bindparam("first"), _V.slot <= bindparam("last"), _V.model_no == bindparam("model"))
    .order_by(_V.slot),
    *("model", "first", "last"),
)
_AT = StatementFamily(
    lambda size: select(_V.slot, _V.vec).where(
        _V.slot.in_([bindparam(f"slot_{n}") for n in range(size)]), _V.model_no == bindparam("model")
    )
)
_MISSING = Statement(
    select(_C.slot)
    .outerjoin(CHUNK_VECTORS, and_(_V.slot == _C.slot, _V.model_no == bindparam("model")))
    .where(_C.slot > bindparam("after"), _V.slot.is_(None))
    .order_by(_C.slot)
    .limit(bindparam("at_most")),
    *("model", "after", "at_most"),
)
_COUNT = Statement(select(func.count()).select_from(CHUNK_VECTORS).where(_V.model_no == bindparam("model")))
_COPY = Statement(
    CHUNK_VECTORS.insert().from_select(
        ["slot", "model_no", "vec"],
        select(bindparam("new_slot", type_=_V.slot.type), _V.model_no, _V.vec).where(_V.slot == bindparam("old_slot")),
    )
)
_DELETE_SLOT = Statement(CHUNK_VECTORS.delete().where(_V.slot == bindparam("which")))
_DROP_MODEL = Statement(CHUNK_VECTORS.delete().where(_V.model_no == bindparam("model")))


def put(unit: Unit, model_no: int, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Store (slot, float32 bytes) pairs; one that is there is replaced."""
    unit.run_many(_PUT, [(slot, model_no, vector) for slot, vector in vectors])


def between(reader: Reader, model_no: int, first_slot: int, last_slot: int) -> list[tuple[int, bytes]]:
    """(slot, float32 bytes) with ``first_slot <= slot <= last_slot`` (as stored), by slot."""
    return [(slot, vector) for slot, vector in reader.all(_BETWEEN, (model_no, first_slot, last_slot))]


def at(reader: Reader, model_no: int, slots: Sequence[int]) -> dict[int, bytes]:
    """Slot to float32 bytes; slots without a vector are left out."""
    found: dict[int, bytes] = {}
    for portion in in_portions(slots):
        found.update(reader.all(_AT.of(len(portion)), (*StatementFamily.padded(portion), model_no)))
    return found


def missing(reader: Reader, model_no: int, after_slot: int, limit: int) -> list[int]:
    """Slots above ``after_slot`` of chunks without a vector of this model, ascending."""
    return [slot for (slot,) in reader.all(_MISSING, (model_no, after_slot, limit))]


def count(reader: Reader, model_no: int) -> int:
    """How many vectors the model has."""
    row = reader.one(_COUNT, (model_no,))
    return int(row[0]) if row else 0


def copy(unit: Unit, moved: Mapping[int, int]) -> None:
    """Give new slots (keys) the vectors that old slots (values) have, in every model."""
    unit.run_many(_COPY, list(moved.items()))


def delete_slots(unit: Unit, slots: Sequence[int]) -> None:
    """Delete the slots' vectors in every model."""
    unit.run_many(_DELETE_SLOT, [(slot,) for slot in slots])


def drop_model(unit: Unit, model_no: int) -> None:
    """Delete every vector of a model."""
    unit.run(_DROP_MODEL, (model_no,))
