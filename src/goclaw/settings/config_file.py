"""Reads config.yaml into dotted keys, and changes one of them in place, comments and all.

A mistake in the file is named with its line, never with the text around it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from goclaw.model.errors import SettingsError
from goclaw.settings.describe import describe
from goclaw.settings.private_file import write_private_file


def read_config_file(path: Path) -> dict[str, object]:
    """Dotted key → value; empty where the file does not exist. Sections may be nested or written with dots."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"{path.name} cannot be read.", "Check its permissions and that it is UTF-8.") from None
    return _values(text, path.name)


def change_config_file(path: Path, key: str, value: str) -> None:
    """Set one text in the file, which is there; every other line stays as it is.

    Raises SettingsError, and changes nothing, where the file is written in a way in which this cannot be done safely.
    """
    before = read_config_file(path)
    text = with_setting(path.read_text(encoding="utf-8"), key, value)
    try:
        is_safe = _values(text, path.name) == before | {key: value}
    except SettingsError:
        is_safe = False
    if not is_safe:
        raise SettingsError(f"{path.name} cannot be changed by a program.", f"Write {key} into it by hand.")
    write_private_file(path, text.encode())


def with_setting(text: str, key: str, value: str) -> str:
    """The file's text with one setting in the place of its old or commented-out line, else below its section."""
    section, _, name = key.rpartition(".")
    lines = text.splitlines()
    quoted = json.dumps(value, ensure_ascii=False)
    whole = _find(lines, rf"{re.escape(key)}\s*:")
    if whole is not None:
        lines[whole] = f"{key}: {quoted}"
        return _joined(lines)
    head = _find(lines, rf"{re.escape(section)}\s*:\s*(#.*)?$")
    if head is None:
        return _joined([*lines, f"{section}:", f"  {name}: {quoted}"])
    end = next((n for n in range(head + 1, len(lines)) if lines[n][:1] not in ("", " ", "#")), len(lines))
    inside = lines[head + 1 : end]
    children = [line for line in inside if line.strip() and not line.lstrip().startswith("#")]
    indent = children[0][: len(children[0]) - len(children[0].lstrip())] if children else "  "
    line = f"{indent}{name}: {quoted}"
    old = _find(inside, rf"{indent}{name}\s*:", rf"{indent}#\s*{name}\s*:")
    if old is None:
        return _joined([*lines[: head + 1], line, *lines[head + 1 :]])
    lines[head + 1 + old] = line
    return _joined(lines)


def _find(lines: list[str], *patterns: str) -> int | None:
    """The number of the first line that begins like the first pattern, else like the next one."""
    for pattern in patterns:
        for number, line in enumerate(lines):
            if re.match(pattern, line):
                return number
    return None


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _values(text: str, name: str) -> dict[str, object]:
    tree = _parse(text, name)
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise SettingsError(f"{name} is not a list of settings.", "Write 'section:' and indented 'name: value'.")
    values: dict[str, object] = {}
    for key, value in _flatten(tree, ""):
        if key in values:
            raise SettingsError(f"{key} stands twice in {name}.", "Keep one of them.")
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
