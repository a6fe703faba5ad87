"""Which namespaces a recall by contract looks into: level by level, project by project."""

import pytest

from goclaw.model.namespace import ORGANIZATION, Namespace, NamespaceState
from goclaw.model.scope import Scope
from goclaw.recall.reach import is_at_home, within_reach
from goclaw.recall.recall_request import read_recall

NOTES = Scope.AGENT_NOTES
PLACES = {
    "mine": Namespace("w", Scope.PERSONAL, "bob"),
    "c1": Namespace("w", NOTES, "", "p1", "c1"),
    "c2": Namespace("w", NOTES, "", "p1", "c2"),
    "loose": Namespace("w", NOTES, "", "", "c3"),  # a channel that lies in no project
    "p1": Namespace("w", NOTES, "", "p1"),
    "p2": Namespace("w", NOTES, "", "p2"),
    "workspace": Namespace("w", Scope.GLOBAL),
    "organization": Namespace(ORGANIZATION, NOTES),
}


def request(**fields):
    return read_recall({"workspace_id": "w", "query": "x", **fields})[0]


def reached(**fields):
    states = [NamespaceState(number, place, 0, 0) for number, place in enumerate(PLACES.values())]
    names = list(PLACES)
    return {names[state.id] for state in within_reach(states, request(**fields))}


@pytest.mark.parametrize(("level", "project_only", "project", "channel", "expected"), [
    ("project",      True,  "p1", None,  {"p1"}),
    ("project",      True,  "p1", "c1",  {"p1"}),
    ("project",      True,  None, None,  set()),  # project_only without a project returns no project memory
    ("channel",      True,  "p1", "c1",  {"c1", "p1"}),
    ("channel",      True,  "p1", "c9",  {"p1"}),  # an unknown channel opens nothing
    ("channel",      True,  "p2", "c1",  {"p2"}),
    ("channel",      True,  "p1", "c3",  {"loose", "p1"}),
    ("channel",      True,  None, "c3",  {"loose"}),
    ("project",      True,  "p1", "c3",  {"p1"}),
    ("channel",      False, "p1", "c3",  {"loose", "p1", "p2", "workspace", "organization"}),
    ("personal",     True,  "p1", "c1",  {"mine", "c1", "p1"}),
    ("personal",     True,  None, None,  {"mine"}),
    ("project",      False, "p1", None,  {"p1", "p2", "workspace", "organization"}),
    ("workspace",    False, "p1", None,  {"workspace", "organization"}),
    ("workspace",    True,  "p1", None,  set()),
    ("organization", False, None, None,  {"organization"}),
    ("personal",     False, "p1", "c2",  {"mine", "c2", "p1", "p2", "workspace", "organization"}),
])  # fmt: skip
def test_levels(level, project_only, project, channel, expected):
    scope = {"visibility": level, "project_only": project_only}
    assert reached(scope=scope, project_id=project, channel={"id": channel}) == expected


def test_from_another_project_or_channel_nothing_instructs():
    here = request(project_id="p1", channel={"id": "c1"})
    assert {name for name, place in PLACES.items() if is_at_home(place, here)} == {
        "mine", "c1", "p1", "workspace", "organization",
    }  # fmt: skip
