"""Cron runs: a row for each moment a schedule was due, so that one process of many acts on it."""

from sqlalchemy import bindparam

from goclaw.storage.database import Unit
from goclaw.storage.schema import CRON_RUNS
from goclaw.storage.statement import InsertOrKeep, Statement

_TAKE = Statement(InsertOrKeep(CRON_RUNS))
_PRUNE = Statement(CRON_RUNS.delete().where(CRON_RUNS.c.due_at < bindparam("moment")))


def take(unit: Unit, name: str, due_at: int, now: int) -> bool:
    """Claim the run of a schedule that was due at the moment; False where somebody has."""
    return unit.run(_TAKE, (name, due_at, now)) > 0


def prune(unit: Unit, due_before: int) -> int:
    """Delete old rows; how many."""
    return unit.run(_PRUNE, (due_before,))
