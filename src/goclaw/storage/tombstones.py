"""Tombstones: hashes of forgotten texts, so that the same text is not captured or imported again."""

from sqlalchemy import bindparam, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import TOMBSTONES
from goclaw.storage.statement import InsertOrReplace, Statement

_T = TOMBSTONES.c
_PUT = Statement(InsertOrReplace(TOMBSTONES))
_EXISTS = Statement(
    select(_T.created_at).where(_T.namespace_id == bindparam("namespace"), _T.content_hash == bindparam("hash"))
)


def put(unit: Unit, workspace_id: str, namespace_id: int, content_hash: str, why: str, now: int) -> None:
    """Remember that a text of the namespace was forgotten."""
    unit.run(_PUT, (namespace_id, content_hash, workspace_id, why, now))


def exists(reader: Reader, namespace_id: int, content_hash: str) -> bool:
    """Whether a text with this hash was forgotten in the namespace."""
    return reader.one(_EXISTS, (namespace_id, content_hash)) is not None
