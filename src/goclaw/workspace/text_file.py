"""Text file: a Markdown file that people edit beside us: read as it is, replaced only where it is still the same.

Byte order mark, line ends and encoding stay what they were. A file that is no clean text, or too large to be read
whole, is read as well as it can be and never overwritten.
"""

import codecs
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from goclaw.model.clock import from_us
from goclaw.model.errors import Conflict, VersionConflict
from goclaw.settings.paths import make_folder
from goclaw.settings.private_file import sync_folder
from goclaw.workspace.folder import WorkspaceFolder

MOST_BYTES = 2 * 1024 * 1024
KEPT_BYTES = 512 * 1024  # of the beginning, and as much of the end, of a larger file
KEPT_VERSIONS = 20  # pre-images of one file
HISTORY = ".history"
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_MISSING = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFile:
    """A file as it was read."""

    content: str = ""  # lines end in \\n, but where their ends were mixed
    digest: str = _MISSING  # sha256 of its bytes; of none where there is no file
    exists: bool = False
    mark: bytes = b""  # byte order mark
    encoding: str = "utf-8"
    has_crlf: bool = False
    is_lossy: bool = False  # not all of it was text
    is_cut: bool = False  # too large: the middle is missing
    size: int = 0  # bytes
    modified_at: int = 0  # microseconds since 1970

    @property
    def may_be_replaced(self) -> bool:
        return not self.is_lossy and not self.is_cut


def read_file(folder: WorkspaceFolder, name: str) -> TextFile:
    """The file, or an empty one that says it does not exist. Raises AccessDenied for names that lead out."""
    handle = folder.open_read(name)
    if handle is None:
        return TextFile()
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(file.fileno())
        is_cut = facts.st_size > MOST_BYTES
        raw, digest = _head_and_tail(file, facts.st_size) if is_cut else _whole(file)
    return _decoded(raw, digest, is_cut=is_cut, size=facts.st_size, modified_at=facts.st_mtime_ns // 1_000)


def replace_file(folder: WorkspaceFolder, name: str, content: str, expected: TextFile) -> TextFile:
    """Write new content in one step, if the file is still as ``expected``; what it was is kept in ``.history``.

    Raises VersionConflict where somebody edited it meanwhile, Conflict where it may not be overwritten.
    """
    if not expected.may_be_replaced:
        raise Conflict("The file is too large, or not all of it is text; it is left alone.", "Mend it by hand first.")
    target = folder.inside(name).resolve()
    with _alone(make_folder(target.parent)):
        draft = _write_draft(target, _encoded(content, expected))
        try:
            kept = _keep_version(target, expected)
            _rename(draft, target, kept)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(target.parent)
        if kept is not None:
            _drop_old_versions(kept)
    return read_file(folder, name)


def _whole(file: BinaryIO) -> tuple[bytes, str]:
    raw = file.read()
    return raw, hashlib.sha256(raw).hexdigest()


def _head_and_tail(file: BinaryIO, size: int) -> tuple[bytes, str]:
    head = file.read(KEPT_BYTES)
    file.seek(size - KEPT_BYTES)
    tail = file.read(KEPT_BYTES)
    raw = head + b"\n[...]\n" + tail
    return raw, hashlib.sha256(raw).hexdigest()


def _decoded(raw: bytes, digest: str, *, is_cut: bool, size: int, modified_at: int) -> TextFile:
    mark, encoding = next(((mark, name) for mark, name in _MARKS if raw.startswith(mark)), (b"", "utf-8"))
    body = raw[len(mark) :]
    try:
        text, is_lossy = body.decode(encoding), False
    except UnicodeDecodeError:
        text, is_lossy = body.decode(encoding, "replace"), True
    if "\0" in text:
        text, is_lossy = text.replace("\0", "\ufffd"), True
    has_crlf = "\r\n" in text and text.count("\r\n") == text.count("\n")  # mixed ends are left as they are
    return TextFile(
        content=text.replace("\r\n", "\n") if has_crlf else text,
        digest=digest,
        exists=True,
        mark=mark,
        encoding=encoding,
        has_crlf=has_crlf,
        is_lossy=is_lossy,
        is_cut=is_cut,
        size=size,
        modified_at=modified_at,
    )


def _encoded(content: str, like: TextFile) -> bytes:
    if not like.has_crlf:
        return like.mark + content.encode(like.encoding)
    return like.mark + content.replace("\r\n", "\n").replace("\n", "\r\n").encode(like.encoding)


def _keep_version(target: Path, expected: TextFile) -> Path | None:
    """A second name for what is there now. It is checked under that name: an edit meanwhile is seen, and not lost."""
    if not target.exists():
        if expected.exists:
            raise _edited()
        return None
    history = make_folder(target.parent / HISTORY)
    written = from_us(target.stat().st_mtime_ns // 1_000).strftime("%Y%m%dT%H%M%S%f")
    kept = history / f"{target.name}.{written}-{expected.digest[:8]}"
    kept.unlink(missing_ok=True)  # the same version, kept before
    os.link(target, kept)
    if hashlib.sha256(kept.read_bytes()).hexdigest() != expected.digest:
        kept.unlink()
        raise _edited()
    return kept


def _write_draft(target: Path, raw: bytes) -> Path:
    """The new file beside the old one, on the disk, so that only a rename is left to do."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")  # 0600
    with os.fdopen(handle, "wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
    if target.exists():
        Path(name).chmod(target.stat().st_mode & 0o777)  # people may have let others read it
    return Path(name)


def _rename(draft: Path, target: Path, kept: Path | None) -> None:
    """Put the draft in place, unless an editor put another file there since we looked."""
    if kept is None:
        os.link(draft, target)  # fails where somebody was faster
    elif target.stat().st_ino != kept.stat().st_ino:
        raise _edited()
    else:
        draft.replace(target)


def _drop_old_versions(kept: Path) -> None:
    stem = kept.name.rpartition(".")[0]
    versions = sorted(each for each in kept.parent.iterdir() if each.name.rpartition(".")[0] == stem)
    for old in versions[:-KEPT_VERSIONS]:
        old.unlink(missing_ok=True)


@contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """While no other process of ours replaces a file of this folder."""
    with (parent / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # given back when the file closes, also by a crash
        yield


def _edited() -> VersionConflict:
    return VersionConflict("Somebody edited the file meanwhile.", "Read it again, and change that.")
