"""Index: from a record's text to the chunk rows that search runs on, in the unit that stores the record."""

from collections.abc import Sequence
from dataclasses import dataclass

from goclaw.model.chunk import Chunk
from goclaw.model.clock import to_us
from goclaw.model.freshness import chunk_policy
from goclaw.model.ids import chunk_id, sha256_hex
from goclaw.model.record import MemoryRecord
from goclaw.settings.settings import ChunkSettings
from goclaw.storage import chunks, namespaces, pending_vectors, token_vectors, vectors
from goclaw.storage.chunks import ChunkRow
from goclaw.storage.database import Unit
from goclaw.text.chunker import chunk_text
from goclaw.text.index_text import searchable_text
from goclaw.text.structure import structure_of
from goclaw.text.terms import TOKENS_VERSION, index_terms


@dataclass(frozen=True, slots=True)
class Indexed:
    """A record's text cut and tokenised, ready to be stored; made before the unit begins."""

    chunks: tuple[Chunk, ...]


def index_record(record: MemoryRecord, settings: ChunkSettings) -> Indexed:
    """Cut and tokenise. Each chunk is found by the record's labels too: tags, domain, speaker, date, sources."""
    spans = chunk_text(record.content, size=settings.tokens * 4, overlap=settings.overlap * 4)
    pieces = []
    for ordinal, (start, end) in enumerate(spans):
        text = record.content[start:end]
        terms = index_terms(embeddable_text(record, text))
        pieces.append(Chunk(ordinal, start, end, text, terms, structure_in(record, text)))
    return Indexed(tuple(pieces))


def structure_in(record: MemoryRecord, chunk: str) -> bytes:
    """What is known of a chunk of this record besides its words."""
    structure = structure_of(
        chunk, record=record.content, session_id=record.session_id, turn=record.turn, speaker=record.speaker
    )
    return structure.packed()


def embeddable_text(record: MemoryRecord, chunk: str) -> str:
    """A chunk with the labels that say what it is about: what is tokenised and what is embedded."""
    return searchable_text(
        chunk,
        tags=record.tags,
        domain=record.domain,
        speaker=record.speaker,
        occurred_at_us=to_us(record.occurred_at) if record.occurred_at else None,
        source_titles=[source.title for source in record.source_refs if source.title],
    )


def store_chunks(
    unit: Unit, record: MemoryRecord, namespace_id: int, indexed: Indexed, pending_days: int, *, embed: bool
) -> None:
    """Insert the chunks into fresh slots; ``embed`` puts them on the list of what still needs a vector."""
    rows = _rows(unit, record, namespace_id, indexed, pending_days)
    chunks.insert(unit, rows)
    if embed:
        pending_vectors.add(unit, [row.slot for row in rows])


def replace_chunks(
    unit: Unit, record: MemoryRecord, namespace_id: int, indexed: Indexed, pending_days: int, *, embed: bool
) -> None:
    """Put new chunks in the place of the old ones; a chunk whose text stayed keeps its id and its vector."""
    old = {row.chunk_hash: row.slot for row in chunks.of_memory(unit, record.id)}
    rows = _rows(unit, record, namespace_id, indexed, pending_days)
    moved = {row.slot: old[row.chunk_hash] for row in rows if row.chunk_hash in old}
    vectors.copy(unit, moved)
    token_vectors.copy(unit, moved)
    drop_chunks(unit, record.id)
    chunks.insert(unit, rows)
    if embed:
        pending_vectors.add(unit, [row.slot for row in rows])


def renew_chunks(unit: Unit, record: MemoryRecord, pending_days: int) -> None:
    """Tell the chunks of a record whose text stayed what its state is now, and when it was changed."""
    policy = chunk_policy(record, pending_days)
    chunks.set_policy(unit, record.id, policy.bits, policy.due_at, policy.due_bits)
    slots = chunks.set_updated_at(unit, record.id, to_us(record.updated_at))
    for namespace_id in {slot >> 32 for slot in slots}:
        namespaces.note_changes(unit, namespace_id, slots)


def drop_chunks(unit: Unit, memory_id: str) -> Sequence[int]:
    """Delete a record's chunks, vectors and open embeddings; returns the slots that are gone."""
    slots = chunks.delete_of_memory(unit, memory_id)
    vectors.delete_slots(unit, slots)
    token_vectors.delete_slots(unit, slots)
    pending_vectors.remove(unit, slots)
    for namespace_id in {slot >> 32 for slot in slots}:
        namespaces.note_changes(unit, namespace_id, [slot for slot in slots if slot >> 32 == namespace_id])
    return slots


def _rows(unit: Unit, record: MemoryRecord, namespace_id: int, indexed: Indexed, pending_days: int) -> list[ChunkRow]:
    first = namespaces.allocate_slots(unit, namespace_id, len(indexed.chunks))
    policy = chunk_policy(record, pending_days)
    rows = []
    for piece in indexed.chunks:
        piece_hash = sha256_hex(piece.text)
        rows.append(
            ChunkRow(
                slot=first + piece.ordinal,
                id=chunk_id(record.id, piece.ordinal, piece_hash),
                memory_id=record.id,
                namespace_id=namespace_id,
                ordinal=piece.ordinal,
                start=piece.start,
                end=piece.end,
                text=piece.text,
                chunk_hash=piece_hash,
                terms=piece.terms,
                tokens_version=TOKENS_VERSION,
                policy=policy.bits,
                due_at=policy.due_at,
                due_policy=policy.due_bits,
                updated_at=to_us(record.updated_at),
                structure=piece.structure,
            )
        )
    return rows
