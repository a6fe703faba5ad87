"""Who may write and read what: the first seed's table, row by row."""

import pytest

from goclaw.model.access import (
    ActorClass,
    ManagedChannels,
    Reading,
    WriteAccess,
    WriteWay,
    actor_classes,
    is_inside,
    may_read,
    may_write,
    readable,
)
from goclaw.model.namespace import ORGANIZATION, Namespace
from goclaw.model.principal import Principal
from goclaw.model.scope import SYSTEM_SCOPES, Scope

MEMBER = Principal("mia")
LISTED_USER = Principal("lee")
LISTED_ROLE = Principal("rob", roles=("member", "editor"))
ADMIN = Principal("ada", roles=("admin",))
LISTED_ADMIN = Principal("amy", roles=("admin", "editor"))
REVIEWER = Principal("rita", roles=("member", "reviewer"))
SOP = Principal(None, run_kind="sop", agent_id="onboarding")
CRON = Principal(None, run_kind="cron", agent_id="nightly")
WEBHOOK = Principal(None, run_kind="webhook", agent_id="alerts")
IMPORT = Principal(None, run_kind="import", agent_id="wiki-export")
AGENT_OF_MEMBER = Principal("mia", run_kind="agent", agent_id="helper")
AGENT_OF_LISTED = Principal("lee", run_kind="agent", agent_id="helper")
AGENT_OF_ADMIN = Principal("ada", roles=("admin",), run_kind="agent", agent_id="helper")
AGENT_OF_REVIEWER = Principal("rita", roles=("reviewer",), run_kind="agent", agent_id="helper")
NOBODY = Principal(None)

EDITORS = WriteAccess(enabled=True, roles=("editor",), users=("lee",))
DISABLED = WriteAccess(enabled=False, roles=("editor",), users=("lee",))
DEFAULT = WriteAccess()

TOOL, PREFIX, LEARN, SYSTEM = WriteWay.MEMORY_WRITE, WriteWay.PREFIX, WriteWay.EXTRACTION, WriteWay.SYSTEM


def place(scope, principal=None, **where):
    owner = (principal.user_id or "") if scope == "personal" and principal else ""
    return Namespace(where.pop("workspace", "default"), Scope(scope), owner, **where)


def allowed(principal, scope, way=TOOL, access=EDITORS):
    return may_write(principal, place(scope, principal), way, access).allowed


@pytest.mark.parametrize(("who", "personal", "agent_notes", "global_", "agent_config"), [
    # the row of engine.md 2.2              own    notes  global config
    (MEMBER,                                True,  False, False, False),
    (LISTED_USER,                           True,  True,  True,  True),
    (LISTED_ROLE,                           True,  True,  True,  True),
    (ADMIN,                                 True,  True,  False, True),   # the list leaves the role out
    (LISTED_ADMIN,                          True,  True,  True,  True),
    (REVIEWER,                              True,  True,  False, False),  # agent_notes by own hand (governance.md 3)
    (SOP,                                   False, True,  False, False),
    (CRON,                                  False, True,  False, False),
    (WEBHOOK,                               False, True,  False, False),
    (IMPORT,                                False, True,  False, False),
    (AGENT_OF_MEMBER,                       True,  False, False, False),
    (AGENT_OF_LISTED,                       True,  True,  True,  False),  # as the person's row, agent_config never
    (AGENT_OF_ADMIN,                        True,  True,  False, False),
    (AGENT_OF_REVIEWER,                     True,  False, False, False),  # writing rights, never reviewing rights
    (NOBODY,                                False, False, False, False),
])  # fmt: skip
def test_memory_write_while_write_access_is_enabled(who, personal, agent_notes, global_, agent_config):
    assert allowed(who, "personal") is personal
    assert allowed(who, "agent_notes") is agent_notes
    assert allowed(who, "global") is global_
    assert allowed(who, "agent_config") is agent_config


@pytest.mark.parametrize(("who", "agent_notes", "global_", "agent_config"), [
    (MEMBER,      False, False, False),
    (LISTED_USER, False, False, False),
    (ADMIN,       True,  True,  True),   # "administrators when it is disabled"
    (CRON,        True,  False, False),
])  # fmt: skip
def test_memory_write_while_write_access_is_disabled(who, agent_notes, global_, agent_config):
    assert allowed(who, "agent_notes", access=DISABLED) is agent_notes
    assert allowed(who, "global", access=DISABLED) is global_
    assert allowed(who, "agent_config", access=DISABLED) is agent_config


def test_by_default_an_administrator_may_write_global():
    assert allowed(ADMIN, "global", access=DEFAULT)
    assert not allowed(MEMBER, "global", access=DEFAULT)


