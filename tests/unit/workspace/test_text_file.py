"""Files that people edit beside us: what they are is kept, and nobody's edit is lost."""

import codecs
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goclaw.errors import Conflict, VersionConflict
from goclaw.workspace import text_file
from goclaw.workspace.folder import WorkspaceFolder
from goclaw.workspace.text_file import HISTORY, KEPT_VERSIONS, MOST_BYTES, read_file, replace_file


@pytest.fixture
def folder(tmp_path):
    return WorkspaceFolder(tmp_path / "workspace")


def put(folder, raw, name="Memory.md"):
    folder.path.mkdir(exist_ok=True)
    (folder.path / name).write_bytes(raw)


def raw_of(folder, name="Memory.md"):
    return (folder.path / name).read_bytes()


@pytest.mark.parametrize(
    ("raw", "content"),
    [
        (b"one\ntwo\n", "one\ntwo\n"),
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (codecs.BOM_UTF8 + "grün\r\n".encode(), "grün\n"),
        (codecs.BOM_UTF16_LE + "grün\n".encode("utf-16-le"), "grün\n"),
        (codecs.BOM_UTF16_BE + "grün\r\n".encode("utf-16-be"), "grün\n"),
        (b"mixed\r\nends\n", "mixed\r\nends\n"),
        (b"", ""),
    ],
)
def test_mark_line_ends_and_encoding_stay_what_they_were(folder, raw, content):
    put(folder, raw)
    found = read_file(folder, "Memory.md")
    assert (found.content, found.exists, found.may_be_replaced) == (content, True, True)
    replace_file(folder, "Memory.md", found.content, found)
    assert raw_of(folder) == raw
    added = replace_file(folder, "Memory.md", found.content + "three\n", read_file(folder, "Memory.md"))
    assert added.content == content + "three\n"
    assert (added.mark, added.encoding, added.has_crlf) == (found.mark, found.encoding, found.has_crlf)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_comes_back_as_it_was_written(folder, text):
    text = text.removeprefix("\ufeff")
    written = replace_file(folder, "Memory.md", text, read_file(folder, "Memory.md"))
    assert written.content == text


def test_a_missing_file_is_empty_and_can_be_made(folder):
    missing = read_file(folder, "Memory.md")
    assert (missing.content, missing.exists) == ("", False)
    assert replace_file(folder, "Memory.md", "new\n", missing).content == "new\n"
    with pytest.raises(VersionConflict):
        replace_file(folder, "Memory.md", "newer\n", missing)  # it is there now
    assert raw_of(folder) == b"new\n"


@pytest.mark.parametrize("raw", [b"\xfe\xfa broken", b"caf\xe9", b"a\0b"])
def test_what_is_no_text_is_read_as_well_as_it_can_be_and_left_alone(folder, raw):
    put(folder, raw)
    found = read_file(folder, "Memory.md")
    assert found.is_lossy
    assert "\0" not in found.content
    with pytest.raises(Conflict):
        replace_file(folder, "Memory.md", "mended", found)
    assert raw_of(folder) == raw


def test_a_huge_file_is_read_at_both_ends_and_left_alone(folder):
    put(folder, b"beginning " + b"x" * MOST_BYTES + b" end")
    found = read_file(folder, "Memory.md")
    assert found.is_cut
    assert found.content.startswith("beginning ")
    assert found.content.endswith(" end")
    assert len(found.content) < MOST_BYTES
    with pytest.raises(Conflict):
        replace_file(folder, "Memory.md", "short", found)


def test_an_edit_by_hand_is_never_overwritten(folder):
    put(folder, b"one\n")
    read = read_file(folder, "Memory.md")
    put(folder, b"edited by hand\n")
    with pytest.raises(VersionConflict):
        replace_file(folder, "Memory.md", "ours\n", read)
    assert raw_of(folder) == b"edited by hand\n"
    (folder.path / "Memory.md").unlink()
    with pytest.raises(VersionConflict):
        replace_file(folder, "Memory.md", "ours\n", read)


def test_an_edit_in_place_at_the_last_moment_is_kept_as_an_earlier_version(folder, monkeypatch):
    put(folder, b"one\n")
    read = read_file(folder, "Memory.md")
    real = text_file._rename

    def edit_and_rename(draft, target, kept):
        with target.open("ab") as file:  # an editor that writes in place, between our look and our rename
            file.write(b"late edit\n")
        real(draft, target, kept)

    monkeypatch.setattr(text_file, "_rename", edit_and_rename)
    replace_file(folder, "Memory.md", "ours\n", read)
    assert raw_of(folder) == b"ours\n"
    (kept,) = (folder.path / HISTORY).iterdir()
    assert kept.read_bytes() == b"one\nlate edit\n"


@pytest.mark.parametrize("was_there", [True, False])
def test_an_editor_that_renames_at_the_last_moment_wins(folder, monkeypatch, was_there):
    if was_there:
        put(folder, b"one\n")
    read = read_file(folder, "Memory.md")
    real = text_file._rename

    def edit_and_rename(draft, target, kept):
        (target.parent / "editor.tmp").write_bytes(b"edited\n")
        (target.parent / "editor.tmp").replace(target)
        real(draft, target, kept)

    monkeypatch.setattr(text_file, "_rename", edit_and_rename)
    with pytest.raises((VersionConflict, FileExistsError)):
        replace_file(folder, "Memory.md", "ours\n", read)
    assert raw_of(folder) == b"edited\n"
    assert [file.name for file in folder.path.glob(".Memory*")] == []


def test_a_pipe_is_no_file(folder):
    folder.path.mkdir()
    os.mkfifo(folder.path / "Memory.md")
    assert not read_file(folder, "Memory.md").exists


def test_a_mode_that_people_set_stays(folder):
    put(folder, b"one\n")
    (folder.path / "Memory.md").chmod(0o644)
    replace_file(folder, "Memory.md", "two\n", read_file(folder, "Memory.md"))
    assert (folder.path / "Memory.md").stat().st_mode & 0o777 == 0o644


def test_earlier_versions_are_kept_up_to_a_number(folder):
    file = read_file(folder, "Memory.md")
    for number in range(KEPT_VERSIONS + 5):
        file = replace_file(folder, "Memory.md", f"version {number}\n", file)
        os.utime(folder.path / "Memory.md", (number, number))
        file = read_file(folder, "Memory.md")
    kept = sorted((folder.path / HISTORY).iterdir())
    assert len(kept) == KEPT_VERSIONS
    assert kept[-1].read_bytes() == f"version {KEPT_VERSIONS + 3}\n".encode()


def test_a_crash_before_the_rename_leaves_the_old_file(folder, monkeypatch):
    put(folder, b"one\n")
    read = read_file(folder, "Memory.md")

    def crash(draft, target, kept):
        raise KeyboardInterrupt

    monkeypatch.setattr(text_file, "_rename", crash)
    with pytest.raises(KeyboardInterrupt):
        replace_file(folder, "Memory.md", "two\n", read)
    monkeypatch.undo()
    assert raw_of(folder) == b"one\n"
    assert replace_file(folder, "Memory.md", "two\n", read_file(folder, "Memory.md")).content == "two\n"


def test_files_are_for_this_user_alone(folder):
    replace_file(folder, "memory/2026-03-01.md", "x", read_file(folder, "memory/2026-03-01.md"))
    assert (folder.path / "memory" / "2026-03-01.md").stat().st_mode & 0o777 == 0o600
