"""Wrong types from Python code: an error of ours that says what to do, nothing stored, and no way around the trace."""

import pytest

import goclaw
from goclaw.errors import GoclawError, InvalidInput, NotFound, SettingsError
from tests.flows.people import ADA, ALICE

HALF = "\ud83c"
NO_IDS = ["", HALF, "a\0b", None, 5, 10**30, ["x"], {"x": 1}]
WRONG = {
    "tags": [None, 5, [5], b"x", True, "apollo"],
    "source_refs": [None, 5, "x", [5], {"kind": "issue"}, b"x"],
    "metadata": [5, "x", [5], b"x", {"at": float("nan")}],
    "project_id": [5, "", HALF],
    "occurred_at": [5, "yesterday"],
    "kind": [None, 5, ["note"]],
    "scope": [None, 5, "everywhere"],
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in WRONG.items() for value in values])
def test_a_wrong_field_is_refused_by_name_and_nothing_is_stored(memory, field, value):
    with pytest.raises(InvalidInput):
        memory.write(ALICE, "The lift is slow", **({"scope": "personal"} | {field: value}))
    assert memory.list(ALICE).records == ()


@pytest.mark.parametrize("no_id", NO_IDS)
def test_what_can_be_no_id_is_nobodys(memory, no_id):
    assert memory.get(ALICE, no_id) is None
    for deed in (
        lambda: memory.update(ALICE, no_id, content="new"),
        lambda: memory.forget(ALICE, no_id),
        lambda: memory.impact(ALICE, no_id),
        lambda: memory.trace(ALICE, no_id),
        lambda: memory.review(ALICE, no_id, "confirm"),
        lambda: memory.propose(ALICE, no_id, "confirm"),
        lambda: memory.report_usage(ALICE, no_id),
        lambda: memory.jobs.get(ADA, no_id),
    ):
        with pytest.raises(NotFound):
            deed()


@pytest.mark.parametrize("question", [HALF, "a\0b", None, 5, b"lift"])
def test_a_question_that_no_trace_could_hold_is_not_answered(memory, question):
    memory.write(ALICE, "The lift is slow", scope="personal")
    for ask in (memory.recall, memory.search):
        with pytest.raises(InvalidInput):
            ask(ALICE, question)


@pytest.mark.parametrize("word", [b"yes", "yes", 1, None])
def test_what_a_question_allows_is_true_or_false(memory, word):
    """A truthy object showed what waits, and its trace could not be written down."""
    for ask in (
        lambda: memory.recall(ALICE, "lift", include_unconfirmed=word),
        lambda: memory.recall(ALICE, "lift", include_stale=word),
        lambda: memory.search(ALICE, "lift", include_history=word),
    ):
        with pytest.raises(InvalidInput):
            ask()


@pytest.mark.parametrize("limit", [None, "5", 0, 201, 1.5, True])
def test_a_page_has_a_size(memory, limit):
    for page in (memory.list, memory.traces, memory.review_queue):
        with pytest.raises(InvalidInput):
            page(ALICE, limit=limit)


@pytest.mark.parametrize("cursor", [5, ["x"], b"x", "x", HALF])
def test_a_cursor_is_one_of_ours(memory, cursor):
    for page in (memory.list, memory.traces, memory.review_queue):
        with pytest.raises(InvalidInput):
            page(ALICE, cursor=cursor)


def test_a_filter_is_a_record_filter(memory):
    for filters in (5, "kind", {"kind": "note"}):
        with pytest.raises(InvalidInput):
            memory.list(ALICE, filters)
        with pytest.raises(InvalidInput):
            memory.review_queue(ALICE, filters)
    with pytest.raises(InvalidInput):
        goclaw.RecordFilter(tag=HALF)


@pytest.mark.parametrize("place", [5, "a\0b", f"/tmp/{HALF}", "/proc/no_such_folder", "/dev/null"])
def test_a_state_directory_that_cannot_be_is_said(place):
    with pytest.raises(SettingsError):
        goclaw.open_memory(place)


def test_every_error_says_what_to_do(memory):
    with pytest.raises(GoclawError) as raised:
        memory.write(ALICE, "x", scope="personal", tags=5)
    assert raised.value.hint
