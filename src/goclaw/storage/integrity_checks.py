"""Integrity checks: what a sound store holds, one check for each thing that can be wrong with its rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Table,
    and_,
    bindparam,
    cast,
    exists,
    func,
    literal,
    or_,
    select,
)

from goclaw.model.job import JobKind
from goclaw.storage import namespaces, pending_vectors
from goclaw.storage.database import Row, Unit
from goclaw.storage.namespaces import SLOT_BITS
from goclaw.storage.schema import (
    AUDIT_LOG,
    AUDIT_SEALS,
    CHANNEL_MEMBERS,
    CHANNELS,
    CHUNK_TOKEN_VECTORS,
    CHUNK_VECTORS,
    INDEX_META,
    MEMORIES,
    MEMORY_CHUNKS,
    MEMORY_JOBS,
    MEMORY_TAGS,
    NAMESPACES,
    PENDING_VECTORS,
    PROJECT_MEMBERS,
    PROJECTS,
    RECALL_TRACES,
    RECORD_LINKS,
    RECORD_ORIGINS,
    TRACE_ITEMS,
    UNSEALED_EVENTS,
)
from goclaw.storage.statement import Statement

Mend = Callable[[Unit, Sequence[Row]], None]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look for: the wrong rows by their keys, and what mends them."""

    name: str
    wrong: Statement  # takes the number of the current embedding model where ``of_model``
    mend: Mend | None = None
    of_model: bool = False


_C, _N, _M, _V, _P, _T, _J = (
    table.c for table in (MEMORY_CHUNKS, NAMESPACES, MEMORIES, CHUNK_VECTORS, PENDING_VECTORS, MEMORY_TAGS, MEMORY_JOBS)
)
_LINK, _ORIGIN, _ITEM, _EVENT = (table.c for table in (RECORD_LINKS, RECORD_ORIGINS, TRACE_ITEMS, AUDIT_LOG))
_SEAL, _WAITING, _TOKENS = AUDIT_SEALS.c, UNSEALED_EVENTS.c, CHUNK_TOKEN_VECTORS.c
_WAITS = (_WAITING.workspace_id == _EVENT.workspace_id, _WAITING.event_id == _EVENT.id)
_IN_PROJECT, _IN_CHANNEL = PROJECT_MEMBERS.c, CHANNEL_MEMBERS.c
_SLOTS = literal(1 << SLOT_BITS, BigInteger)
_FIRST_SLOT = cast(_N.id, BigInteger) * _SLOTS


def _rows(table: Table, *conditions: ColumnElement[bool]) -> Statement:
    """The keys of the table's rows that fulfil all conditions."""
    key = table.primary_key.columns
    return Statement(select(*key).where(*conditions).order_by(*key))


def _no(*links: ColumnElement[bool]) -> ColumnElement[bool]:
    """That no row of another table is linked so."""
    return ~exists(1).where(*links)


def _dropping(table: Table) -> Mend:
    """Deletes rows by their keys."""
    conditions = [column == bindparam(f"key_{n}") for n, column in enumerate(table.primary_key.columns)]
    return _by_statement(Statement(table.delete().where(*conditions)))


def _by_statement(statement: Statement) -> Mend:
    return lambda unit, rows: unit.run_many(statement, rows)


def _orphans(name: str, table: Table, condition: ColumnElement[bool]) -> Check:
    """Rows that mean nothing any more, and can go."""
    return Check(name, _rows(table, condition), _dropping(table))


def _drop_chunks(unit: Unit, rows: Sequence[Row]) -> None:
    slots = [slot for (slot,) in rows]
    _dropping(MEMORY_CHUNKS)(unit, rows)
    for namespace_id in sorted({slot >> SLOT_BITS for slot in slots}):
        namespaces.note_changes(unit, namespace_id, [slot for slot in slots if slot >> SLOT_BITS == namespace_id])


def _put_on_list(unit: Unit, rows: Sequence[Row]) -> None:
    pending_vectors.add(unit, [slot for (slot,) in rows])


_MISPLACED = (
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

# What a record leaves behind when only its row is lost. Its reviews stay on purpose.
_OF_RECORDS = (
    Check("orphan_chunks", _rows(MEMORY_CHUNKS, _no(_M.id == _C.memory_id)), _drop_chunks),
    _orphans("orphan_tags", MEMORY_TAGS, _no(_M.id == _T.memory_id)),
    _orphans("orphan_links", RECORD_LINKS, or_(_no(_M.id == _LINK.from_id), _no(_M.id == _LINK.to_id))),
    _orphans("orphan_origins", RECORD_ORIGINS, _no(_M.id == _ORIGIN.memory_id)),
)
_OF_CHUNKS = (
    _orphans("orphan_vectors", CHUNK_VECTORS, _no(_C.slot == _V.slot)),
    _orphans("vectors_of_no_model", CHUNK_VECTORS, _no(INDEX_META.c.model_no == _V.model_no)),
    _orphans("orphan_token_vectors", CHUNK_TOKEN_VECTORS, _no(_C.slot == _TOKENS.slot)),
    _orphans("token_vectors_of_no_model", CHUNK_TOKEN_VECTORS, _no(INDEX_META.c.model_no == _TOKENS.model_no)),
    _orphans("orphan_pending_vectors", PENDING_VECTORS, _no(_C.slot == _P.slot)),
    Check(
        "low_slot_counters",
        Statement(_LOW_COUNTERS),
        _by_statement(
            Statement(
                NAMESPACES.update().where(_N.id == bindparam("which")).values(last_slot=bindparam("number")),
                *("number", "which"),
            )
        ),
    ),
    Check("missing_vectors", Statement(_MISSING_VECTORS), _put_on_list, of_model=True),
)
_OF_OTHERS = (
    _orphans("orphan_trace_items", TRACE_ITEMS, _no(RECALL_TRACES.c.id == _ITEM.trace_id)),
    _orphans(
        "members_of_no_project",
        PROJECT_MEMBERS,
        _no(PROJECTS.c.workspace_id == _IN_PROJECT.workspace_id, PROJECTS.c.project_id == _IN_PROJECT.project_id),
    ),
    _orphans(
        "members_of_no_channel",
        CHANNEL_MEMBERS,
        _no(CHANNELS.c.workspace_id == _IN_CHANNEL.workspace_id, CHANNELS.c.channel_id == _IN_CHANNEL.channel_id),
    ),
    _orphans("jobs_of_no_kind", MEMORY_JOBS, _J.kind.not_in([literal(kind.value) for kind in JobKind])),
)
# Damage, or somebody's hand: mending would hide it.
_NOT_MENDABLE = (
    Check("misplaced_chunks", Statement(_MISPLACED)),
    Check("records_without_chunks", _rows(MEMORIES, _no(_C.memory_id == _M.id))),
    Check("records_of_no_namespace", _rows(MEMORIES, _no(_N.id == _M.namespace_id))),
    Check("added_events", _rows(AUDIT_LOG, _no(_SEAL.event_id == _EVENT.id), _no(*_WAITS))),
    Check("lost_events", _rows(UNSEALED_EVENTS, _no(_EVENT.id == _WAITING.event_id))),
)

# Orphans first: what they leave behind is found by the checks after them.
CHECKS = (*_OF_RECORDS, *_OF_CHUNKS, *_OF_OTHERS, *_NOT_MENDABLE)
