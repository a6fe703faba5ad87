"""Blocks: whatever happened to a namespace, the block moved on by deltas equals one loaded anew."""

import threading

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from goclaw.model.scope import Scope
from goclaw.model.use_policy import HIDDEN_BIT, PENDING_BIT
from goclaw.search import block as block_module
from goclaw.search.block import Block
from goclaw.search.blocks import BlockCache
from goclaw.search.int8_vectors import Int8Query
from tests.unit.search.small_store import NOW, READER, SmallStore

words = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon"]), min_size=0, max_size=6).map(" ".join)
vectors = st.lists(st.sampled_from([0.0, 0.5, -1.0, float("nan")]), min_size=3, max_size=3)


def question(vector: list[float]) -> Int8Query:
    return Int8Query.of(np.array(vector, np.float32))


def assert_same(one: Block, two: Block) -> None:
    """Equal in everything but how it is laid out."""
    one, two = one.sorted_anew(), two.sorted_anew()
    assert (one.last_slot, one.changes, one.dues) == (two.last_slot, two.changes, two.dues)
    for name in ("numbers", "ordinals", "lengths", "policies", "updated_at", "checks"):
        np.testing.assert_array_equal(getattr(one.columns, name), getattr(two.columns, name))
    for name in ("terms", "starts", "rows", "counts"):
        np.testing.assert_array_equal(getattr(one.postings, name), getattr(two.postings, name))
    assert (one.vectors is None) == (two.vectors is None)
    if one.vectors is not None and two.vectors is not None:
        np.testing.assert_array_equal(one.vectors.scales, two.vectors.scales)
        scored = one.vectors.scales > 0
        if scored.any():
            np.testing.assert_array_equal(one.vectors.matrix[scored], two.vectors.matrix[scored])


