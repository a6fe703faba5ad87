"""Integrity: what ``memory check`` finds in a store, and what it can mend by itself.

Derived rows can be mended: they go, or are put on the list of what is to be made again. Damage to the file is reported
and never repaired in place: the file is set aside, whole, and a backup takes its place.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Select,
    and_,
    bindparam,
    cast,
    false,
    func,
    literal,
    or_,
    select,
)

from goclaw.model.clock import from_us
from goclaw.model.errors import StoreDamaged, StoreError
from goclaw.model.job import JobKind
from goclaw.storage import index_meta, namespaces, pending_vectors
from goclaw.storage.database import Database, Reader, Row, Unit
from goclaw.storage.namespaces import SLOT_BITS
from goclaw.storage.schema import (
    CHUNK_VECTORS,
    INDEX_META,
    MEMORIES,
    MEMORY_CHUNKS,
    MEMORY_JOBS,
    MEMORY_TAGS,
    METADATA,
    NAMESPACES,
    PENDING_VECTORS,
)
from goclaw.storage.statement import Statement

_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with the store."""

    name: str  # damaged_file, schema_drift, or the name of a check
    count: int
    examples: tuple[str, ...]  # ids, slots or the engine's own words; never stored text
    is_mendable: bool  # whether :func:`mend` takes care of it


@dataclass(frozen=True, slots=True)
class _Check:
    """One thing to look for: the wrong rows by their keys, and what mends them."""

    name: str
    wrong: Statement  # takes the number of the current embedding model where ``of_model``
    mend: Callable[[Unit, Sequence[Row]], None] | None = None
    of_model: bool = False


_C, _N, _M, _V, _P, _T, _J = (
    table.c for table in (MEMORY_CHUNKS, NAMESPACES, MEMORIES, CHUNK_VECTORS, PENDING_VECTORS, MEMORY_TAGS, MEMORY_JOBS)
)
_SLOTS = literal(1 << SLOT_BITS, BigInteger)
_FIRST_SLOT = cast(_N.id, BigInteger) * _SLOTS


def _without(keys: Sequence[ColumnElement[object]], other: FromClause, link: ColumnElement[bool]) -> Statement:
    """Rows (their keys) to which no row of the other table belongs."""
    chosen = select(*keys).outerjoin(other, link).where(next(iter(other.primary_key)).is_(None))
    return Statement(chosen.order_by(*keys))


def _by_statement(statement: Statement) -> Callable[[Unit, Sequence[Row]], None]:
    return lambda unit, rows: unit.run_many(statement, rows)


def _drop_chunks(unit: Unit, rows: Sequence[Row]) -> None:
    slots = [slot for (slot,) in rows]
    unit.run_many(Statement(MEMORY_CHUNKS.delete().where(_C.slot == bindparam("which"))), rows)
    for namespace_id in sorted({slot >> SLOT_BITS for slot in slots}):
        namespaces.note_changes(unit, namespace_id, [slot for slot in slots if slot >> SLOT_BITS == namespace_id])


def _put_on_list(unit: Unit, rows: Sequence[Row]) -> None:
    pending_vectors.add(unit, [slot for (slot,) in rows])


_MISPLACED: Select[tuple[int]] = (
    select(_C.slot)
    .join(MEMORIES, _M.id == _C.memory_id)
    .join(NAMESPACES, _N.id == _M.namespace_id)
    .where(
        or_(
            _C.namespace_id != _N.id,
            _C.slot < _FIRST_SLOT,
            _C.slot >= _FIRST_SLOT + _SLOTS,
        )
    )
    .order_by(_C.slot)
)
_LOW_COUNTERS = (
    select(func.max(_C.slot) + 1 - _FIRST_SLOT, _N.id)
    .join(MEMORY_CHUNKS, _C.namespace_id == _N.id)
    .group_by(_N.id)
    .having(func.max(_C.slot) >= _FIRST_SLOT + _N.last_slot)
)
_MISSING_VECTORS = (
    select(_C.slot)
    .outerjoin(CHUNK_VECTORS, and_(_V.slot == _C.slot, _V.model_no == bindparam("model")))
    .outerjoin(PENDING_VECTORS, _P.slot == _C.slot)
    .where(_V.slot.is_(None), _P.slot.is_(None))
    .order_by(_C.slot)
)

