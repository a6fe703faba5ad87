"""Vector scores: int8 is good enough to choose, float32 decides; both kernels agree."""

import numpy as np
import pytest

from goclaw.search import int8_vectors
from goclaw.search.int8_vectors import quantise
from goclaw.search.vector import RESCORED, rescore, score_vectors
from goclaw.search.view import View, best_rows
from tests.unit.search.small_store import NOW, READER, SmallStore

DIMS = 64


def clustered(count: int, seed: int) -> np.ndarray:
    """Vectors with near neighbours, as texts have them."""
    dice = np.random.default_rng(seed)
    centres = dice.standard_normal((20, DIMS))
    made = centres[dice.integers(0, 20, count)] + 0.5 * dice.standard_normal((count, DIMS))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def store_with(vectors: np.ndarray) -> tuple[SmallStore, View]:
    store = SmallStore()
    for number, vector in enumerate(vectors):
        store.add("text", namespace=number % 3 + 1, vector=vector.tolist())
    return store, View(store.cache().current(READER, store.all_states(), 1), NOW, 0)


@pytest.mark.parametrize("kernel", ["simsimd", "numpy"])
def test_the_best_ten_are_the_exact_ten(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kernel == "numpy":
        monkeypatch.setattr(int8_vectors, "simsimd", None)
    store, view = store_with(clustered(3_000, seed=1))
    exact = np.stack([np.frombuffer(store.vectors[1, int(slot)], "<f4") for slot in view.slots(np.arange(3_000))])
    for query in clustered(20, seed=2):
        scores = score_vectors(view, query)
        rescore(scores, best_rows(scores.cosines, view.allowed, RESCORED), query, view, READER, store, 1)
        own = np.lexsort((np.arange(3_000), -scores.cosines))[:10]
        right = np.lexsort((np.arange(3_000), -(exact @ query)))[:10]
        assert set(own.tolist()) == set(right.tolist())
        assert scores.cosines[own] == pytest.approx(exact[own] @ query, abs=1e-5)


def test_both_kernels_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    _, view = store_with(clustered(500, seed=3))
    query = clustered(1, seed=4)[0]
    quick = score_vectors(view, query).cosines
    monkeypatch.setattr(int8_vectors, "simsimd", None)
    np.testing.assert_allclose(score_vectors(view, query).cosines, quick, atol=1e-6)


def test_rows_without_a_vector_are_known_as_such() -> None:
    store = SmallStore()
    store.add("one", vector=[1, 0])
    store.add("two")
    store.add("three", namespace=2)
    view = View(store.cache().current(READER, store.all_states(), 1), NOW, 0)
    scores = score_vectors(view, np.array([1, 0], np.float32))
    assert scores.known.tolist() == [True, False, False]
    assert scores.cosines.tolist() == pytest.approx([1, 0, 0], abs=0.01)


def test_quantising_keeps_direction_and_sign() -> None:
    codes, scales = quantise(np.array([[1, -0.5, 0], [0, 0, 0]], np.float32))
    assert codes.tolist() == [[127, -64, 0], [0, 0, 0]]
    assert scales.tolist() == pytest.approx([1 / 127, 0])
