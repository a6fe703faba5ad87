"""Projects and channels: who belongs to them decides what a person's key opens, from the next request on."""

from collections.abc import Callable

import pytest

from goclaw.bootstrap import Engine
from goclaw.gateway.keys import KeyRequest, KeyRing
from goclaw.gateway.people import People, command_line
from goclaw.gateway.projects import Projects
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, NotFound
from goclaw.model.principal import ActorKind, Principal
from goclaw.storage import audit_log

BY = command_line()
ADA = Principal("ada", roles=("admin",))


@pytest.fixture
def projects(engine: Engine) -> Projects:
    people = People(engine.database, engine.clock)
    for user_id in ("alice", "bob"):
        people.add(BY, "default", user_id)
    return Projects(engine.database, engine.clock)


@pytest.fixture
def key(engine: Engine, projects: Projects) -> Callable[..., Callable[[], Principal]]:
    """Makes a key of alice's, or of her agent, and gives what opens it."""
    ring = KeyRing(engine.database, engine.clock)

    def make(**fields: object) -> Callable[[], Principal]:
        request = KeyRequest(**({"kind": ActorKind.HUMAN, "user_id": "alice"} | fields))  # type: ignore[arg-type]
        secret = ring.create(BY, request).secret
        return lambda: ring.verify(secret)[1]

    return make


def test_a_persons_key_opens_the_projects_and_channels_they_belong_to_now(projects, key) -> None:  # type: ignore[no-untyped-def]
    opened, agent = key(), key(kind=ActorKind.AGENT, name="claw")
    projects.add(BY, "default", "apollo", name="Apollo")
    projects.add_channel(BY, "default", "c1", project_id="apollo")
    assert opened().project_ids == ()
    projects.add_member(BY, "default", "apollo", "alice")
    projects.add_channel_member(BY, "default", "c1", "alice")
    for who in (opened(), agent()):
        assert (who.project_ids, who.channel_ids) == (("apollo",), ("c1",))
    projects.remove_member(BY, "default", "apollo", "alice")
    projects.remove_channel_member(BY, "default", "c1", "alice")
    for who in (opened(), agent()):
        assert (who.project_ids, who.channel_ids) == ((), ())


def test_a_key_with_projects_of_its_own_opens_only_those(projects, key) -> None:  # type: ignore[no-untyped-def]
    for project in ("apollo", "gemini"):
        projects.add(BY, "default", project)
        projects.add_member(BY, "default", project, "alice")
    narrow = key(project_ids=("gemini",))
    assert narrow().project_ids == ("gemini",)
    projects.remove_member(BY, "default", "gemini", "alice")
    assert narrow().project_ids == (), "a project with members opens to its members only"


def test_a_key_may_name_a_project_that_nobody_keeps_a_list_for(projects, key) -> None:  # type: ignore[no-untyped-def]
    assert key(project_ids=("mercury",))().project_ids == ("mercury",)


def test_lists_and_members_are_those_of_the_workspace(projects: Projects) -> None:
    projects.add(BY, "default", "apollo", name="Apollo")
    projects.add(BY, "other", "apollo")
    projects.add_member(BY, "default", "apollo", "bob")
    projects.add_member(BY, "default", "apollo", "alice")
    projects.add_channel(BY, "default", "c1", project_id="apollo", kind="chat")
    projects.add_channel_member(BY, "default", "c1", "bob")
    assert [(each.project_id, each.name) for each in projects.list("default")] == [("apollo", "Apollo")]
    assert projects.members("default", "apollo") == ["alice", "bob"]
    assert projects.members("other", "apollo") == []
    assert [(each.channel_id, each.kind) for each in projects.channels("default")] == [("c1", "chat")]
    assert projects.channel_members("default", "c1") == ["bob"]
    assert projects.channels("other") == []


def test_every_change_is_audited_once(engine: Engine, projects: Projects) -> None:
    projects.add(BY, "default", "apollo")
    for _ in range(2):
        projects.add_member(BY, "default", "apollo", "alice")
    projects.remove_member(BY, "default", "apollo", "alice")
    projects.add_channel(BY, "default", "c1")
    with engine.database.read() as reader:
        rows = audit_log.page(reader, "default", event_type="access_changed", limit=10)
    changes = [row.detail for row in reversed(rows) if "person" not in row.detail["what"]]
    assert changes == [
        {"what": "project_added", "workspace": "default", "project": "apollo"},
        {"what": "project_member_added", "workspace": "default", "project": "apollo", "user": "alice"},
        {"what": "project_member_removed", "workspace": "default", "project": "apollo", "user": "alice"},
        {"what": "channel_added", "workspace": "default", "channel": "c1"},
    ]


def test_what_is_unknown_or_there_already_is_refused(projects: Projects) -> None:
    projects.add(BY, "default", "apollo")
    projects.add_channel(BY, "default", "c1")
    for refused in (
        lambda: projects.add(BY, "default", "apollo"),
        lambda: projects.add_channel(BY, "default", "c1"),
    ):
        with pytest.raises(Conflict):
            refused()
    for refused in (
        lambda: projects.add_member(BY, "default", "gemini", "alice"),
        lambda: projects.add_member(BY, "default", "apollo", "nobody"),
        lambda: projects.remove_member(BY, "default", "apollo", "alice"),
        lambda: projects.members("default", "gemini"),
        lambda: projects.add_channel(BY, "default", "c2", project_id="gemini"),
        lambda: projects.add_channel_member(BY, "default", "c1", "nobody"),
        lambda: projects.remove_channel_member(BY, "default", "c1", "alice"),
        lambda: projects.channel_members("default", "c9"),
    ):
        with pytest.raises(NotFound):
            refused()
    with pytest.raises(InvalidInput):
        projects.add(BY, "default", " apollo")


@pytest.mark.parametrize(
    "by",
    [
        Principal("alice"),
        Principal("rita", roles=("reviewer",)),
        Principal("ada", roles=("admin",), run_kind="agent", agent_id="claw"),
        Principal("ada", roles=("admin",), workspace_id="other"),
        Principal(None, run_kind="cron", agent_id="nightly"),
        Principal(None),
    ],
)
def test_only_administrators_of_the_workspace_change_anything(projects: Projects, by: Principal) -> None:
    projects.add(ADA, "default", "apollo")
    projects.add_channel(ADA, "default", "c1")
    for refused in (
        lambda: projects.add(by, "default", "gemini"),
        lambda: projects.add_member(by, "default", "apollo", "alice"),
        lambda: projects.remove_member(by, "default", "apollo", "alice"),
        lambda: projects.add_channel(by, "default", "c2"),
        lambda: projects.add_channel_member(by, "default", "c1", "alice"),
        lambda: projects.remove_channel_member(by, "default", "c1", "alice"),
    ):
        with pytest.raises(AccessDenied):
            refused()
    assert len(projects.list("default")) == len(projects.channels("default")) == 1
