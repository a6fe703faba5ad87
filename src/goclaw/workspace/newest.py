"""Newest files: name, day and size of the memory files that were written last; not of archives, which are private."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from goclaw.model.clock import from_us
from goclaw.workspace.daily_files import CONSOLIDATED, FOLDER, day_of, markdown_names
from goclaw.workspace.folder import WorkspaceFolder


@dataclass(frozen=True, slots=True)
class NewestFile:
    """One memory file."""

    name: str  # in the workspace folder
    date: date  # that its name tells, else the day (UTC) of its last change
    size: int  # bytes


def newest_files(folder: WorkspaceFolder, count: int) -> Sequence[NewestFile]:
    """The newest memory files, newest first; the same for the same files."""
    found = [_file(folder, name) for inside in (FOLDER, CONSOLIDATED) for name in markdown_names(folder, inside)]
    return sorted(found, key=lambda file: (file.date, file.name), reverse=True)[:count]


def _file(folder: WorkspaceFolder, name: str) -> NewestFile:
    facts = folder.inside(name).stat()
    day = day_of(name) or from_us(facts.st_mtime_ns // 1_000).date()
    return NewestFile(name, day, facts.st_size)
