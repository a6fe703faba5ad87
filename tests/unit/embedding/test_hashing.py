"""The provider without a model."""

import numpy as np
import pytest

from goclaw.embedding.hashing import HashingProvider


def cosine(a: str, b: str) -> float:
    first, second = HashingProvider().embed([a, b], "document", 1.0)
    return float(first @ second)


def test_vectors_are_unit_float32_and_always_the_same() -> None:
    texts = ["Prefers metric units", "x", "", "???", "日本語のメモ", "\ud800"]
    first, second = (HashingProvider().embed(texts, "document", 1.0) for _ in range(2))
    assert first.dtype == np.float32
    assert first.shape == (6, 256)
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(first, second)


def test_a_text_does_not_depend_on_its_neighbours_or_on_its_use() -> None:
    provider = HashingProvider()
    together = provider.embed(["one", "two"], "document", 1.0)
    np.testing.assert_array_equal(together[1], provider.embed(["two"], "query", 1.0)[0])


def test_similar_texts_are_nearer_than_others() -> None:
    near = cosine("Which units does she prefer?", "She prefers metric units")
    assert near > 0.3
    assert near > cosine("Which units does she prefer?", "The backup failed on Monday") + 0.2
    assert cosine("deploy the gateway", "deploys of gateways") > 0.2


def test_the_floor_is_nobodys() -> None:
    assert HashingProvider().min_similarity_floor is None


@pytest.mark.parametrize("dims", [2, 12])
def test_dimensions_can_be_chosen(dims: int) -> None:
    provider = HashingProvider(dims=dims)
    assert provider.embed(["a b c"], "query", 1.0).shape == (1, dims)
    assert provider.identity.dims == dims
