"""The cache of questions' vectors."""

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from goclaw.embedding.hashing import HashingProvider
from goclaw.embedding.provider import EmbeddingIdentity, InputType, Vectors
from goclaw.embedding.query_cache import QueryCache
from goclaw.model.errors import ProviderError


class CountingProvider(HashingProvider):
    def __init__(self, model: str = "a") -> None:
        super().__init__(model)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
        assert input_type == "query"
        self.asked += texts
        return super().embed(texts, input_type, timeout_s)


def test_a_question_is_embedded_once() -> None:
    cache, provider = QueryCache(), CountingProvider()
    first = cache.embed(provider, "which units?", 3.0)
    second = cache.embed(provider, "which units?", 3.0)
    assert first.vector.shape == (256,)
    np.testing.assert_array_equal(first.vector, second.vector)
    assert provider.asked == ["which units?"]


def test_the_least_recently_used_goes_first() -> None:
    cache, provider = QueryCache(entries=2), CountingProvider()
    for text in ("a", "b", "a", "c", "a", "b"):
        cache.embed(provider, text, 3.0)
    assert provider.asked == ["a", "b", "c", "b"]


def test_another_model_is_never_answered_with_these_numbers() -> None:
    cache, a, b = QueryCache(), CountingProvider("a"), CountingProvider("b")
    cache.embed(a, "x", 3.0)
    cache.embed(b, "x", 3.0)
    assert (a.asked, b.asked) == (["x"], ["x"])


def test_a_failure_is_not_kept() -> None:
    class Failing(CountingProvider):
        def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
            super().embed(texts, input_type, timeout_s)
            raise ProviderError("down")

    cache, provider = QueryCache(), Failing()
    for _ in range(2):
        with pytest.raises(ProviderError):
            cache.embed(provider, "x", 3.0)
    assert provider.asked == ["x", "x"]


def test_what_is_handed_out_cannot_be_changed() -> None:
    cache, provider = QueryCache(), CountingProvider()
    with pytest.raises(ValueError, match="read-only"):
        cache.embed(provider, "x", 3.0).vector[0] = 9


def test_clear_forgets() -> None:
    cache, provider = QueryCache(), CountingProvider()
    cache.embed(provider, "x", 3.0)
    cache.clear()
    cache.embed(provider, "x", 3.0)
    assert provider.asked == ["x", "x"]


def test_the_cache_holds_no_texts() -> None:
    cache, provider = QueryCache(), HashingProvider()
    cache.embed(provider, "canary-value", 3.0)
    assert "canary" not in repr(vars(cache))


def test_dimensions_learned_from_the_first_answer_do_not_hide_it() -> None:
    class Learning(CountingProvider):
        """Like a service: its first answer tells its dimensions."""

        def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
            self.identity = HashingProvider().identity
            return super().embed(texts, input_type, timeout_s)

    cache, provider = QueryCache(), Learning()
    provider.identity = EmbeddingIdentity("p", "m", "k", 0)
    cache.embed(provider, "x", 3.0)
    cache.embed(provider, "x", 3.0)
    assert provider.asked == ["x"]


def test_threads_share_it() -> None:
    cache, provider = QueryCache(entries=8), CountingProvider()
    failures: list[Exception] = []

    def ask() -> None:
        try:
            for number in range(300):
                expected = HashingProvider("a").embed([str(number % 12)], "query", 3.0)[0]
                np.testing.assert_array_equal(cache.embed(provider, str(number % 12), 3.0).vector, expected)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
