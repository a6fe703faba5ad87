"""Memory.md, daily files and the list of the newest ones."""

import os
from datetime import date

import pytest

from goclaw.errors import VersionConflict
from goclaw.workspace.daily_files import append_note, daily_files, day_of
from goclaw.workspace.folder import WorkspaceFolder
from goclaw.workspace.identity import read_identity, read_user_file
from goclaw.workspace.memory_file import append_section, clipped, read_memory_file
from goclaw.workspace.newest import newest_files


@pytest.fixture
def folder(tmp_path):
    return WorkspaceFolder(tmp_path)


def test_a_long_text_keeps_its_first_14000_and_last_6000():
    text = "a" * 14_000 + "b" * 3_000 + "c" * 6_000
    shown = clipped(text)
    assert shown.startswith("a" * 14_000 + "\n[... 3,000 characters")
    assert shown.endswith("]\n" + "c" * 6_000)
    assert clipped("x" * 20_000) == "x" * 20_000


def test_a_section_is_added_at_the_end_and_an_edit_meanwhile_is_seen(folder):
    (folder.path / "Memory.md").write_text("# Team\n\nWe ship on Tuesdays.\n\n\n")
    read = read_memory_file(folder)
    append_section(folder, "2026-03-02 · learned (evidence)", "- The host is db-7.\n", read)
    assert read_memory_file(folder).content == (
        "# Team\n\nWe ship on Tuesdays.\n\n## 2026-03-02 · learned (evidence)\n\n- The host is db-7.\n"
    )
    with pytest.raises(VersionConflict):
        append_section(folder, "again", "x", read)


def test_the_first_section_of_a_new_file_stands_at_its_beginning(folder):
    append_section(folder, "2026-03-02", "x", read_memory_file(folder))
    assert read_memory_file(folder).content == "## 2026-03-02\n\nx\n"


def test_notes_of_a_day_are_added_to_its_file(folder):
    for note in ("Deployed 1.4.", "Rolled back.\n"):
        append_note(folder, date(2026, 3, 1), note)
    append_note(folder, date(2026, 2, 27), "Quiet.")
    assert (folder.path / "memory/2026-03-01.md").read_text() == "# 2026-03-01\n\nDeployed 1.4.\n\nRolled back.\n"
    assert daily_files(folder) == ["memory/2026-02-27.md", "memory/2026-03-01.md"]


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("memory/2026-03-01.md", date(2026, 3, 1)),
        ("memory/2026-03-01-deploy.md", date(2026, 3, 1)),
        ("memory/2026-13-01.md", None),
        ("memory/2026-03-011.md", None),
        ("memory/notes.md", None),
        ("memory/2026-03-01.txt", None),
    ],
)
def test_a_name_tells_its_day(name, day):
    assert day_of(name) == day


def test_the_newest_files_are_named_with_day_and_size_and_archives_are_not(folder):
    for name in ("memory/2026-03-01.md", "memory/2026-02-01.md", "memory/archived/2025-12-31.md"):
        (folder.path / name).parent.mkdir(parents=True, exist_ok=True)
        (folder.path / name).write_text(name)
    (folder.path / "memory/hosts.md").write_text("x")
    os.utime(folder.path / "memory/hosts.md", (1_771_000_000, 1_771_000_000))  # 13 February 2026
    (folder.path / "memory/archive").mkdir()
    (folder.path / "memory/archive/private.md").write_text("said in private")
    (folder.path / "memory/.hidden.md").write_text("x")
    os.symlink("/etc/hostname", folder.path / "memory/out.md")
    found = [(file.name, str(file.date), file.size) for file in newest_files(folder, 3)]
    assert found == [
        ("memory/2026-03-01.md", "2026-03-01", 20),
        ("memory/hosts.md", "2026-02-13", 1),
        ("memory/2026-02-01.md", "2026-02-01", 20),
    ]
    assert newest_files(WorkspaceFolder(folder.path / "nothing"), 3) == []


def test_identity_and_user_file_are_empty_where_there_is_none(folder):
    (folder.path / "IDENTITY.md").write_bytes(b"\xef\xbb\xbfYou are Goclaw.\r\n")
    assert read_identity(folder).content == "You are Goclaw.\n"
    assert read_user_file(folder).content == ""
