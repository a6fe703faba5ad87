"""Units of work: all or nothing, alone or in a group, seen by readers when they are durable and not before."""

import itertools
import threading
import time
from collections.abc import Callable, Sequence

import pytest
from sqlalchemy import bindparam, select

from goclaw.model.errors import Conflict, NotFound, StoreError
from goclaw.storage.database import Database, Reader, Unit
from goclaw.storage.schema import DB_META
from goclaw.storage.statement import InsertOrKeep, InsertOrReplace, Statement

PUT = Statement(DB_META.insert())
PUT_IF_NEW = Statement(InsertOrKeep(DB_META))
PUT_OVER = Statement(InsertOrReplace(DB_META))
GET = Statement(select(DB_META.c.value).where(DB_META.c.key == bindparam("which")))
LOCK = Statement(select(DB_META.c.value).where(DB_META.c.key == bindparam("which")).with_for_update())
KEYS = Statement(select(DB_META.c.key).order_by(DB_META.c.key))
SET = Statement(
    DB_META.update().where(DB_META.c.key == bindparam("which")).values(value=bindparam("new")), *("which", "new")
)


def keys(store: Database) -> list[str]:
    with store.read() as reader:
        return [key for (key,) in reader.all(KEYS)]


def put(key: str, value: str = "x") -> Callable[[Unit], int]:
    return lambda unit: unit.run(PUT, (key, value))


def test_a_unit_returns_its_result_and_is_seen_at_once(store: Database) -> None:
    assert store.write(lambda unit: unit.run(PUT, ("a", "1"))) == 1
    with store.read() as reader:
        assert reader.one(GET, ("a",)) == ("1",)
        assert reader.one(GET, ("b",)) is None


def test_a_unit_reads_what_it_wrote(store: Database) -> None:
    def work(unit: Unit) -> str:
        unit.run(PUT, ("a", "1"))
        unit.run(SET, ("a", "2"))
        row = unit.one(GET, ("a",))
        assert row is not None
        return str(row[0])

    assert store.write(work) == "2"


def test_an_error_of_the_work_leaves_nothing_behind_and_reaches_its_caller(store: Database) -> None:
    def work(unit: Unit) -> None:
        unit.run(PUT, ("a", "1"))
        raise NotFound("no such thing")

    with pytest.raises(NotFound):
        store.write(work)
    assert keys(store) == []
    store.write(put("b"))
    assert keys(store) == ["b"]


def test_a_double_key_is_a_conflict(store: Database) -> None:
    store.write(put("a"))
    with pytest.raises(Conflict):
        store.write(lambda unit: (unit.run(PUT, ("b", "1")), unit.run(PUT, ("a", "1"))))
    assert keys(store) == ["a"]


def test_a_unit_that_swallows_a_failed_statement_fails_all_the_same(store: Database) -> None:
    store.write(put("a"))

    def work(unit: Unit) -> None:
        unit.run(PUT, ("b", "1"))
        with pytest.raises(Conflict):
            unit.run(PUT, ("a", "1"))
        with pytest.raises(Conflict):
            unit.run(PUT, ("c", "1"))

    with pytest.raises(Conflict):
        store.write(work)
    assert keys(store) == ["a"]


def test_one_bad_unit_of_a_group_takes_none_with_it(store: Database) -> None:
    """The first unit holds the writer until the others are queued, so they are committed together."""
    others_queued = threading.Event()
    store.write(put("taken"))
    outcomes: dict[str, str] = {}

    def client(key: str) -> None:
        try:
            store.write(lambda unit: (unit.run(PUT, (f"before {key}", "x")), unit.run(PUT, (key, "x"))))
            outcomes[key] = "written"
        except Conflict:
            outcomes[key] = "conflict"

    first = threading.Thread(target=lambda: store.write(lambda _: others_queued.wait(20)))
    first.start()
    clients = [threading.Thread(target=client, args=(key,)) for key in ("a", "taken", "b")]
    for thread in clients:
        thread.start()
    deadline = time.monotonic() + 20
    while store._groups._queue.qsize() < 3 and time.monotonic() < deadline:  # type: ignore[attr-defined]
        time.sleep(0.002)
    others_queued.set()
    for thread in (first, *clients):
        thread.join()
    assert outcomes == {"a": "written", "taken": "conflict", "b": "written"}
    assert keys(store) == ["a", "b", "before a", "before b", "taken"]


def test_forty_threads_write_and_read_their_own(store: Database) -> None:
    seen: list[str] = []

    def client(number: int) -> None:
        for turn in range(5):
            key = f"{number:02}-{turn}"
            store.write(put(key))
            with store.read() as reader:
                if reader.one(GET, (key,)) == ("x",):
                    seen.append(key)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 200
    assert len(keys(store)) == 200


def test_a_snapshot_does_not_move(store: Database) -> None:
    store.write(put("a", "1"))
    with store.read() as reader:
        assert reader.one(GET, ("a",)) == ("1",)
        store.write(lambda unit: unit.run(SET, ("a", "2")))
        assert reader.one(GET, ("a",)) == ("1",)
        with store.read() as newer:
            assert newer.one(GET, ("a",)) == ("2",)


def test_an_error_inside_a_snapshot_spoils_no_later_one(store: Database) -> None:
    with pytest.raises(NotFound), store.read():
        raise NotFound("no such thing")
    with store.read() as reader:
        assert reader.all(KEYS) == []


