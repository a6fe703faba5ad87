"""Settings as people read them: the list for the docs and the commented config.yaml of a first start."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from goclaw.settings.settings import Section, Settings

HEAD = """\
# Settings of goclaw. A line such as '#port: 8787' shows a default: remove the '#' and change the value.
# Variables of the environment win over this file: GOCLAW_MEMORY__SEARCH__MIN_SCORE=0.3
# A text may name a secret of the vault: ${secret:NAME}, put there with 'goclaw secrets set NAME'.
"""


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """One setting, described."""

    key: str  # memory.search.min_score
    type: str  # number, whole number, yes or no, text, list, or the words it may be
    default: object  # None where unset
    meaning: str  # one sentence
    is_secret: bool  # never shown


@cache
def describe() -> tuple[SettingInfo, ...]:
    """Every setting, in the order of the settings file."""
    return tuple(_describe_section(Settings, ""))


@cache
def describe_key(key: str) -> SettingInfo | None:
    """One setting by its dotted key."""
    return next((info for info in describe() if info.key == key), None)


def template() -> str:
    """The config.yaml of a first start: every setting with its meaning and default, commented out."""
    lines = [HEAD]
    written: tuple[str, ...] = ()
    for info in describe():
        *sections, name = info.key.split(".")
        for depth, section in enumerate(sections):
            if written[: depth + 1] != tuple(sections[: depth + 1]):
                lines.append(f"{'  ' * depth}{section}:")
        written = tuple(sections)
        indent = "  " * len(sections)
        lines.append(f"{indent}# {info.meaning} ({info.type})")
        lines.append(f"{indent}#{name}: {write_value(info.default)}".rstrip())
    return "\n".join(lines) + "\n"


def write_value(value: object) -> str:
    """A value as config.yaml spells it; unset is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(str(each) for each in value)}]"
    return str(value)


def _describe_section(section: type[Section], prefix: str) -> Iterator[SettingInfo]:
    for name, field in section.model_fields.items():
        key = f"{prefix}{name}"
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Section):
            yield from _describe_section(inner, f"{key}.")
        else:
            yield SettingInfo(key, _name_type(inner), field.default, field.description or "", is_secret(field))


def is_secret(field: FieldInfo) -> bool:
    """Whether the field's value must never be shown."""
    return isinstance(field.json_schema_extra, dict) and bool(field.json_schema_extra.get("secret"))


def _name_type(annotation: Any) -> str:
    origin = get_origin(annotation)
    if origin is Literal:
        return " | ".join(get_args(annotation))
    if origin is UnionType:
        return _name_type(next(each for each in get_args(annotation) if each is not type(None)))
    if origin is tuple:
        return "list"
    if origin is not None:  # Annotated[type, limits]
        return _name_type(get_args(annotation)[0])
    return {bool: "yes or no", int: "whole number", float: "number"}.get(annotation, "text")
