"""``memory check`` and ``memory migrate`` on stores that are whole, mangled, older or damaged."""

import sqlite3
from pathlib import Path

import pytest

import goclaw as library
from goclaw.settings.settings import DatabaseSettings
from goclaw.storage.backup import make_backup
from goclaw.storage.open import open_database
from goclaw.storage.schema import HEAD
from tests.command_line import goclaw
from tests.unit.storage.test_migrations import make_store_of_0001

pytestmark = pytest.mark.process
ALICE = library.Principal("alice")
SETTINGS = {"memory.search.provider": "hashing", "memory.jobs.workers": 0}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A store with two records and their vectors."""
    state = tmp_path / "state"
    with library.open_memory(state, SETTINGS) as memory:
        memory.write(ALICE, "The pier is closed on Monday.", scope="personal")
        memory.write(ALICE, "The spare key hangs in the office.", scope="personal")
        assert memory.wait_until_indexed()
    return state


def _mangle(state: Path, *statements: str) -> None:
    connection = sqlite3.connect(state / "gc_state.sqlite")
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_a_whole_store_is_clean(state: Path) -> None:
    checked = goclaw(state, "memory", "check", "--json")
    assert (checked.code, checked.document["ok"], checked.document["found"]) == (0, True, [])
    assert "Nothing is wrong" in goclaw(state, "memory", "check").out


def test_orphans_and_missing_vectors_are_named_and_mended(state: Path) -> None:
    _mangle(
        state,
        "INSERT INTO memory_tags (memory_id, tag, ordinal) VALUES ('01900000-0000-7000-8000-000000000000', 'lost', 0)",
        "DELETE FROM chunk_vectors WHERE slot = (SELECT max(slot) FROM chunk_vectors)",
        "DELETE FROM memories WHERE id = (SELECT min(id) FROM memories)",
    )
    checked = goclaw(state, "memory", "check", "--json")
    assert checked.code == 1
    names = {finding["name"]: finding["count"] for finding in checked.document["found"]}
    assert names["orphan_tags"] == 1
    assert names["orphan_chunks"] == 1
    assert names["missing_vectors"] == 1
    shown = goclaw(state, "memory", "check")
    assert "orphan chunks" in shown.out
    assert "goclaw memory check --fix" in shown.err
    fixed = goclaw(state, "memory", "check", "--fix", "--json")
    assert (fixed.code, fixed.document["ok"]) == (0, True)
    assert goclaw(state, "memory", "check", "--json").document["found"] == []
    with library.open_memory(state, SETTINGS) as memory:
        assert memory.wait_until_indexed()
        found = memory.search(ALICE, "where is the spare key?")
        assert [hit.score_parts["cosine"] is None for hit in found.hits] == [False]


def test_migrate_has_nothing_to_do_on_todays_schema(state: Path) -> None:
    done = goclaw(state, "memory", "migrate", "--json").document
    assert (done["from"], done["to"], done["changed"], done["backup"]) == (HEAD, HEAD, False, None)
    assert not (state / "backups").exists()


def test_migrate_copies_an_older_store_before_it_changes_it(tmp_path: Path) -> None:
    state = tmp_path / "old"
    state.mkdir()
    make_store_of_0001(state / "gc_state.sqlite", records=3)
    done = goclaw(state, "memory", "migrate", "--json").document
    assert (done["from"], done["to"], done["changed"]) == ("0001", HEAD, True)
    assert (_revision(Path(done["backup"])), _revision(state / "gc_state.sqlite")) == ("0001", HEAD)
    assert Path(done["backup"]).parent == state / "backups"
    assert goclaw(state, "memory", "migrate", "--json").document["changed"] is False


def _revision(file: Path) -> str:
    connection = sqlite3.connect(file)
    (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    connection.close()
    return str(revision)


def test_a_backup_holds_what_was_acknowledged(state: Path) -> None:
    done = goclaw(state, "memory", "backup", "--json").document
    copy = Path(done["file"])
    assert (copy.parent, copy.stat().st_mode & 0o777) == (state / "backups", 0o600)
    connection = sqlite3.connect(copy)
    assert connection.execute("SELECT count(*) FROM memories").fetchone() == (2,)
    connection.close()


def test_migrate_makes_a_store_where_there_is_none(tmp_path: Path) -> None:
    done = goclaw(tmp_path / "new", "memory", "migrate", "--json")
    assert (done.code, done.document["changed"]) == (0, False)
    assert (tmp_path / "new" / "gc_state.sqlite").exists()


def test_a_newer_store_is_left_alone(state: Path) -> None:
    _mangle(state, "UPDATE alembic_version SET version_num = '9999'")
    before = (state / "gc_state.sqlite").read_bytes()
    for words in (["memory", "check"], ["memory", "migrate"], ["keys", "list"]):
        done = goclaw(state, *words, "--json")
        assert (done.code, done.document["code"]) == (1, "schema_too_new")
    assert (state / "gc_state.sqlite").read_bytes() == before


def test_a_damaged_file_is_set_aside_for_the_newest_backup_and_only_when_asked(state: Path) -> None:
    database = open_database(DatabaseSettings(), state)
    backup = make_backup(database, state / "backups", 1_790_000_000_000_000)
    database.close()
    assert goclaw(state, "memory", "check", "--restore", "--json").document["code"] == "conflict", "nothing is damaged"
    file = state / "gc_state.sqlite"
    file.write_bytes(b"this was a database once" * 1000)
    found = goclaw(state, "memory", "check", "--fix", "--json")
    assert found.code == 1
    assert [finding["name"] for finding in found.document["found"]] == ["damaged_file"]
    assert found.document["newest_backup"] == backup.name
    assert b"once" in file.read_bytes()[:100], "a damaged file is never touched without being asked"
    restored = goclaw(state, "memory", "check", "--restore", "--json")
    assert (restored.code, restored.document["restored_from"]) == (0, backup.name)
    assert len(list(state.glob("gc_state.sqlite.damaged_*"))) == 1
    with library.open_memory(state, SETTINGS) as memory:
        assert memory.search(ALICE, "spare key").hits
