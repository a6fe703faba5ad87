"""Hint: what an agent should do otherwise after a failed call; said in the same turn and remembered nowhere (the seed).

The error's text comes from outside: of it only names are repeated, cut and plain, so that nothing in it can speak to
the model.
"""

import re
from dataclasses import dataclass

from goclaw.autolearn.error_patterns import ANY, INFRASTRUCTURE, PATTERNS, ErrorPattern
from goclaw.settings.log import log_for

log = log_for(__name__)

LOOKED_AT = 4_000  # characters of an error text; what it is about stands at its beginning
MOST_CHARS = 300
MOST_NAME_CHARS = 80
MOST_NAMES = 3
_PLAIN_NAME = re.compile(r"[\w.$/@:-]+")


@dataclass(frozen=True, slots=True)
class Hint:
    """One sentence for the model."""

    text: str
    error_class: str


def hint_for(tool: str, error_text: str) -> Hint | None:
    """What fits the error; None where nothing is known, or where it is not the agent's to mend, which is logged."""
    told = error_text[:LOOKED_AT]
    for row in INFRASTRUCTURE:
        if row.find(told):
            log.info("tool_error_not_the_agents", tool=tool[:MOST_NAME_CHARS], error_class=row.error_class)
            return None
    for row in PATTERNS:
        if (tool in row.tools or ANY in row.tools) and (found := row.find(told)):
            return Hint(_sentence(row, found), row.error_class)
    return None


def _sentence(row: ErrorPattern, found: re.Match[str]) -> str:
    names = [name for name in map(_plain, found.groupdict().values()) if name]
    reason = f"{row.error_class}: {', '.join(dict.fromkeys(names[:MOST_NAMES]))}" if names else row.error_class
    return f"[hint] {row.hint}. Reason: {reason}."[:MOST_CHARS]


def _plain(name: str | None) -> str:
    """A name without anything that is no name; it holds no blanks, so it can be no sentence."""
    found = _PLAIN_NAME.match(name or "")
    return found[0].strip(".:-")[:MOST_NAME_CHARS] if found else ""
