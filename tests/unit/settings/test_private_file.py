"""Files that are written whole, private and durable."""

import os
from pathlib import Path

import pytest

from goclaw.settings.private_file import write_private_file


def test_a_file_is_private_and_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    assert write_private_file(path, b"one")
    assert write_private_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_an_existing_file_is_kept_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert write_private_file(path, b"one", keep_existing=True)
    assert not write_private_file(path, b"two", keep_existing=True)
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_system_without_links_still_gets_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    assert write_private_file(tmp_path / "file", b"one", keep_existing=True)
    assert (tmp_path / "file").read_bytes() == b"one"


def test_a_failed_write_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_private_file(path, b"one")

    def fail(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_private_file(path, b"two")
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]
