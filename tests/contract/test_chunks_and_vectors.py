"""What search runs on: chunks by slot, their vectors by model, the list of what still needs one."""

import pytest

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
from goclaw.storage.chunks import BlockRow, ChunkText
from goclaw.storage.database import Database, Unit
from goclaw.storage.embedding_cache import CacheKey
from goclaw.storage.index_meta import IndexIdentity
from tests.contract.builders import NOTES, make_chunk, make_record, namespace_id, write_record

MINILM = IndexIdentity("local", "minilm", "key", 3, 1, 1)
KEY = CacheKey("default", "local", "minilm", "key", "document")


def test_a_chunk_comes_back_as_it_went_in(store: Database) -> None:
    record = make_record()
    number = namespace_id(store, record.namespace)
    rows = [
        make_chunk(number << 32, record.id, terms=bytes(range(256)), policy=33, due_at=5, due_policy=2, updated_at=9),
        make_chunk((number << 32) + 1, record.id, ordinal=1, text="ü🐘"),
    ]
    store.write(lambda unit: chunks.insert(unit, rows))
    with store.read() as reader:
        assert chunks.of_memory(reader, record.id) == rows
        assert chunks.of_memory(reader, "unknown") == []
        assert chunks.count(reader) == 2


def test_block_rows_are_those_of_the_namespace_in_the_range(store: Database) -> None:
    number, slots = write_record(store, make_record(), [f"part {n}" for n in range(5)])
    other, other_slots = write_record(store, make_record("x", NOTES))
    with store.read() as reader:
        everything = chunks.block_rows(reader, number, -1, 1 << 62)
        assert [row.slot for row in everything] == slots
        assert [row.slot for row in chunks.block_rows(reader, number, slots[1], slots[3])] == slots[2:4]
        assert [row.slot for row in chunks.block_rows(reader, other, 0, 1 << 62)] == other_slots
        assert everything[1] == BlockRow(slots[1], 1, b"\x01\x00\x00\x00\x01", 0, None, None, 0, None)


def test_rows_at_slots_leave_out_what_is_gone(store: Database) -> None:
    record = make_record()
    _, slots = write_record(store, record, [f"part {n}" for n in range(600)])
    wanted = [*reversed(slots), 99]
    with store.read() as reader:
        assert [row.slot for row in chunks.block_rows_at(reader, wanted)] == slots
        texts = chunks.texts_at(reader, wanted)
        assert len(texts) == 600
        assert texts[slots[3]] == ChunkText(record.id, make_chunk(slots[3], record.id).id, "part 3")
        assert chunks.existing(reader, wanted) == set(slots)
        assert chunks.block_rows_at(reader, []) == []


def test_policy_and_age_change_for_all_chunks_of_a_record(store: Database) -> None:
    record = make_record()
    number, slots = write_record(store, record, ["one", "two"])
    write_record(store, make_record("other"))
    assert store.write(lambda unit: chunks.set_policy(unit, record.id, 8, 1_000, 16)) == slots
    assert store.write(lambda unit: chunks.set_updated_at(unit, record.id, 77)) == slots
    with store.read() as reader:
        rows = chunks.block_rows(reader, number, -1, 1 << 62)
        assert [(row.policy, row.due_at, row.due_policy, row.updated_at) for row in rows] == [
            (8, 1_000, 16, 77),
            (8, 1_000, 16, 77),
            (0, None, None, 0),
        ]
        assert [row.slot for row in chunks.due(reader, 1_000, 10)] == slots
        assert [row.slot for row in chunks.due(reader, 1_000, 1)] == slots[:1]
        assert chunks.due(reader, 999, 10) == []


def test_words_of_an_old_tokeniser_are_found_and_replaced(store: Database) -> None:
    _, slots = write_record(store, make_record(), ["one", "two", "three"])
    store.write(lambda unit: chunks.set_terms(unit, [(slots[1], b"new", b"where")], 2))
    with store.read() as reader:
        assert [row.slot for row in chunks.stale_tokens(reader, 2, 10)] == [slots[0], slots[2]]
        assert [row.slot for row in chunks.stale_tokens(reader, 2, 1)] == [slots[0]]
        found = chunks.block_rows_at(reader, [slots[1]])[0]
        assert (found.terms, found.structure) == (b"new", b"where")


