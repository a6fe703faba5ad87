"""Audit chain: seals the audit log of a workspace, row by row, so that a changed, missing or added row is found.

A seal holds the digest of one row and a chain value over all seals before it. Rows hold ids and words of ours, never
text, so forgetting a memory changes no row. The next seal's number is a primary key: of two sealers, one wins.
"""

import hashlib
from dataclasses import dataclass

from goclaw.storage import audit_seals
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.audit_seals import Seal, digest_of
from goclaw.storage.database import Database, Reader, Unit

BATCH = 500
GENESIS = "0" * 64  # the chain value before the first seal


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What verifying a workspace's log found."""

    workspace_id: str
    sealed: int
    unsealed: int  # rows that no seal covers yet; a few seconds' worth
    broken_at: int | None  # number of the first seal that does not fit; None: all do
    broken_event_id: str | None
    problem: str | None  # row_changed, row_missing, chain_broken; row_added: a row that no seal was ever meant for


def chain_value(previous: str, digest: str) -> str:
    """The value that stands for all rows up to this one."""
    return hashlib.sha256(f"{previous}{digest}".encode()).hexdigest()


def seal_all(database: Database) -> int:
    """Seal what is not sealed yet, in every workspace; returns how many rows."""
    with database.read() as reader:
        waiting = audit_seals.waiting_workspaces(reader)
    return sum(_seal_workspace(database, workspace_id) for workspace_id in waiting)


def _seal_workspace(database: Database, workspace_id: str) -> int:
    total = 0
    while sealed := database.write(lambda unit: _seal_batch(unit, workspace_id)):
        total += sealed
    return total


def _seal_batch(unit: Unit, workspace_id: str) -> int:
    last = audit_seals.last_seal(unit, workspace_id)
    number, chain = (last.seq, last.chain) if last else (0, GENESIS)
    seals = []
    for row in audit_seals.unsealed(unit, workspace_id, BATCH):
        number += 1
        digest = digest_of(row)
        chain = chain_value(chain, digest)
        seals.append(Seal(workspace_id=workspace_id, seq=number, event_id=row.id, digest=digest, chain=chain))
    audit_seals.add_seals(unit, seals)
    return len(seals)


def verify(reader: Reader, workspace_id: str) -> Verification:
    """Walk the chain from its beginning; the first thing that does not fit is named."""
    number, chain = 0, GENESIS
    while page := audit_seals.sealed_page(reader, workspace_id, number, BATCH):
        for seal, row in page:
            problem = _problem(seal, row, number, chain)
            if problem is not None:
                return _report(reader, workspace_id, number, problem, seal.event_id, seal.seq)
            number, chain = seal.seq, seal.chain
    added = audit_seals.added(reader, workspace_id)
    return _report(reader, workspace_id, number, "row_added" if added else None, added)


def _problem(seal: Seal, row: AuditEvent | None, number: int, chain: str) -> str | None:
    if row is None:
        return "row_missing"
    if digest_of(row) != seal.digest:
        return "row_changed"
    if seal.seq != number + 1 or chain_value(chain, seal.digest) != seal.chain:
        return "chain_broken"
    return None


def _report(
    reader: Reader,
    workspace_id: str,
    sealed: int,
    problem: str | None,
    event_id: str | None,
    broken_at: int | None = None,
) -> Verification:
    return Verification(
        workspace_id=workspace_id,
        sealed=sealed,
        unsealed=audit_seals.count_unsealed(reader, workspace_id),
        broken_at=broken_at,
        broken_event_id=event_id,
        problem=problem,
    )
