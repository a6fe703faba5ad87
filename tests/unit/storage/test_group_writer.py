"""The group writer: who is served together, who waits, and what happens when it goes wrong."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from goclaw.model.errors import StoreBusy, StoreError
from goclaw.storage.engines import group_writer
from goclaw.storage.engines.group_writer import GroupWriter, Ticket


class Recorder:
    """An engine that only notes what it is given; ``gate`` can hold it up."""

    def __init__(self) -> None:
        self.groups: list[list[Ticket]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.rests = 0
        self.rest_answer: float | None = None
        self.trouble: BaseException | None = None

    def commit(self, tickets: list[Ticket]) -> None:
        self.entered.set()
        self.gate.wait(10)
        if self.trouble is not None:
            raise self.trouble
        self.groups.append(tickets)
        for ticket in tickets:
            ticket.result = ticket.work(None)  # type: ignore[arg-type]

    def rest(self) -> float | None:
        self.rests += 1
        return self.rest_answer


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def writer(recorder: Recorder) -> Iterator[GroupWriter]:
    writer = GroupWriter(recorder.commit, recorder.rest)
    yield writer
    recorder.gate.set()
    writer.close()


def poll(condition: Callable[[], bool], deadline_s: float = 10.0) -> bool:
    deadline = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


def start(count: int, work: Callable[[int], object]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_units_that_come_while_one_is_committed_go_together(writer: GroupWriter, recorder: Recorder) -> None:
    recorder.gate.clear()
    results: list[int] = []
    first = start(1, lambda n: writer.write(lambda unit: None))
    assert recorder.entered.wait(10)
    threads = start(300, lambda n: results.append(writer.write(lambda unit: n)))
    assert poll(lambda: writer._queue.qsize() == 300)
    recorder.gate.set()
    for thread in (*first, *threads):
        thread.join()
    assert sorted(results) == list(range(300))
    assert [len(group) for group in recorder.groups] == [1, 256, 44]


def test_an_engine_that_fails_fails_every_unit_of_the_group_and_the_thread_lives_on(
    writer: GroupWriter, recorder: Recorder
) -> None:
    recorder.trouble = StoreBusy("busy")
    with pytest.raises(StoreBusy):
        writer.write(lambda unit: 1)
    recorder.trouble = None
    assert writer.write(lambda unit: 2) == 2


def test_units_that_nobody_waits_for_keep_their_order_and_wait_for_company(
    writer: GroupWriter, recorder: Recorder
) -> None:
    done: list[int] = []
    for number in range(3):
        writer.write_later(lambda unit, number=number: done.append(number))
    assert done == []
    writer.write(lambda unit: done.append(99))
    assert done == [99, 0, 1, 2]
    assert len(recorder.groups) == 1


def test_they_do_not_wait_for_company_for_ever(writer: GroupWriter, recorder: Recorder) -> None:
    done: list[int] = []
    writer.write_later(lambda unit: done.append(1))
    assert poll(lambda: done == [1])


def test_a_flush_waits_for_all_that_came_before(writer: GroupWriter, recorder: Recorder) -> None:
    done: list[int] = []
    for number in range(600):
        writer.write_later(lambda unit, number=number: done.append(number))
    writer.flush_later()
    assert done == list(range(600))


def test_things_of_one_sort_that_follow_each_other_share_a_unit(writer: GroupWriter, recorder: Recorder) -> None:
    done: list[object] = []

    def note(unit: object, things: Sequence[int]) -> None:  # the same function makes things one sort
        done.append(list(things))

    for number in range(3):
        writer.write_together_later(note, number)
    writer.write_later(lambda unit: done.append("another"))
    writer.write_together_later(lambda unit, things: done.append("another sort"), 3)
    writer.write_together_later(note, 4)
    writer.flush_later()
    assert done == [[0, 1, 2], "another", "another sort", [4]]
    assert [len(group) for group in recorder.groups] == [5]  # the fifth is the flush


def test_a_shared_unit_has_no_more_things_than_a_group(writer: GroupWriter, recorder: Recorder) -> None:
    sizes: list[int] = []

    def note(unit: object, things: Sequence[int]) -> None:
        sizes.append(len(things))

    recorder.gate.clear()
    first = start(1, lambda n: writer.write(lambda unit: None))
    assert recorder.entered.wait(10)
    for number in range(600):
        writer.write_together_later(note, number)
    recorder.gate.set()
    writer.flush_later()
    first[0].join()
    assert sum(sizes) == 600
    assert max(sizes) == 256


def test_things_whose_shared_unit_is_lost_with_its_group_are_tried_again_one_by_one(
    writer: GroupWriter, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    attempts: list[int] = []
    done: list[int] = []

    def fail_once(tickets: list[Ticket]) -> None:
        attempts.append(len(tickets))
        if len(attempts) == 1:
            raise StoreError("the transaction is gone")
        for ticket in tickets:
            ticket.work(None)  # type: ignore[arg-type]

    def note(unit: object, things: Sequence[int]) -> None:
        done.extend(things)

    recorder.gate.clear()
    first = start(1, lambda n: writer.write(lambda unit: None))
    assert recorder.entered.wait(10)
    writer._commit = fail_once
    writer.write_together_later(note, 1)
    writer.write_together_later(note, 2)
    recorder.gate.set()
    first[0].join()
    assert poll(lambda: done == [1, 2])
    assert attempts == [1, 2]
    assert caplog.text == ""


def test_a_flush_of_nothing_starts_nothing(writer: GroupWriter) -> None:
    writer.flush_later()
    assert writer._thread is None


def test_the_queue_is_bounded(writer: GroupWriter, recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_writer, "MAX_LATER", 10)
    for _ in range(50):
        writer.write_later(lambda unit: None)
        assert len(writer._later) <= 11
    writer.flush_later()
    assert sum(len(group) for group in recorder.groups) == 50 + len(range(10, 50, 10)) + 1


def test_it_rests_when_nobody_writes(writer: GroupWriter, recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_writer, "REST_S", 0.01)
    recorder.rest_answer = 0.01
    writer.write(lambda unit: None)
    assert poll(lambda: recorder.rests >= 3)
    recorder.rest_answer = None
    assert poll(lambda: writer._rest_at is None)
    rests = recorder.rests
    writer.write(lambda unit: None)
    assert poll(lambda: recorder.rests > rests)


def test_closing_serves_everybody_who_came_before_and_nobody_after(writer: GroupWriter, recorder: Recorder) -> None:
    recorder.gate.clear()
    done: list[int] = []
    first = start(1, lambda n: writer.write(lambda unit: done.append(n)))
    assert recorder.entered.wait(10)
    threads = start(4, lambda n: writer.write(lambda unit: done.append(n + 1)))
    assert poll(lambda: writer._queue.qsize() == 4)
    writer.write_later(lambda unit: done.append(77))
    closing = threading.Thread(target=writer.close)
    closing.start()
    assert poll(lambda: writer._is_closed)
    with pytest.raises(StoreError):
        writer.write(lambda unit: None)
    recorder.gate.set()
    for thread in (*first, *threads, closing):
        thread.join()
    assert sorted(done) == [0, 1, 2, 3, 4, 77]
