"""Embed: the job that gives chunks their vectors. One bad chunk never sinks its record, nor the rest of the list."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from goclaw.embedding.batches import EmbeddingFailure, Outcome, embed_each
from goclaw.embedding.provider import EmbeddingProvider, WordProvider
from goclaw.embedding.token_vectors import DIMS as TOKEN_DIMS
from goclaw.embedding.token_vectors import TextVectors
from goclaw.ingest.index import embeddable_text
from goclaw.ingest.worker import JobRun
from goclaw.model.clock import Clock
from goclaw.model.errors import ProviderError
from goclaw.model.ids import sha256_hex
from goclaw.search.vector_index import VectorIndex
from goclaw.storage import (
    chunks,
    embedding_cache,
    index_meta,
    memories,
    namespaces,
    pending_vectors,
    token_vectors,
    vectors,
)
from goclaw.storage.database import Database, Reader, Unit
from goclaw.storage.embedding_cache import CacheKey

BATCH_SLOTS = 256
SURELY_SHORT_CHARS = 200  # at most 64 words that say something, in any language
_FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class ToEmbed:
    """One chunk that waits for its vector."""

    slot: int
    workspace_id: str
    text: str
    text_hash: str

    @property
    def key(self) -> tuple[str, str]:
        """By what the cache knows it: texts of two workspaces never share a vector."""
        return self.workspace_id, self.text_hash


@dataclass(frozen=True, slots=True)
class Embedder:
    """Embeds lists of chunks into the rows of one model, through the cache of each workspace."""

    database: Database
    clock: Clock
    index: VectorIndex
    timeout_s: float
    max_cache_entries: int

    def work_off(self, run: JobRun) -> None:
        """The handler of ``embed`` jobs: everything on the list, in batches, until the list is empty."""
        provider = self.index.provider
        done = failed = 0
        while provider is not None:
            with self.database.read() as reader:
                model_no = self.index.state(reader).model_no
                slots = pending_vectors.first(reader, BATCH_SLOTS)
                waiting = self.read_texts(reader, slots)
            if model_no is None or not slots:
                return  # nothing left; or paused until a reindex switches over, and the list waits
            outcomes = self.embed(provider, waiting)
            refused = self.store(model_no, slots, waiting, outcomes)
            done, failed = done + len(waiting) - refused, failed + refused
            run.report(done=done, failed=failed)

    def read_texts(self, reader: Reader, slots: Sequence[int]) -> list[ToEmbed]:
        """The texts of the slots that still exist."""
        found = chunks.texts_at(reader, slots)
        namespace_ids = sorted({slot >> 32 for slot in found})
        records = memories.get_many(reader, sorted({chunk.memory_id for chunk in found.values()}), namespace_ids)
        waiting = []
        for slot, chunk in sorted(found.items()):
            record = records.get(chunk.memory_id)
            if record is not None:
                text = embeddable_text(record, chunk.text)
                waiting.append(ToEmbed(slot, record.workspace_id, text, sha256_hex(text)))
        return waiting

    def embed(self, provider: EmbeddingProvider, waiting: Sequence[ToEmbed]) -> list[Outcome]:
        """A vector or a failure for each text, in order; a text the workspace has embedded before is not sent again."""
        outcomes: dict[tuple[str, str], Outcome] = dict(self._cached(provider, waiting))
        unknown = list({item.key: item for item in waiting if item.key not in outcomes}.values())
        fresh = embed_each(provider, [item.text for item in unknown], "document", self.timeout_s)
        outcomes.update(zip((item.key for item in unknown), fresh, strict=True))
        self._remember(provider, unknown, fresh)
        return [outcomes[item.key] for item in waiting]

    def store(
        self, model_no: int, slots: Sequence[int], waiting: Sequence[ToEmbed], outcomes: Sequence[Outcome]
    ) -> int:
        """Store what came and cross it off the list; returns how many texts were refused for good.

        Raises ProviderError for those that may be tried again: they stay on the list.
        """
        good = {item.slot: out for item, out in zip(waiting, outcomes, strict=True) if isinstance(out, TextVectors)}
        bad = {item.slot: out for item, out in zip(waiting, outcomes, strict=True) if isinstance(out, EmbeddingFailure)}
        refused = {slot: failure.reason for slot, failure in bad.items() if failure.final}
        later = [failure for failure in bad.values() if not failure.final]
        settled = [slot for slot in slots if slot not in bad]

        def work(unit: Unit) -> None:
            alive = sorted(chunks.existing(unit, sorted(good)))
            vectors.put(unit, model_no, [(slot, good[slot].vector.tobytes()) for slot in alive])
            words = {slot: good[slot].tokens for slot in alive}
            token_vectors.put(unit, model_no, [(slot, tokens) for slot, tokens in words.items() if tokens is not None])
            _tell_readers(unit, model_no, alive)
            if good:
                index_meta.learn_dims(unit, model_no, len(next(iter(good.values())).vector))
            pending_vectors.remove(unit, settled)
            pending_vectors.note_refused(unit, refused)

        self.database.write(work)
        if later:
            raise ProviderError(later[0].reason, retry_after_s=later[0].retry_after_s)
        return len(refused)

    def _cached(
        self, provider: EmbeddingProvider, waiting: Sequence[ToEmbed]
    ) -> Iterator[tuple[tuple[str, str], TextVectors]]:
        has_words = isinstance(provider, WordProvider)
        for workspace_id, items in _by_workspace(waiting).items():
            # Kept by a version that did not keep the vectors of words: worth another run where it is short.
            wordy = {item.text_hash for item in items if has_words and len(item.text) <= SURELY_SHORT_CHARS}
            with self.database.read() as reader:
                found = embedding_cache.get_many(
                    reader, _cache_key(provider, workspace_id), [item.text_hash for item in items]
                )
            for text_hash, raw in found.items():
                kept = _from_cache(raw, provider.identity.dims)
                if kept is not None and (kept.tokens or text_hash not in wordy):
                    yield (workspace_id, text_hash), kept

    def _remember(self, provider: EmbeddingProvider, items: Sequence[ToEmbed], outcomes: Sequence[Outcome]) -> None:
        """Keep fresh vectors for the next time the same text comes; the oldest make room."""
        fresh = {item.key: out for item, out in zip(items, outcomes, strict=True) if isinstance(out, TextVectors)}
        if not fresh or not self.max_cache_entries:
            return

        def work(unit: Unit) -> None:
            for workspace_id, group in _by_workspace([item for item in items if item.key in fresh]).items():
                rows = [(item.text_hash, _for_cache(fresh[item.key])) for item in group]
                dims = len(fresh[group[0].key].vector)
                embedding_cache.put_many(unit, _cache_key(provider, workspace_id), rows, dims, self.clock.now())
            embedding_cache.trim(unit, self.max_cache_entries)

        self.database.write(work)


def _tell_readers(unit: Unit, model_no: int, slots: Sequence[int]) -> None:
    """Rows that a reader may hold already have vectors now. Nobody holds those of an index still being built."""
    current = index_meta.current(unit)
    if current is None or current.model_no != model_no:
        return
    for namespace_id in sorted({slot >> 32 for slot in slots}):
        namespaces.note_changes(unit, namespace_id, [slot for slot in slots if slot >> 32 == namespace_id])


def _for_cache(found: TextVectors) -> bytes:
    """The vector, and behind it those of the words; a text without any is marked as one by nothing behind it."""
    return found.vector.tobytes() + (found.tokens or b"")


def _from_cache(raw: bytes, dims: int) -> TextVectors | None:
    """What was kept; None where it is of another length (the same model may have been asked for another one)."""
    end = dims * _FLOAT_BYTES
    if not dims or len(raw) < end or (len(raw) - end) % TOKEN_DIMS:
        return None
    return TextVectors(np.frombuffer(raw[:end], np.float32), raw[end:] or None)


def _by_workspace(items: Sequence[ToEmbed]) -> dict[str, list[ToEmbed]]:
    groups: dict[str, list[ToEmbed]] = {}
    for item in items:
        groups.setdefault(item.workspace_id, []).append(item)
    return groups


def _cache_key(provider: EmbeddingProvider, workspace_id: str) -> CacheKey:
    model = provider.identity
    return CacheKey(workspace_id, model.provider, model.model, model.provider_key, "document")
