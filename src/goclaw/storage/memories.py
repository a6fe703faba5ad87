"""Memories: records in and out of their table, with their tags. No read without the namespaces it may look into."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Select, Text, and_, bindparam, func, or_, select

from goclaw.model.clock import to_us
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.record import Kind, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.model.storable import is_storable, require_storable
from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.record_rows import PLACES, to_record, to_row, uri_as_written
from goclaw.storage.schema import MEMORIES, MEMORY_TAGS, NAMESPACES, RECORD_ORIGINS
from goclaw.storage.statement import Statement, StatementFamily, in_portions

_M = MEMORIES.c
_N = NAMESPACES.c
_T = MEMORY_TAGS.c
_O = RECORD_ORIGINS.c

_RECORDS = select(MEMORIES, _N.workspace_id, _N.scope, _N.owner_user_id, _N.project_id, _N.channel_id).join(
    NAMESPACES, _N.id == _M.namespace_id
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """Which records a list holds; None everywhere: all."""

    scope: Scope | None = None
    kind: Kind | None = None
    lifecycle: Lifecycle | None = None
    lifecycles: tuple[Lifecycle, ...] | None = None  # any of them
    review_status: ReviewStatus | None = None
    review_statuses: tuple[ReviewStatus, ...] | None = None  # any of them
    tag: str | None = None
    session_id: str | None = None
    external_ref: str | None = None
    project_id: str | None = None
    actor_id: str | None = None
    created_since: datetime | None = None
    created_before: datetime | None = None
    task_id_prefix: str | None = None  # of the write-back it came by
    runtime_name: str | None = None  # of the write-back it came by
    source_uri: str | None = None  # exactly the uri of one of its sources

    def __post_init__(self) -> None:
        for name in _TEXTS:
            if (value := getattr(self, name)) is not None:
                require_storable(value, name)


_TEXTS = (
    "tag",
    "session_id",
    "external_ref",
    "project_id",
    "actor_id",
    "task_id_prefix",
    "runtime_name",
    "source_uri",
)


_CONDITIONS: dict[str, ColumnElement[bool]] = {
    "scope": _N.scope == bindparam("scope"),
    "kind": _M.kind == bindparam("kind"),
    "lifecycle": _M.lifecycle == bindparam("lifecycle"),
    "review_status": _M.review_status == bindparam("review_status"),
    "tag": select(_T.tag).where(_T.memory_id == _M.id, _T.tag == bindparam("tag")).exists(),
    "session_id": _M.session_id == bindparam("session_id"),
    "external_ref": _M.external_ref == bindparam("external_ref"),
    "project_id": _N.project_id == bindparam("project_id"),
    "actor_id": _M.actor_id == bindparam("actor_id"),
    "created_since": _M.created_at >= bindparam("created_since"),
    "created_before": _M.created_at < bindparam("created_before"),
    "task_id_prefix": select(_O.memory_id)
    .where(
        _O.memory_id == _M.id,
        func.substr(_O.task_id, 1, func.length(bindparam("task_id_prefix", type_=Text))) == bindparam("task_id_prefix"),
    )
    .exists(),
    "runtime_name": select(_O.memory_id)
    .where(_O.memory_id == _M.id, _O.runtime_name == bindparam("runtime_name"))
    .exists(),
    # Whether a text holds another, alike on every engine: LIKE would read wildcards and, on one, ignore case.
    "source_uri": func.replace(_M.source_refs, bindparam("source_uri"), "") != _M.source_refs,
}

_ANY_OF = {"lifecycles": _M.lifecycle, "review_statuses": _M.review_status}

EVERYTHING = RecordFilter()


def _in_namespaces(size: int) -> ColumnElement[bool]:
    return _M.namespace_id.in_([bindparam(f"namespace_{n}") for n in range(size)])


@lru_cache(maxsize=1024)
def _by_ids(ids: int, namespaces: int) -> Statement:
    return Statement(
        _RECORDS.where(_M.id.in_([bindparam(f"id_{n}") for n in range(ids)]), _in_namespaces(namespaces)),
        *(f"id_{n}" for n in range(ids)),
        *(f"namespace_{n}" for n in range(namespaces)),
    )


@lru_cache(maxsize=1024)
def _page(filters: tuple[str, ...], is_later_page: bool, namespaces: int) -> Statement:
    chosen = _filtered(_RECORDS, filters, namespaces)
    names = [*(f"namespace_{n}" for n in range(namespaces)), *filters]
    if is_later_page:
        moment: BindParameter[int] = bindparam("moment")
        chosen = chosen.where(
            or_(_M.created_at < moment, and_(_M.created_at == moment, _M.id < bindparam("before_id")))
        )
        names += ["moment", "before_id"]
    newest_first = chosen.order_by(_M.created_at.desc(), _M.id.desc()).limit(bindparam("at_most"))
    return Statement(newest_first, *names, "at_most")


@lru_cache(maxsize=1024)
def _count(filters: tuple[str, ...], namespaces: int) -> Statement:
    counted = select(func.count()).select_from(MEMORIES).join(NAMESPACES, _N.id == _M.namespace_id)
    return Statement(_filtered(counted, filters, namespaces), *(f"namespace_{n}" for n in range(namespaces)), *filters)


def _filtered(chosen: Select[Any], filters: tuple[str, ...], namespaces: int) -> Select[Any]:
    any_of = [
        column.in_([bindparam(name) for name in filters if name.startswith(f"{group}_")])
        for group, column in _ANY_OF.items()
        if f"{group}_0" in filters
    ]
    plain = [_CONDITIONS[name] for name in filters if name in _CONDITIONS]
    return chosen.where(_in_namespaces(namespaces), *any_of, *plain)


_STILL_THERE = StatementFamily(lambda size: select(_M.id).where(_M.id.in_([bindparam(f"id_{n}") for n in range(size)])))
_INSERT = Statement(MEMORIES.insert())
_FIND_SAME = Statement(
    _RECORDS.where(
        _M.namespace_id == bindparam("namespace"), _M.content_hash == bindparam("hash"), _M.kind == bindparam("kind")
    )
    .order_by(_M.created_at.desc(), _M.id.desc())
    .limit(1),
    *("namespace", "kind", "hash"),
)
_REPLACE = Statement(
    MEMORIES.update()
    .where(_M.id == bindparam("which"), _M.version == bindparam("expected"))
    .values({place.column: bindparam(f"new_{place.column}") for place in PLACES}),
    *(f"new_{place.column}" for place in PLACES),
    *("which", "expected"),
)
_MOVE = Statement(
    MEMORIES.update().where(_M.id == bindparam("which")).values(namespace_id=bindparam("place")), *("place", "which")
)
_DELETE = Statement(MEMORIES.delete().where(_M.id == bindparam("which")))
_TAGS = StatementFamily(
    lambda size: select(_T.memory_id, _T.ordinal, _T.tag).where(
        _T.memory_id.in_([bindparam(f"id_{n}") for n in range(size)])
    )
)
_INSERT_TAG = Statement(MEMORY_TAGS.insert())
_DELETE_TAGS = Statement(MEMORY_TAGS.delete().where(_T.memory_id == bindparam("which")))


def insert(unit: Unit, record: MemoryRecord, namespace_id: int) -> None:
    """Store a new record and its tags."""
    unit.run(_INSERT, (record.id, namespace_id, *to_row(record)))
    _insert_tags(unit, record)


def get(reader: Reader, memory_id: str, namespace_ids: Sequence[int]) -> MemoryRecord | None:
    """The record, or None where it is missing or in none of the namespaces."""
    return next(iter(get_many(reader, (memory_id,), namespace_ids).values()), None)


def get_many(reader: Reader, memory_ids: Sequence[str], namespace_ids: Sequence[int]) -> dict[str, MemoryRecord]:
    """Id to record; what is missing or in none of the namespaces is left out."""
    memory_ids = [memory_id for memory_id in memory_ids if is_storable(memory_id)]
    if not memory_ids or not namespace_ids:
        return {}
    namespaces = StatementFamily.padded(namespace_ids)
    rows: list[Row] = []
    for portion in in_portions(memory_ids):
        ids = StatementFamily.padded(portion)
        rows += reader.all(_by_ids(len(ids), len(namespaces)), (*ids, *namespaces))
    return {record.id: record for record in _records(reader, rows)}


def still_there(reader: Reader, memory_ids: Sequence[str]) -> set[str]:
    """Which of these records exist at all, wherever they live; for those who decide what may be said of gone ones."""
    found: set[str] = set()
    for portion in in_portions(memory_ids):
        found.update(row[0] for row in reader.all(_STILL_THERE.of(len(portion)), StatementFamily.padded(portion)))
    return found


def find_same(reader: Reader, namespace_id: int, kind: Kind, content_hash: str) -> MemoryRecord | None:
    """The newest record of the kind with this content in the namespace, whatever became of it."""
    rows = reader.all(_FIND_SAME, (namespace_id, kind.value, content_hash))
    return next(iter(_records(reader, rows)), None)


def page(
    reader: Reader,
    namespace_ids: Sequence[int],
    *,
    filters: RecordFilter = EVERYTHING,
    before: tuple[datetime, str] | None = None,
    limit: int,
) -> list[MemoryRecord]:
    """Records of the namespaces, newest first; ``before`` is (created_at, id) of the last record of the page before."""
    if not namespace_ids:
        return []
    names, values = _chosen(filters)
    namespaces = StatementFamily.padded(namespace_ids)
    start = () if before is None else (to_us(before[0]), before[1])
    statement = _page(names, before is not None, len(namespaces))
    return _records(reader, reader.all(statement, (*namespaces, *values, *start, limit)))


def count(reader: Reader, namespace_ids: Sequence[int], filters: RecordFilter = EVERYTHING) -> int:
    """How many records :func:`page` would go through."""
    if not namespace_ids:
        return 0
    names, values = _chosen(filters)
    namespaces = StatementFamily.padded(namespace_ids)
    row = reader.one(_count(names, len(namespaces)), (*namespaces, *values))
    return int(row[0]) if row else 0


def replace(unit: Unit, record: MemoryRecord, expected_version: int) -> bool:
    """Write every column and the tags of a changed record, if it is still there in the expected version.

    The namespace stays what it is. False: somebody was faster, nothing was written.
    """
    if unit.run(_REPLACE, (*to_row(record), record.id, expected_version)) == 0:
        return False
    unit.run(_DELETE_TAGS, (record.id,))
    _insert_tags(unit, record)
    return True


def move(unit: Unit, memory_id: str, namespace_id: int) -> None:
    """Let a record live in another namespace; its chunks are the caller's to move."""
    unit.run(_MOVE, (namespace_id, memory_id))