def test_vectors_are_kept_by_model(store: Database) -> None:
    _, slots = write_record(store, make_record(), ["one", "two", "three"])

    def work(unit: Unit) -> None:
        vectors.put(unit, 1, [(slots[0], b"a" * 12), (slots[2], b"c" * 12)])
        vectors.put(unit, 2, [(slots[0], b"A" * 12)])
        vectors.put(unit, 1, [(slots[0], b"b" * 12)])

    store.write(work)
    with store.read() as reader:
        assert vectors.between(reader, 1, slots[0], slots[2]) == [(slots[0], b"b" * 12), (slots[2], b"c" * 12)]
        assert vectors.between(reader, 1, slots[1], slots[1]) == []
        assert vectors.at(reader, 2, slots) == {slots[0]: b"A" * 12}
        assert vectors.missing(reader, 1, 0, 10) == [slots[1]]
        assert vectors.missing(reader, 2, slots[1], 10) == [slots[2]]
        assert vectors.missing(reader, 2, 0, 1) == [slots[1]]
        assert (vectors.count(reader, 1), vectors.count(reader, 2), vectors.count(reader, 3)) == (2, 1, 0)


def test_vectors_move_with_a_text_that_stayed(store: Database) -> None:
    _, slots = write_record(store, make_record(), ["one", "two"])
    store.write(lambda unit: [vectors.put(unit, model, [(slots[0], b"v" * 12)]) for model in (1, 2)])
    store.write(lambda unit: vectors.copy(unit, {slots[1]: slots[0], 999: 998}))
    with store.read() as reader:
        assert vectors.at(reader, 1, slots) == vectors.at(reader, 2, slots) == dict.fromkeys(slots, b"v" * 12)
        assert vectors.at(reader, 1, [999]) == {}


def test_vectors_of_words_live_and_go_with_their_chunks(store: Database) -> None:
    _, slots = write_record(store, make_record(), ["one", "two", "three"])

    def work(unit: Unit) -> None:
        token_vectors.put(unit, 1, [(slots[0], b"a" * 64), (slots[1], b"b" * 128)])
        token_vectors.put(unit, 2, [(slots[0], b"A" * 64)])
        token_vectors.put(unit, 1, [(slots[0], b"c" * 64)])
        token_vectors.copy(unit, {slots[2]: slots[0], 999: 998})

    store.write(work)
    with store.read() as reader:
        everything = {slots[0]: b"c" * 64, slots[1]: b"b" * 128, slots[2]: b"c" * 64}
        assert token_vectors.at(reader, 1, [*slots, 999]) == everything
        assert token_vectors.at(reader, 2, slots) == {slots[0]: b"A" * 64, slots[2]: b"A" * 64}
    store.write(lambda unit: token_vectors.delete_slots(unit, slots[:1]))
    store.write(lambda unit: token_vectors.drop_model(unit, 2))
    with store.read() as reader:
        assert token_vectors.at(reader, 1, slots) == {slots[1]: b"b" * 128, slots[2]: b"c" * 64}
        assert token_vectors.at(reader, 2, slots) == {}


def test_a_model_can_be_dropped_whole(store: Database) -> None:
    store.write(lambda unit: [vectors.put(unit, model, [(n, b"v") for n in range(3)]) for model in (1, 2)])
    store.write(lambda unit: vectors.drop_model(unit, 1))
    with store.read() as reader:
        assert (vectors.count(reader, 1), vectors.count(reader, 2)) == (0, 3)


def test_r034_delete_takes_every_derived_row(store: Database) -> None:
    """R034 (storage part): after a delete no table of the index knows the record."""
    record = make_record("the vault code word is marmalade-fake", tags=("secret",))
    number, slots = write_record(store, record, ["the vault code word", "is marmalade-fake"])
    kept = make_record("stays")
    _, kept_slots = write_record(store, kept)

    def embed(unit: Unit) -> None:
        for model in (1, 2):
            vectors.put(unit, model, [(slot, b"v") for slot in (*slots, *kept_slots)])
        pending_vectors.add(unit, [*slots, *kept_slots])
        embedding_cache.put_many(unit, KEY, [("gone", b"vvvv"), ("kept", b"vvvv")], 1, 1)

    def forget(unit: Unit) -> None:
        gone = chunks.delete_of_memory(unit, record.id)
        assert gone == slots
        vectors.delete_slots(unit, gone)
        pending_vectors.remove(unit, gone)
        namespaces.note_changes(unit, number, gone)
        memories.delete(unit, record.id)
        assert embedding_cache.delete_hashes(unit, "default", ["gone", "unknown"]) == 1

    store.write(embed)
    store.write(forget)
    with store.read() as reader:
        assert memories.get(reader, record.id, [number]) is None
        assert chunks.of_memory(reader, record.id) == []
        assert [row.slot for row in chunks.block_rows(reader, number, -1, 1 << 62)] == kept_slots
        assert vectors.at(reader, 1, [*slots, *kept_slots]) == {kept_slots[0]: b"v"}
        assert (vectors.count(reader, 1), vectors.count(reader, 2)) == (1, 1)
        assert pending_vectors.first(reader, 10) == kept_slots
        assert embedding_cache.get_many(reader, KEY, ["gone", "kept"]) == {"kept": b"vvvv"}
        assert namespaces.changed_slots(reader, number, 0) == slots