def test_a_reader_does_not_write(store: Database) -> None:
    with pytest.raises(StoreError), store.read() as reader:
        reader.all(PUT, ("a", "1"))
    assert keys(store) == []


def test_insert_or_keep_says_whether_it_inserted(store: Database) -> None:
    assert store.write(lambda unit: unit.run(PUT_IF_NEW, ("a", "1"))) == 1
    assert store.write(lambda unit: unit.run(PUT_IF_NEW, ("a", "2"))) == 0
    with store.read() as reader:
        assert reader.one(GET, ("a",)) == ("1",)


def test_insert_or_replace_overwrites(store: Database) -> None:
    store.write(lambda unit: unit.run_many(PUT_OVER, [("a", "1"), ("b", "1"), ("a", "2")]))
    with store.read() as reader:
        assert reader.one(GET, ("a",)) == ("2",)
        assert reader.one(GET, ("b",)) == ("1",)


def test_what_nobody_waits_for_is_durable_after_a_flush(store: Database, stores: Callable[[], Database]) -> None:
    for number in range(300):
        store.write_later(put(f"{number:03}"))
    store.flush_later()
    assert len(keys(stores())) == 300


def test_what_nobody_waits_for_goes_with_the_next_commit(store: Database) -> None:
    store.write_later(put("later"))
    store.write(put("now"))
    assert keys(store) == ["later", "now"]


def test_what_nobody_waits_for_fails_alone(store: Database, caplog: pytest.LogCaptureFixture) -> None:
    store.write(put("a"))
    store.write_later(put("a"))
    store.write_later(put("b"))
    store.flush_later()
    assert keys(store) == ["a", "b"]
    assert "lost" in caplog.text


def put_all(unit: Unit, wanted: Sequence[str]) -> None:
    unit.run_many(PUT, [(key, "") for key in wanted])


def test_of_things_written_together_one_that_cannot_be_written_takes_no_other_with_it(
    store: Database, stores: Callable[[], Database], caplog: pytest.LogCaptureFixture
) -> None:
    store.write(put("b"))
    for key in ("a", "b", "c"):
        store.write_together_later(put_all, key)
    store.flush_later()
    assert keys(stores()) == ["a", "b", "c"]
    assert caplog.text.count("lost") == 1


def test_closing_writes_out_what_waits(store: Database, stores: Callable[[], Database]) -> None:
    store.write_later(put("a"))
    store.close()
    store.close()
    assert keys(stores()) == ["a"]


def test_a_closed_store_says_so(store: Database) -> None:
    store.close()
    with pytest.raises(StoreError):
        store.write(put("a"))
    with pytest.raises(StoreError), store.read():
        pass


def test_a_unit_cannot_write_from_inside(store: Database) -> None:
    with pytest.raises(RuntimeError):
        store.write(lambda unit: store.write(put("a")))
    store.write(put("b"))
    assert keys(store) == ["b"]


def test_two_openings_of_one_store_see_each_other(store: Database, stores: Callable[[], Database]) -> None:
    other = stores()
    store.write(put("a"))
    other.write(put("b"))
    assert keys(store) == keys(other) == ["a", "b"]


def test_units_that_take_the_same_rows_in_opposite_order_all_succeed(
    store: Database, stores: Callable[[], Database]
) -> None:
    """On a server engine two processes would wait for each other; the unit is then begun again, and counts once."""
    databases = [store, stores()]
    store.write(lambda unit: unit.run_many(PUT, [("a", "0"), ("b", "0")]))

    def add(unit: Unit, key: str) -> None:
        row = unit.one(LOCK, (key,))
        assert row is not None
        unit.run(SET, (key, str(int(row[0]) + 1)))

    def client(which: int) -> None:
        order = ("a", "b") if which else ("b", "a")
        for _ in range(20):
            databases[which].write(lambda unit: [add(unit, key) for key in order])

    threads = [threading.Thread(target=client, args=(which,)) for which in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as reader:
        assert reader.one(GET, ("a",)) == reader.one(GET, ("b",)) == ("40",)


def test_counters_and_rows_belong_together_in_every_snapshot(store: Database) -> None:
    """A writer keeps ``count`` equal to the number of rows; no reader may ever see it otherwise."""
    store.write(lambda unit: unit.run(PUT, ("count", "0")))
    enough = threading.Event()
    written: list[int] = []

    def write_on() -> None:
        for number in itertools.count(1):

            def work(unit: Unit, number: int = number) -> None:
                unit.run(PUT, (f"row-{number}", "x"))
                unit.run(SET, ("count", str(number)))

            store.write(work)
            written.append(number)
            if enough.is_set():
                return

    def torn(reader: Reader) -> bool:
        row = reader.one(GET, ("count",))
        assert row is not None
        return int(row[0]) != len(reader.all(KEYS)) - 1

    writer = threading.Thread(target=write_on)
    writer.start()
    try:
        looks = 0
        while looks < 50 or len(written) < 50:  # both sides have had their turns, however the machine shares them out
            with store.read() as reader:
                assert not torn(reader)
            looks += 1
    finally:
        enough.set()
        writer.join()


def test_the_housekeeping_of_every_engine_can_be_called(store: Database) -> None:
    store.write(put("a"))
    store.checkpoint()
    assert store.find_damage() == []
    assert store.size_bytes() > 0
    assert store.read_only is False
