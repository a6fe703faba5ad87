"""Reindex: build all vectors of the configured model beside the old ones, and switch over when none is missing.

While it builds, search goes on as before; a crash leaves the old index in place and the work done so far counts.
Chunks whose words were made by an older tokeniser are tokenised again on the way.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from goclaw.embedding.floor import measure_floor
from goclaw.embedding.provider import Vector
from goclaw.embedding.token_vectors import TextVectors
from goclaw.ingest.embed import Embedder
from goclaw.ingest.index import embeddable_text, structure_in
from goclaw.ingest.worker import JobRun
from goclaw.model.record import MemoryRecord
from goclaw.search.vector_index import VectorIndex
from goclaw.storage import chunks, index_meta, memories, namespaces, token_vectors, vectors
from goclaw.storage.database import Database, Unit
from goclaw.text.terms import TOKENS_VERSION, index_terms

BATCH_SLOTS = 256
FLOOR_SAMPLE = 1_000  # vectors from which the floor of unrelated texts is measured


@dataclass(frozen=True, slots=True)
class Reindexer:
    """Rebuilds what search runs on from the stored texts."""

    database: Database
    index: VectorIndex
    embedder: Embedder

    def rebuild(self, run: JobRun) -> None:
        """The handler of ``reindex`` jobs."""
        self.retokenise(run)
        identity = self.index.identity()
        provider = self.index.provider
        if identity is None or provider is None:
            return  # keyword-only: there are no vectors to build
        model_no = self.database.write(lambda unit: index_meta.add_building(unit, identity))
        sample: list[Vector] = []
        done = failed = 0
        after_slot = 0
        with self.database.read() as reader:
            total = chunks.count(reader)
        while True:
            with self.database.read() as reader:
                missing = vectors.missing(reader, model_no, after_slot, BATCH_SLOTS)
                waiting = self.embedder.read_texts(reader, missing)
            if not missing:
                break
            outcomes = self.embedder.embed(provider, waiting)
            refused = self.embedder.store(model_no, missing, waiting, outcomes)
            sample += [each.vector for each in outcomes if isinstance(each, TextVectors)][
                :: len(sample) // FLOOR_SAMPLE + 1
            ]
            after_slot = missing[-1]
            done, failed = done + len(waiting) - refused, failed + refused
            run.report(done=done, failed=failed, total=total)
        floor = measure_floor(np.array(sample[-FLOOR_SAMPLE:])) if sample else None
        self.database.write(lambda unit: self._switch(unit, model_no, floor))

    def retokenise(self, run: JobRun) -> None:
        """Make the words of chunks anew whose tokeniser is not today's."""
        done = 0
        while True:
            with self.database.read() as reader:
                rows = chunks.stale_tokens(reader, TOKENS_VERSION, BATCH_SLOTS)
                records = memories.get_many(
                    reader, sorted({row.memory_id for row in rows}), sorted({row.namespace_id for row in rows})
                )
            if not rows:
                return
            fresh = [
                (row.slot, *_words_and_structure(records[row.memory_id], row.text))
                for row in rows
                if row.memory_id in records
            ]
            self.database.write(partial(_put_terms, fresh=fresh))
            done += len(fresh)
            run.report(retokenised=done)

    def _switch(self, unit: Unit, model_no: int, floor: float | None) -> None:
        """Make the new vectors the index, and drop the old model's; late writes are on the embedding list already."""
        old = index_meta.current(unit)
        index_meta.switch_to(unit, model_no, floor)
        if old is not None and old.model_no != model_no:
            vectors.drop_model(unit, old.model_no)
            token_vectors.drop_model(unit, old.model_no)


def _words_and_structure(record: MemoryRecord, chunk: str) -> tuple[bytes, bytes]:
    return index_terms(embeddable_text(record, chunk)), structure_in(record, chunk)


def _put_terms(unit: Unit, *, fresh: list[tuple[int, bytes, bytes]]) -> None:
    chunks.set_terms(unit, fresh, TOKENS_VERSION)
    by_namespace: dict[int, list[int]] = {}
    for slot, _, _ in fresh:
        by_namespace.setdefault(slot >> 32, []).append(slot)
    for namespace_id, slots in by_namespace.items():
        namespaces.note_changes(unit, namespace_id, slots)
