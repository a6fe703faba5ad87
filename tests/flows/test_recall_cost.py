"""What a recall asks of the store: as many statements for many hits as for one, and one unit for many traces."""

import threading
from dataclasses import replace

import pytest

from goclaw.model.errors import StoreError
from goclaw.recall.ask import Ask, Mode
from goclaw.storage import recall_traces
from tests.fakes.counted_database import CountedDatabase
from tests.flows.conftest import KEYWORDS
from tests.flows.people import ALICE

READS = 4  # namespaces, texts, records, tags
STATEMENTS = 5  # which records are still there, traces, their items, audit rows, their places in the queue for a seal


@pytest.fixture
def counted(engine):
    return CountedDatabase(engine.database)


@pytest.fixture
def ask(engine, counted):
    recaller = replace(engine.memory._services.recaller, database=counted)
    return lambda text: recaller.answer(ALICE, Ask(text=text, mode=Mode.AUTOMATIC, limit=50))


@pytest.fixture
def one_and_many(engine):
    """One record about a wombat, thirty about an ibis, with and without tags."""
    engine.memory.write(ALICE, "The wombat lives in room seven", scope="personal", tags=("zoo",))
    for number in range(30):
        tags = ("zoo", "birds") if number % 2 else ()
        engine.memory.write(ALICE, f"The ibis lives in room {number}", scope="personal", tags=tags)


@pytest.mark.parametrize(("question", "hits"), [("wombat", 1), ("ibis", 30)])
def test_a_recall_runs_as_many_statements_for_many_hits_as_for_one(engine, counted, ask, one_and_many, question, hits):
    ask(question)  # loads the blocks
    counted.flush_later()
    counted.counts.clear()
    assert len(ask(question).hits) == hits
    counted.flush_later()
    rows = hits + 2 * (hits + 1) + 1
    assert counted.counts == {"snapshots": 1, "reads": READS, "units": 1, "statements": STATEMENTS, "rows": rows}


def test_traces_of_many_recalls_are_written_in_one_unit(engine, counted, ask, one_and_many):
    may_end, is_busy = threading.Event(), threading.Event()
    busy = threading.Thread(target=engine.database.write, args=(lambda unit: (is_busy.set(), may_end.wait(10)),))
    busy.start()
    assert is_busy.wait(10)
    found = [ask(question) for question in ("wombat", "ibis", "nothing of the kind") * 4]
    may_end.set()
    busy.join()
    counted.flush_later()
    assert (counted.counts["units"], counted.counts["statements"]) == (1, STATEMENTS)
    with engine.database.read() as reader:
        for each in found:
            trace = recall_traces.get(reader, "default", each.trace_id)
            assert [hit["memory_id"] for hit in trace.returned] == [hit.record.id for hit in each.hits]


def test_a_trace_keeps_what_the_asker_was_given_whatever_they_do_with_it(engine, ask, one_and_many):
    found = ask("wombat")
    found.hits[0].score_parts["keyword"] = "mine now"
    engine.database.flush_later()
    with engine.database.read() as reader:
        trace = recall_traces.get(reader, "default", found.trace_id)
    assert trace.returned[0]["score_parts"]["keyword"] != "mine now"


def test_there_is_no_answer_whose_durable_trace_could_not_be_written(open_store, monkeypatch):
    memory = open_store({**KEYWORDS, "memory.trace.durable": True}).memory
    assert memory.recall(ALICE, "wombat").trace_id

    def fail(unit, asked):
        raise StoreError("The store refused.")

    monkeypatch.setattr("goclaw.recall.recall.write_traces", fail)
    with pytest.raises(StoreError):
        memory.recall(ALICE, "wombat")
