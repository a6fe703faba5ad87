"""Counters: numbers that only grow, handed out inside a unit of work."""

from sqlalchemy import bindparam, select

from goclaw.storage.database import Unit
from goclaw.storage.schema import COUNTERS
from goclaw.storage.statement import InsertOrKeep, Statement

_START = Statement(InsertOrKeep(COUNTERS))
_GROW = Statement(COUNTERS.update().where(COUNTERS.c.name == bindparam("which")).values(value=COUNTERS.c.value + 1))
_READ = Statement(select(COUNTERS.c.value).where(COUNTERS.c.name == bindparam("which")))


def next_number(unit: Unit, name: str) -> int:
    """1, 2, 3, … for a name. Another unit that asks for the same name waits until this one is durable."""
    if unit.run(_GROW, (name,)) == 0:
        unit.run(_START, (name, 0))
        unit.run(_GROW, (name,))
    row = unit.one(_READ, (name,))
    assert row is not None
    return int(row[0])
