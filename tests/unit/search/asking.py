"""Asks a small store a question the way recall does."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.namespace import NamespaceState
from goclaw.search.hybrid import Options, Ranking, search
from goclaw.search.query import Query
from goclaw.settings.settings import SearchSettings
from tests.unit.search.small_store import NOW, READER, SmallStore


def ask(
    store: SmallStore,
    text: str,
    *,
    vector: Sequence[float] | None = None,
    states: list[NamespaceState] | None = None,
    withheld_bits: int = 0,
    limit: int = 6,
    floor: float | None = None,
    **options: Any,
) -> Ranking:
    """The ranking of a question, by words alone or with a vector; ``options`` replace those of the settings."""
    asked = None if vector is None else TextVectors(np.array(vector, np.float32))
    query = Query.of(text, vectors=asked, now=NOW, withheld_bits=withheld_bits)
    settings = Options.of(SearchSettings(), limit=limit, model_no=1 if vector is not None else None, model_floor=floor)
    states = store.all_states() if states is None else states
    return search(READER, store.cache(), states, query, replace(settings, **options))


def found(store: SmallStore, text: str, **options: Any) -> list[str]:
    """The texts of the hits, best first."""
    return [store.texts[hit.slot] for hit in ask(store, text, **options).hits]


def store_of(*texts: str) -> SmallStore:
    """One memory for each text."""
    store = SmallStore()
    for text in texts:
        store.add(text)
    return store
