"""Integrity: what ``memory check`` finds in a store, and what it can mend by itself.

Derived rows can be mended: they go, or are put on the list of what is to be made again. Damage to the file is reported
and never repaired in place: the file is set aside, whole, and a backup takes its place.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import false, select

from goclaw.model.clock import from_us
from goclaw.model.errors import StoreDamaged, StoreError
from goclaw.storage import index_meta
from goclaw.storage.database import Database, Reader, Row, Unit
from goclaw.storage.integrity_checks import CHECKS, Check
from goclaw.storage.schema import METADATA
from goclaw.storage.statement import Statement

_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with the store."""

    name: str  # damaged_file, schema_drift, or the name of a check
    count: int
    examples: tuple[str, ...]  # ids, slots or the engine's own words; never stored text
    is_mendable: bool  # whether :func:`mend` takes care of it


_SHAPES = {name: Statement(select(table).where(false())) for name, table in sorted(METADATA.tables.items())}


def check(database: Database) -> list[Finding]:
    """Everything that is wrong, the worst first; a damaged file or schema hides what lies behind it."""
    damage = _find_damage(database)
    if damage:
        return [Finding("damaged_file", len(damage), tuple(damage[:_EXAMPLES]), False)]
    drift = _find_drift(database)
    if drift:
        return [Finding("schema_drift", len(drift), tuple(drift[:_EXAMPLES]), False)]
    with database.read() as reader:
        return [finding for each in CHECKS if (finding := _look(reader, each)) is not None]


def mend(database: Database) -> list[Finding]:
    """Mend what can be mended, in one unit; what it was. Chunks put on the list still need an ``embed`` job."""

    def work(unit: Unit) -> list[Finding]:
        mended = []
        for each in CHECKS:
            rows = _wrong_rows(unit, each)
            if rows and each.mend is not None:
                each.mend(unit, rows)
                mended.append(_finding(each, rows))
        return mended

    return database.write(work)


def set_aside(file: Path, now: int) -> Path:
    """Rename a damaged database file, and its log with it, so that a backup can take its name; the new name.

    Nothing is deleted: much can often be read from what is left. The store must not be open anywhere.
    """
    aside = file.with_name(f"{file.name}.damaged_{from_us(now):%Y%m%dT%H%M%S_%fZ}")
    for ending in ("", "-wal", "-shm"):
        part = file.with_name(file.name + ending)
        if part.exists():
            os.replace(part, aside.with_name(aside.name + ending))
    return aside


def _find_damage(database: Database) -> list[str]:
    try:
        return database.find_damage()
    except StoreDamaged as error:
        return [str(error)]


def _find_drift(database: Database) -> list[str]:
    """Tables that are missing, or lack a column we know."""
    drift = []
    for name, statement in _SHAPES.items():
        try:
            with database.read() as reader:
                reader.all(statement)
        except StoreError:
            drift.append(name)
    return drift


def _look(reader: Reader, each: Check) -> Finding | None:
    rows = _wrong_rows(reader, each)
    return _finding(each, rows) if rows else None


def _wrong_rows(reader: Reader, each: Check) -> list[Row]:
    if not each.of_model:
        return reader.all(each.wrong)
    current = index_meta.current(reader)
    return [] if current is None else reader.all(each.wrong, (current.model_no,))


def _finding(each: Check, rows: Sequence[Row]) -> Finding:
    examples = tuple(" ".join(str(value) for value in row) for row in rows[:_EXAMPLES])
    return Finding(each.name, len(rows), examples, each.mend is not None)
