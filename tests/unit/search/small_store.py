"""A store of rows in memory that answers what the blocks ask; as strict about snapshots as a database."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from goclaw.model.namespace import Namespace, NamespaceState
from goclaw.model.scope import Scope
from goclaw.search.blocks import BlockCache
from goclaw.storage.chunks import BlockRow
from goclaw.text.structure import structure_of
from goclaw.text.terms import index_terms

NOW = 1_700_000_000_000_000
READER: Any = None  # the store below needs no connection


@dataclass
class SmallStore:
    """Namespaces, their rows, changes and vectors."""

    states: dict[int, NamespaceState] = field(default_factory=dict)
    stored: dict[int, BlockRow] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    changes: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    vectors: dict[tuple[int, int], bytes] = field(default_factory=dict)
    words: dict[tuple[int, int], bytes] = field(default_factory=dict)
    kept_changes: int = 10_000
    reads: list[str] = field(default_factory=list)

    def namespace(self, number: int = 1, scope: Scope = Scope.PERSONAL) -> NamespaceState:
        """The state of a namespace, made where it is missing."""
        return self.states.setdefault(number, NamespaceState(number, Namespace("default", scope, f"u{number}"), 0, 0))

    def add(
        self,
        *texts: str,
        namespace: int = 1,
        policy: int = 0,
        updated_at: int = NOW,
        due: tuple[int, int] | None = None,
        vector: Sequence[float] | None = None,
        words: bytes | None = None,
        said: tuple[str, int | None, str] | None = None,
    ) -> int:
        """One memory with a chunk for each text, ``said`` in (session, turn, by); the slot of its first chunk."""
        state = self.namespace(namespace)
        first = (namespace << 32) + state.last_slot
        for ordinal, text in enumerate(texts):
            due_at, due_policy = due or (None, None)
            slot = first + ordinal
            self.texts[slot] = text
            session, turn, speaker = said or (None, None, None)
            structure = structure_of(text, record=" ".join(texts), session_id=session, turn=turn, speaker=speaker)
            self.stored[slot] = BlockRow(
                slot, ordinal, index_terms(text), policy, due_at, due_policy, updated_at, structure.packed()
            )
            if words is not None:
                self.words[1, slot] = words
            if vector is not None:
                self.vectors[1, slot] = np.array(vector, "<f4").tobytes()
        self.states[namespace] = replace(state, last_slot=state.last_slot + len(texts))
        return first

    def change(self, slot: int, **values: Any) -> None:
        """Other values for one row."""
        self.stored[slot] = self.stored[slot]._replace(**values)
        self._note(slot)

    def delete(self, slot: int) -> None:
        """One row less."""
        del self.stored[slot]
        self._note(slot)

    def embed(self, slot: int, vector: Sequence[float], model_no: int = 1) -> None:
        """A vector that comes after its row."""
        self.vectors[model_no, slot] = np.array(vector, "<f4").tobytes()
        self._note(slot)

    def _note(self, slot: int) -> None:
        number = slot >> 32
        state = replace(self.states[number], changes=self.states[number].changes + 1)
        self.states[number] = state
        self.changes.setdefault(number, []).append((state.changes, slot))
        del self.changes[number][: -self.kept_changes]

    def all_states(self) -> list[NamespaceState]:
        return list(self.states.values())

    def cache(self, limit_bytes: int = 1 << 30) -> BlockCache:
        return BlockCache(limit_bytes, self)

    def rows(self, reader: Any, namespace_id: int, first: int, end: int) -> list[BlockRow]:
        self.reads.append("rows")
        lowest = namespace_id << 32
        return [row for slot, row in sorted(self.stored.items()) if lowest + first <= slot < lowest + end]

    def rows_at(self, reader: Any, slots: Sequence[int]) -> list[BlockRow]:
        self.reads.append("rows_at")
        return [self.stored[slot] for slot in sorted(slots) if slot in self.stored]

    def changed_slots(self, reader: Any, namespace_id: int, since: int) -> list[int] | None:
        known = self.changes.get(namespace_id, [])
        slots = [slot for number, slot in known if number > since]
        return slots if len(slots) == self.states[namespace_id].changes - since else None

    def vectors_between(self, reader: Any, model_no: int, first: int, last: int) -> list[tuple[int, bytes]]:
        return [
            (slot, raw)
            for (number, slot), raw in sorted(self.vectors.items())
            if number == model_no and first <= slot <= last
        ]

    def vectors_at(self, reader: Any, model_no: int, slots: Sequence[int]) -> dict[int, bytes]:
        return {slot: self.vectors[model_no, slot] for slot in slots if (model_no, slot) in self.vectors}

    def words_at(self, reader: Any, model_no: int, slots: Sequence[int]) -> dict[int, bytes]:
        return {slot: self.words[model_no, slot] for slot in slots if (model_no, slot) in self.words}
