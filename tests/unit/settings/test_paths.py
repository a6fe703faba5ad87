"""Places in the state directory."""

from pathlib import Path

from goclaw.settings.paths import StatePaths, make_folder


def test_the_places_are_those_of_the_seed() -> None:
    paths = StatePaths(Path("/s"))
    places = {
        paths.config: "config.yaml",
        paths.database: "gc_state.sqlite",
        paths.graph: "kg.sqlite",
        paths.workspace: "workspace",
        paths.agents: "agents",
        paths.media: "media",
        paths.backups: "backups",
        paths.secrets: "credentials/secrets.enc",
        paths.vault_key: "credentials/vault.key",
        paths.locks: "locks",
    }
    assert {str(path): name for path, name in places.items()} == {f"/s/{name}": name for name in places.values()}


def test_a_named_file_lies_in_the_state_directory_unless_it_is_absolute() -> None:
    paths = StatePaths(Path("/s"))
    assert paths.inside(None, paths.database) == paths.database
    assert paths.inside("other.sqlite", paths.database) == Path("/s/other.sqlite")
    assert paths.inside("/data/x.sqlite", paths.database) == Path("/data/x.sqlite")


def test_folders_are_made_for_this_user_alone(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "a" / "b")
    assert [each.stat().st_mode & 0o777 for each in (folder, folder.parent)] == [0o700, 0o700]


def test_an_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    assert make_folder(folder).stat().st_mode & 0o777 == 0o755
