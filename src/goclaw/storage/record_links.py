"""Record links: what one record is to another: it replaced it, gave way to it, contradicts it."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import bindparam, delete, or_, select

from goclaw.storage.database import Reader, Unit
from goclaw.storage.schema import RECORD_LINKS
from goclaw.storage.statement import InsertOrKeep, Statement, StatementFamily, in_portions


class Relation(StrEnum):
    """What the first record is to the second."""

    SUPERSEDED_BY = "superseded_by"
    SUPERSEDES = "supersedes"
    MERGED_INTO = "merged_into"
    MERGED_FROM = "merged_from"
    CONFLICTS_WITH = "conflicts_with"
    DERIVED_FROM = "derived_from"


class Link(NamedTuple):
    """One link, seen from its first record."""

    relation: Relation
    to_id: str


_L = RECORD_LINKS.c
_ADD = Statement(InsertOrKeep(RECORD_LINKS))
_OF = StatementFamily(
    lambda size: (
        select(_L.from_id, _L.relation, _L.to_id)
        .where(_L.from_id.in_([bindparam(f"id_{n}") for n in range(size)]))
        .order_by(_L.from_id, _L.created_at, _L.to_id)
    )
)
_POINTING = Statement(
    select(_L.from_id, _L.created_at).where(_L.to_id == bindparam("old"), _L.relation == bindparam("which")),
    *("old", "which"),
)
_REMOVE = Statement(
    delete(RECORD_LINKS).where(
        _L.from_id == bindparam("source"), _L.relation == bindparam("which"), _L.to_id == bindparam("target")
    ),
    *("source", "which", "target"),
)
_DELETE_OF = Statement(
    delete(RECORD_LINKS).where(or_(_L.from_id == bindparam("first"), _L.to_id == bindparam("second")))
)


def add(unit: Unit, from_id: str, relation: str, to_id: str, now: int) -> None:
    """Link two records; a link that is there stays as it is."""
    unit.run(_ADD, (from_id, str(relation), to_id, now))


def remove(unit: Unit, from_id: str, relation: str, to_id: str) -> bool:
    """Take one link away; False where there was none."""
    return unit.run(_REMOVE, (from_id, str(relation), to_id)) > 0


def of(reader: Reader, memory_ids: Sequence[str]) -> dict[str, list[Link]]:
    """The links of each record, oldest first; records without any are left out."""
    found: dict[str, list[Link]] = {}
    for portion in in_portions(memory_ids):
        for from_id, relation, to_id in reader.all(_OF.of(len(portion)), StatementFamily.padded(portion)):
            found.setdefault(from_id, []).append(Link(Relation(relation), to_id))
    return found


def pointing_to(reader: Reader, memory_id: str, relation: str) -> list[str]:
    """The records that are this to a record; a forgotten one is among none."""
    return [from_id for from_id, _ in reader.all(_POINTING, (memory_id, str(relation)))]


def repoint(unit: Unit, relation: str, old_to: str, new_to: str) -> list[str]:
    """Let every record that pointed to ``old_to`` point to ``new_to``; which records those are.

    ``new_to`` itself only lets go of ``old_to``: no record is linked to itself.
    """
    pointing = unit.all(_POINTING, (old_to, str(relation)))
    moved = [(from_id, created_at) for from_id, created_at in pointing if from_id != new_to]
    unit.run_many(_REMOVE, [(from_id, str(relation), old_to) for from_id, _ in pointing])
    unit.run_many(_ADD, [(from_id, str(relation), new_to, created_at) for from_id, created_at in moved])
    return [from_id for from_id, _ in moved]


def delete_of(unit: Unit, memory_id: str) -> int:
    """Delete every link from and to a record; how many."""
    return unit.run(_DELETE_OF, (memory_id, memory_id))