@pytest.mark.parametrize("scope", ["agent_notes", "agent_config"])
def test_the_chat_prefixes_are_for_administrators_only(scope):
    assert allowed(ADMIN, scope, PREFIX)
    for who in (MEMBER, LISTED_USER, REVIEWER, AGENT_OF_ADMIN, CRON, IMPORT, NOBODY):
        assert not allowed(who, scope, PREFIX)


def test_there_is_no_prefix_for_global():
    assert not allowed(LISTED_ADMIN, "global", PREFIX)


def test_extraction_teaches_the_author_and_only_an_administrator_everybody():
    assert allowed(MEMBER, "personal", LEARN)
    assert allowed(ADMIN, "agent_notes", LEARN)
    assert not allowed(MEMBER, "agent_notes", LEARN)
    assert not allowed(LISTED_USER, "agent_notes", LEARN)
    assert not allowed(LISTED_ADMIN, "global", LEARN)
    assert not allowed(ADMIN, "agent_config", LEARN)


@pytest.mark.parametrize("scope", SYSTEM_SCOPES)
def test_memory_write_refuses_any_other_scope(scope):
    assert not allowed(LISTED_ADMIN, scope)
    assert allowed(NOBODY, scope, SYSTEM)


def test_nobody_writes_into_another_persons_memory():
    his = Namespace("default", Scope.PERSONAL, "bob")
    decision = may_write(ADMIN, his, TOOL, DEFAULT)
    assert not decision.allowed
    assert "own" in decision.hint


def test_another_workspace_is_closed():
    assert not may_write(ADMIN, place("agent_notes", workspace="other"), TOOL, DEFAULT).allowed


def test_a_run_bound_to_no_project_serves_the_workspace_and_reads_no_project():
    apollo = place("agent_notes", project_id="apollo")
    for who in (CRON, SOP, WEBHOOK, IMPORT):
        assert may_write(who, apollo, TOOL, DEFAULT).allowed
        assert not may_read(who, apollo, DEFAULT)
        elsewhere = place("agent_notes", workspace="other", project_id="apollo")
        assert not may_write(who, elsewhere, TOOL, DEFAULT).allowed


def test_organization_memory_takes_an_administrators_own_hand():
    everywhere = place("agent_notes", workspace=ORGANIZATION)
    assert may_write(ADMIN, everywhere, TOOL, DEFAULT).allowed
    for who, widest in ((AGENT_OF_ADMIN, "personal"), (Principal("mia", project_ids=("p",)), "project"), (CRON, "")):
        decision = may_write(who, everywhere, TOOL, DEFAULT)
        assert not decision.allowed
        assert widest in decision.hint


@pytest.mark.parametrize("kind", ["person", "agent", "cron", "import"])
def test_project_memory_is_written_by_its_members_their_agents_and_runs_bound_to_it(kind):
    user = "mia" if kind in ("person", "agent") else None
    member = Principal(user, project_ids=("apollo",), run_kind=kind, agent_id="x")
    stranger = Principal(user, project_ids=("other",), run_kind=kind, agent_id="x")
    apollo = place("agent_notes", project_id="apollo")
    assert may_write(member, apollo, TOOL, DEFAULT).allowed
    assert not may_write(stranger, apollo, TOOL, DEFAULT).allowed


@pytest.mark.parametrize(("who", "scope", "way", "says"), [
    (MEMBER, "agent_notes", TOOL, "personal"),
    (MEMBER, "global", TOOL, "personal"),
    (MEMBER, "agent_config", TOOL, "personal"),
    (MEMBER, "agent_notes", PREFIX, "personal"),
    (ADMIN, "global", TOOL, "memory.write_access"),
    (CRON, "personal", TOOL, "agent_notes"),
    (CRON, "global", TOOL, "agent_notes"),
    (NOBODY, "personal", TOOL, "Identify"),
    (AGENT_OF_ADMIN, "agent_config", TOOL, "person"),
    (MEMBER, "wiki", TOOL, "personal"),
])  # fmt: skip
def test_a_refusal_points_to_what_is_open(who, scope, way, says):
    decision = may_write(who, place(scope, who), way, EDITORS)
    assert not decision.allowed
    assert decision.reason
    assert says in decision.hint


@pytest.mark.parametrize(("access", "says"), [(EDITORS, "memory.write_access"), (DISABLED, "an administrator")])
def test_a_refusal_names_who_may(access, says):
    assert says in may_write(MEMBER, place("agent_notes"), TOOL, access).reason
    assert says in may_write(MEMBER, place("global"), TOOL, access).reason


