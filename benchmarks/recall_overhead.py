"""What a governed recall costs beside the bare search it rests on: CPU of both, and their SQL (quality.md, G2).

    python -m benchmarks.recall_overhead [--records 10000 100000] [--pairs 7] [--questions 200] [--json FILE]

Governed: ``memory.recall`` with access, policy, labels, trace and audit rows, until these are on disk. Bare: in one
snapshot the counters of the same namespaces, the same ranking with nothing held back, the texts of the hits and the
rows of their records as the driver gives them. Keywords only; the caller sees a tenth of the store, and a twentieth of
that waits for review. Both run on the same loaded blocks, a round each, in turn; medians over the rounds. Sealing the
audit rows is work of the background and stands apart.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from sqlalchemy import bindparam, select

from benchmarks.kernels import row_of, vocabulary
from goclaw import Principal
from goclaw.bootstrap import Engine, open_engine
from goclaw.governance.audit_chain import seal_all
from goclaw.model.ids import new_id, sha256_hex
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import ActorKind
from goclaw.model.provenance import Provenance
from goclaw.model.record import Kind, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.model.use_policy import PENDING_BIT
from goclaw.recall.ask import Ask, Mode
from goclaw.recall.recall import Recaller
from goclaw.search import hybrid
from goclaw.search.query import Query
from goclaw.storage import chunks, memories, namespaces
from goclaw.storage.database import Database, Unit
from goclaw.storage.schema import MEMORIES
from goclaw.storage.statement import StatementFamily
from tests.fakes.counted_database import CountedDatabase

SETTINGS = {"memory.search.provider": "none"}
ALICE = Principal("alice", project_ids=("apollo",))
HOMES = (
    Namespace("default", Scope.PERSONAL, "alice"),
    Namespace("default", Scope.AGENT_NOTES, project_id="apollo"),
    Namespace("default", Scope.AGENT_NOTES),
)
FOREIGN = 50  # people whose personal memory holds the rest
SEEN = 10  # one record of so many is the caller's to see
WAITS = 20  # one of so many waits for review
TEXT_WORDS, QUESTION_WORDS = 32, 4
PORTION = 2_000
GOAL = 1.3

ROWS = StatementFamily(
    lambda size: select(MEMORIES).where(MEMORIES.c.id.in_([bindparam(f"id_{n}") for n in range(size)]))
)
Way = Callable[[str], object]


def fill(database: Database, size: int, dice: np.random.Generator) -> list[str]:
    """Store records; questions of words that stand together in a record of the caller's."""
    words = vocabulary()
    share = 1.0 / (np.arange(len(words)) + 2.7)
    edges = np.cumsum(share / share.sum())
    questions: list[str] = []
    for begin in range(0, size, PORTION):
        numbers = range(begin, min(begin + PORTION, size))
        picks = np.searchsorted(edges, dice.random((len(numbers), TEXT_WORDS))).clip(0, len(words) - 1)
        records = [make_record(n, [words[at] for at in row]) for n, row in zip(numbers, picks, strict=True)]
        database.write(lambda unit, records=records: store(unit, records))
        questions += [" ".join(words[at] for at in row[:QUESTION_WORDS]) for row in picks[::SEEN]]
    return questions


def make_record(number: int, words: Sequence[str]) -> MemoryRecord:
    text, turn, moment = " ".join(words), number // SEEN, datetime.now(UTC)
    theirs = Namespace("default", Scope.PERSONAL, f"user {number % FOREIGN}")
    return MemoryRecord(
        id=new_id(),
        namespace=theirs if number % SEEN else HOMES[turn % len(HOMES)],
        kind=Kind.NOTE,
        content=text,
        content_hash=sha256_hex(text),
        lifecycle=Lifecycle.ACTIVE,
        provenance=Provenance.OBSERVED,
        review_status=ReviewStatus.EVIDENCE_ONLY if turn % WAITS else ReviewStatus.PENDING,
        actor_id="human:bench",
        actor_kind=ActorKind.HUMAN,
        created_at=moment,
        updated_at=moment,
        version=1,
        tags=("backup", "orders") if turn % 3 == 0 else (),
    )


def store(unit: Unit, records: Sequence[MemoryRecord]) -> None:
    for record in records:
        state = namespaces.find_or_make(unit, record.namespace)
        memories.insert(unit, record, state.id)
        slot = namespaces.allocate_slots(unit, state.id, 1)
        row = row_of(slot, record.id, state.id, record.content)
        bits = PENDING_BIT if record.review_status is ReviewStatus.PENDING else 0
        chunks.insert(unit, [row._replace(policy=bits)])


def governed(recaller: Recaller) -> Way:
    """What ``memory.recall`` does."""
    return lambda text: recaller.answer(ALICE, Ask(text=text, mode=Mode.AUTOMATIC))


