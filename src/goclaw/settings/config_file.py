"""Reads config.yaml into dotted keys; a mistake in it is named with its line, never with the text around it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from goclaw.model.errors import SettingsError
from goclaw.settings.describe import describe


def read_config_file(path: Path) -> dict[str, object]:
    """Dotted key → value; empty where the file does not exist. Sections may be nested or written with dots."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"{path.name} cannot be read.", "Check its permissions and that it is UTF-8.") from None
    tree = _parse(text, path.name)
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise SettingsError(f"{path.name} is not a list of settings.", "Write 'section:' and indented 'name: value'.")
    values: dict[str, object] = {}
    for key, value in _flatten(tree, ""):
        if key in values:
            raise SettingsError(f"{key} stands twice in {path.name}.", "Keep one of them.")
        values[key] = value
    return values


def _parse(text: str, name: str) -> Any:
    problem = "it is not YAML"
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506  a SafeLoader
    except _DuplicateKey as error:
        problem = f"the key of line {error.line} stands there already"
    except yaml.MarkedYAMLError as error:
        # Only the place: the library's message quotes the line, and the line may hold a key (R105).
        if error.problem_mark is not None:
            problem = f"line {error.problem_mark.line + 1} is not YAML"
    except yaml.YAMLError:
        pass
    raise SettingsError(f"{name} cannot be understood: {problem}.", "Check indentation, colons and quotes.")


def _flatten(tree: Mapping[Any, Any], prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in tree.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            yield from _flatten(value, f"{key}.")
        elif value is not None or not _is_section(key):  # a section whose lines are all commented out is empty
            yield key, value


def _is_section(key: str) -> bool:
    return any(info.key.startswith(f"{key}.") for info in describe())


class _DuplicateKey(Exception):
    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _Loader(yaml.SafeLoader):
    """YAML that refuses a key given twice, where the library would silently take the second."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if str(key.value) in seen:
                raise _DuplicateKey(key.start_mark.line + 1)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)
