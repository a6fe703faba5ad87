"""Keyword scores equal a slow BM25 that is written down as in a book, to the last bit of the order."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goclaw.model.use_policy import PENDING_BIT
from goclaw.search.keyword import score_keywords
from goclaw.search.view import View, best_rows
from goclaw.text.terms import query_terms
from tests.unit.search.small_store import NOW, READER, SmallStore

VOCABULARY = ["alpha", "beta", "gamma", "delta", "omega", "kappa"]
texts = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12).map(" ".join)


def view_of(store: SmallStore, withheld_bits: int = 0) -> View:
    return View(store.cache().current(READER, store.all_states(), None), NOW, withheld_bits)


def slow_bm25(documents: list[str], query: str) -> tuple[list[float], list[int]]:
    """Document by document, k1 1.2, Lucene's idf, b = coefficient of variation of lengths between .3 and 1."""
    terms = query_terms(query)
    words = [term for _, term in sorted(zip(terms.hashes, terms.words, strict=True))]  # the kernel's order of sums
    bags = [Counter(document.split()) for document in documents]
    lengths = [sum(bag.values()) for bag in bags]
    count, average = len(bags), sum(lengths) / len(bags)
    variance = sum(length**2 for length in lengths) / count - average**2
    b = min(1.0, max(0.3, math.sqrt(max(variance, 0)) / average))
    scores = []
    for bag, length in zip(bags, lengths, strict=True):
        score = 0.0
        for word in words:
            holding = sum(word in other for other in bags)
            idf = math.log1p((count - holding + 0.5) / (holding + 0.5))
            score += idf * (bag[word] * 2.2) / (bag[word] + 1.2 * (1 - b) + 1.2 * b / average * length)
        scores.append(score)
    return scores, [sum(word in bag for word in words) for bag in bags]


@given(
    documents=st.lists(st.tuples(texts, st.integers(1, 3)), min_size=1, max_size=25),
    query=st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=4).map(" ".join),
    loaded=st.integers(0, 25),
)
@settings(max_examples=150, deadline=None)
def test_scores_equal_the_slow_reference(documents: list[tuple[str, int]], query: str, loaded: int) -> None:
    """Over several namespaces, part of the rows loaded sorted and part arrived later."""
    store = SmallStore()
    cache = store.cache()
    for number, (text, namespace) in enumerate(documents):
        if number == loaded:
            cache.current(READER, store.all_states(), None)
        store.add(text, namespace=namespace)
    view = View(cache.current(READER, store.all_states(), None), NOW, 0)
    found = score_keywords(view, query_terms(query))
    slots = view.slots(np.arange(view.row_count)).tolist()
    expected, matched = slow_bm25([store.texts[slot] for slot in slots], query)
    assert found.bm25.tolist() == pytest.approx(expected, rel=1e-12)
    assert found.matched.tolist() == matched
    order = sorted(range(len(slots)), key=lambda row: (-round(expected[row], 9), slots[row]))
    own = sorted(range(len(slots)), key=lambda row: (-round(float(found.bm25[row]), 9), slots[row]))
    assert own == order


def test_deleted_rows_count_nowhere_and_masked_rows_do() -> None:
    store, without = SmallStore(), SmallStore()
    for text in ("alpha beta", "alpha gamma delta", "omega"):
        store.add(text)
        without.add(text)
    cache = store.cache()
    cache.current(READER, store.all_states(), None)
    deleted_slot = store.add("alpha alpha alpha omega kappa")
    cache.current(READER, store.all_states(), None)
    store.delete(deleted_slot)
    deleted = score_keywords(View(cache.current(READER, store.all_states(), None), NOW, 0), query_terms("alpha omega"))
    clean = score_keywords(view_of(without), query_terms("alpha omega"))
    assert deleted.bm25.tolist() == [*clean.bm25.tolist(), 0.0]

    without.add("alpha alpha alpha omega kappa", policy=PENDING_BIT)
    shown, masked = view_of(without), view_of(without, PENDING_BIT)
    assert (
        score_keywords(shown, query_terms("alpha")).bm25.tolist()
        == score_keywords(masked, query_terms("alpha")).bm25.tolist()
    )
    assert masked.allowed.tolist() == [True, True, True, False]


def test_no_rows_and_unknown_words_score_nothing() -> None:
    store = SmallStore()
    store.namespace()
    assert score_keywords(view_of(store), query_terms("alpha")).bm25.tolist() == []
    store.add("alpha")
    found = score_keywords(view_of(store), query_terms("zeta"))
    assert found.bm25.tolist() == [0.0]
    assert found.idf_sum > 0


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), max_size=30), st.integers(1, 10))
def test_the_best_rows_include_every_tie_with_the_last(values: list[float], count: int) -> None:
    scores = np.array(values)
    among = np.arange(len(values)) % 3 != 0
    rows = best_rows(scores, among, count).tolist()
    allowed = sorted((value for value, is_in in zip(values, among, strict=True) if is_in and value > 0), reverse=True)
    least = allowed[min(count, len(allowed)) - 1] if allowed else None
    assert rows == [row for row, value in enumerate(values) if least is not None and among[row] and value >= least]
