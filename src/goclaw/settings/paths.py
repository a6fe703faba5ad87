"""Where everything lies in the state directory; folders are made when first needed, for this user alone (0700)."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StatePaths:
    """The places of one state directory. Nothing is created by asking for a place."""

    state_dir: Path

    @property
    def config(self) -> Path:
        return self.state_dir / "config.yaml"

    @property
    def database(self) -> Path:
        return self.state_dir / "gc_state.sqlite"

    @property
    def graph(self) -> Path:
        return self.state_dir / "kg.sqlite"

    @property
    def workspace(self) -> Path:
        return self.state_dir / "workspace"

    @property
    def agents(self) -> Path:
        return self.state_dir / "agents"

    @property
    def media(self) -> Path:
        return self.state_dir / "media"

    @property
    def backups(self) -> Path:
        return self.state_dir / "backups"

    @property
    def credentials(self) -> Path:
        return self.state_dir / "credentials"

    @property
    def secrets(self) -> Path:
        return self.credentials / "secrets.enc"

    @property
    def vault_key(self) -> Path:
        return self.credentials / "vault.key"

    @property
    def locks(self) -> Path:
        return self.state_dir / "locks"

    def inside(self, name: str | None, default: Path) -> Path:
        """The file a setting names: relative names lie in the state directory; ``default`` when unset."""
        return self.state_dir / Path(name).expanduser() if name else default


def make_folder(folder: Path) -> Path:
    """The folder, made with mode 0700 (its parents too) if it is missing; an existing one is left as it is."""
    for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    return folder
