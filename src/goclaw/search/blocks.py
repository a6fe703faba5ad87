"""Blocks: loads the block of each namespace when it is first needed, keeps it current by two counters, and forgets
whole namespaces, the longest unused first, above a limit of bytes."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from goclaw.model.namespace import NamespaceState
from goclaw.search.block import Block
from goclaw.search.int8_vectors import Int8Vectors
from goclaw.search.stored_rows import StoredRows
from goclaw.storage.chunks import BlockRow
from goclaw.storage.database import Reader

_PORTION = 4_096  # rows of vectors read at once: 6 MB of 384 floats
_FLOAT_BYTES = 4


class RowSource(Protocol):
    """Where the rows of a namespace come from; slots are as stored, numbers count from 0 within the namespace."""

    def rows(self, reader: Reader, namespace_id: int, first: int, end: int) -> Sequence[BlockRow]:
        """Rows with numbers ``first`` to ``end`` (exclusive), by slot."""
        ...

    def rows_at(self, reader: Reader, slots: Sequence[int]) -> Sequence[BlockRow]:
        """The rows at these slots, by slot; deleted ones are missing."""
        ...

    def changed_slots(self, reader: Reader, namespace_id: int, since: int) -> list[int] | None:
        """The slots of the changes after number ``since``; None where that is no longer known."""
        ...

    def vectors_between(self, reader: Reader, model_no: int, first: int, last: int) -> Sequence[tuple[int, bytes]]:
        """(slot, float32 bytes) of the model with ``first <= slot <= last``."""
        ...

    def vectors_at(self, reader: Reader, model_no: int, slots: Sequence[int]) -> dict[int, bytes]:
        """Float32 bytes by slot; missing ones are left out."""
        ...

    def words_at(self, reader: Reader, model_no: int, slots: Sequence[int]) -> dict[int, bytes]:
        """Packed vectors of words (embedding/token_vectors.py) by slot; missing ones are left out."""
        ...


@dataclass(slots=True)
class _Counts:
    loads: int = 0
    deltas: int = 0
    evictions: int = 0


class BlockCache:
    """The blocks of all namespaces that were searched lately, for any number of threads."""

    def __init__(self, limit_bytes: int, source: RowSource | None = None) -> None:
        self._limit = limit_bytes
        self._source = source or StoredRows()
        self._blocks: OrderedDict[int, Block] = OrderedDict()  # least recently used first
        self._sizes: dict[int, int] = {}
        self._updating: dict[int, threading.Lock] = {}
        self._lock = threading.Lock()
        self._counts = _Counts()

    @property
    def source(self) -> RowSource:
        return self._source

    def current(self, reader: Reader, states: Sequence[NamespaceState], model_no: int | None) -> list[Block]:
        """The blocks of the namespaces, not older than their states; with vectors of a model where one is named.

        ``states`` must have been read by ``reader``, in the same snapshot: counters and rows of different moments make
        torn blocks. A block that another reader has brought further already is served as it is.
        """
        blocks = []
        with self._lock:
            known = [self._use(state.id) for state in states]
        for state, block in zip(states, known, strict=True):
            if block is None or not _serves(block, state, model_no):
                block = self._refresh(reader, state, model_no)
            blocks.append(block)
        return blocks

    def figures(self) -> dict[str, Any]:
        """How many blocks are held, how large they are, and how often they were loaded, moved on or forgotten."""
        with self._lock:
            held = sum(self._sizes.values())
            return {
                "namespaces": len(self._blocks),
                "rows": sum(block.row_count for block in self._blocks.values()),
                "bytes": held,
                "limit_bytes": self._limit,
                "over_limit": held > self._limit,  # one namespace alone is larger; it is kept nevertheless
                "loads": self._counts.loads,
                "deltas": self._counts.deltas,
                "evictions": self._counts.evictions,
            }

    def _use(self, namespace_id: int) -> Block | None:
        block = self._blocks.get(namespace_id)
        if block is not None:
            self._blocks.move_to_end(namespace_id)
        return block

    def _refresh(self, reader: Reader, state: NamespaceState, model_no: int | None) -> Block:
        with self._lock:
            updating = self._updating.setdefault(state.id, threading.Lock())
        with updating:  # one thread a namespace; the others find its work done
            with self._lock:
                old = self._use(state.id)
            if old is not None and _serves(old, state, model_no):
                return old
            block = self._move_on(reader, state, old)
            if model_no is not None and (block.vectors is None or block.vectors.model_no != model_no):
                block = replace(block, vectors=self._load_vectors(reader, block, model_no))
            self._publish(block)
            return block

    def _move_on(self, reader: Reader, state: NamespaceState, old: Block | None) -> Block:
        """The old block as it is now, by what changed and what was appended; loaded whole where that is unknown."""
        if old is None:
            return self._load(reader, state)
        if old.is_as_new_as(state):
            return old
        changed = self._source.changed_slots(reader, state.id, old.changes)
        if changed is None:
            return self._load(reader, state)
        changed = sorted({slot for slot in changed if slot < (state.id << 32) + old.last_slot})
        found = self._source.rows_at(reader, changed) if changed else []
        block = old.with_changes(changed, found, state.changes) if changed else replace(old, changes=state.changes)
        if block is None:
            return self._load(reader, state)
        appended = self._source.rows(reader, state.id, old.last_slot, state.last_slot)
        block = block.with_appended(appended, state.last_slot)
        block = self._with_late_vectors(reader, block, [row.slot for row in (*found, *appended)])
        self._counts.deltas += 1
        return block.tidied()

    def _load(self, reader: Reader, state: NamespaceState) -> Block:
        self._counts.loads += 1
        return Block.load(state, self._source.rows(reader, state.id, 0, state.last_slot))

    def _with_late_vectors(self, reader: Reader, block: Block, slots: Sequence[int]) -> Block:
        """With the vectors of rows that are new, or changed by getting theirs."""
        if block.vectors is None or not slots:
            return block
        raw = self._source.vectors_at(reader, block.vectors.model_no, slots)
        if raw and not block.vectors.dims:  # the first vectors of this namespace tell their length
            return replace(block, vectors=self._load_vectors(reader, block, block.vectors.model_no))
        return replace(block, vectors=_placed(block, block.vectors, raw.items()))

    def _load_vectors(self, reader: Reader, block: Block, model_no: int) -> Int8Vectors:
        vectors = Int8Vectors.empty(model_no, block.row_count, 0)
        base = block.namespace_id << 32
        for first in range(0, block.row_count, _PORTION):
            numbers = block.columns.numbers[first : first + _PORTION]
            stored = self._source.vectors_between(reader, model_no, base + int(numbers[0]), base + int(numbers[-1]))
            if stored and not vectors.dims:
                vectors = Int8Vectors.empty(model_no, block.row_count, len(stored[0][1]) // _FLOAT_BYTES)
            vectors = _placed(block, vectors, stored)
        return vectors

    def _publish(self, block: Block) -> None:
        with self._lock:
            self._blocks[block.namespace_id] = block
            self._blocks.move_to_end(block.namespace_id)
            self._sizes[block.namespace_id] = block.nbytes
            held = sum(self._sizes.values())
            while held > self._limit and len(self._blocks) > 1:
                gone, _ = self._blocks.popitem(last=False)
                held -= self._sizes.pop(gone)
                self._counts.evictions += 1


def _serves(block: Block, state: NamespaceState, model_no: int | None) -> bool:
    has_vectors = model_no is None or (block.vectors is not None and block.vectors.model_no == model_no)
    return has_vectors and block.is_as_new_as(state)


def _placed(block: Block, vectors: Int8Vectors, stored: Collection[tuple[int, bytes]]) -> Int8Vectors:
    """The vectors with stored ones at the rows of their slots; those of unknown rows are left out."""
    if not stored:
        return vectors
    rows = block.rows_of([slot for slot, _ in stored])
    by_row = {int(row): raw for row, (_, raw) in zip(rows, stored, strict=True) if row >= 0}
    return vectors.with_vectors(by_row)
