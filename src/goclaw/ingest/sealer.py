"""Sealer: seals the audit log every few seconds; any number of processes may run one."""

import threading

from goclaw.governance.audit_chain import seal_all
from goclaw.model.errors import Conflict
from goclaw.settings.log import log_for
from goclaw.storage.database import Database

log = log_for(__name__)

TICK_S = 2.0  # a row is sealed at most five seconds after it was written


class Sealer:
    """A thread that seals what was written meanwhile."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="goclaw-sealer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(TICK_S):
            try:
                seal_all(self._database)
            except Conflict:
                log.debug("sealed_by_another")
            except Exception as error:  # a loop that ends is never noticed
                log.warning("not_sealed", error=type(error).__name__)
