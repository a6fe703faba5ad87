"""Visibility: how far a record may travel, from one person to the whole organization."""

from enum import StrEnum


class Visibility(StrEnum):
    """Narrowest first. A record's visibility is read off its namespace, never stored beside it."""

    PERSONAL = "personal"
    CHANNEL = "channel"
    PROJECT = "project"
    WORKSPACE = "workspace"
    ORGANIZATION = "organization"

    @property
    def width(self) -> int:
        """0 for the narrowest level, growing outwards."""
        return _ORDER[self]

    def is_wider_than(self, other: "Visibility") -> bool:
        return self.width > other.width


_ORDER = {level: width for width, level in enumerate(Visibility)}
