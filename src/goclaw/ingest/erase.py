"""Erase: takes one record out of the store with everything made from it. The caller decides who may and what stays."""

from collections.abc import Sequence

from goclaw.ingest.index import drop_chunks, embeddable_text
from goclaw.model.errors import NotFound
from goclaw.model.ids import sha256_hex
from goclaw.model.record import MemoryRecord
from goclaw.storage import (
    chunks,
    embedding_cache,
    jobs,
    memories,
    recall_traces,
    record_links,
    record_origins,
    reviews,
)
from goclaw.storage.database import Unit


def erase(unit: Unit, record: MemoryRecord) -> tuple[dict[str, int], int]:
    """Delete the rows; returns how many of each table, and how many recall traces were blanked.

    Raises NotFound where the record is gone already.
    """
    hashes = _embedded_hashes(record, [row.text for row in chunks.of_memory(unit, record.id)])
    slots = drop_chunks(unit, record.id)
    if not memories.delete(unit, record.id):
        raise NotFound("There is no such record any more.")
    cached = embedding_cache.delete_hashes(unit, record.workspace_id, hashes)
    blanked = recall_traces.blank(unit, record.id)
    reviews.blank_texts(unit, record.id)
    record_links.delete_of(unit, record.id)
    record_origins.delete_of(unit, record.id)
    removed = {
        "memories": 1,
        "memory_chunks": len(slots),
        "embedding_cache": cached,
        "memory_jobs": jobs.delete_of_key(unit, record.workspace_id, record.id),
    }
    return removed, blanked


def _embedded_hashes(record: MemoryRecord, texts: Sequence[str]) -> list[str]:
    return [sha256_hex(embeddable_text(record, text)) for text in texts]
