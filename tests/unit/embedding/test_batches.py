"""Batches, and what happens to one bad text or one bad moment in them."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from goclaw.embedding.batches import EmbeddingFailure, embed_each, estimate_tokens, plan_batches
from goclaw.embedding.hashing import HashingProvider
from goclaw.embedding.provider import BadVectors, InputType, Vectors
from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.errors import ProviderError, ProviderRefusal

Fault = Callable[[Sequence[str]], ProviderError | None]


class FaultyProvider(HashingProvider):
    """Fails as told, else answers; notes what it was asked."""

    def __init__(self, fault: Fault, max_batch_items: int = 2048) -> None:
        super().__init__()
        self.fault = fault
        self.max_batch_items = max_batch_items
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
        self.calls.append(list(texts))
        error = self.fault(texts)
        if error is not None:
            raise error
        return super().embed(texts, input_type, timeout_s)


def refuse(*bad: str, error: Callable[[], ProviderError] = lambda: ProviderError("refused", final=True)) -> Fault:
    return lambda texts: error() if set(bad) & set(texts) else None


def failed(outcomes: Sequence[object]) -> list[int]:
    return [position for position, outcome in enumerate(outcomes) if isinstance(outcome, EmbeddingFailure)]


def test_batches_keep_both_limits_and_the_order() -> None:
    texts = ["x" * 40] * 10  # 11 tokens each
    assert plan_batches(texts, max_items=4, max_tokens=1000) == [range(4), range(4, 8), range(8, 10)]
    assert plan_batches(texts, max_items=100, max_tokens=33) == [range(3), range(3, 6), range(6, 9), range(9, 10)]
    assert plan_batches([], max_items=4) == []


def test_a_text_over_the_limit_goes_alone() -> None:
    assert plan_batches(["a", "x" * 400, "b"], max_items=9, max_tokens=50) == [range(1), range(1, 2), range(2, 3)]


def test_the_estimate_weighs_chinese_more_than_english() -> None:
    assert estimate_tokens("four") == 2
    assert estimate_tokens("内存内存") > 2 * estimate_tokens("four") - 2
    assert estimate_tokens("\ud800") == 1  # half a surrogate pair is no reason to fail


def test_all_texts_get_their_own_vector() -> None:
    provider = FaultyProvider(lambda texts: None, max_batch_items=3)
    texts = [f"text {number}" for number in range(8)]
    outcomes = embed_each(provider, texts, "document", 1.0)
    found = [outcome.vector for outcome in outcomes if isinstance(outcome, TextVectors)]
    np.testing.assert_array_equal(np.array(found), HashingProvider().embed(texts, "document", 1.0))
    assert [len(call) for call in provider.calls] == [3, 3, 2]


@pytest.mark.parametrize("bad", [0, 1, 5, 9])
def test_r029_one_refused_text_fails_alone_and_for_good(bad: int) -> None:
    texts = [f"text {number}" for number in range(10)]
    provider = FaultyProvider(refuse(texts[bad]))
    outcomes = embed_each(provider, texts, "document", 1.0)
    assert failed(outcomes) == [bad]
    assert outcomes[bad] == EmbeddingFailure("refused", final=True, retry_after_s=None)
    assert len(provider.calls) <= 9  # halving, not one by one


def test_r027_one_bad_vector_fails_alone_and_may_be_tried_again() -> None:
    provider = FaultyProvider(refuse("b", error=lambda: BadVectors("not a number")))
    outcomes = embed_each(provider, ["a", "b", "c"], "document", 1.0)
    assert failed(outcomes) == [1]
    assert outcomes[1] == EmbeddingFailure("not a number", final=False, retry_after_s=None)


def test_r030_a_busy_service_keeps_what_was_done_and_is_not_asked_again() -> None:
    def busy_at_c(texts: Sequence[str]) -> ProviderError | None:
        return ProviderError("asked too often", retry_after_s=30.0) if "c" in texts else None

    provider = FaultyProvider(busy_at_c, max_batch_items=1)
    outcomes = embed_each(provider, ["a", "b", "c", "d"], "document", 1.0)
    assert failed(outcomes) == [2, 3]
    assert outcomes[2] == outcomes[3] == EmbeddingFailure("asked too often", final=False, retry_after_s=30.0)
    assert provider.calls == [["a"], ["b"], ["c"]]


def test_a_service_that_refuses_everybody_condemns_no_text() -> None:
    provider = FaultyProvider(lambda texts: ProviderRefusal("wrong key"))
    outcomes = embed_each(provider, ["a", "b"], "document", 1.0)
    assert outcomes == [EmbeddingFailure("wrong key", final=False, retry_after_s=None)] * 2
    assert len(provider.calls) == 1


def test_a_service_that_refuses_every_text_is_not_asked_about_each() -> None:
    provider = FaultyProvider(lambda texts: ProviderError("refused", final=True))
    outcomes = embed_each(provider, [f"text {number}" for number in range(64)], "document", 1.0)
    assert outcomes == [EmbeddingFailure("refused", final=False, retry_after_s=None)] * 64
    assert len(provider.calls) < 12


def test_a_single_refused_text_is_condemned() -> None:
    outcomes = embed_each(FaultyProvider(refuse("a")), ["a"], "document", 1.0)
    assert outcomes == [EmbeddingFailure("refused", final=True, retry_after_s=None)]


def test_no_texts_ask_nobody() -> None:
    provider = FaultyProvider(lambda texts: None)
    assert embed_each(provider, [], "document", 1.0) == []
    assert provider.calls == []
