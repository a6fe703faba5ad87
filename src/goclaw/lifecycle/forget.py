"""Forget: erase one record and everything that was made from it, and say honestly what went and what stayed.

The rows go in one unit; then a truncating checkpoint takes the old pages; then the receipt is written. A tombstone
keeps only a hash, so that the same text is not captured again. Backups are not touched: the receipt names them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from goclaw.governance.audit import EventType, event
from goclaw.ingest.decided import require_undecided
from goclaw.ingest.erase import erase
from goclaw.ingest.write import Writer
from goclaw.lifecycle.forget_words import WordEraser
from goclaw.model.access import WriteWay
from goclaw.model.clock import from_us
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.storage import (
    audit_log,
    namespaces,
    tombstones,
)
from goclaw.storage.database import Unit
from goclaw.text.fingerprint import content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What forgetting did. ``kept_in`` lists backups that still hold the text, by file name."""

    memory_id: str
    forgotten_at: datetime
    removed: dict[str, int]  # table -> rows
    blanked_traces: int  # recall traces whose question and snapshots were replaced
    kept_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forgetter:
    """Erases records for those who may write where they live."""

    writer: Writer
    words: WordEraser
    backups: Path
    clear_query_cache: Callable[[], None]

    def forget(self, principal: Principal, record: MemoryRecord) -> Receipt:
        """Erase ``record`` (which the principal may see) and return the receipt.

        Raises AccessDenied where the principal may not write there, NotFound where it is gone already.
        """
        self.writer.check_access(principal, record.namespace, WriteWay.MEMORY_WRITE)
        require_undecided(self.writer.database, principal, record)
        self.writer.database.flush_later()  # traces that still wait must be there to be blanked
        archived = self.words.erase_files(record)
        now = self.writer.clock.now()
        removed, blanked = self.writer.database.write(lambda unit: self._erase(unit, principal, record, now))
        self.clear_query_cache()
        self.writer.database.checkpoint()
        return Receipt(
            memory_id=record.id,
            forgotten_at=from_us(now),
            removed=removed | ({"archived_turns": archived} if archived else {}),
            blanked_traces=blanked,
            kept_in=self.older_backups(),
        )

    def _erase(self, unit: Unit, principal: Principal, record: MemoryRecord, now: int) -> tuple[dict[str, int], int]:
        removed, blanked = erase(unit, record)
        removed |= self.words.erase_rows(unit, record)
        state = namespaces.find_or_make(unit, record.namespace)
        for words in {record.content_hash, content_hash(record.content)}:  # said by whomever, they do not come back
            tombstones.put(unit, record.workspace_id, state.id, words, "forgotten", now)
        forgotten = event(
            principal, EventType.MEMORY_FORGOTTEN, now, record=record, namespace_id=state.id, detail=removed
        )
        audit_log.append(unit, forgotten)
        return removed, blanked

    def older_backups(self) -> tuple[str, ...]:
        """Names of the backups that were made before, and may hold what is forgotten now."""
        if not self.backups.is_dir():
            return ()
        return tuple(sorted(file.name for file in self.backups.iterdir() if file.is_file()))
