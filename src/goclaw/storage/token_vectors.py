"""Token vectors: a vector for each word of a short chunk, by slot and embedding model; read for the best candidates."""

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import CHUNK_TOKEN_VECTORS
from goclaw.storage.statement import InsertOrReplace, Statement, StatementFamily, in_portions

_T = CHUNK_TOKEN_VECTORS.c

_PUT = Statement(InsertOrReplace(CHUNK_TOKEN_VECTORS))
_AT = StatementFamily(
    lambda size: select(_T.slot, _T.tokens).where(
        _T.slot.in_([bindparam(f"slot_{n}") for n in range(size)]), _T.model_no == bindparam("model")
    )
)
_COPY = Statement(
    CHUNK_TOKEN_VECTORS.insert().from_select(
        ["slot", "model_no", "tokens"],
        select(bindparam("new_slot", type_=_T.slot.type), _T.model_no, _T.tokens).where(
            _T.slot == bindparam("old_slot")
        ),
    )
)
_DELETE_SLOT = Statement(CHUNK_TOKEN_VECTORS.delete().where(_T.slot == bindparam("which")))
_DROP_MODEL = Statement(CHUNK_TOKEN_VECTORS.delete().where(_T.model_no == bindparam("model")))


def put(unit: Unit, model_no: int, tokens: Sequence[tuple[int, bytes]]) -> None:
    """Store (slot, packed token vectors) pairs; one that is there is replaced."""
    unit.run_many(_PUT, [(slot, model_no, packed) for slot, packed in tokens])


def at(reader: Reader, model_no: int, slots: Sequence[int]) -> dict[int, bytes]:
    """Slot to packed token vectors; slots without any are left out."""
    found: dict[int, bytes] = {}
    for portion in in_portions(slots):
        found.update(reader.all(_AT.of(len(portion)), (*StatementFamily.padded(portion), model_no)))
    return found


def copy(unit: Unit, moved: Mapping[int, int]) -> None:
    """Give new slots (keys) the token vectors that old slots (values) have, in every model."""
    unit.run_many(_COPY, list(moved.items()))


def delete_slots(unit: Unit, slots: Sequence[int]) -> None:
    """Delete the slots' token vectors in every model."""
    unit.run_many(_DELETE_SLOT, [(slot,) for slot in slots])


def drop_model(unit: Unit, model_no: int) -> None:
    """Delete every token vector of a model."""
    unit.run(_DROP_MODEL, (model_no,))
