"""The local model's vectors of words: made with a write, gone with a forget, cached, made anew by a reindex."""

import pytest
from sqlalchemy import select

from goclaw.embedding.local import find_model_folder
from goclaw.storage import chunks, embedding_cache, index_meta, token_vectors
from goclaw.storage.schema import EMBEDDING_CACHE
from goclaw.storage.statement import Statement
from tests.flows.people import ADA, ALICE

pytestmark = pytest.mark.skipif(find_model_folder() is None, reason="the extra 'local' is not installed")
LOCAL = {"memory.search.provider": "local"}
LONG = "The tide table of the harbour says when the ferry can land at the northern pier. " * 12


def words_of(engine, memory_id):
    with engine.database.read() as reader:
        slots = chunks.slots_of_memory(reader, memory_id)
        found = token_vectors.at(reader, index_meta.current(reader).model_no, slots)
        return [found.get(slot) for slot in slots]


def write(engine, text, **more):
    record = engine.memory.write(ALICE, text, scope="personal", **more)
    assert engine.memory.wait_until_indexed()
    return record


def test_a_short_text_gets_a_vector_a_word_and_a_long_one_none(open_store):
    engine = open_store(LOCAL)
    [packed] = words_of(engine, write(engine, "We adopted a puppy in Kappeln").id)
    assert len(packed) % 64 == 0
    assert 3 <= len(packed) // 64 <= 8
    assert words_of(engine, write(engine, LONG).id) == [None]


def test_the_same_text_gets_the_same_vectors_from_the_cache(open_store):
    engine = open_store(LOCAL)
    first = write(engine, "We adopted a puppy", kind="fact")
    again = write(engine, "We adopted a puppy", kind="note")
    assert first.id != again.id
    assert words_of(engine, first.id) == words_of(engine, again.id) != [None]


def test_what_an_older_version_cached_is_embedded_once_more(open_store):
    """Its entries end with the vector of the whole text."""
    engine = open_store(LOCAL)
    first = write(engine, "We adopted a puppy", kind="fact")
    cached = select(EMBEDDING_CACHE)

    def cut(unit):
        for row in unit.all(Statement(cached)):
            key = embedding_cache.CacheKey(row[0], row[2], row[3], row[4], row[5])
            embedding_cache.put_many(unit, key, [(row[1], row[6][: row[7] * 4])], row[7], row[8])

    engine.database.write(cut)
    again = write(engine, "We adopted a puppy", kind="note")
    assert words_of(engine, again.id) == words_of(engine, first.id) != [None]


def test_forgetting_takes_them_along(open_store):
    engine = open_store(LOCAL)
    record = write(engine, "We adopted a puppy")
    with engine.database.read() as reader:
        slots = chunks.slots_of_memory(reader, record.id)
        model_no = index_meta.current(reader).model_no
    engine.memory.forget(ALICE, record.id)
    with engine.database.read() as reader:
        assert token_vectors.at(reader, model_no, slots) == {}


def test_a_reindex_makes_them_anew_and_drops_the_old_ones(open_store):
    engine = open_store(LOCAL)
    record = write(engine, "We adopted a puppy")
    before = words_of(engine, record.id)
    with engine.database.read() as reader:
        slots = chunks.slots_of_memory(reader, record.id)
        old = index_meta.current(reader).model_no
    engine.memory.jobs.reindex(ADA)
    engine.workers.run_due_jobs(deadline_s=30)
    assert words_of(engine, record.id) == before != [None]
    with engine.database.read() as reader:
        assert index_meta.current(reader).model_no != old
        assert token_vectors.at(reader, old, slots) == {}


def test_a_paraphrase_is_found_by_its_words(open_store):
    engine = open_store(LOCAL)
    for number in range(6):
        write(engine, f"Nothing new on day {number}", session_id="s", turn=number, speaker="Ben")
    write(engine, "We adopted a puppy", session_id="s", turn=9, speaker="Ana")
    hit = engine.memory.search(ALICE, "Which animals live with Ana?").hits[0]
    assert hit.record.content == "We adopted a puppy"
    assert hit.score_parts["relevance"] == pytest.approx(hit.score / hit.score_parts["decay"])
