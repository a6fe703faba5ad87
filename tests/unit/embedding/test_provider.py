"""Identity of vectors, and what is accepted as one."""

import json
from typing import Any

import numpy as np
import pytest

from goclaw.embedding.hashing import HashingProvider
from goclaw.embedding.provider import BadVectors, EmbeddingIdentity, check_vectors, make_provider_key


def identity(**changes: Any) -> EmbeddingIdentity:
    return EmbeddingIdentity(**{"provider": "p", "model": "fake-a", "provider_key": "k", "dims": 16, **changes})


def test_r025_another_number_of_dimensions_is_another_identity() -> None:
    assert not identity(dims=8).is_same_as(identity(dims=12))


def test_r026_another_model_with_the_same_dimensions_is_another_identity() -> None:
    assert not identity().is_same_as(identity(model="fake-c"))
    assert not identity().is_same_as(identity(provider_key="other address"))
    assert not identity().is_same_as(identity(provider="other"))


def test_r026_fake_models_of_the_same_size_give_other_numbers() -> None:
    a, c = HashingProvider("fake-a", 16), HashingProvider("fake-c", 16)
    assert not a.identity.is_same_as(c.identity)
    assert not np.allclose(a.embed(["a text"], "query", 1), c.embed(["a text"], "query", 1))


def test_dimensions_nobody_knows_yet_match_any() -> None:
    assert identity(dims=0).is_same_as(identity(dims=16))
    assert identity(dims=16).is_same_as(identity(dims=0))
    assert not identity(dims=0).is_same_as(identity(model="fake-c"))


def test_the_provider_key_depends_on_every_part_and_their_borders() -> None:
    keys = {make_provider_key(*parts) for parts in (("a", "b"), ("a", "b", "c"), ("a", "bc"), ("ab", "c"))}
    assert len(keys) == 4
    assert all(len(key) == 64 for key in keys)


def test_vectors_come_out_with_length_one() -> None:
    vectors = check_vectors([[3, 4], [0.0, -2.0]], 2)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, -1]])


# "null" stands for a row that is missing; 1e999 is how JSON spells what Python reads as infinity.
@pytest.mark.parametrize(
    "row", ["[NaN, 0.1]", "[0, 0]", "null", "[1e999, 1]", "[]", "[1, 2, 3]", '["1", "2"]', "[true, false]"]
)
def test_r027_what_is_no_vector_is_rejected(row: str) -> None:
    for rows in ([[1.0, 2.0], json.loads(row)], [json.loads(row)]):
        with pytest.raises(BadVectors) as caught:
            check_vectors(rows, 2)
        assert not caught.value.final  # another try may do better, a bounded number of times


def test_r027_an_empty_vector_is_rejected_when_no_length_is_known() -> None:
    with pytest.raises(BadVectors):
        check_vectors([[]], 0)


def test_no_texts_are_no_rows() -> None:
    assert check_vectors([], 3).shape == (0, 3)


def test_the_first_row_tells_the_length_when_no_length_is_known() -> None:
    assert check_vectors([[1, 1, 1]], 0).shape == (1, 3)
    with pytest.raises(BadVectors):
        check_vectors([[1, 1, 1], [1, 1]], 0)
