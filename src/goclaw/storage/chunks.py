"""Chunks: the pieces of text that search runs on, with their words, in the order of their slots."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, bindparam, func, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.namespaces import LAST_SLOT_NO, first_slot
from goclaw.storage.schema import MEMORY_CHUNKS
from goclaw.storage.statement import Statement, StatementFamily, in_portions


class ChunkRow(NamedTuple):
    """One chunk as stored. (A named tuple: tens of thousands are made at once.)"""

    slot: int  # as stored: namespace_id << 32 | n
    id: str
    memory_id: str
    namespace_id: int
    ordinal: int
    start: int  # offsets into the record's content, in characters
    end: int
    text: str
    chunk_hash: str
    terms: bytes  # sorted (uint32 hash, uint8 count), little-endian
    tokens_version: int
    policy: int  # bits of model/use_policy.py
    due_at: int | None  # when the policy changes by itself, microseconds since 1970
    due_policy: int | None  # the bits it has from then on
    updated_at: int
    structure: bytes | None  # of text/structure.py; None in chunks of an older version


class ChunkText(NamedTuple):
    """A chunk's text and whose it is."""

    memory_id: str
    chunk_id: str
    text: str


class BlockRow(NamedTuple):
    """What a search block needs of a chunk."""

    slot: int
    ordinal: int
    terms: bytes
    policy: int
    due_at: int | None
    due_policy: int | None
    updated_at: int
    structure: bytes | None


_C = MEMORY_CHUNKS.c
_OF_BLOCK = (_C.slot, _C.ordinal, _C.terms, _C.policy, _C.due_at, _C.due_policy, _C.updated_at, _C.structure)


def _at_slots(size: int) -> ColumnElement[bool]:
    return _C.slot.in_([bindparam(f"slot_{n}") for n in range(size)])


_INSERT = Statement(MEMORY_CHUNKS.insert())
_BLOCK = Statement(
    select(*_OF_BLOCK).where(_C.slot > bindparam("after"), _C.slot <= bindparam("up_to")).order_by(_C.slot)
)
_BLOCK_AT = StatementFamily(lambda size: select(*_OF_BLOCK).where(_at_slots(size)).order_by(_C.slot))
_TEXTS_AT = StatementFamily(lambda size: select(_C.slot, _C.memory_id, _C.id, _C.text).where(_at_slots(size)))
_OF_MEMORY = Statement(select(MEMORY_CHUNKS).where(_C.memory_id == bindparam("memory")).order_by(_C.ordinal))
_SLOTS_OF_MEMORY = Statement(select(_C.slot).where(_C.memory_id == bindparam("memory")).order_by(_C.slot))
_SET_POLICY = Statement(
    MEMORY_CHUNKS.update()
    .where(_C.memory_id == bindparam("memory"))
    .values(policy=bindparam("bits"), due_at=bindparam("due"), due_policy=bindparam("due_bits")),
    *("memory", "bits", "due", "due_bits"),
)
_SET_UPDATED_AT = Statement(
    MEMORY_CHUNKS.update().where(_C.memory_id == bindparam("memory")).values(updated_at=bindparam("moment")),
    *("memory", "moment"),
)
_DELETE_OF_MEMORY = Statement(MEMORY_CHUNKS.delete().where(_C.memory_id == bindparam("memory")))
_DUE = Statement(
    select(MEMORY_CHUNKS).where(_C.due_at <= bindparam("now")).order_by(_C.due_at).limit(bindparam("at_most"))
)
_STALE_TOKENS = Statement(
    select(MEMORY_CHUNKS).where(_C.tokens_version != bindparam("wanted")).order_by(_C.slot).limit(bindparam("at_most"))
)
_SET_TERMS = Statement(
    MEMORY_CHUNKS.update()
    .where(_C.slot == bindparam("which"))
    .values(terms=bindparam("new_terms"), structure=bindparam("new_structure"), tokens_version=bindparam("made_by")),
    *("new_terms", "new_structure", "made_by", "which"),
)
_EXISTING = StatementFamily(lambda size: select(_C.slot).where(_at_slots(size)))
_COUNT = Statement(select(func.count()).select_from(MEMORY_CHUNKS))


