"""Namespaces: where records live, the slots of their chunks, and the counters by which readers notice change.

A slot *as stored* is ``namespace_id << 32 | n``, n counted from 0 and never used twice, so the rows of a namespace lie
together and are found by range.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, or_, select

from goclaw.model.namespace import ORGANIZATION, Namespace, NamespaceState
from goclaw.model.scope import Scope
from goclaw.storage.counters import next_number
from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import NAMESPACE_CHANGES, NAMESPACES
from goclaw.storage.statement import Statement, StatementFamily, in_portions

SLOT_BITS = 32
LAST_SLOT_NO = (1 << SLOT_BITS) - 1
KEPT_CHANGES = 10_000  # a reader further behind than this loads the namespace anew

_COLUMNS = NAMESPACES.c
_CHANGES = NAMESPACE_CHANGES.c

_FIND = Statement(
    select(NAMESPACES).where(
        _COLUMNS.workspace_id == bindparam("workspace_id"),
        _COLUMNS.scope == bindparam("scope"),
        _COLUMNS.owner_user_id == bindparam("owner_user_id"),
        _COLUMNS.project_id == bindparam("project_id"),
        _COLUMNS.channel_id == bindparam("channel_id"),
    ),
    *("workspace_id", "scope", "owner_user_id", "project_id", "channel_id"),
)
_INSERT = Statement(NAMESPACES.insert())
_TAKE_SLOTS = Statement(
    NAMESPACES.update().where(_COLUMNS.id == bindparam("which")).values(last_slot=_COLUMNS.last_slot + bindparam("n")),
    *("which", "n"),
)
_LAST_SLOT = Statement(select(_COLUMNS.last_slot).where(_COLUMNS.id == bindparam("which")))
_COUNT_CHANGES = Statement(
    NAMESPACES.update().where(_COLUMNS.id == bindparam("which")).values(changes=_COLUMNS.changes + bindparam("n")),
    *("which", "n"),
)
_CHANGE_COUNT = Statement(select(_COLUMNS.changes).where(_COLUMNS.id == bindparam("which")))
_INSERT_CHANGE = Statement(NAMESPACE_CHANGES.insert())
_TRIM_CHANGES = Statement(
    NAMESPACE_CHANGES.delete().where(
        _CHANGES.namespace_id == bindparam("which"), _CHANGES.change_no <= bindparam("last_dropped")
    )
)
_CHANGES_SINCE = Statement(
    select(_CHANGES.change_no, _CHANGES.slot)
    .where(_CHANGES.namespace_id == bindparam("which"), _CHANGES.change_no > bindparam("since"))
    .order_by(_CHANGES.change_no)
)


def _candidates(size: int, *, any_channel: bool) -> Select[Any]:
    projects: list[BindParameter[str]] = [bindparam(f"project_{n}") for n in range(size)]
    channels: list[BindParameter[str]] = [bindparam(f"channel_{n}") for n in range(size)]
    chosen = select(NAMESPACES).where(
        _COLUMNS.workspace_id.in_([bindparam("own_workspace"), bindparam("organization")]),
        _COLUMNS.owner_user_id.in_([bindparam("nobody"), bindparam("owner")]),
        _COLUMNS.project_id.in_(projects),
    )
    if any_channel:
        return chosen
    # a channel outside every project is entered by its own members only; in a project the access rules decide
    return chosen.where(or_(_COLUMNS.project_id != bindparam("no_project"), _COLUMNS.channel_id.in_(channels)))


_CANDIDATES = StatementFamily(lambda size: _candidates(size, any_channel=True))
_CANDIDATES_OF_CHANNELS = StatementFamily(lambda size: _candidates(size, any_channel=False))
_BY_IDS = StatementFamily(
    lambda size: select(NAMESPACES).where(_COLUMNS.id.in_([bindparam(f"id_{n}") for n in range(size)]))
)


_OF_WORKSPACE = Statement(
    select(NAMESPACES)
    .where(_COLUMNS.workspace_id.in_([bindparam("workspace"), bindparam("organization")]))
    .order_by(_COLUMNS.id),
    *("workspace", "organization"),
)


@lru_cache(maxsize=1024)
def namespace_of(workspace_id: str, scope: str, owner_user_id: str, project_id: str, channel_id: str) -> Namespace:
    """The namespace of the five columns that name one; made once, since many rows lie in few namespaces."""
    return Namespace(workspace_id, Scope(scope), owner_user_id, project_id, channel_id)


def _state(row: Row) -> NamespaceState:
    namespace_id, workspace_id, scope, owner, project, channel, last_slot, changes = row
    return NamespaceState(namespace_id, namespace_of(workspace_id, scope, owner, project, channel), last_slot, changes)


def _key(namespace: Namespace) -> tuple[str, str, str, str, str]:
    return (
        namespace.workspace_id,
        namespace.scope.value,
        namespace.owner_user_id,
        namespace.project_id,
        namespace.channel_id,
    )


def find(reader: Reader, namespace: Namespace) -> NamespaceState | None:
    """The namespace as stored, or None while nothing was ever written into it."""
    row = reader.one(_FIND, _key(namespace))
    return None if row is None else _state(row)


def find_or_make(unit: Unit, namespace: Namespace) -> NamespaceState:
    """The namespace as stored; made where it is missing."""
    found = find(unit, namespace)
    if found is not None:
        return found
    number = next_number(unit, "namespace")
    found = find(unit, namespace)  # while we waited for the number, another process may have made it
    if found is None:
        unit.run(_INSERT, (number, *_key(namespace), 0, 0))
        found = NamespaceState(number, namespace, 0, 0)
    return found


def candidates(
    reader: Reader,
    workspace_id: str,
    owner_user_id: str | None,
    project_ids: Sequence[str],
    channel_ids: Sequence[str] | None = None,
) -> list[NamespaceState]:
    """Every namespace a principal of this workspace, person and projects might read; access rules choose from them.

    ``channel_ids`` leaves out channels outside of projects but these (None: all are given).
    """
    projects = ("", *project_ids)
    head = (workspace_id, ORGANIZATION, "", owner_user_id or "")
    if channel_ids is None:
        statement, tail = _CANDIDATES.of(len(projects)), StatementFamily.padded(projects)
    else:
        channels = ("", *channel_ids)
        size = max(len(projects), len(channels))
        statement = _CANDIDATES_OF_CHANNELS.of(size)
        tail = (*StatementFamily.padded(projects, size), "", *StatementFamily.padded(channels, size))
    return [_state(row) for row in reader.all(statement, (*head, *tail))]


def by_ids(reader: Reader, ids: Sequence[int]) -> list[NamespaceState]:
    """The namespaces with these ids, in no particular order; missing ones are left out."""
    rows: list[Row] = []
    for portion in in_portions(ids):
        rows += reader.all(_BY_IDS.of(len(portion)), StatementFamily.padded(portion))
    return [_state(row) for row in rows]


def of_workspace(reader: Reader, workspace_id: str) -> list[NamespaceState]:
    """Every namespace of a workspace, personal ones too, and the organization's, by id; for work that nobody reads."""
    return [_state(row) for row in reader.all(_OF_WORKSPACE, (workspace_id, ORGANIZATION))]


