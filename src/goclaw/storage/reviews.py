"""Reviews: what humans decided about records: the state before and after, by whom, why."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, select, update

from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import MEMORY_REVIEWS
from goclaw.storage.statement import Statement

PROPOSED = "proposed:"  # before the action, where a row is not a decision but the proposal of one
_TEXTS = frozenset({"content", "summary"})  # what forgetting takes out of the rows


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """One decision, or the proposal of one."""

    id: str
    memory_id: str
    workspace_id: str
    action: str
    actor_kind: str
    actor_id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    notes: str | None
    related_id: str | None
    created_at: int


_R = MEMORY_REVIEWS.c
_INSERT = Statement(MEMORY_REVIEWS.insert())
_OF_MEMORY = Statement(select(MEMORY_REVIEWS).where(_R.memory_id == bindparam("memory")).order_by(_R.created_at, _R.id))
_BLANK = Statement(
    update(MEMORY_REVIEWS)
    .where(_R.id == bindparam("which"))
    .values(before=bindparam("new_before"), after=bindparam("new_after"), notes=None),
    *("new_before", "new_after", "which"),
)
_COUNT_SINCE = Statement(
    select(func.count())
    .select_from(MEMORY_REVIEWS)
    .where(_R.workspace_id == bindparam("workspace"), _R.created_at >= bindparam("since"))
)
_PROPOSED_SINCE = Statement(
    select(_R.memory_id)
    .where(
        _R.workspace_id == bindparam("workspace"),
        _R.created_at >= bindparam("since"),
        _R.action.like(bindparam("pattern")),
    )
    .distinct(),
    *("workspace", "since", "pattern"),
)


def append(unit: Unit, review: ReviewRow) -> None:
    """Keep a decision."""
    row = (
        review.id,
        review.memory_id,
        review.workspace_id,
        review.action,
        review.actor_kind,
        review.actor_id,
        _json(review.before),
        _json(review.after),
        review.notes,
        review.related_id,
        review.created_at,
    )
    unit.run(_INSERT, row)


def of_memory(reader: Reader, memory_id: str) -> list[ReviewRow]:
    """The decisions about a record, oldest first."""
    return [_review(row) for row in reader.all(_OF_MEMORY, (memory_id,))]


def blank_texts(unit: Unit, memory_id: str) -> int:
    """Take a forgotten record's words and the reviewers' notes out of its rows; how many rows."""
    rows = of_memory(unit, memory_id)
    for row in rows:
        unit.run(_BLANK, (_json(_without_texts(row.before)), _json(_without_texts(row.after)), row.id))
    return len(rows)


def count_since(reader: Reader, workspace_id: str, since: int) -> int:
    """How many decisions a workspace has seen since a moment."""
    row = reader.one(_COUNT_SINCE, (workspace_id, since))
    return int(row[0]) if row else 0


def proposed_since(reader: Reader, workspace_id: str, since: int) -> list[str]:
    """The records about which something was proposed since a moment, decided or not, in no particular order."""
    return [memory_id for (memory_id,) in reader.all(_PROPOSED_SINCE, (workspace_id, since, f"{PROPOSED}%"))]


def _without_texts(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name not in _TEXTS}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))


def _review(row: Row) -> ReviewRow:
    review_id, memory_id, workspace_id, action, actor_kind, actor_id, before, after, notes, related_id, at = row
    return ReviewRow(
        id=review_id,
        memory_id=memory_id,
        workspace_id=workspace_id,
        action=action,
        actor_kind=actor_kind,
        actor_id=actor_id,
        before=json.loads(before),
        after=json.loads(after),
        notes=notes,
        related_id=related_id,
        created_at=at,
    )
