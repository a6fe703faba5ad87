"""Which models take a system message after the person's, by the beginnings of their names."""

import re
from collections.abc import Iterable

_PARTS = re.compile(r"[a-z]+|[0-9]+")
_FAMILY = "claude"  # people and clouds write it, leave it out, or put things before it


def takes_late_system(name: str, beginnings: Iterable[str]) -> bool:
    """Whether a model's name begins like one of ``beginnings``.

    Case, signs and what providers write before a name count for nothing: ``anthropic/claude-sonnet-5.5``,
    ``Sonnet 5.5`` and ``us.anthropic.claude-sonnet-5-5-v1:0`` all begin like ``claude-sonnet-5-5``. Numbers count
    whole: ``opus-50`` does not begin like ``opus-5``.
    """
    mine = _split(name)
    return any(_begins(mine, _split(each)) or _begins(_bare(mine), _bare(_split(each))) for each in beginnings)


def _split(name: str) -> list[str]:
    return _PARTS.findall(name.rpartition("/")[2].lower())


def _bare(parts: list[str]) -> list[str]:
    return parts[parts.index(_FAMILY) + 1 :] if _FAMILY in parts else parts


def _begins(parts: list[str], beginning: list[str]) -> bool:
    return bool(beginning) and parts[: len(beginning)] == beginning