def allocate_slots(unit: Unit, namespace_id: int, count: int) -> int:
    """Take ``count`` slots that follow each other; the first of them, as stored."""
    unit.run(_TAKE_SLOTS, (namespace_id, count))
    row = unit.one(_LAST_SLOT, (namespace_id,))
    assert row is not None, "slots are taken in a namespace that exists"
    return (namespace_id << SLOT_BITS) | (int(row[0]) - count)


def first_slot(namespace_id: int) -> int:
    """The smallest slot, as stored, that a namespace can have."""
    return namespace_id << SLOT_BITS


def note_changes(unit: Unit, namespace_id: int, slots: Sequence[int]) -> None:
    """Tell readers that rows they may know were deleted or changed; their slots, as stored."""
    if not slots:
        return
    unit.run(_COUNT_CHANGES, (namespace_id, len(slots)))
    total = _changes(unit, namespace_id)
    first = total - len(slots) + 1
    unit.run_many(_INSERT_CHANGE, [(namespace_id, first + n, slot) for n, slot in enumerate(slots)])
    if total > KEPT_CHANGES:
        unit.run(_TRIM_CHANGES, (namespace_id, total - KEPT_CHANGES))


def changed_slots(reader: Reader, namespace_id: int, since: int) -> list[int] | None:
    """The slots, as stored, of the changes after number ``since``, oldest first; None where some are trimmed."""
    rows = reader.all(_CHANGES_SINCE, (namespace_id, since))
    expected = _changes(reader, namespace_id) - since
    return [slot for _, slot in rows] if len(rows) == max(expected, 0) else None


def _changes(reader: Reader, namespace_id: int) -> int:
    row = reader.one(_CHANGE_COUNT, (namespace_id,))
    return 0 if row is None else int(row[0])
