"""Every storage test runs on every engine: ``store`` is an empty database, ``stores`` opens more of the same."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from goclaw.settings.settings import DatabaseSettings
from goclaw.storage.database import Database
from goclaw.storage.open import open_database
from tests.contract.postgres_server import CannotStart, running_server

_names = (f"store_{number}" for number in itertools.count())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    try:
        with running_server() as url:
            yield url
    except CannotStart as reason:
        pytest.skip(f"no PostgreSQL here: {reason}")


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a database that holds an empty store, to be copied; the first open has made it."""
    name = "template_store"
    _create_database(postgres_server, name)
    settings = DatabaseSettings(driver="postgres", url=_named(postgres_server, name))
    open_database(settings, tmp_path_factory.mktemp("state")).close()
    return name


def _create_database(server: str, name: str, template: str = "template1") -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")


def _named(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def settings(request: pytest.FixtureRequest) -> DatabaseSettings:
    """Settings that name an empty place for a store."""
    if request.param == "sqlite":
        return DatabaseSettings(driver="sqlite")
    server: str = request.getfixturevalue("postgres_server")
    name = next(_names)
    _create_database(server, name, request.getfixturevalue("postgres_template"))
    return DatabaseSettings(driver="postgres", url=_named(server, name))


@pytest.fixture
def stores(settings: DatabaseSettings, tmp_path: Path) -> Iterator[Callable[[], Database]]:
    """Open the store once more, as another process would; all are closed at the end."""
    opened: list[Database] = []

    def open_another() -> Database:
        opened.append(open_database(settings, tmp_path))
        return opened[-1]

    yield open_another
    for database in opened:
        database.close()


@pytest.fixture
def store(stores: Callable[[], Database]) -> Database:
    return stores()
