"""Lists of recalls: whole pages of what may be seen, and not a word of the rest, not even where a page ends."""

from goclaw import Principal
from goclaw.model.principal import RunKind


def scribe_for(person: str) -> Principal:
    return Principal(person, run_kind=RunKind.AGENT, agent_id="scribe")


def ask(memory, principal, count):
    return [memory.recall(principal, f"question {number}").trace_id for number in range(count)][::-1]


def test_an_agent_lists_what_it_asked_for_this_person_alone(memory):
    for _ in range(2):
        foreign, own = scribe_for("ben"), scribe_for("ana")
        ask(memory, foreign, 3)
        ask(memory, own, 1)
    ask(memory, foreign, 3)
    page = memory.traces(own, limit=1)
    assert len(page.traces) == 1
    rest = memory.traces(own, limit=1, cursor=page.next_cursor)
    assert len(rest.traces) == 1
    assert rest.next_cursor is None
    assert page.traces[0].request_id != rest.traces[0].request_id


def test_a_page_without_anything_to_see_has_no_cursor(memory):
    ask(memory, scribe_for("ben"), 5)
    page = memory.traces(scribe_for("ana"), limit=2)
    assert (page.traces, page.next_cursor) == ((), None)


def test_pages_follow_each_other_without_gap_or_double(memory):
    wanted = []
    for _ in range(4):
        wanted = ask(memory, scribe_for("ana"), 2) + wanted
        ask(memory, scribe_for("ben"), 3)
    seen, cursor = [], None
    while True:
        page = memory.traces(scribe_for("ana"), limit=3, cursor=cursor)
        seen += [trace.request_id for trace in page.traces]
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(page.traces) == 3
    assert seen == wanted
