"""Who is asking, and in which form their ids must come."""

import pytest

from goclaw.model.errors import InvalidInput
from goclaw.model.principal import ActorKind, Principal, RunKind


def test_every_field_but_the_user_has_a_default():
    alice = Principal("alice")
    assert (alice.roles, alice.workspace_id, alice.project_ids, alice.channel_ids) == (("member",), "default", (), ())
    assert (alice.run_kind, alice.agent_id) == (RunKind.PERSON, None)


@pytest.mark.parametrize(("principal", "actor", "kind"), [
    (Principal("alice"),                                   "human:alice",      ActorKind.HUMAN),
    (Principal("alice", run_kind="agent", agent_id="bot"), "agent:bot",        ActorKind.AGENT),
    (Principal("alice", run_kind="agent"),                 "agent:alice",      ActorKind.AGENT),
    (Principal(None, run_kind="import", agent_id="crm"),   "import:crm",       ActorKind.IMPORT),
    (Principal(None, run_kind="cron", agent_id="nightly"), "job:nightly",      ActorKind.JOB),
    (Principal(None, run_kind="webhook"),                  "job:webhook",      ActorKind.JOB),
    (Principal(None),                                      "human:unknown",    ActorKind.HUMAN),
])  # fmt: skip
def test_the_name_in_the_audit_log(principal, actor, kind):
    assert principal.actor_id == actor
    assert principal.actor_kind is kind


def test_without_a_user_a_person_and_an_agent_are_nobody():
    assert not Principal(None).is_identified
    assert not Principal(None, run_kind="agent", agent_id="bot").is_identified
    assert Principal(None, run_kind="sop").is_identified
    assert Principal(None, run_kind="import").is_identified
    assert Principal("alice").is_identified


def test_own_hand_is_a_human_and_never_a_model():
    assert Principal("alice").is_own_hand
    assert not Principal("alice", run_kind="agent").is_own_hand
    assert not Principal(None).is_own_hand


def test_review_is_for_humans():
    assert Principal("alice", roles=("reviewer",)).is_reviewer
    assert Principal("alice", roles=("admin",)).is_reviewer
    assert not Principal("alice").is_reviewer
    assert not Principal("alice", roles=("reviewer", "admin"), run_kind="agent").is_reviewer


def test_administration_takes_an_administrators_own_hand():
    assert Principal("alice", roles=("admin",)).may_administer
    assert not Principal("alice", roles=("reviewer",)).may_administer
    assert not Principal("alice", roles=("admin",), run_kind="agent").may_administer
    assert not Principal(None, roles=("admin",), run_kind="cron").may_administer


def test_autonomous_runs_and_imports_have_no_person():
    assert Principal("alice", run_kind="cron").person_id is None
    assert Principal("alice", run_kind="import").person_id is None
    assert Principal("alice", run_kind="agent").person_id == "alice"


@pytest.mark.parametrize(
    "user_id",
    ["Maria@example.org ", " maria@example.org", "\uff4daria@example.org", "", " ", "a\u200bb", "a\0b", "x" * 201],
)
def test_R065_one_person_has_one_spelling(user_id):
    """Blanks, full-width letters and invisible signs are refused, so that nobody is two people by accident."""
    assert Principal("maria@example.org").user_id == "maria@example.org"
    with pytest.raises(InvalidInput, match="plain form"):
        Principal(user_id)


def test_lists_of_names_are_lists():
    assert Principal("alice", project_ids=["apollo", "apollo", "zeus"]).project_ids == ("apollo", "zeus")
    with pytest.raises(InvalidInput, match="list"):
        Principal("alice", roles="admin")
    with pytest.raises(InvalidInput, match="plain form"):
        Principal("alice", channel_ids=("",))


def test_an_unknown_run_kind_is_named():
    with pytest.raises(InvalidInput, match="webhook"):
        Principal("alice", run_kind="robot")
