"""Measuring a floor from unrelated chunks."""

import numpy as np
import pytest

from goclaw.embedding.floor import measure_floor


def random_vectors(count: int, dims: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    vectors = np.random.default_rng(3).normal(size=(count, dims)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_the_floor_is_mean_plus_three_sigma() -> None:
    # Cosines of random directions have mean 0 and sigma 1/sqrt(dims).
    floor = measure_floor(random_vectors(400, 100))
    assert floor == pytest.approx(0.3, abs=0.05)


def test_the_same_chunks_give_the_same_floor() -> None:
    vectors = random_vectors(100, 16)
    assert measure_floor(vectors) == measure_floor(vectors)


def test_too_few_chunks_say_nothing() -> None:
    assert measure_floor(random_vectors(49, 16)) is None


def test_the_floor_is_never_above_one() -> None:
    assert measure_floor(np.ones((60, 1), dtype=np.float32)) == 1.0
