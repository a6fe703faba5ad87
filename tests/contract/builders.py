"""Records, chunks and writes for storage tests: plain values, changed where a test cares."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from goclaw.model.ids import new_id, sha256_hex
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import ActorKind
from goclaw.model.provenance import Provenance
from goclaw.model.record import Kind, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.storage import chunks, memories, namespaces
from goclaw.storage.chunks import ChunkRow
from goclaw.storage.database import Database, Unit

ALICE = Namespace("default", Scope.PERSONAL, "alice")
NOTES = Namespace("default", Scope.AGENT_NOTES)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def make_record(content: str = "Prefers metric units", namespace: Namespace = ALICE, **changes: Any) -> MemoryRecord:
    values: dict[str, Any] = {
        "id": new_id(),
        "kind": Kind.NOTE,
        "content_hash": sha256_hex(content),
        "lifecycle": Lifecycle.ACTIVE,
        "provenance": Provenance.OBSERVED,
        "review_status": ReviewStatus.EVIDENCE_ONLY,
        "actor_id": "human:alice",
        "actor_kind": ActorKind.HUMAN,
        "created_at": NOON,
        "updated_at": NOON,
        "version": 1,
        **changes,
    }
    return MemoryRecord(content=content, namespace=namespace, **values)


def make_chunk(slot: int, memory_id: str, **changes: Any) -> ChunkRow:
    text = changes.pop("text", "Prefers metric units")
    values: dict[str, Any] = {
        "id": sha256_hex(f"{memory_id} {slot}")[:32],
        "namespace_id": slot >> 32,
        "ordinal": 0,
        "start": 0,
        "end": len(text),
        "chunk_hash": sha256_hex(text),
        "terms": b"\x01\x00\x00\x00\x01",
        "tokens_version": 1,
        "policy": 0,
        "due_at": None,
        "due_policy": None,
        "updated_at": 0,
        "structure": None,
        **changes,
    }
    return ChunkRow(slot=slot, memory_id=memory_id, text=text, **values)


def put_record(unit: Unit, record: MemoryRecord, texts: Sequence[str] | None = None) -> tuple[int, list[int]]:
    """Store a record with its chunks (one of the whole content by default); its namespace id and slots."""
    texts = [record.content] if texts is None else texts
    state = namespaces.find_or_make(unit, record.namespace)
    memories.insert(unit, record, state.id)
    first = namespaces.allocate_slots(unit, state.id, len(texts))
    rows = [make_chunk(first + n, record.id, ordinal=n, text=text) for n, text in enumerate(texts)]
    chunks.insert(unit, rows)
    return state.id, [row.slot for row in rows]


def write_record(store: Database, record: MemoryRecord, texts: Sequence[str] | None = None) -> tuple[int, list[int]]:
    return store.write(lambda unit: put_record(unit, record, texts))


def namespace_id(store: Database, namespace: Namespace) -> int:
    """The id of a namespace, made where it is missing."""
    return store.write(lambda unit: namespaces.find_or_make(unit, namespace)).id
