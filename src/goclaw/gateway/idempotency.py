"""Idempotency: a write that is sent again with the same Idempotency-Key is done once and answered with its record.

The key is bound to its request before the write, so that another request with the same key is refused even while the
first is on its way. A write that broke off is done again: the same text in the same place is the same record anyway.
"""

from collections.abc import Callable
from dataclasses import dataclass

from goclaw.memory import Memory
from goclaw.model.clock import Clock
from goclaw.model.errors import Conflict
from goclaw.model.ids import sha256_hex
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.storage import idempotency_keys
from goclaw.storage.database import Database


@dataclass(frozen=True, slots=True)
class IdempotentWrites:
    """Remembers the answers of writes."""

    database: Database
    clock: Clock
    memory: Memory

    def once(self, principal: Principal, key: str, body: str, write: Callable[[], MemoryRecord]) -> MemoryRecord:
        """The record of ``write``, or of the same request before.

        Raises Conflict where the key belongs to another request, or its record is gone.
        """
        owner = (principal.workspace_id, principal.claimant)
        body_hash = sha256_hex(body)
        now = self.clock.now()
        claim = self.database.write(lambda unit: idempotency_keys.claim(unit, *owner, key, body_hash, now))
        if claim.body_hash != body_hash:
            raise Conflict("This Idempotency-Key belongs to another request.", "Use a new key for a new request.")
        if claim.memory_ids is not None:
            (memory_id,) = claim.memory_ids  # one write, one record
            return self._answered(principal, memory_id)
        record = write()
        self.database.write(lambda unit: idempotency_keys.answer(unit, *owner, key, [record.id]))
        return record

    def _answered(self, principal: Principal, memory_id: str) -> MemoryRecord:
        record = self.memory.get(principal, memory_id)
        if record is None:
            raise Conflict("The record this request made is gone.", "Use a new Idempotency-Key to write it anew.")
        return record