class AnyHistory(RuleBasedStateMachine):
    """Random appends, changes, deletes, late vectors, re-tokenising and trims, read now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.store = SmallStore(kept_changes=6)
        self.store.namespace()
        self.cache = self.store.cache()
        self.views: list[tuple[Block, list[int], list[float]]] = []

    @rule(texts=st.lists(words, min_size=1, max_size=3), vector=st.none() | vectors)
    def append(self, texts: list[str], vector: list[float] | None) -> None:
        self.store.add(*texts, vector=vector)

    @precondition(lambda self: self.store.stored)
    @rule(data=st.data(), policy=st.integers(0, 127), due=st.none() | st.tuples(st.integers(1, 9), st.integers(0, 63)))
    def change_policy(self, data: st.DataObject, policy: int, due: tuple[int, int] | None) -> None:
        due_at, due_policy = due or (None, None)
        self.store.change(self._any_slot(data), policy=policy, due_at=due_at, due_policy=due_policy, updated_at=policy)

    @precondition(lambda self: self.store.stored)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        self.store.delete(self._any_slot(data))

    @precondition(lambda self: self.store.stored)
    @rule(data=st.data(), vector=vectors)
    def embed(self, data: st.DataObject, vector: list[float]) -> None:
        slot = self._any_slot(data)
        if (1, slot) not in self.store.vectors:
            self.store.embed(slot, vector)

    @precondition(lambda self: self.store.stored)
    @rule(data=st.data())
    def tokenise_anew(self, data: st.DataObject) -> None:
        self.store.change(self._any_slot(data), terms=b"\1\0\0\0\1")

    @rule(model_no=st.sampled_from([None, 1]))
    def read(self, model_no: int | None) -> None:
        moved = self.cache.current(READER, self.store.all_states(), model_no)[0]
        fresh = BlockCache(1 << 30, self.store).current(READER, self.store.all_states(), moved.vectors and 1)[0]
        assert_same(moved, fresh)
        self.views.append((moved, moved.columns.policies.tolist(), self._cosines(moved)))

    @invariant()
    def views_taken_earlier_never_change(self) -> None:
        for block, policies, cosines in self.views[-3:]:
            assert block.columns.policies.tolist() == policies
            assert self._cosines(block) == cosines

    def _cosines(self, block: Block) -> list[float]:
        return block.vectors.cosines(question([1, 0, 0])).tolist() if block.vectors else []

    def _any_slot(self, data: st.DataObject) -> int:
        return data.draw(st.sampled_from(sorted(self.store.stored)))


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_one_new_row_is_read_as_one_row() -> None:
    store = SmallStore()
    store.add("alpha")
    cache = store.cache()
    cache.current(READER, store.all_states(), None)
    store.reads.clear()
    store.add("beta")
    block = cache.current(READER, store.all_states(), None)[0]
    assert block.row_count == 2
    assert store.reads == ["rows"]
    assert cache.figures()["loads"] == 1


def test_nothing_is_read_when_nothing_changed() -> None:
    store = SmallStore()
    store.add("alpha", vector=[1, 0])
    cache = store.cache()
    first = cache.current(READER, store.all_states(), 1)[0]
    store.reads.clear()
    assert cache.current(READER, store.all_states(), 1)[0] is first
    assert cache.current(READER, store.all_states(), None)[0] is first
    assert store.reads == []


def test_a_reader_of_an_older_snapshot_is_served_the_newer_block() -> None:
    store = SmallStore()
    store.add("alpha")
    older = store.all_states()
    store.add("beta")
    cache = store.cache()
    newer = cache.current(READER, store.all_states(), None)[0]
    assert cache.current(READER, older, None)[0] is newer


def test_a_trimmed_change_log_means_loading_again() -> None:
    store = SmallStore(kept_changes=1)
    slots = [store.add("alpha"), store.add("beta")]
    cache = store.cache()
    cache.current(READER, store.all_states(), None)
    for slot in slots:
        store.change(slot, policy=PENDING_BIT)
    block = cache.current(READER, store.all_states(), None)[0]
    assert block.columns.policies.tolist() == [PENDING_BIT, PENDING_BIT]
    assert cache.figures()["loads"] == 2


def test_many_deleted_or_late_rows_are_tidied_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_module, "_TAIL_ROWS", 3)
    store = SmallStore()
    slots = [store.add(f"alpha{number}") for number in range(20)]
    cache = store.cache()
    cache.current(READER, store.all_states(), None)
    for slot in slots[:6]:
        store.delete(slot)
    block = cache.current(READER, store.all_states(), None)[0]
    assert (block.row_count, len(block.postings.tail.rows)) == (14, 0)
    store.add(*["beta"] * 6)
    block = cache.current(READER, store.all_states(), None)[0]
    assert (block.row_count, len(block.postings.tail.rows)) == (20, 0)


def test_vectors_of_another_model_are_loaded_not_mixed() -> None:
    """R026: the numbers of two models are never compared."""
    store = SmallStore()
    slot = store.add("alpha", vector=[1, 0, 0])
    store.embed(slot, [0, 1], model_no=2)
    cache = store.cache()
    one = cache.current(READER, store.all_states(), 1)[0]
    two = cache.current(READER, store.all_states(), 2)[0]
    assert one.vectors is not None
    assert two.vectors is not None
    assert (one.vectors.dims, two.vectors.dims) == (3, 2)
    assert two.vectors.cosines(question([1, 0, 0])).tolist() == [0.0]


@pytest.mark.parametrize("raw", [[float("nan"), 0.1], [0, 0], [float("inf"), 1], [], [3e38, 3e38]])
def test_r027_a_bad_vector_scores_nothing(raw: list[float]) -> None:
    store = SmallStore()
    store.add("good", vector=[1, 0])
    store.add("bad", vector=raw)
    block = store.cache().current(READER, store.all_states(), 1)[0]
    assert block.vectors is not None
    cosines = block.vectors.cosines(question([1, 0]))
    assert cosines[0] == pytest.approx(1, abs=0.01)
    assert np.isfinite(cosines).all()
    assert cosines[1] == 0


def test_due_policies_begin_at_their_moment() -> None:
    store = SmallStore()
    store.add("alpha", policy=PENDING_BIT, due=(NOW, PENDING_BIT | HIDDEN_BIT))
    block = store.cache().current(READER, store.all_states(), None)[0]
    assert block.policies_at(NOW - 1).tolist() == [PENDING_BIT]
    assert block.policies_at(NOW).tolist() == [PENDING_BIT | HIDDEN_BIT]


def test_a_moment_that_was_taken_back_is_forgotten() -> None:
    store = SmallStore()
    store.add("alpha")
    slot = store.add("beta", due=(NOW, HIDDEN_BIT))
    cache = store.cache()
    cache.current(READER, store.all_states(), None)
    store.change(slot, due_at=None, due_policy=None)
    (block,) = cache.current(READER, store.all_states(), None)
    assert block.policies_at(NOW).tolist() == [0, 0]


def test_a_vector_that_comes_late_is_not_seen_through_an_older_view() -> None:
    store = SmallStore()
    store.add("alpha", vector=[1, 0])
    slot = store.add("beta")
    cache = store.cache()
    (older,) = cache.current(READER, store.all_states(), 1)
    store.embed(slot, [1, 0])
    (newer,) = cache.current(READER, store.all_states(), 1)
    assert older.vectors is not None
    assert newer.vectors is not None
    assert older.vectors.cosines(question([1, 0])).tolist() == pytest.approx([1, 0], abs=0.01)
    assert newer.vectors.cosines(question([1, 0])).tolist() == pytest.approx([1, 1], abs=0.01)


def test_the_longest_unused_namespaces_go_first_and_a_large_one_stays_alone() -> None:
    store = SmallStore()
    for number in (1, 2, 3):
        store.add("alpha beta gamma", namespace=number)
    one, two, three = store.all_states()
    size = store.cache().current(READER, [one], None)[0].nbytes
    cache = store.cache(limit_bytes=2 * size)
    first = cache.current(READER, [one], None)[0]
    cache.current(READER, [two], None)
    assert cache.current(READER, [one], None)[0] is first
    cache.current(READER, [three], None)
    assert cache.current(READER, [one], None)[0] is first
    assert cache.figures()["evictions"] == 1
    assert not cache.figures()["over_limit"]

    tiny = store.cache(limit_bytes=1)
    kept = tiny.current(READER, [one], None)[0]
    assert tiny.current(READER, [one], None)[0] is kept
    assert tiny.figures()["over_limit"]


def test_scopes_that_do_not_age_are_evergreen() -> None:
    store = SmallStore()
    store.namespace(1, Scope.WIKI)
    store.namespace(2, Scope.PERSONAL)
    assert [block.is_evergreen for block in store.cache().current(READER, store.all_states(), None)] == [True, False]


def test_many_threads_load_a_namespace_once() -> None:
    store = SmallStore()
    store.add("alpha", vector=[1, 0])
    cache = store.cache()
    start = threading.Barrier(8)
    found: list[Block] = []

    def read() -> None:
        start.wait()
        found.extend(cache.current(READER, store.all_states(), 1))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.figures()["loads"] == 1
    assert all(block is found[0] for block in found)


def test_readers_beside_a_growing_namespace_never_see_a_torn_block() -> None:
    """Rows, lengths, terms and vectors of a view always belong together, while another thread appends and deletes."""
    store = SmallStore()
    store.add("word", vector=[1, 0])
    cache = store.cache()
    lock = threading.Lock()  # stands for the database's snapshot
    torn: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            with lock:
                block = cache.current(READER, store.all_states(), 1)[0]
            assert block.vectors is not None
            cosines = block.vectors.cosines(question([1, 0]))
            if not len(cosines) == block.row_count == len(block.columns.lengths) == len(block.alive):
                torn.append("length")
            if not np.allclose(cosines, 1, atol=0.01) or not (block.columns.lengths == 1).all():
                torn.append("value")

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(400):
        with lock:
            slot = store.add("word", vector=[1, 0])
            if number % 7 == 0:
                store.delete(slot)
    done.set()
    for reader in readers:
        reader.join()
    assert torn == []
