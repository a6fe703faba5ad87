"""MaxSim: the nearest word of a text for each word of a question."""

import numpy as np
import pytest

from goclaw.embedding.token_vectors import DIMS, pack_tokens, unpack_tokens
from goclaw.search.late_interaction import nearest_words

STRAIGHT = np.eye(DIMS, dtype=np.float32)


def packed(*directions: int) -> bytes:
    return pack_tokens(STRAIGHT[list(directions)], STRAIGHT)


def test_each_word_finds_its_nearest() -> None:
    question = unpack_tokens([packed(3, 5)])[0]
    found, known = nearest_words(question, {0: packed(3), 2: packed(1, 5, 3)}, 3)
    np.testing.assert_allclose(found, [[0.25, 0, 0.25], [0, 0, 0.25]], atol=0.01)  # a single number is cut at a half
    assert known.tolist() == [True, False, True]


def test_texts_without_words_score_nothing() -> None:
    found, known = nearest_words(unpack_tokens([packed(0)])[0], {0: b"", 1: b"too short"}, 2)
    assert not found.any()
    assert not known.any()


def test_nothing_to_compare() -> None:
    found, known = nearest_words(unpack_tokens([packed(0)])[0], {}, 4)
    assert found.shape == (1, 4)
    assert not known.any()


@pytest.mark.parametrize("words", [1, 7, 64])
def test_packing_keeps_directions(words: int) -> None:
    dice = np.random.default_rng(words)
    vectors = dice.normal(size=(words, DIMS)).astype(np.float32)
    unpacked, counts = unpack_tokens([pack_tokens(vectors, STRAIGHT)])
    assert counts.tolist() == [words]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    codes = unpacked.astype(np.float32)
    cosines = (unit * codes).sum(axis=1) / np.linalg.norm(codes, axis=1)
    assert cosines.min() > 0.999


def test_a_vector_of_zeros_packs() -> None:
    assert pack_tokens(np.zeros((1, DIMS), np.float32), STRAIGHT) == bytes(DIMS)
