"""Who spoke before and after, and in which session."""

import numpy as np

from goclaw.model.use_policy import STALE_BIT
from goclaw.search.conversations import Conversations
from goclaw.search.view import View
from tests.unit.search.small_store import NOW, READER, SmallStore


def view_of(store: SmallStore, withheld_bits: int = 0) -> View:
    return View(store.cache().current(READER, store.all_states(), None), NOW, withheld_bits)


def around(view: View, *rows: int) -> Conversations:
    return Conversations.around(view, np.array(rows, np.intp))


def test_turns_are_in_the_order_they_were_said() -> None:
    store = SmallStore()
    store.add("third", said=("s", 3, "Ana"))
    store.add("first", said=("s", 1, "Ben"))
    store.add("elsewhere", said=("t", 2, "Ana"))
    store.add("second", "and its second piece", said=("s", 2, "Ana"))
    talks = around(view_of(store), 0)
    assert talks.members.tolist() == [1, 3, 4, 0]
    at = talks.utterances(np.array([1, 3, 4, 0]))
    assert at.tolist() == [0, 1, 1, 2]
    assert talks.before[at].tolist() == [-1, 0, 0, 1]
    assert talks.after[at].tolist() == [1, 2, 2, -1]
    assert talks.last_rows(talks.before[at[-1:]]).tolist() == [4]
    assert talks.first_rows(talks.before[at[-1:]]).tolist() == [3]


def test_turns_without_numbers_are_in_the_order_of_writing() -> None:
    store = SmallStore()
    for text in ("one", "two", "three"):
        store.add(text, said=("s", None, "Ana"))
    talks = around(view_of(store), 1)
    assert talks.members.tolist() == [0, 1, 2]
    assert talks.before.tolist() == [-1, 0, 1]


def test_what_stands_alone_has_no_neighbours() -> None:
    store = SmallStore()
    store.add("a note", "of two pieces")
    store.add("another note")
    talks = around(view_of(store), 0, 1, 2)
    assert talks.utterances(np.array([0, 1, 2])).tolist() == [0, 0, 1]
    assert talks.before.tolist() == talks.after.tolist() == [-1, -1]


def test_sessions_of_two_namespaces_are_two_sessions() -> None:
    store = SmallStore()
    store.add("mine", said=("s", 1, "Ana"), namespace=1)
    store.add("theirs", said=("s", 2, "Ana"), namespace=2)
    talks = around(view_of(store), 0, 1)
    assert len(set(talks.sessions.tolist())) == 2
    assert talks.before.tolist() == [-1, -1]


def test_a_session_is_worth_its_two_best() -> None:
    store = SmallStore()
    for number in range(4):
        store.add(f"turn {number}", said=("s" if number < 3 else "t", number, "Ana"))
    talks = around(view_of(store), 0, 3)
    best = talks.best(np.array([1.0, 3.0, 2.0, 5.0]))
    assert best.tolist() == [1, 3, 2, 5]
    assert talks.best_of_session(best).tolist() == [2.5, 2.5, 2.5, 5]


def test_what_may_not_be_shown_lends_nothing_to_its_neighbours() -> None:
    store = SmallStore()
    store.add("before", said=("s", 1, "Ana"))
    store.add("held back", said=("s", 2, "Ben"), policy=STALE_BIT)
    store.add("after", said=("s", 3, "Ana"))
    view = view_of(store, withheld_bits=STALE_BIT)
    without = around(view, 0)
    assert without.members.tolist() == [0, 2]  # it is not even between them
    beside = around(view, 0, 1)
    assert beside.members.tolist() == [0, 1, 2]
    assert beside.best(np.array([1.0, 9.0, 2.0])).tolist() == [1, 0, 2]
    assert beside.first_rows(np.array([1])).tolist() == [-1]
