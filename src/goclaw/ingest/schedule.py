"""Schedule: cron lines that queue jobs, once for all processes, also over a change of daylight saving time."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim

from goclaw.model.clock import Clock, from_us, to_us
from goclaw.model.job import NewJob
from goclaw.settings.log import log_for
from goclaw.storage import cron_runs, jobs
from goclaw.storage.database import Database, Unit

log = log_for(__name__)

TICK_S = 20.0
CATCH_UP = timedelta(hours=12)  # a run missed while nothing ran is made up for once, if it is not older


@dataclass(frozen=True, slots=True)
class CronEntry:
    """A job that comes back: ``sys-…`` names are goclaw's own."""

    name: str
    cron: str  # five fields, e.g. "0 3 * * *"
    job: NewJob


class Scheduler:
    """Queues what is due. Any number of processes may run one: a row per (name, due time) lets one of them queue it."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        entries: Sequence[CronEntry],
        zone: ZoneInfo,
        wake: Callable[[], None],
        catch_up: timedelta = CATCH_UP,
    ) -> None:
        self._database = database
        self._clock = clock
        self._entries = entries
        self._zone = zone
        self._wake = wake
        self._looked_until = from_us(clock.now()) - catch_up
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="goclaw-schedule", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def tick(self) -> int:
        """Queue everything that became due since the last look; returns how many jobs this process queued."""
        now = from_us(self._clock.now())
        since, self._looked_until = self._looked_until, max(now, self._looked_until)
        queued = 0
        for entry in self._entries:
            due = last_due(entry.cron, since, now, self._zone)
            if due is not None and self._queue_once(entry, due):
                queued += 1
        if queued:
            self._wake()
        return queued

    def _queue_once(self, entry: CronEntry, due: datetime) -> bool:
        def work(unit: Unit) -> bool:
            if not cron_runs.take(unit, entry.name, to_us(due), self._clock.now()):
                return False  # another process was faster
            jobs.enqueue(unit, entry.job, self._clock.now())
            return True

        return self._database.write(work)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.tick()
            except Exception as error:  # a loop that ends is never noticed
                log.warning("schedule_skipped", error=type(error).__name__)
            self._stopping.wait(TICK_S)


def last_due(cron: str, since: datetime, until: datetime, zone: ZoneInfo) -> datetime | None:
    """The latest moment in (since, until] that the line names in the zone; several missed runs count as one.

    In the night when the clock is put back a time that comes twice is due once; in the night when it is put forward, a
    time that does not exist is due at the end of the gap.
    """
    latest = None
    for local in CronSim(cron, since.astimezone(zone)):
        due = local.astimezone(UTC)  # moments of one zone compare by their wall time, which repeats in autumn
        if due > until:
            break
        if due > since:
            latest = due
    return latest
