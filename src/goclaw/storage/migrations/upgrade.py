"""Runs the migrations that a store still lacks, inside a transaction that the engine has begun."""

from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from goclaw.storage.schema import HEAD

_FOLDER = Path(__file__).parent


def scripts() -> ScriptDirectory:
    """The steps in ``versions/``."""
    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    return ScriptDirectory.from_config(config)


def upgrade_to(connection: Connection, revision: str) -> None:
    """Run the steps up to the revision; the caller commits."""
    found = scripts()

    def steps(current: Any, _: MigrationContext) -> Any:
        return found._upgrade_revs(revision, current)

    environment = EnvironmentContext(Config(), found, fn=steps, destination_rev=revision)
    with environment:
        environment.configure(connection=connection, transactional_ddl=True)
        environment.run_migrations()


def upgrade_to_head(connection: Connection) -> None:
    """Bring a store of any older revision to that of schema.py."""
    upgrade_to(connection, HEAD)
