"""Kernels: what a block costs to load and to keep, and what a question costs on it, at 1k, 10k and 100k rows.

    python -m benchmarks.kernels [rows ...]

CPU milliseconds, medians over the questions; texts of about 200 characters with a Zipf vocabulary, clustered vectors
of 384 floats, a real SQLite store in a temporary folder.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.namespace import Namespace
from goclaw.model.scope import Scope
from goclaw.search.blocks import BlockCache
from goclaw.search.hybrid import Options, search
from goclaw.search.keyword import score_keywords
from goclaw.search.query import Query
from goclaw.search.vector import score_vectors
from goclaw.search.view import View
from goclaw.settings.settings import DatabaseSettings, SearchSettings
from goclaw.storage import chunks, namespaces, vectors
from goclaw.storage.chunks import ChunkRow
from goclaw.storage.database import Database, Unit
from goclaw.storage.open import open_database
from goclaw.text.structure import NO_STRUCTURE
from goclaw.text.terms import TOKENS_VERSION, index_terms

DIMS = 384
MODEL = 1
QUESTIONS = 60
PORTION = 2_000
NOW = 1_700_000_000_000_000
HOME = Namespace("default", Scope.PERSONAL, "bench")


def main() -> None:
    """Print one line for each size."""
    sizes = [int(word) for word in sys.argv[1:]] or [1_000, 10_000, 100_000]
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            database = open_database(DatabaseSettings(), Path(folder))
            try:
                print(measure(database, size), flush=True)
            finally:
                database.close()


def measure(database: Database, size: int) -> str:
    """Fill a store, load its block, ask it."""
    dice = np.random.default_rng(7)
    words = vocabulary()
    fill(database, size, words, dice)
    questions = [" ".join(words[place] for place in dice.integers(20, 5_000, 4)) for _ in range(QUESTIONS)]
    asked = clustered(QUESTIONS, np.random.default_rng(8))
    with database.read() as reader:
        state = namespaces.find(reader, HOME)
        assert state is not None
        cache = BlockCache(1 << 34)
        load_terms = cpu_ms(lambda: cache.current(reader, [state], None))
        term_bytes = cache.figures()["bytes"] / size
        load_vectors = cpu_ms(lambda: cache.current(reader, [state], MODEL))
        vector_bytes = cache.figures()["bytes"] / size - term_bytes
        queries = [
            Query.of(text, vectors=TextVectors(one), now=NOW, withheld_bits=63)
            for text, one in zip(questions, asked, strict=True)
        ]
        view = View(cache.current(reader, [state], MODEL), NOW, 63)
        keyword = [cpu_ms(lambda query=query: score_keywords(view, query.terms)) for query in queries]
        vector = [cpu_ms(lambda one=one: score_vectors(view, one)) for one in asked]
        by_words, both = (
            [
                cpu_ms(lambda query=query, model_no=model_no: search(reader, cache, [state], query, options(model_no)))
                for query in queries
            ]
            for model_no in (None, MODEL)
        )
    return (
        f"{size:>7} rows  load terms {load_terms:6.1f} ms {term_bytes:4.0f} B/row, vectors {load_vectors:6.1f} ms "
        f"{vector_bytes:4.0f} B/row; kernels keyword {middle(keyword)} vector {middle(vector)}; "
        f"search keyword {middle(by_words)} hybrid {middle(both)} ms"
    )


def options(model_no: int | None) -> Options:
    """The default settings."""
    return Options.of(SearchSettings(), limit=6, model_no=model_no, model_floor=0.4)


def fill(database: Database, size: int, words: Sequence[str], dice: np.random.Generator) -> None:
    """Store chunks and vectors in one namespace."""
    share = 1.0 / (np.arange(len(words)) + 2.7)
    edges = np.cumsum(share / share.sum())
    for begin in range(0, size, PORTION):
        count = min(PORTION, size - begin)
        picks = np.searchsorted(edges, dice.random((count, 32))).clip(0, len(words) - 1)
        texts = [" ".join(words[place] for place in row) for row in picks]
        floats = clustered(count, dice)

        def work(unit: Unit, texts: list[str] = texts, floats: np.ndarray = floats, begin: int = begin) -> None:
            namespace_id = namespaces.find_or_make(unit, HOME).id
            first = namespaces.allocate_slots(unit, namespace_id, len(texts))
            chunks.insert(
                unit, [row_of(first + n, f"m{begin + n}", namespace_id, text) for n, text in enumerate(texts)]
            )
            vectors.put(unit, MODEL, [(first + n, one.tobytes()) for n, one in enumerate(floats)])

        database.write(work)


def row_of(slot: int, memory_id: str, namespace_id: int, text: str) -> ChunkRow:
    """A chunk that is its whole memory."""
    return ChunkRow(
        slot=slot,
        id=memory_id,
        memory_id=memory_id,
        namespace_id=namespace_id,
        ordinal=0,
        start=0,
        end=len(text),
        text=text,
        chunk_hash="",
        terms=index_terms(text),
        tokens_version=TOKENS_VERSION,
        policy=0,
        due_at=None,
        due_policy=None,
        updated_at=NOW,
        structure=NO_STRUCTURE,
    )


def vocabulary(size: int = 30_000) -> list[str]:
    """Words that no stemmer shortens into each other, short ones first."""
    letters = "bcdfghklmnprtvwz"
    return [f"{letters[n % 16]}o{letters[n // 16 % 16]}u{letters[n // 256 % 16]}a{n // 4096:o}" for n in range(size)]


def clustered(count: int, dice: np.random.Generator) -> np.ndarray:
    """Vectors of length 1 with near neighbours, as texts have them; the same clusters in every call."""
    centres = np.random.default_rng(3).standard_normal((500, DIMS)).astype(np.float32)
    made = centres[dice.integers(0, len(centres), count)] + dice.standard_normal((count, DIMS)).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU time of this process for one call."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1_000


def middle(values: Sequence[float]) -> str:
    """The median, for printing."""
    return f"{statistics.median(values):.3f}"


if __name__ == "__main__":
    main()
