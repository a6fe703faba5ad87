"""Index identity: with which model, chunker and tokeniser vectors were made. One is current, one may be building."""

from dataclasses import astuple, dataclass

from sqlalchemy import bindparam, select

from goclaw.storage import token_vectors, vectors
from goclaw.storage.counters import next_number
from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import INDEX_META
from goclaw.storage.statement import Statement

_CURRENT, _BUILDING = "current", "building"


@dataclass(frozen=True, slots=True)
class IndexIdentity:
    """What must be equal for two vectors to be comparable, and for two chunks to be cut and tokenised alike."""

    provider: str
    model: str
    provider_key: str  # hash of address and headers, without credentials
    dims: int
    chunker_version: int
    tokens_version: int


@dataclass(frozen=True, slots=True)
class Index:
    """One set of vectors."""

    model_no: int  # names it in chunk_vectors; never used twice
    identity: IndexIdentity
    auto_floor: float | None  # the cosine that unrelated texts reach, measured at reindex


_I = INDEX_META.c
_BY_STATE = Statement(select(INDEX_META).where(_I.state == bindparam("state")))
_INSERT = Statement(INDEX_META.insert())
_DELETE = Statement(INDEX_META.delete().where(_I.model_no == bindparam("which")))
_DELETE_OTHERS = Statement(INDEX_META.delete().where(_I.model_no != bindparam("which")))
_MAKE_CURRENT = Statement(
    INDEX_META.update().where(_I.model_no == bindparam("which")).values(state=_CURRENT, auto_floor=bindparam("floor")),
    *("floor", "which"),
)
_LEARN_DIMS = Statement(
    INDEX_META.update().where(_I.model_no == bindparam("which"), _I.dims == 0).values(dims=bindparam("learned")),
    *("learned", "which"),
)


def current(reader: Reader) -> Index | None:
    """The index that searches use; None before the first."""
    row = reader.one(_BY_STATE, (_CURRENT,))
    return None if row is None else _index(row)


def building(reader: Reader) -> Index | None:
    """The index that is being built beside it; None when none is."""
    row = reader.one(_BY_STATE, (_BUILDING,))
    return None if row is None else _index(row)


def add_building(unit: Unit, identity: IndexIdentity) -> int:
    """Begin an index, or go on with a building one of the same identity; its number.

    One of another identity that was left unfinished goes, with its vectors.
    """
    left = building(unit)
    if left is not None:
        if left.identity == identity:
            return left.model_no
        vectors.drop_model(unit, left.model_no)
        token_vectors.drop_model(unit, left.model_no)
        unit.run(_DELETE, (left.model_no,))
    number = next_number(unit, "model")
    unit.run(_INSERT, (number, _BUILDING, *astuple(identity), None))
    return number


def switch_to(unit: Unit, model_no: int, auto_floor: float | None) -> None:
    """Make a built index the current one. The vectors of the one before are ``vectors.drop_model``'s to delete."""
    unit.run(_DELETE_OTHERS, (model_no,))
    unit.run(_MAKE_CURRENT, (auto_floor, model_no))


def learn_dims(unit: Unit, model_no: int, dims: int) -> None:
    """Write down the length of an index's vectors, where the service had not told it when the index began."""
    unit.run(_LEARN_DIMS, (dims, model_no))


def _index(row: Row) -> Index:
    model_no, _, *identity, auto_floor = row
    return Index(model_no, IndexIdentity(*identity), auto_floor)
