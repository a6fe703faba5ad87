"""Files for this user alone: written whole or not at all, mode 0600, and on the disk before the call returns."""

import contextlib
import os
import tempfile
from pathlib import Path

from goclaw.settings.paths import make_folder


def write_private_file(path: Path, content: bytes, *, keep_existing: bool = False) -> bool:
    """Put ``content`` at ``path`` in one step; a reader sees the old file or the new one, never a part.

    With ``keep_existing`` an existing file stays as it is, whichever process made it, and the answer is False.
    """
    folder = make_folder(path.parent)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{path.name}.")  # mkstemp makes it 0600
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if not keep_existing:
            draft.replace(path)
        elif not _link_if_missing(draft, path):
            return False
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(folder)
    return True


def _link_if_missing(draft: Path, path: Path) -> bool:
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        draft.replace(path)
    return True


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk."""
    # A new name survives a power cut only when its folder is on the disk too; not every system can do that.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
