"""Upkeep: drops what nobody needs any more: old backups, jobs that ended and requests answered long ago."""

from dataclasses import dataclass
from pathlib import Path

from goclaw.ingest.worker import JobRun
from goclaw.model.clock import DAY, SECOND, Clock
from goclaw.model.job import JobKind, NewJob, Priority
from goclaw.storage import idempotency_keys, jobs
from goclaw.storage.database import Database

KEEP_FINISHED_JOBS = 7 * DAY
KEEP_ANSWERED_REQUESTS = 7 * DAY  # so long a client may repeat a write with its Idempotency-Key
UPKEEP = NewJob(kind=JobKind.UPKEEP, dedupe_key="all", workspace_id="", priority=Priority.BULK)


@dataclass(frozen=True, slots=True)
class Upkeeper:
    """Keeps a store from growing by its own leftovers."""

    database: Database
    clock: Clock
    backups: Path
    keep_backup_days: int

    def keep_up(self, run: JobRun) -> None:
        """The handler of ``upkeep`` jobs."""
        now = self.clock.now()
        gone = self.database.write(lambda unit: jobs.prune(unit, finished_before=now - KEEP_FINISHED_JOBS))
        answered = self.database.write(lambda unit: idempotency_keys.delete_before(unit, now - KEEP_ANSWERED_REQUESTS))
        run.report(jobs=gone, requests=answered, backups=self._drop_backups(now))

    def _drop_backups(self, now: int) -> int:
        """Delete copies that are older than backup.keep_days; only files of our own making."""
        oldest = now - self.keep_backup_days * DAY
        old = [file for file in self.backups.glob("gc_state_*.sqlite") if file.stat().st_mtime * SECOND < oldest]
        for file in old:
            file.unlink(missing_ok=True)
        return len(old)