def test_the_list_of_pending_vectors(store: Database) -> None:
    store.write(lambda unit: pending_vectors.add(unit, [5, 3, 9]))
    store.write(lambda unit: pending_vectors.note_refused(unit, {3: "input too long"}))
    store.write(lambda unit: pending_vectors.add(unit, [3, 5]))
    with store.read() as reader:
        assert pending_vectors.first(reader, 10) == [5, 9]
        assert pending_vectors.first(reader, 1) == [5]
        assert (pending_vectors.count(reader), pending_vectors.count_refused(reader)) == (2, 1)
    store.write(lambda unit: pending_vectors.remove(unit, [3, 5, 77]))
    with store.read() as reader:
        assert pending_vectors.first(reader, 10) == [9]
        assert pending_vectors.count_refused(reader) == 0


def test_an_index_is_built_beside_the_current_one(store: Database) -> None:
    gemini = IndexIdentity("gemini", "embedding-001", "other", 768, 1, 1)
    with store.read() as reader:
        assert index_meta.current(reader) is None
        assert index_meta.building(reader) is None
    first = store.write(lambda unit: index_meta.add_building(unit, MINILM))
    assert store.write(lambda unit: index_meta.add_building(unit, MINILM)) == first
    store.write(lambda unit: index_meta.switch_to(unit, first, 0.25))
    second = store.write(lambda unit: index_meta.add_building(unit, gemini))
    assert second > first
    with store.read() as reader:
        current, building = index_meta.current(reader), index_meta.building(reader)
        assert current == index_meta.Index(first, MINILM, 0.25)
        assert building == index_meta.Index(second, gemini, None)
    store.write(lambda unit: index_meta.switch_to(unit, second, None))
    with store.read() as reader:
        assert index_meta.current(reader) == index_meta.Index(second, gemini, None)
        assert index_meta.building(reader) is None


def test_r119_an_unfinished_index_of_another_model_goes_with_its_vectors(store: Database) -> None:
    """R119: a rebuild that was killed leaves no shadow rows once the next one begins."""
    gemini = IndexIdentity("gemini", "embedding-001", "other", 768, 1, 1)
    left = store.write(lambda unit: index_meta.add_building(unit, MINILM))
    store.write(lambda unit: vectors.put(unit, left, [(1, b"v")]))
    fresh = store.write(lambda unit: index_meta.add_building(unit, gemini))
    assert fresh != left
    with store.read() as reader:
        assert vectors.count(reader, left) == 0


def test_the_embedding_cache_is_a_workspaces_own(store: Database) -> None:
    other = KEY._replace(workspace_id="elsewhere")
    store.write(lambda unit: embedding_cache.put_many(unit, KEY, [("h", b"mine")], 1, 1))
    store.write(lambda unit: embedding_cache.put_many(unit, other, [("h", b"hers")], 1, 1))
    store.write(lambda unit: embedding_cache.put_many(unit, KEY._replace(input_type="query"), [("h", b"asks")], 1, 1))
    with store.read() as reader:
        assert embedding_cache.get_many(reader, KEY, ["h", "i"]) == {"h": b"mine"}
        assert embedding_cache.get_many(reader, other, ["h"]) == {"h": b"hers"}
    assert store.write(lambda unit: embedding_cache.delete_hashes(unit, "default", ["h"])) == 2
    with store.read() as reader:
        assert embedding_cache.get_many(reader, other, ["h"]) == {"h": b"hers"}


@pytest.mark.parametrize(("max_entries", "left"), [(5, {"h0", "h1", "h2", "h3"}), (2, {"h2", "h3"}), (0, set())])
def test_the_embedding_cache_drops_the_oldest(store: Database, max_entries: int, left: set[str]) -> None:
    hashes = [f"h{n}" for n in range(4)]
    for moment, text_hash in enumerate(hashes):
        store.write(lambda unit, h=text_hash, at=moment: embedding_cache.put_many(unit, KEY, [(h, b"vvvv")], 1, at))
    assert store.write(lambda unit: embedding_cache.trim(unit, max_entries)) == 4 - len(left)
    with store.read() as reader:
        assert set(embedding_cache.get_many(reader, KEY, hashes)) == left
        assert embedding_cache.count(reader) == len(left)