# Orphans first: what they leave behind is found by the checks after them.
_CHECKS = (
    _Check("orphan_chunks", _without([_C.slot], MEMORIES, _M.id == _C.memory_id), _drop_chunks),
    _Check(
        "orphan_tags",
        _without([_T.memory_id, _T.tag], MEMORIES, _M.id == _T.memory_id),
        _by_statement(
            Statement(
                MEMORY_TAGS.delete().where(_T.memory_id == bindparam("memory"), _T.tag == bindparam("which")),
            )
        ),
    ),
    _Check(
        "orphan_vectors",
        _without([_V.slot], MEMORY_CHUNKS, _C.slot == _V.slot),
        _by_statement(Statement(CHUNK_VECTORS.delete().where(_V.slot == bindparam("which")))),
    ),
    _Check(
        "vectors_of_no_model",
        _without([_V.slot, _V.model_no], INDEX_META, INDEX_META.c.model_no == _V.model_no),
        _by_statement(
            Statement(
                CHUNK_VECTORS.delete().where(_V.slot == bindparam("which"), _V.model_no == bindparam("model")),
            )
        ),
    ),
    _Check(
        "orphan_pending_vectors",
        _without([_P.slot], MEMORY_CHUNKS, _C.slot == _P.slot),
        _by_statement(Statement(PENDING_VECTORS.delete().where(_P.slot == bindparam("which")))),
    ),
    _Check(
        "jobs_of_no_kind",
        Statement(select(_J.id).where(_J.kind.not_in([literal(kind.value) for kind in JobKind])).order_by(_J.id)),
        _by_statement(Statement(MEMORY_JOBS.delete().where(_J.id == bindparam("which")))),
    ),
    _Check(
        "low_slot_counters",
        Statement(_LOW_COUNTERS),
        _by_statement(
            Statement(
                NAMESPACES.update().where(_N.id == bindparam("which")).values(last_slot=bindparam("number")),
                *("number", "which"),
            )
        ),
    ),
    _Check("missing_vectors", Statement(_MISSING_VECTORS), _put_on_list, of_model=True),
    _Check("misplaced_chunks", Statement(_MISPLACED)),
    _Check("records_without_chunks", _without([_M.id], MEMORY_CHUNKS, _C.memory_id == _M.id)),
    _Check("records_of_no_namespace", _without([_M.id], NAMESPACES, _N.id == _M.namespace_id)),
)
_SHAPES = {name: Statement(select(table).where(false())) for name, table in sorted(METADATA.tables.items())}


def check(database: Database) -> list[Finding]:
    """Everything that is wrong, the worst first; a damaged file or schema hides what lies behind it."""
    damage = _find_damage(database)
    if damage:
        return [Finding("damaged_file", len(damage), tuple(damage[:_EXAMPLES]), False)]
    drift = _find_drift(database)
    if drift:
        return [Finding("schema_drift", len(drift), tuple(drift[:_EXAMPLES]), False)]
    with database.read() as reader:
        return [finding for each in _CHECKS if (finding := _look(reader, each)) is not None]


def mend(database: Database) -> list[Finding]:
    """Mend what can be mended, in one unit; what it was. Chunks put on the list still need an ``embed`` job."""

    def work(unit: Unit) -> list[Finding]:
        mended = []
        for each in _CHECKS:
            rows = _wrong_rows(unit, each)
            if rows and each.mend is not None:
                each.mend(unit, rows)
                mended.append(_finding(each, rows))
        return mended

    return database.write(work)


def set_aside(file: Path, now: int) -> Path:
    """Rename a damaged database file, and its log with it, so that a backup can take its name; the new name.

    Nothing is deleted: much can often be read from what is left. The store must not be open anywhere.
    """
    aside = file.with_name(f"{file.name}.damaged_{from_us(now):%Y%m%dT%H%M%S_%fZ}")
    for ending in ("", "-wal", "-shm"):
        part = file.with_name(file.name + ending)
        if part.exists():
            os.replace(part, aside.with_name(aside.name + ending))
    return aside


def _find_damage(database: Database) -> list[str]:
    try:
        return database.find_damage()
    except StoreDamaged as error:
        return [str(error)]


def _find_drift(database: Database) -> list[str]:
    """Tables that are missing, or lack a column we know."""
    drift = []
    for name, statement in _SHAPES.items():
        try:
            with database.read() as reader:
                reader.all(statement)
        except StoreError:
            drift.append(name)
    return drift


def _look(reader: Reader, each: _Check) -> Finding | None:
    rows = _wrong_rows(reader, each)
    return _finding(each, rows) if rows else None


def _wrong_rows(reader: Reader, each: _Check) -> list[Row]:
    if not each.of_model:
        return reader.all(each.wrong)
    current = index_meta.current(reader)
    return [] if current is None else reader.all(each.wrong, (current.model_no,))


def _finding(each: _Check, rows: Sequence[Row]) -> Finding:
    examples = tuple(" ".join(str(value) for value in row) for row in rows[:_EXAMPLES])
    return Finding(each.name, len(rows), examples, each.mend is not None)