def bare(recaller: Recaller) -> Way:
    """The same ranking over the same blocks, and the rows it names; nobody is asked for and nothing is kept."""
    with recaller.database.read() as reader:
        found = [namespaces.find(reader, home) for home in HOMES]
    ids = [state.id for state in found if state is not None]
    options = recaller.options(Ask(text="any", mode=Mode.AUTOMATIC), None, None)

    def answer(text: str) -> object:
        with recaller.database.read() as reader:
            states = namespaces.by_ids(reader, ids)
            query = Query.of(text, vector=None, now=recaller.clock.now(), withheld_bits=0)
            ranking = hybrid.search(reader, recaller.blocks, states, query, options)
            texts = chunks.texts_at(reader, [row.slot for row in ranking.hits])
            wanted = [text.memory_id for text in texts.values()]
            rows = reader.all(ROWS.of(len(wanted)), StatementFamily.padded(wanted)) if wanted else []
        return ranking, texts, rows

    return answer


def round_of(way: Way, questions: Sequence[str], database: Database) -> tuple[float, float]:
    """Milliseconds of CPU a question: of all threads until everything is on disk, and of the caller's own."""
    all_threads, own = time.process_time(), time.thread_time()
    for question in questions:
        way(question)
    own = time.thread_time() - own
    database.flush_later()
    all_threads = time.process_time() - all_threads
    return all_threads * 1_000 / len(questions), own * 1_000 / len(questions)


def statements_of(make: Callable[[Recaller], Way], recaller: Recaller, questions: Sequence[str]) -> Counter[str]:
    """What a way asks of the database for all the questions."""
    counted = CountedDatabase(recaller.database)
    way = make(replace(recaller, database=counted))
    counted.counts.clear()  # of what was looked up beforehand
    for question in questions:
        way(question)
    counted.flush_later()
    return counted.counts


def measure(engine: Engine, size: int, pairs: int, count: int) -> dict[str, object]:
    """Fill a store and compare."""
    dice = np.random.default_rng(7)
    made = fill(engine.database, size, dice)
    questions = [made[at] for at in dice.integers(0, len(made), count)]
    recaller = engine.memory._services.recaller
    ways = {"governed": governed(recaller), "bare": bare(recaller)}
    answers = [recaller.answer(ALICE, Ask(text=question, mode=Mode.AUTOMATIC)) for question in questions]
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for way in ways.values():
        round_of(way, questions, engine.database)  # to warm up
    for pair in range(pairs):
        for name in ways if pair % 2 == 0 else reversed(ways):
            spent[name].append(round_of(ways[name], questions, engine.database))
    sealing = seal_ms(engine, ways["governed"], questions)
    asked = {name: statements_of(make, recaller, questions) for name, make in (("governed", governed), ("bare", bare))}
    medians = {name: [statistics.median(each) for each in zip(*rounds, strict=True)] for name, rounds in spent.items()}
    ratios = [ours[0] / theirs[0] for ours, theirs in zip(spent["governed"], spent["bare"], strict=True)]
    return {
        "records": size,
        "hits": sum(len(found.hits) for found in answers) / count,
        "withheld": sum(len(found.withheld) for found in answers) / count,
        "cpu_ms": {name: median[0] for name, median in medians.items()},
        "caller_cpu_ms": {name: median[1] for name, median in medians.items()},
        "ratio": statistics.median(ratios),
        "ratios": ratios,
        "caller_ratio": medians["governed"][1] / medians["bare"][1],
        "sealing_ms": sealing,
        "sql": {name: {what: number / count for what, number in found.items()} for name, found in asked.items()},
    }


def seal_ms(engine: Engine, way: Way, questions: Sequence[str]) -> float:
    """CPU of sealing what the questions left, a question."""
    seal_all(engine.database)
    round_of(way, questions, engine.database)
    start = time.process_time()
    seal_all(engine.database)
    return (time.process_time() - start) * 1_000 / len(questions)


def show(figures: dict[str, object]) -> None:
    cpu, own, sql = figures["cpu_ms"], figures["caller_cpu_ms"], figures["sql"]
    assert isinstance(cpu, dict)
    assert isinstance(own, dict)
    assert isinstance(sql, dict)
    print(
        f"{figures['records']:>7} records, {figures['hits']:.1f} hits and {figures['withheld']:.2f} withheld a question"
    )
    for name in cpu:
        asked = ", ".join(f"{what} {number:.1f}" for what, number in sql[name].items())
        print(f"        {name:9} CPU ms: all threads {cpu[name]:.3f}, caller {own[name]:.3f}; {asked}")
    ratios = figures["ratios"]
    assert isinstance(ratios, list)
    print(
        f"        governed / bare: {figures['ratio']:.2f} ({min(ratios):.2f}-{max(ratios):.2f}; goal {GOAL}), "
        f"caller's thread {figures['caller_ratio']:.2f}; sealing later {figures['sealing_ms']:.3f} ms",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--pairs", type=int, default=7, help="rounds of each way")
    parser.add_argument("--questions", type=int, default=200, help="questions a round")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    figures = []
    for size in options.records:
        with tempfile.TemporaryDirectory(prefix="gc_bench_") as folder:
            engine = open_engine(folder, SETTINGS, workers=0)  # no worker, no sealer: nothing else runs here
            try:
                figures.append(measure(engine, size, options.pairs, options.questions))
            finally:
                engine.memory.close()
        show(figures[-1])
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