def delete(unit: Unit, memory_id: str) -> bool:
    """Delete a record and its tags; False where there was none. Chunks and vectors have tables of their own."""
    unit.run(_DELETE_TAGS, (memory_id,))
    return unit.run(_DELETE, (memory_id,)) > 0


def _insert_tags(unit: Unit, record: MemoryRecord) -> None:
    if record.tags:
        unit.run_many(_INSERT_TAG, [(record.id, tag, ordinal) for ordinal, tag in enumerate(record.tags)])


def _chosen(filters: RecordFilter) -> tuple[tuple[str, ...], tuple[str | int, ...]]:
    """Names and values of the filters that are set; each word of an "any of" is a name of its own."""
    pairs = [(name, value) for name in _CONDITIONS if (value := getattr(filters, name)) is not None]
    for group in _ANY_OF:
        pairs += [(f"{group}_{place}", word) for place, word in enumerate(getattr(filters, group) or ())]
    return tuple(name for name, _ in pairs), tuple(_stored_form(name, value) for name, value in pairs)


def _stored_form(name: str, value: Any) -> str | int:
    if name == "source_uri":
        return uri_as_written(value)
    return to_us(value) if isinstance(value, datetime) else str(value)


def _records(reader: Reader, rows: Sequence[Row]) -> list[MemoryRecord]:
    tags: dict[str, list[str]] = {}
    for portion in in_portions([row[0] for row in rows]):
        found = reader.all(_TAGS.of(len(portion)), StatementFamily.padded(portion))
        for memory_id, _, tag in sorted(found):  # here, where there are few: sorting costs a database more than finding
            tags.setdefault(memory_id, []).append(tag)
    return [to_record(row, tuple(tags.get(row[0], ()))) for row in rows]
