"""Where a record goes when a human narrows or widens it."""

import pytest

from goclaw.lifecycle.review_place import is_seen_within, narrower_place, wider_place
from goclaw.lifecycle.review_request import Target
from goclaw.model.errors import Conflict, InvalidInput
from goclaw.model.namespace import ORGANIZATION, Namespace
from goclaw.model.principal import ActorKind, Principal
from goclaw.model.scope import Scope
from goclaw.model.visibility import Visibility
from tests.unit.model.test_shapes import record

RITA = Principal("rita", workspace_id="w", roles=("reviewer",))
MINE = Namespace("w", Scope.PERSONAL, "alice")
CHANNEL = Namespace("w", Scope.AGENT_NOTES, "", "apollo", "c1")
LOOSE = Namespace("w", Scope.AGENT_NOTES, "", "", "c9")
PROJECT = Namespace("w", Scope.AGENT_NOTES, "", "apollo")
ZEUS = Namespace("w", Scope.AGENT_NOTES, "", "zeus")
TEAM = Namespace("w", Scope.AGENT_NOTES)
RULES = Namespace("w", Scope.GLOBAL)
CONFIG = Namespace("w", Scope.AGENT_CONFIG)
ALL = Namespace(ORGANIZATION, Scope.AGENT_NOTES)
WIKI = Namespace("w", Scope.WIKI)


def target(visibility, project_id=None, channel_id=None):
    return Target(visibility=Visibility(visibility), project_id=project_id, channel_id=channel_id)


@pytest.mark.parametrize(("here", "wanted", "there"), [
    (PROJECT, target("channel", channel_id="c1"),                        CHANNEL),
    (PROJECT, target("channel", "apollo", "c1"),                         CHANNEL),
    (TEAM,    target("channel", channel_id="c9"),                        LOOSE),
    (TEAM,    target("channel", "apollo", "c1"),                         CHANNEL),
    (RULES,   target("project", "apollo"),                               PROJECT),
    (ALL,     target("workspace"),                                       TEAM),
    (CHANNEL, target("personal"),                                        MINE),
])  # fmt: skip
def test_narrower(here, wanted, there):
    assert narrower_place(RITA, record(namespace=here, on_behalf_of="alice"), wanted) == there


@pytest.mark.parametrize(("here", "wanted", "there"), [
    (MINE,    target("channel", "apollo", "c1"), CHANNEL),
    (MINE,    target("workspace"),               TEAM),
    (CHANNEL, target("project"),                 PROJECT),
    (PROJECT, target("workspace"),               TEAM),
    (RULES,   target("organization"),            Namespace(ORGANIZATION, Scope.GLOBAL)),
])  # fmt: skip
def test_wider(here, wanted, there):
    assert wider_place(RITA, record(namespace=here), wanted) == there


@pytest.mark.parametrize(("place", "here", "wanted", "error"), [
    (narrower_place, PROJECT, target("project", "apollo"),          Conflict),
    (narrower_place, PROJECT, target("workspace"),                  Conflict),
    (narrower_place, PROJECT, target("channel", "zeus", "c1"),      Conflict),
    (narrower_place, WIKI,    target("project", "apollo"),          Conflict),
    (narrower_place, PROJECT, target("channel"),                    InvalidInput),
    (narrower_place, TEAM,    target("project"),                    InvalidInput),
    (wider_place,    PROJECT, target("channel", channel_id="c1"),   Conflict),
    (wider_place,    CHANNEL, target("project", "zeus"),            Conflict),
    (wider_place,    LOOSE,   target("project"),                    InvalidInput),
    (wider_place,    MINE,    target("personal"),                   Conflict),
])  # fmt: skip
def test_what_is_not_allowed(place, here, wanted, error):
    with pytest.raises(error):
        place(RITA, record(namespace=here), wanted)


def test_personal_means_the_person_it_was_written_for():
    wanted = target("personal")
    by_agent = record(namespace=PROJECT, actor_kind=ActorKind.AGENT, actor_id="agent:a1", on_behalf_of="bob")
    assert narrower_place(RITA, by_agent, wanted).owner_user_id == "bob"
    by_hand = record(namespace=PROJECT, actor_kind=ActorKind.HUMAN, actor_id="human:carol", on_behalf_of=None)
    assert narrower_place(RITA, by_hand, wanted).owner_user_id == "carol"
    with pytest.raises(InvalidInput):
        narrower_place(RITA, record(namespace=PROJECT, actor_kind=ActorKind.JOB, actor_id="job:nightly"), wanted)


@pytest.mark.parametrize(("inner", "outer", "is_within"), [
    (PROJECT, PROJECT, True),
    (CHANNEL, PROJECT, True),
    (CHANNEL, TEAM,    True),
    (MINE,    TEAM,    True),
    (TEAM,    ALL,     True),
    (PROJECT, CHANNEL, False),
    (CHANNEL, ZEUS,    False),
    (LOOSE,   PROJECT, False),
    (MINE,    PROJECT, False),
    (PROJECT, MINE,    False),
    (TEAM,    CONFIG,  False),
    (ALL,     TEAM,    False),
    (Namespace("v", Scope.AGENT_NOTES), TEAM, False),
])  # fmt: skip
def test_whether_everybody_in_the_one_may_read_the_other(inner, outer, is_within):
    assert is_seen_within(inner, outer) is is_within
