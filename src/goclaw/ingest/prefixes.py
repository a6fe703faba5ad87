"""Prefixes: what a person can say to memory itself, at the very beginning of a message they typed (engine.md 2.21).

Never in quoted, forwarded, tool or file text: the caller hands over what the identified sender typed, and only its
beginning counts.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from goclaw.model.scope import Scope


class Command(StrEnum):
    """What is asked of memory."""

    NOTES = "@notes"  # administrators: into agent_notes
    CONFIG = "@config"  # administrators: into agent_config
    PERSONAL = "@personal"  # anybody: into their own memory
    FORGET = "@forget"  # a record, by its id


SCOPES = {Command.NOTES: Scope.AGENT_NOTES, Command.CONFIG: Scope.AGENT_CONFIG, Command.PERSONAL: Scope.PERSONAL}

_WRITE = re.compile(r"(@notes|@config|@personal):[ \t]*(.*)", re.IGNORECASE | re.DOTALL)
_FORGET = re.compile(r"@forget[ \t]+(\S+)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prefixed:
    """A message to memory."""

    command: Command
    text: str  # what is to be remembered, or the id of what is to be forgotten


def read_prefix(message: str) -> Prefixed | None:
    """The command a message begins with, or None; it must be its very first character."""
    if found := _WRITE.fullmatch(message):
        return Prefixed(Command(found[1].lower()), found[2].strip())
    if found := _FORGET.fullmatch(message):
        return Prefixed(Command.FORGET, found[1])
    return None
