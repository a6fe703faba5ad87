"""Where a draft goes: the narrowest useful namespace."""

import pytest

from goclaw.ingest.place import place_of
from goclaw.model.errors import InvalidInput
from goclaw.model.namespace import ORGANIZATION, Namespace
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryDraft
from goclaw.model.scope import Scope
from goclaw.model.visibility import Visibility

ALICE = Principal("alice", workspace_id="w")


def place(scope, **where):
    visibility = where.pop("visibility", None)
    draft = MemoryDraft(content="x", scope=Scope(scope), visibility=visibility and Visibility(visibility), **where)
    return place_of(ALICE, draft)


@pytest.mark.parametrize(("scope", "where", "namespace"), [
    ("personal",    {},                                           Namespace("w", Scope.PERSONAL, "alice")),
    ("personal",    {"project_id": "apollo"},                     Namespace("w", Scope.PERSONAL, "alice")),
    ("agent_notes", {},                                           Namespace("w", Scope.AGENT_NOTES)),
    ("agent_notes", {"project_id": "apollo"},                     Namespace("w", Scope.AGENT_NOTES, "", "apollo")),
    ("agent_notes", {"project_id": "apollo", "channel_id": "c"},  Namespace("w", Scope.AGENT_NOTES, "", "apollo", "c")),
    ("agent_notes", {"project_id": "apollo", "visibility": "workspace"}, Namespace("w", Scope.AGENT_NOTES)),
    ("agent_notes", {"visibility": "organization"},               Namespace(ORGANIZATION, Scope.AGENT_NOTES)),
    ("global",      {"project_id": "apollo", "visibility": "workspace"}, Namespace("w", Scope.GLOBAL)),
    ("agent_config", {},                                          Namespace("w", Scope.AGENT_CONFIG)),
])  # fmt: skip
def test_where_it_goes(scope, where, namespace):
    assert place(scope, **where) == namespace


@pytest.mark.parametrize(("scope", "where", "says"), [
    ("personal",     {"visibility": "project"},  "agent_notes"),
    ("agent_notes",  {"visibility": "personal"}, "personal"),
    ("agent_notes",  {"visibility": "channel"},  "channel_id"),
    ("agent_notes",  {"visibility": "project"},  "project_id"),
    ("global",       {"project_id": "apollo"},   "agent_notes"),
    ("agent_config", {"channel_id": "c1"},       "agent_notes"),
])  # fmt: skip
def test_nothing_is_narrowed_or_widened_in_silence(scope, where, says):
    with pytest.raises(InvalidInput) as refused:
        place(scope, **where)
    assert says in str(refused.value)
