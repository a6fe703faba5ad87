"""Review on every engine: what is kept comes back alike, and two reviewers at once close no circle."""

import threading

import pytest

from goclaw.ingest.draft import draft_of
from goclaw.ingest.write import Writer
from goclaw.lifecycle.inspection import Inspector
from goclaw.lifecycle.propose import Proposer
from goclaw.lifecycle.review import Reviewer
from goclaw.lifecycle.review_queue import ReviewQueue
from goclaw.model.access import WriteAccess
from goclaw.model.clock import SystemClock
from goclaw.model.errors import Conflict
from goclaw.model.ids import IdMaker
from goclaw.settings.settings import Settings
from tests.flows.people import ALICES_AGENT, CRON, RITA


def writer_on(database):
    return Writer(database, SystemClock(), IdMaker(), Settings(), WriteAccess(), wants_vectors=False, wake=lambda: None)


def write(writer, text, who=ALICES_AGENT, project_id="apollo"):
    return writer.write(who, draft_of(text, scope="agent_notes", project_id=project_id, max_content_chars=1_000))


def test_decisions_links_and_proposals_come_back(store):
    writer = writer_on(store)
    reviewer, inspector = Reviewer(writer), Inspector(writer)
    first, second, third = (write(writer, f"Line {number} runs slow") for number in range(3))
    reviewer.review(RITA, first.id, "merge", related_id=second.id)
    reviewer.review(RITA, second.id, "supersede", related_id=third.id, notes="measured")
    reviewer.review(RITA, third.id, "restrict_scope", visibility="channel", channel_id="c1")
    reviewer.review(RITA, third.id, "edit", content="Line 3 runs fast", tags=["critical"])
    Proposer(writer).propose(ALICES_AGENT, third.id, "mark_stale", "seen otherwise")
    seen = inspector.inspect(RITA, third.id)
    assert (seen.record.content, seen.record.tags, seen.record.channel_id) == ("Line 3 runs fast", ("critical",), "c1")
    assert {(link.relation, link.to_id) for link in seen.links} == {
        ("supersedes", second.id),
        ("merged_from", first.id),
    }
    assert [row.action for row in seen.reviews] == ["restrict_scope", "edit", "proposed:mark_stale"]
    assert seen.reviews[1].before["content"] == third.content
    assert [(link.relation, link.to_id) for link in inspector.inspect(RITA, first.id).links] == [
        ("merged_into", third.id)
    ]
    (entry,) = ReviewQueue(writer).page(RITA).entries
    assert (entry.record.id, [row.notes for row in entry.proposals]) == (third.id, ["seen otherwise"])


@pytest.mark.parametrize("action", ["merge", "supersede"])
def test_two_reviewers_at_once_close_no_circle(stores, action):
    reviewers = [Reviewer(writer_on(stores())) for _ in range(2)]
    for number in range(8):
        text = f"Pair {number}, the side of"
        writer = reviewers[0].writer
        # in two places, which no engine locks together
        pair = [write(writer, f"{text} a project").id, write(writer, f"{text} all", CRON, None).id]
        gate, refused = threading.Barrier(2), []

        def decide(side, pair=pair, gate=gate, refused=refused):
            gate.wait()
            try:
                reviewers[side].review(RITA, pair[side], action, related_id=pair[1 - side])
            except Conflict as error:
                refused.append(error)

        threads = [threading.Thread(target=decide, args=(side,)) for side in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(refused) == 1
        inspector = Inspector(writer)
        assert sum(inspector.inspect(RITA, each).record.lifecycle == "active" for each in pair) == 1
