"""Statistics: how many rows there are, of a set of namespaces or of the whole store."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, func, select

from goclaw.storage.database import Reader, Row
from goclaw.storage.schema import MEMORIES, MEMORY_CHUNKS, METADATA, NAMESPACES
from goclaw.storage.statement import Statement, StatementFamily, in_portions

_M = MEMORIES.c


def _in_namespaces(size: int) -> Any:
    return _M.namespace_id.in_([bindparam(f"namespace_{n}") for n in range(size)])


_RECORDS = StatementFamily(
    lambda size: (
        select(NAMESPACES.c.scope, _M.lifecycle, func.count())
        .join(NAMESPACES, NAMESPACES.c.id == _M.namespace_id)
        .where(_in_namespaces(size))
        .group_by(NAMESPACES.c.scope, _M.lifecycle)
    )
)
_CHUNKS = StatementFamily(
    lambda size: (
        select(func.count(MEMORY_CHUNKS.c.memory_id))
        .join(MEMORIES, MEMORY_CHUNKS.c.memory_id == _M.id)
        .where(_in_namespaces(size))
    )
)
_ROWS = {name: Statement(select(func.count()).select_from(table)) for name, table in sorted(METADATA.tables.items())}


def counts(reader: Reader, namespace_ids: Sequence[int]) -> dict[str, Any]:
    """Of these namespaces: ``records``, ``by_scope``, ``by_lifecycle`` and ``chunks``."""
    by_scope: Counter[str] = Counter()
    by_lifecycle: Counter[str] = Counter()
    chunks = 0
    for portion in in_portions(namespace_ids):
        ids = StatementFamily.padded(portion)
        for scope, lifecycle, number in reader.all(_RECORDS.of(len(portion)), ids):
            by_scope[scope] += number
            by_lifecycle[lifecycle] += number
        chunks += _first(reader.one(_CHUNKS.of(len(portion)), ids))
    return {
        "records": by_scope.total(),
        "by_scope": dict(by_scope),
        "by_lifecycle": dict(by_lifecycle),
        "chunks": chunks,
    }


def rows(reader: Reader) -> dict[str, int]:
    """Table to number of rows, of the whole store."""
    return {name: _first(reader.one(statement)) for name, statement in _ROWS.items()}


def _first(row: Row | None) -> int:
    return int(row[0]) if row else 0
