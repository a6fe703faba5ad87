"""Workspace folder: the Markdown files of one agent. No name leads out of it, neither by dots nor by links."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from goclaw.model.errors import AccessDenied, InvalidInput
from goclaw.settings.paths import StatePaths, make_folder
from goclaw.workspace.names import file_name

DEFAULT = "default"  # the workspace, and the agent, whose files lie where the seed says


@dataclass(frozen=True, slots=True)
class WorkspaceFolder:
    """One agent's folder; it is made when something is first written into it."""

    path: Path

    def inside(self, name: str) -> Path:
        """The place a name stands for. Raises AccessDenied where it would lie outside, InvalidInput for no name."""
        parts = PurePosixPath(name).parts
        if not parts or "\0" in name or "\\" in name:
            raise InvalidInput("That is no name of a file.", "Use one such as memory/2026-03-01.md.")
        if PurePosixPath(name).is_absolute() or any(part in ("..", ".") for part in parts):
            raise _outside()
        place = self.path.joinpath(*parts)
        if not place.resolve().is_relative_to(self.path.resolve()):
            raise _outside()
        return place

    def open_read(self, name: str) -> int | None:
        """A handle of the file, or None where there is none; a link made just now that leads out is refused."""
        place = self.inside(name).resolve()
        try:
            handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _outside() from None
            raise
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # a pipe would never end
            os.close(handle)
            return None
        return handle

    def folder(self, name: str) -> Path:
        """A folder inside, made with its parents for this user alone where it is missing."""
        return make_folder(self.inside(name))


def folder_of(state_dir: Path, workspace_id: str, agent_id: str | None) -> WorkspaceFolder:
    """Where the files of an agent lie; None is the default agent (architecture.md 5)."""
    paths = StatePaths(state_dir)
    is_default_agent = agent_id is None or agent_id == DEFAULT
    if workspace_id == DEFAULT:
        return WorkspaceFolder(paths.workspace if is_default_agent else _agents_folder(paths.agents, agent_id))
    own = state_dir / "workspaces" / file_name(workspace_id)
    return WorkspaceFolder(own / "workspace" if is_default_agent else _agents_folder(own / "agents", agent_id))


def _agents_folder(agents: Path, agent_id: str | None) -> Path:
    return agents / file_name(agent_id or DEFAULT) / "workspace"


def _outside() -> AccessDenied:
    return AccessDenied("That name leads out of the workspace folder.", "Use a name inside of it.")
