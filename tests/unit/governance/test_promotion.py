"""The first state of a record, read like the table of governance.md 2: who writes what, and what it becomes."""

from dataclasses import replace

import pytest

from goclaw.governance.promotion import WriteContext, first_state
from goclaw.model.access import WriteWay
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal, RunKind
from goclaw.model.provenance import Provenance
from goclaw.model.scope import Scope

MEMBER = Principal("ana")
REVIEWER = Principal("rita", roles=("member", "reviewer"))
ADMIN = Principal("adam", roles=("admin",))
AGENT = Principal("ana", run_kind=RunKind.AGENT, agent_id="a1")
ADMIN_AGENT = replace(ADMIN, run_kind=RunKind.AGENT, agent_id="a1")
IMPORT = Principal("crm", run_kind=RunKind.IMPORT)
CRON = Principal(None, run_kind=RunKind.CRON)
WEBHOOK = Principal(None, run_kind=RunKind.WEBHOOK)

PERSONAL = Namespace("default", Scope.PERSONAL, owner_user_id="ana")
PROJECT = Namespace("default", Scope.AGENT_NOTES, project_id="apollo")
SHARED = Namespace("default", Scope.AGENT_NOTES)
GLOBAL = Namespace("default", Scope.GLOBAL)
CONFIG = Namespace("default", Scope.AGENT_CONFIG)

O, I, U, M, G = (  # noqa: E741 - the columns of the table
    Provenance.OBSERVED,
    Provenance.INFERRED,
    Provenance.USER_CONFIRMED,
    Provenance.IMPORTED,
    Provenance.GENERATED,
)


def write(principal: Principal, namespace: Namespace, **facts: object) -> WriteContext:
    return WriteContext(principal=principal, namespace=namespace, **facts)  # type: ignore[arg-type]


def back(principal: Principal, namespace: Namespace, claimed: Provenance | None, **facts: object) -> WriteContext:
    """A write-back that asks for no review."""
    return write(principal, namespace, is_write_back=True, claimed=claimed, **{"requires_review": False, **facts})


SOURCED = {"has_source_refs": True}
FOUR = {"four_eyes": True}
FROM_TURN = {"way": WriteWay.EXTRACTION, "is_untainted_turn": True}

