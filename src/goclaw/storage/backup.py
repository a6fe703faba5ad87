"""Backups: whole copies of the store beside it, taken while others go on working."""

from pathlib import Path

from goclaw.model.clock import from_us
from goclaw.settings.paths import make_folder
from goclaw.storage.database import Database

_PATTERN = "gc_state_*.sqlite"


def make_backup(database: Database, folder: Path, now: int) -> Path:
    """Copy the store to ``<folder>/gc_state_<UTC time>.sqlite`` and return that file.

    The copy holds everything acknowledged before the call. StoreError where the engine has backup tools of its own.
    """
    target = make_folder(folder) / f"gc_state_{from_us(now):%Y%m%dT%H%M%S_%fZ}.sqlite"
    database.copy_to(target)
    return target


def newest_backup(folder: Path) -> Path | None:
    """The youngest copy in the folder, None where there is none."""
    return max(folder.glob(_PATTERN), default=None)
