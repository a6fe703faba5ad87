"""Store: opens the database of the state directory for commands that need no gateway and no search."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from goclaw.model.clock import Clock, SystemClock
from goclaw.settings.load import LoadedSettings, load_settings, write_first_config
from goclaw.storage.database import Database
from goclaw.storage.open import open_database


@dataclass(frozen=True, slots=True)
class OpenStore:
    """A store that is open, with where it lies."""

    database: Database
    clock: Clock
    loaded: LoadedSettings


@contextmanager
def open_store() -> Iterator[OpenStore]:
    """The store of the state directory, made if it is missing; beside a running gateway too."""
    loaded = load_settings()
    write_first_config(loaded.paths)
    database = open_database(loaded.unlock().database, loaded.paths.state_dir)
    try:
        yield OpenStore(database, SystemClock(), loaded)
    finally:
        database.close()
