"""People are registered once, and every change of what they may leaves a row."""

import pytest

from goclaw.bootstrap import Engine
from goclaw.gateway.people import People, command_line
from goclaw.model.errors import Conflict, InvalidInput, NotFound
from goclaw.storage import audit_log

BY = command_line()


@pytest.fixture
def people(engine: Engine) -> People:
    return People(engine.database, engine.clock)


def test_a_person_is_a_member_of_one_workspace_unless_said_otherwise(people: People) -> None:
    people.add(BY, "default", "alice")
    people.add(BY, "default", "ada", display_name="Ada L.", roles=("admin", "reviewer"))
    assert [(each.user_id, each.display_name, each.roles) for each in people.list("default")] == [
        ("ada", "Ada L.", ("admin", "reviewer")),
        ("alice", "alice", ("member",)),
    ]
    assert people.list("other") == []


def test_nobody_is_registered_twice(people: People) -> None:
    people.add(BY, "default", "alice", roles=("admin",))
    with pytest.raises(Conflict):
        people.add(BY, "default", "alice")
    assert people.list("default")[0].roles == ("admin",)


@pytest.mark.parametrize("user_id", ["", " alice", "al\u200bice", "\uff21lice"])
def test_a_name_that_could_be_taken_for_another_is_refused(people: People, user_id: str) -> None:
    with pytest.raises(InvalidInput):
        people.add(BY, "default", user_id)
    assert people.list("default") == []


def test_new_roles_take_the_place_of_the_old_ones_and_are_audited(engine: Engine, people: People) -> None:
    people.add(BY, "default", "alice")
    assert people.set_roles(BY, "default", "alice", ("admin",)).roles == ("admin",)
    with engine.database.read() as reader:
        newest = audit_log.page(reader, "default", limit=1)[0]
    assert newest.event_type == "access_changed"
    assert newest.detail == {"what": "roles_changed", "user": "alice", "roles": ["admin"], "workspace": "default"}


def test_roles_of_a_stranger_cannot_be_changed(people: People) -> None:
    people.add(BY, "default", "alice")
    with pytest.raises(NotFound):
        people.set_roles(BY, "other", "alice", ("admin",))
