"""IDENTITY.md and USER.md: what the agent is, and whom it serves where the request has no identified person."""

from goclaw.workspace.folder import WorkspaceFolder
from goclaw.workspace.text_file import TextFile, read_file

IDENTITY, USER = "IDENTITY.md", "USER.md"


def read_identity(folder: WorkspaceFolder) -> TextFile:
    """The agent's character, instructions and limits; it opens the static prompt."""
    return read_file(folder, IDENTITY)


def read_user_file(folder: WorkspaceFolder) -> TextFile:
    """Whom the agent serves, where nobody is identified."""
    return read_file(folder, USER)