TABLE = [
    # line 2: flagged, or tainted
    (2, "own hand, flagged", write(ADMIN, SHARED, flags=("injection_like",)), O, "pending"),
    (2, "own hand, flagged, claims what it may", back(REVIEWER, PROJECT, U, flags=("oversize",)), O, "pending"),
    (2, "own hand, flagged, claims what it may not", back(MEMBER, PROJECT, M, flags=("oversize",)), G, "pending"),
    (2, "agent, unsourced", back(AGENT, PROJECT, I, flags=("unsourced",)), I, "pending"),
    (2, "trusted import, flagged", back(IMPORT, PROJECT, M, is_trusted_source=True, flags=("oversize",)), M, "pending"),
    (2, "webhook", write(WEBHOOK, SHARED), G, "pending"),
    (2, "unlisted import", back(IMPORT, PROJECT, O), O, "pending"),
    (2, "tool output in the turn", write(AGENT, PERSONAL, is_tainted=True, is_untainted_turn=True), O, "pending"),
    (2, "rejected before", back(AGENT, PROJECT, O, **SOURCED, flags=("rejected_before",)), O, "pending"),
    # line 3: a write-back that asks for review
    (3, "agent, generated", back(AGENT, PROJECT, G, requires_review=True), G, "pending"),
    (3, "agent, nothing claimed", back(AGENT, PROJECT, None, requires_review=True), G, "pending"),
    (3, "agent, observed", back(AGENT, PROJECT, O, requires_review=True), O, "pending"),
    (3, "agent, confirmed by itself", back(AGENT, PROJECT, U, requires_review=True), G, "pending"),
    (3, "reviewer, confirmed", back(REVIEWER, PROJECT, U, requires_review=True), U, "pending"),
    (3, "trusted import", back(IMPORT, PROJECT, M, is_trusted_source=True, requires_review=True), M, "pending"),
    # line 4: the word of a human who may speak for the team, or of the owner
    (4, "reviewer to agent_notes", write(REVIEWER, SHARED), U, "confirmed"),
    (4, "reviewer, unsourced holds agents only", write(REVIEWER, SHARED, flags=("unsourced",)), U, "confirmed"),
    (4, "administrator, @notes:", write(ADMIN, SHARED, way=WriteWay.PREFIX), U, "confirmed"),
    (4, "administrator, @config:", write(ADMIN, CONFIG, way=WriteWay.PREFIX), U, "confirmed"),
    (4, "listed, global", write(MEMBER, GLOBAL, is_listed=True), U, "confirmed"),
    (4, "reviewer's write-back, confirmed", back(REVIEWER, PROJECT, U, is_high_impact=True), U, "confirmed"),
    (4, "owner's write-back, confirmed", back(MEMBER, PERSONAL, U), U, "confirmed"),
    # line 4 with four eyes: nobody confirms by writing; it is as if they had claimed nothing
    (9, "four eyes, reviewer to agent_notes", write(REVIEWER, SHARED, **FOUR), O, "pending"),
    (9, "four eyes, @config:", write(ADMIN, CONFIG, way=WriteWay.PREFIX, **FOUR), O, "pending"),
    (9, "four eyes, listed, global", write(MEMBER, GLOBAL, is_listed=True, **FOUR), O, "pending"),
    (9, "four eyes, reviewer's write-back, confirmed", back(REVIEWER, PROJECT, U, **FOUR), O, "pending"),
    (6, "four eyes, owner's write-back, confirmed", back(MEMBER, PERSONAL, U, **FOUR), O, "evidence_only"),
    (3, "four eyes, asks for review", back(REVIEWER, PROJECT, U, requires_review=True, **FOUR), O, "pending"),
    (2, "four eyes, flagged", back(REVIEWER, PROJECT, U, flags=("oversize",), **FOUR), O, "pending"),
    (5, "four eyes, trusted import", back(IMPORT, PROJECT, M, is_trusted_source=True, **FOUR), M, "confirmed"),
    (9, "four eyes, agent, confirmed by itself", back(AGENT, PROJECT, U, **FOUR), G, "pending"),
    # line 5: trusted import
    (5, "trusted import", back(IMPORT, PROJECT, M, is_trusted_source=True, is_high_impact=True), M, "confirmed"),
    (5, "source promoted by a policy", back(AGENT, PROJECT, M, is_trusted_source=True), M, "confirmed"),
    # line 6: oneself
    (6, "member, own personal", write(MEMBER, PERSONAL), O, "evidence_only"),
    (6, "member, own personal, high impact", write(MEMBER, PERSONAL, is_high_impact=True), O, "evidence_only"),
    (6, "administrator, own personal", write(ADMIN, replace(PERSONAL, owner_user_id="adam")), O, "evidence_only"),
    # line 7: learned from a person's own untainted turn
    (7, "extracted", write(MEMBER, PERSONAL, **FROM_TURN), O, "evidence_only"),
    (7, "memory_write call", write(AGENT, PERSONAL, is_untainted_turn=True), O, "evidence_only"),
    (7, "administrator's memory_write call", write(ADMIN_AGENT, SHARED, is_untainted_turn=True), O, "evidence_only"),
    # line 8: an agent's observation with its source
    (8, "agent, observed, sourced", back(AGENT, PROJECT, O, **SOURCED), O, "evidence_only"),
    # line 9: everything else
    (9, "agent, observed, no source", back(AGENT, PROJECT, O), O, "pending"),
    (9, "agent, observed, high impact", back(AGENT, PROJECT, O, **SOURCED, is_high_impact=True), O, "pending"),
    (9, "agent, inferred", back(AGENT, PROJECT, I, **SOURCED), I, "pending"),
    (9, "agent, generated", back(AGENT, PROJECT, G, **SOURCED), G, "pending"),
    (9, "agent, confirmed by itself", back(AGENT, PERSONAL, U), G, "pending"),
    (9, "agent, imported without the right", back(AGENT, PROJECT, M), G, "pending"),
    (9, "agent of an administrator, confirmed", back(ADMIN_AGENT, PROJECT, U), G, "pending"),
    (9, "agent's tool call, no turn of a person", write(AGENT, PERSONAL), G, "pending"),
    (9, "job", write(CRON, SHARED), G, "pending"),
    (9, "job's observation", back(CRON, PROJECT, O, **SOURCED), O, "pending"),
    (9, "job in a turn is nobody", write(CRON, SHARED, is_untainted_turn=True), G, "pending"),
    (9, "extracted, high impact", write(MEMBER, PERSONAL, **FROM_TURN, is_high_impact=True), G, "pending"),
    (9, "extracted where one may not write", write(MEMBER, SHARED, **FROM_TURN, may_write=False), G, "pending"),
    (9, "member, project, by own hand", write(MEMBER, PROJECT), O, "pending"),
    (9, "member's write-back, confirmed", back(MEMBER, PROJECT, U), G, "pending"),
    (9, "member's write-back to oneself, imported", back(MEMBER, PERSONAL, M), G, "pending"),
    (9, "member's write-back, nothing claimed", back(MEMBER, PROJECT, None), O, "pending"),
    (9, "reviewer where they may not write", write(REVIEWER, SHARED, may_write=False), O, "pending"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "who", "context", "provenance", "review"), TABLE, ids=[f"{row[0]}-{row[1]}" for row in TABLE]
)
def test_first_state(line: int, who: str, context: WriteContext, provenance: Provenance, review: str) -> None:
    state = first_state(context)
    assert (state.line, state.provenance, state.review_status) == (line, provenance, review)


@pytest.mark.parametrize(
    ("context", "flags"),
    [
        (back(AGENT, PROJECT, U), ("claimed_user_confirmed",)),
        (back(MEMBER, PROJECT, M), ("claimed_imported",)),
        (back(IMPORT, PROJECT, M), ("tainted", "claimed_imported")),
        (back(AGENT, PROJECT, U, requires_review=True, flags=("unsourced",)), ("unsourced", "claimed_user_confirmed")),
        (write(WEBHOOK, SHARED, flags=("tainted",)), ("tainted",)),
        (back(REVIEWER, PROJECT, U), ()),
        (write(MEMBER, PROJECT), ()),
        (back(REVIEWER, PROJECT, U, **FOUR), ()),  # the right is theirs; another person uses it
    ],
)
def test_flags_say_what_was_claimed_and_what_came_from_outside(context: WriteContext, flags: tuple[str, ...]) -> None:
    assert first_state(context).flags == flags


def test_no_agent_import_without_trust_or_job_ever_starts_confirmed() -> None:
    starts = {
        first_state(
            write(who, where, is_write_back=is_back, claimed=claimed, requires_review=False, has_source_refs=True,
                  is_untainted_turn=True, is_listed=True)
        ).review_status
        for who in (AGENT, ADMIN_AGENT, IMPORT, CRON, WEBHOOK)
        for where in (PERSONAL, PROJECT, SHARED, GLOBAL, CONFIG)
        for is_back in (True, False)
        for claimed in (None, O, I, U, M, G)
    }  # fmt: skip
    assert starts == {"pending", "evidence_only"}