def test_a_principal_can_stand_in_several_rows():
    assert actor_classes(LISTED_ADMIN, EDITORS) == (ActorClass.MEMBER, ActorClass.LISTED, ActorClass.ADMIN)
    assert actor_classes(SOP, EDITORS) == (ActorClass.JOB,)
    assert actor_classes(IMPORT, EDITORS) == (ActorClass.IMPORT,)


@pytest.mark.parametrize(("who", "own", "notes", "global_", "wiki"), [
    (MEMBER,          True,  True,  True,  True),
    (ADMIN,           True,  True,  True,  True),
    (AGENT_OF_MEMBER, True,  True,  True,  True),
    (CRON,            False, True,  True,  True),
    (IMPORT,          False, True,  True,  True),
    (NOBODY,          False, False, False, False),
])  # fmt: skip
def test_readers(who, own, notes, global_, wiki):
    mine = Namespace("default", Scope.PERSONAL, who.user_id or "mia")
    assert may_read(who, mine, EDITORS) is own
    assert may_read(who, place("agent_notes"), EDITORS) is notes
    assert may_read(who, place("global"), EDITORS) is global_
    assert may_read(who, place("wiki"), EDITORS) is wiki


def test_personal_memory_is_read_by_its_owner_alone():
    his = Namespace("default", Scope.PERSONAL, "bob")
    for who in (MEMBER, ADMIN, REVIEWER, AGENT_OF_ADMIN, CRON, WEBHOOK, SOP, IMPORT, NOBODY):
        for reading in Reading:
            assert not may_read(who, his, DEFAULT, reading)


def test_agent_config_answers_the_prompt_injector_and_those_who_look_after_it():
    config = place("agent_config")
    for who in (MEMBER, ADMIN, LISTED_USER, CRON):
        assert not may_read(who, config, EDITORS, Reading.SEARCH)
        assert not may_read(who, config, EDITORS, Reading.RECALL)
        assert may_read(who, config, EDITORS, Reading.INJECT)
    assert may_read(ADMIN, config, EDITORS, Reading.MANAGE)
    assert may_read(LISTED_USER, config, EDITORS, Reading.MANAGE)
    assert not may_read(MEMBER, config, EDITORS, Reading.MANAGE)
    assert not may_read(AGENT_OF_ADMIN, config, EDITORS, Reading.MANAGE)


@pytest.mark.parametrize("scope", SYSTEM_SCOPES)
def test_pages_and_schema_notes_are_found_and_never_injected(scope):
    assert may_read(MEMBER, place(scope), DEFAULT, Reading.SEARCH)
    assert may_read(MEMBER, place(scope), DEFAULT, Reading.MANAGE)
    assert not may_read(MEMBER, place(scope), DEFAULT, Reading.RECALL)
    assert not may_read(MEMBER, place(scope), DEFAULT, Reading.INJECT)


def test_workspaces_are_sealed_and_the_organization_is_open():
    assert not may_read(ADMIN, place("agent_notes", workspace="other"), DEFAULT)
    assert may_read(MEMBER, place("agent_notes", workspace=ORGANIZATION), DEFAULT)


def test_a_project_is_read_by_its_members():
    apollo = place("agent_notes", project_id="apollo")
    assert may_read(Principal("mia", project_ids=("apollo",)), apollo, DEFAULT)
    assert not may_read(Principal("mia", project_ids=("apollo2", "apo")), apollo, DEFAULT)
    assert not may_read(ADMIN, apollo, DEFAULT)


def test_an_unmanaged_channel_is_open_to_its_project_a_managed_one_to_its_members():
    channel = place("agent_notes", project_id="apollo", channel_id="c1")
    in_project = Principal("mia", project_ids=("apollo",))
    in_channel = Principal("mia", project_ids=("apollo",), channel_ids=("c1",))
    managed = ManagedChannels(frozenset({"c1"}))
    assert is_inside(in_project, channel)
    assert not is_inside(in_project, channel, managed)
    assert is_inside(in_channel, channel, managed)
    assert not is_inside(Principal("mia", channel_ids=("c1",)), channel)  # in the channel, not in the project
    assert not is_inside(Principal("mia"), channel)


def test_a_channel_without_a_project_is_for_those_in_it():
    room = place("agent_notes", channel_id="c1")
    assert is_inside(Principal("mia", channel_ids=("c1",)), room)
    assert not is_inside(MEMBER, room)


def test_readable_keeps_what_may_be_read():
    mine, his = Namespace("default", Scope.PERSONAL, "mia"), Namespace("default", Scope.PERSONAL, "bob")
    assert readable(MEMBER, [mine, his, place("global")], DEFAULT) == (mine, place("global"))
