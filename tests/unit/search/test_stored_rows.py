"""Search over the real store: blocks read from SQLite follow every kind of write, in their own snapshot."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.namespace import Namespace, NamespaceState
from goclaw.model.scope import Scope
from goclaw.model.use_policy import PENDING_BIT
from goclaw.search.blocks import BlockCache
from goclaw.search.hybrid import Options, Ranking, search
from goclaw.search.query import Query
from goclaw.settings.settings import DatabaseSettings, SearchSettings
from goclaw.storage import chunks, namespaces, vectors
from goclaw.storage.chunks import ChunkRow
from goclaw.storage.database import Database, Reader, Unit
from goclaw.storage.open import open_database
from goclaw.text.terms import TOKENS_VERSION, index_terms
from tests.unit.search.small_store import NOW

HOME = Namespace("default", Scope.PERSONAL, "alice")
MODEL = 7


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(DatabaseSettings(), tmp_path)
    yield database
    database.close()


def write(database: Database, memory_id: str, *texts: str) -> list[int]:
    """Store the chunks of one memory; their slots."""

    def work(unit: Unit) -> list[int]:
        namespace_id = namespaces.find_or_make(unit, HOME).id
        first = namespaces.allocate_slots(unit, namespace_id, len(texts))
        rows = [
            ChunkRow(
                slot=first + ordinal,
                id=f"{memory_id}-{ordinal}",
                memory_id=memory_id,
                namespace_id=namespace_id,
                ordinal=ordinal,
                start=0,
                end=len(text),
                text=text,
                chunk_hash="",
                terms=index_terms(text),
                tokens_version=TOKENS_VERSION,
                policy=0,
                due_at=None,
                due_policy=None,
                updated_at=NOW,
                structure=None,
            )
            for ordinal, text in enumerate(texts)
        ]
        chunks.insert(unit, rows)
        return [row.slot for row in rows]

    return database.write(work)


def state_of(reader: Reader) -> list[NamespaceState]:
    state = namespaces.find(reader, HOME)
    return [] if state is None else [state]


def ask(reader: Reader, cache: BlockCache, text: str, vector: list[float] | None = None, bits: int = 0) -> Ranking:
    asked = None if vector is None else TextVectors(np.array(vector, np.float32))
    query = Query.of(text, vectors=asked, now=NOW, withheld_bits=bits)
    options = Options.of(SearchSettings(), limit=6, model_no=MODEL, model_floor=0.4)
    return search(reader, cache, state_of(reader), query, options)


def slots(ranking: Ranking) -> list[int]:
    return [hit.slot for hit in ranking.hits]


def test_a_write_is_found_at_once_and_a_delete_is_gone_at_once(database: Database) -> None:
    cache = BlockCache(1 << 30)
    first = write(database, "m1", "the deploy window is thursday")
    with database.read() as reader:
        assert slots(ask(reader, cache, "deploy window")) == first
    second = write(database, "m2", "nothing", "another deploy window")
    with database.read() as reader:
        found = ask(reader, cache, "deploy window")
    assert sorted(slots(found)) == [first[0], second[1]]
    assert {hit.memory_first_slot for hit in found.hits} == {first[0], second[0]}

    def forget(unit: Unit) -> None:
        gone = chunks.delete_of_memory(unit, "m1")
        namespaces.note_changes(unit, gone[0] >> 32, gone)

    database.write(forget)
    with database.read() as reader:
        assert slots(ask(reader, cache, "deploy window")) == [second[1]]
    assert cache.figures()["loads"] == 1


def test_a_new_policy_holds_from_the_next_question_on(database: Database) -> None:
    cache = BlockCache(1 << 30)
    write(database, "m1", "the deploy window is thursday")
    with database.read() as reader:
        assert ask(reader, cache, "deploy window", bits=PENDING_BIT).hits

    def hold(unit: Unit) -> None:
        changed = chunks.set_policy(unit, "m1", PENDING_BIT, None, None)
        namespaces.note_changes(unit, changed[0] >> 32, changed)

    database.write(hold)
    with database.read() as reader:
        held = ask(reader, cache, "deploy window", bits=PENDING_BIT)
    assert (held.hits, len(held.withheld)) == ((), 1)


def test_vectors_that_come_later_are_used_and_scored_exactly(database: Database) -> None:
    cache = BlockCache(1 << 30)
    (slot,) = write(database, "m1", "we ship on fridays")
    with database.read() as reader:
        assert ask(reader, cache, "release calendar", [1, 0]).hits == ()

    def embed(unit: Unit) -> None:
        vectors.put(unit, MODEL, [(slot, np.array([0.987654, 0.156648], "<f4").tobytes())])
        namespaces.note_changes(unit, slot >> 32, [slot])

    database.write(embed)
    with database.read() as reader:
        (hit,) = ask(reader, cache, "release calendar", [1, 0]).hits
    assert hit.parts["cosine"] == pytest.approx(0.987654, abs=1e-6)


def test_a_reader_sees_its_own_snapshot_when_it_loads(database: Database) -> None:
    write(database, "m1", "the deploy window")
    cache = BlockCache(1 << 30)
    with database.read() as reader:
        states = state_of(reader)
        write(database, "m2", "a deploy window")
        (block,) = cache.current(reader, states, None)
        assert (block.row_count, block.last_slot) == (1, 1)
    with database.read() as reader:
        assert len(ask(reader, cache, "deploy window").hits) == 2
