"""Daily files: what was noted on a day, ``memory/YYYY-MM-DD.md``. Notes are added at the end and never rewritten."""

import re
from collections.abc import Sequence
from datetime import date

from goclaw.workspace.folder import WorkspaceFolder
from goclaw.workspace.text_file import read_file, replace_file

FOLDER = "memory"
CONSOLIDATED = "memory/archived"  # daily files whose facts went into Memory.md
_DATED = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:\D.*)?\.md")


def daily_name(day: date) -> str:
    """The name of a day's file."""
    return f"{FOLDER}/{day:%Y-%m-%d}.md"


def day_of(name: str) -> date | None:
    """The day that a file's name tells, or None where it tells none."""
    found = _DATED.fullmatch(name.rpartition("/")[2])
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None


def append_note(folder: WorkspaceFolder, day: date, note: str) -> None:
    """Add a note to a day's file. Raises VersionConflict where somebody edits it at this very moment: try again."""
    name = daily_name(day)
    before = read_file(folder, name)
    start = f"{before.content.rstrip()}\n\n" if before.content.strip() else f"# {day:%Y-%m-%d}\n\n"
    replace_file(folder, name, f"{start}{note.strip()}\n", before)


def daily_files(folder: WorkspaceFolder) -> Sequence[str]:
    """Names of the daily files that are not consolidated yet, oldest first."""
    return sorted(name for name in markdown_names(folder, FOLDER) if day_of(name) is not None)


def markdown_names(folder: WorkspaceFolder, inside: str) -> list[str]:
    """Names of the Markdown files that lie directly in a folder; hidden ones and those that lead out are left out."""
    place = folder.inside(inside)
    if not place.is_dir():
        return []
    home = folder.path.resolve()
    return [
        f"{inside}/{file.name}"
        for file in sorted(place.iterdir())
        if file.suffix == ".md"
        and not file.name.startswith(".")
        and file.is_file()
        and file.resolve().is_relative_to(home)
    ]
