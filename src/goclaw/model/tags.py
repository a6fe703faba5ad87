"""Tags: short labels on a record; three of them mean something to the engine."""

import unicodedata
from collections.abc import Iterable

from goclaw.model.errors import InvalidInput

CRITICAL = "critical"  # an always-kept constraint; takes effect on an instruction-grade record only
SUPERSEDED = "superseded"  # replaced by a newer record; set by the engine
UNVERIFIED = "unverified"  # from an unconfirmed session; never injected, never part of a revision

ENGINE_TAGS = frozenset({SUPERSEDED})
MAX_TAG_CHARS = 64
MAX_TAGS = 32


def normalise_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Distinct tags in their given order: NFKC, lower case, blanks inside become one hyphen."""
    if isinstance(tags, str):
        raise InvalidInput("Tags are a list of words.", 'Write ["apollo"] instead of "apollo".')
    clean = tuple(dict.fromkeys(_normalise(tag) for tag in tags))
    if len(clean) > MAX_TAGS:
        raise InvalidInput(f"A record carries at most {MAX_TAGS} tags.", "Keep the ones people would filter by.")
    return clean


def _normalise(tag: str) -> str:
    clean = "-".join(unicodedata.normalize("NFKC", tag).lower().split())
    if not clean or len(clean) > MAX_TAG_CHARS or any(unicodedata.category(char)[0] == "C" for char in clean):
        raise InvalidInput("A tag cannot be used.", f"A tag has 1-{MAX_TAG_CHARS} visible characters.")
    return clean
