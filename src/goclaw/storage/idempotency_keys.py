"""Idempotency keys: which request of whom was answered by which records, so that a repeated one is done once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import IDEMPOTENCY_KEYS
from goclaw.storage.statement import InsertOrKeep, Statement

UNANSWERED = ""  # in place of the records' ids while the request has no answer yet


@dataclass(frozen=True, slots=True)
class Claim:
    """What is known of a key: the request it belongs to, and its answer."""

    body_hash: str
    memory_ids: tuple[str, ...] | None  # None: no answer yet


_I = IDEMPOTENCY_KEYS.c
_THIS = (_I.workspace_id == bindparam("workspace"), _I.actor_id == bindparam("actor"), _I.key == bindparam("which"))
_NAMES = ("workspace", "actor", "which")

_CLAIM = Statement(InsertOrKeep(IDEMPOTENCY_KEYS))
_FIND = Statement(select(_I.body_hash, _I.memory_ids).where(*_THIS), *_NAMES)
_ANSWER = Statement(IDEMPOTENCY_KEYS.update().where(*_THIS).values(memory_ids=bindparam("answer")), *_NAMES, "answer")
_DELETE_OLD = Statement(IDEMPOTENCY_KEYS.delete().where(_I.created_at < bindparam("moment")))


def claim(unit: Unit, workspace_id: str, actor_id: str, key: str, body_hash: str, now: int) -> Claim:
    """Bind a key to a request, or find the request it was bound to before."""
    unit.run(_CLAIM, (workspace_id, actor_id, key, body_hash, UNANSWERED, now))
    found = find(unit, workspace_id, actor_id, key)
    assert found is not None
    return found


def find(reader: Reader, workspace_id: str, actor_id: str, key: str) -> Claim | None:
    """What is known of a key."""
    row = reader.one(_FIND, (workspace_id, actor_id, key))
    if row is None:
        return None
    body_hash, answered = row
    return Claim(body_hash, None if answered == UNANSWERED else tuple(json.loads(answered)))


def answer(unit: Unit, workspace_id: str, actor_id: str, key: str, memory_ids: Sequence[str]) -> None:
    """Write down the records that answer the request."""
    unit.run(_ANSWER, (workspace_id, actor_id, key, json.dumps(list(memory_ids))))


def delete_before(unit: Unit, moment: int) -> int:
    """Drop keys claimed before ``moment`` (microseconds since 1970); how many went."""
    return unit.run(_DELETE_OLD, (moment,))
