"""Stored rows: what the blocks read from the database."""

from collections.abc import Sequence

from goclaw.storage import chunks, namespaces, token_vectors, vectors
from goclaw.storage.chunks import BlockRow
from goclaw.storage.database import Reader


class StoredRows:
    """The rows of the store, as the search blocks ask for them."""

    def rows(self, reader: Reader, namespace_id: int, first: int, end: int) -> list[BlockRow]:
        """Rows with numbers ``first`` to ``end`` (exclusive), by slot."""
        lowest = namespaces.first_slot(namespace_id)
        return chunks.block_rows(reader, namespace_id, lowest + first - 1, lowest + end - 1)

    def rows_at(self, reader: Reader, slots: Sequence[int]) -> list[BlockRow]:
        """The rows at these slots, by slot; deleted ones are missing."""
        return chunks.block_rows_at(reader, slots)

    def changed_slots(self, reader: Reader, namespace_id: int, since: int) -> list[int] | None:
        """The slots of the changes after number ``since``; None where that is no longer known."""
        return namespaces.changed_slots(reader, namespace_id, since)

    def vectors_between(self, reader: Reader, model_no: int, first: int, last: int) -> list[tuple[int, bytes]]:
        """(slot, float32 bytes) of the model with ``first <= slot <= last``."""
        return list(vectors.between(reader, model_no, first, last))

    def vectors_at(self, reader: Reader, model_no: int, slots: Sequence[int]) -> dict[int, bytes]:
        """Float32 bytes by slot; missing ones are left out."""
        return vectors.at(reader, model_no, slots)

    def words_at(self, reader: Reader, model_no: int, slots: Sequence[int]) -> dict[int, bytes]:
        """Packed vectors of words by slot; missing ones are left out."""
        return token_vectors.at(reader, model_no, slots)
