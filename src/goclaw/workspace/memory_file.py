"""Memory.md: the curated knowledge of an agent. It changes by hand, by ``memory_consolidate`` and by replay only."""

from goclaw.workspace.folder import WorkspaceFolder
from goclaw.workspace.text_file import TextFile, read_file, replace_file

NAME = "Memory.md"
LONGEST, HEAD, TAIL = 20_000, 14_000, 6_000  # characters of it that a context shows (the seed)
CUT = "\n[... {left_out:,} characters are left out here ...]\n"


def read_memory_file(folder: WorkspaceFolder) -> TextFile:
    """The file as it is now."""
    return read_file(folder, NAME)


def append_section(folder: WorkspaceFolder, heading: str, text: str, expected: TextFile) -> TextFile:
    """Add a section at the end, if nobody edited the file since ``expected`` was read. Raises VersionConflict."""
    before = expected.content.rstrip("\n")
    start = f"{before}\n\n" if before else ""
    return replace_file(folder, NAME, f"{start}## {heading}\n\n{text.strip()}\n", expected)


def clipped(text: str) -> str:
    """The text, or the first 14,000 and the last 6,000 characters of one that is longer than 20,000."""
    if len(text) <= LONGEST:
        return text
    return text[:HEAD] + CUT.format(left_out=len(text) - HEAD - TAIL) + text[-TAIL:]
