"""Opens the database that the settings name; the only place that knows which engines there are."""

from pathlib import Path

from sqlalchemy import Connection

from goclaw.model.errors import SettingsError
from goclaw.settings.paths import StatePaths
from goclaw.settings.settings import DatabaseSettings
from goclaw.storage.database import Database, UnchangedStore

PATIENCE_S = 30.0  # how long a unit of work waits behind other processes before it is StoreBusy


def open_database(settings: DatabaseSettings, state_dir: Path, *, patience_s: float = PATIENCE_S) -> Database:
    """The store of a state directory, made or brought up to date where that is needed.

    Raises SchemaTooNew, StoreDamaged, StoreBusy, StoreReadOnly (a missing or older store in a folder that cannot be
    written), SettingsError for a driver that is not there.
    """
    if settings.driver == "sqlite":
        from goclaw.storage.engines.sqlite_opening import open_sqlite

        paths = StatePaths(state_dir)
        path = paths.inside(settings.path, paths.database)
        return open_sqlite(path, patience_s=patience_s, upgrade=_upgrade)
    if settings.driver == "postgres":
        from goclaw.storage.engines.postgres_opening import open_postgres

        if settings.url is None:
            raise SettingsError("The database has no address.", "Set database.url.")
        return open_postgres(settings.url, patience_s=patience_s, upgrade=_upgrade)
    raise SettingsError(f"The driver {settings.driver} is not part of this version.", "Use sqlite or postgres.")


def open_unchanged(
    settings: DatabaseSettings, state_dir: Path, *, patience_s: float = PATIENCE_S
) -> UnchangedStore | None:
    """The store for reading, as it lies there, whatever its schema: for the copy before an upgrade.

    None where there is no store yet, or a server's, which has backup tools of its own. Never changes a byte; raises
    what :func:`open_database` raises.
    """
    if settings.driver != "sqlite":
        return None
    from goclaw.storage.engines.sqlite_opening import open_sqlite_unchanged

    paths = StatePaths(state_dir)
    return open_sqlite_unchanged(paths.inside(settings.path, paths.database), patience_s=patience_s)


def _upgrade(connection: Connection) -> None:
    """Alembic is slow to import, so it is imported by those who need it: stores of an older revision."""
    from goclaw.storage.migrations.upgrade import upgrade_to_head

    upgrade_to_head(connection)
