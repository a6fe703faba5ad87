"""The folder of an agent: no two ids share one, and no name leads out of it."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goclaw.errors import AccessDenied, InvalidInput
from goclaw.workspace.folder import WorkspaceFolder, folder_of
from goclaw.workspace.names import LONGEST, file_name

STATE = Path("/state")


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "workspace"
    home.mkdir()
    return WorkspaceFolder(home)


@pytest.mark.parametrize(
    ("workspace", "agent", "place"),
    [
        ("default", None, "workspace"),
        ("default", "default", "workspace"),
        ("default", "scribe", "agents/scribe/workspace"),
        ("acme", None, "workspaces/acme/workspace"),
        ("acme", "scribe", "workspaces/acme/agents/scribe/workspace"),
        ("../etc", "..", "workspaces/%2e%2e%2fetc/agents/%2e%2e/workspace"),
    ],
)
def test_files_lie_where_the_seed_says(workspace, agent, place):
    assert folder_of(STATE, workspace, agent).path == STATE / place


@given(st.text(min_size=1, max_size=200), st.text(min_size=1, max_size=200))
def test_names_of_files_are_plain_short_and_never_shared(one, other):
    one, other = (text.encode("utf-8", "replace").decode() for text in (one, other))
    names = file_name(one), file_name(other)
    assert all(0 < len(name) <= LONGEST and name == name.lower() for name in names)
    assert not any(set(name) & set("/\\.:\0 ") for name in names)
    assert (names[0] == names[1]) == (one == other)


@pytest.mark.parametrize("name", ["../secret", "memory/../../secret", "memory/..", "/etc/passwd", "//etc/passwd"])
def test_dots_and_roots_are_refused(folder, name):
    with pytest.raises(AccessDenied):
        folder.inside(name)


@pytest.mark.parametrize("name", ["", "a\0b", "memory\\x.md"])
def test_what_is_no_name_is_refused(folder, name):
    with pytest.raises(InvalidInput):
        folder.inside(name)


def test_a_link_that_leads_out_is_refused_and_one_that_stays_is_followed(folder, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.md").write_text("secret")
    (folder.path / "real.md").write_text("real")
    os.symlink(secret / "key.md", folder.path / "Memory.md")
    os.symlink(secret, folder.path / "memory")
    os.symlink(folder.path / "real.md", folder.path / "USER.md")
    for name in ("Memory.md", "memory/key.md"):
        with pytest.raises(AccessDenied):
            folder.open_read(name)
    handle = folder.open_read("USER.md")
    assert handle is not None
    os.close(handle)


def test_what_is_not_there_is_none(folder):
    assert folder.open_read("Memory.md") is None
    assert folder.open_read("memory/2026-03-01.md") is None
    (folder.path / "memory").mkdir()
    (folder.path / "file.md").write_text("x")
    assert folder.open_read("file.md/x.md") is None


def test_folders_are_made_for_this_user_alone(tmp_path):
    made = WorkspaceFolder(tmp_path / "a" / "b").folder("memory/archive")
    assert made.is_dir()
    assert made.stat().st_mode & 0o777 == 0o700
