"""Embedding cache: vectors of texts a workspace has embedded before, so that the same text is not sent again."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, func, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import EMBEDDING_CACHE
from goclaw.storage.statement import InsertOrReplace, Statement, StatementFamily, in_portions


class CacheKey(NamedTuple):
    """Whose vectors, and made how; the hash of a text completes it."""

    workspace_id: str
    provider: str
    model: str
    provider_key: str
    input_type: str  # query, document


_E = EMBEDDING_CACHE.c
_GET = StatementFamily(
    lambda size: select(_E.hash, _E.embedding).where(
        _E.workspace_id == bindparam("workspace"),
        _E.provider == bindparam("provider"),
        _E.model == bindparam("model"),
        _E.provider_key == bindparam("provider_key"),
        _E.input_type == bindparam("input_type"),
        _E.hash.in_([bindparam(f"hash_{n}") for n in range(size)]),
    )
)
_PUT = Statement(InsertOrReplace(EMBEDDING_CACHE))
_DELETE = Statement(
    EMBEDDING_CACHE.delete().where(_E.workspace_id == bindparam("workspace"), _E.hash == bindparam("which"))
)
_COUNT = Statement(select(func.count()).select_from(EMBEDDING_CACHE))
_OLDEST_KEPT = Statement(select(_E.updated_at).order_by(_E.updated_at.desc()).offset(bindparam("kept")).limit(1))
_DELETE_OLDER = Statement(EMBEDDING_CACHE.delete().where(_E.updated_at <= bindparam("moment")))


def get_many(reader: Reader, key: CacheKey, hashes: Sequence[str]) -> dict[str, bytes]:
    """Hash to bytes as they were kept; unknown hashes are left out."""
    found: dict[str, bytes] = {}
    for portion in in_portions(hashes):
        found.update(reader.all(_GET.of(len(portion)), (*key, *StatementFamily.padded(portion))))
    return found


def put_many(unit: Unit, key: CacheKey, vectors: Sequence[tuple[str, bytes]], dims: int, now: int) -> None:
    """Remember (hash, bytes) pairs: ``dims`` float32 numbers, and whatever the caller keeps behind them."""
    rows = [
        (
            key.workspace_id,
            text_hash,
            key.provider,
            key.model,
            key.provider_key,
            key.input_type,
            vector,
            dims,
            now,
        )
        for text_hash, vector in vectors
    ]
    unit.run_many(_PUT, rows)


def delete_hashes(unit: Unit, workspace_id: str, hashes: Sequence[str]) -> int:
    """Drop every vector of these texts, of all models; how many."""
    return sum(unit.run(_DELETE, (workspace_id, text_hash)) for text_hash in hashes)


def trim(unit: Unit, max_entries: int) -> int:
    """Drop the oldest entries (and those of the same moment) above the limit; how many."""
    oldest = unit.one(_OLDEST_KEPT, (max_entries,))
    return 0 if oldest is None else unit.run(_DELETE_OLDER, oldest)


def count(reader: Reader) -> int:
    """How many entries there are."""
    row = reader.one(_COUNT)
    return int(row[0]) if row else 0