def insert(unit: Unit, rows: Sequence[ChunkRow]) -> None:
    """Store chunks; their slots were taken by ``namespaces.allocate_slots``."""
    unit.run_many(_INSERT, rows)


def block_rows(reader: Reader, namespace_id: int, after_slot: int, up_to_slot: int) -> list[BlockRow]:
    """The namespace's chunks with ``after_slot < slot <= up_to_slot`` (as stored), by slot."""
    lowest = first_slot(namespace_id)
    after = max(after_slot, lowest - 1)
    up_to = min(up_to_slot, lowest + LAST_SLOT_NO)
    return [BlockRow._make(row) for row in reader.all(_BLOCK, (after, up_to))]


def block_rows_at(reader: Reader, slots: Sequence[int]) -> list[BlockRow]:
    """The chunks at these slots, by slot; one that is missing was deleted."""
    rows: list[BlockRow] = []
    for portion in in_portions(sorted(slots)):
        found = reader.all(_BLOCK_AT.of(len(portion)), StatementFamily.padded(portion))
        rows += [BlockRow._make(row) for row in found]
    return rows


def texts_at(reader: Reader, slots: Sequence[int]) -> dict[int, ChunkText]:
    """The texts by slot; missing ones are left out."""
    texts: dict[int, ChunkText] = {}
    for portion in in_portions(slots):
        for slot, memory_id, chunk_id, text in reader.all(_TEXTS_AT.of(len(portion)), StatementFamily.padded(portion)):
            texts[slot] = ChunkText(memory_id, chunk_id, text)
    return texts


def of_memory(reader: Reader, memory_id: str) -> list[ChunkRow]:
    """The chunks of one record, by ordinal."""
    return [ChunkRow._make(row) for row in reader.all(_OF_MEMORY, (memory_id,))]


def set_policy(unit: Unit, memory_id: str, policy: int, due_at: int | None, due_policy: int | None) -> list[int]:
    """Give a record's chunks new bits, and when they change next; the slots, for ``namespaces.note_changes``."""
    unit.run(_SET_POLICY, (memory_id, policy, due_at, due_policy))
    return slots_of_memory(unit, memory_id)


def set_updated_at(unit: Unit, memory_id: str, updated_at: int) -> list[int]:
    """Make a record's chunks young again; the slots, for ``namespaces.note_changes``."""
    unit.run(_SET_UPDATED_AT, (memory_id, updated_at))
    return slots_of_memory(unit, memory_id)


def slots_of_memory(reader: Reader, memory_id: str) -> list[int]:
    """The slots of one record's chunks, as stored, ascending."""
    return [slot for (slot,) in reader.all(_SLOTS_OF_MEMORY, (memory_id,))]


def delete_of_memory(unit: Unit, memory_id: str) -> list[int]:
    """Delete a record's chunks; their slots, for ``vectors.delete_slots`` and ``namespaces.note_changes``."""
    slots = slots_of_memory(unit, memory_id)
    unit.run(_DELETE_OF_MEMORY, (memory_id,))
    return slots


def due(reader: Reader, now: int, limit: int) -> list[ChunkRow]:
    """Chunks whose policy has changed by itself, longest ago first."""
    return [ChunkRow._make(row) for row in reader.all(_DUE, (now, limit))]


def stale_tokens(reader: Reader, tokens_version: int, limit: int) -> list[ChunkRow]:
    """Chunks whose words were made by another version of the tokeniser."""
    return [ChunkRow._make(row) for row in reader.all(_STALE_TOKENS, (tokens_version, limit))]


def set_terms(unit: Unit, terms: Sequence[tuple[int, bytes, bytes]], tokens_version: int) -> None:
    """Give chunks (slot, terms, structure) words made by this version of the tokeniser."""
    unit.run_many(_SET_TERMS, [(words, structure, tokens_version, slot) for slot, words, structure in terms])


def existing(reader: Reader, slots: Sequence[int]) -> set[int]:
    """Those of the slots that hold a chunk."""
    found: set[int] = set()
    for portion in in_portions(slots):
        rows = reader.all(_EXISTING.of(len(portion)), StatementFamily.padded(portion))
        found.update(slot for (slot,) in rows)
    return found


def count(reader: Reader) -> int:
    """How many chunks the store holds."""
    row = reader.one(_COUNT)
    return int(row[0]) if row else 0
