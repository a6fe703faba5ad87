"""From what a caller says to a draft: every field checked, in its plain form, before anybody decides anything."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from goclaw.model.clock import from_us, to_us
from goclaw.model.errors import InvalidInput
from goclaw.model.principal import canonical_id
from goclaw.model.provenance import SourceRef
from goclaw.model.record import Kind, MemoryDraft
from goclaw.model.scope import WRITABLE_SCOPES, Scope
from goclaw.model.session import LEARNED_FROM
from goclaw.model.tags import ENGINE_TAGS, normalise_tags
from goclaw.model.visibility import Visibility

MAX_LABEL_CHARS = 500  # domain, speaker, external_ref, session: names, not texts
MAX_SOURCES = 50
MAX_METADATA_CHARS = 16_000
RESERVED_METADATA = frozenset(
    {
        LEARNED_FROM,
        "artifact",
        "entities",
        "also_seen",
        "provenance",
        "superseded_by",
        "superseded_at",
        "superseded_reason",
    }
)

Choice = TypeVar("Choice", bound=StrEnum)


def draft_of(
    content: str,
    *,
    scope: str,
    kind: str = Kind.NOTE,
    tags: Iterable[str] = (),
    domain: str | None = None,
    project_id: str | None = None,
    channel_id: str | None = None,
    visibility: str | None = None,
    source_refs: Iterable[SourceRef | Mapping[str, str | None]] = (),
    external_ref: str | None = None,
    session_id: str | None = None,
    turn: int | None = None,
    speaker: str | None = None,
    occurred_at: datetime | None = None,
    metadata: Mapping[str, Any] | None = None,
    max_content_chars: int,
) -> MemoryDraft:
    """A draft, or InvalidInput that names the field and what it takes."""
    given = given_tags(tags)
    return MemoryDraft(
        content=checked_content(content, max_content_chars),
        scope=_writable_scope(scope),
        kind=writable_kind(kind),
        tags=checked_tags(given),
        tags_as_given=given,
        domain=label(domain, "domain"),
        project_id=None if project_id is None else canonical_id(project_id, "project_id"),
        channel_id=None if channel_id is None else canonical_id(channel_id, "channel_id"),
        visibility=None if visibility is None else choice(Visibility, visibility, "visibility"),
        source_refs=_sources(source_refs),
        external_ref=label(external_ref, "external_ref"),
        session_id=label(session_id, "session_id"),
        turn=_turn(turn),
        speaker=label(speaker, "speaker"),
        occurred_at=None if occurred_at is None else _moment(occurred_at),
        metadata=checked_metadata(metadata),
    )


def checked_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Plain JSON under names that are not ours, or InvalidInput."""
    if metadata is not None and not isinstance(metadata, Mapping):
        raise InvalidInput("metadata is no mapping.", 'Write {"ticket": "4711"}.')
    given = dict(metadata or {})
    if reserved := RESERVED_METADATA.intersection(given):
        raise InvalidInput(f"metadata.{sorted(reserved)[0]} is kept by goclaw itself.", "Use another name.")
    try:
        plain = json.dumps(given, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput("metadata is not plain JSON.", "Use texts, numbers, lists and objects.") from None
    if len(plain) > MAX_METADATA_CHARS:
        raise InvalidInput("metadata is too long.", f"Use up to {MAX_METADATA_CHARS:,} characters.")
    return given


def checked_content(content: str, max_chars: int) -> str:
    """The text itself; blank or too long is an error, never silently cut."""
    if not isinstance(content, str) or not content.strip():
        raise InvalidInput("There is nothing to remember.", "Give the memory a text.")
    if len(content) > max_chars:
        raise InvalidInput(
            f"The text has {len(content):,} characters; a record holds up to {max_chars:,}.",
            "Store a summary and a link to the source, or raise memory.max_content_chars.",
        )
    return content


def given_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags as the caller wrote them; a bare word is an error, since it would be read letter by letter."""
    given = None if isinstance(tags, str) or not isinstance(tags, Iterable) else tuple(tags)
    if given is None or not all(isinstance(tag, str) for tag in given):
        raise InvalidInput("Tags are a list of words.", 'Write ["apollo"] instead of "apollo".')
    return given


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags in their plain form; those that only the engine sets are an error."""
    clean = normalise_tags(tags)
    if reserved := ENGINE_TAGS.intersection(clean):
        raise InvalidInput(f"The tag {', '.join(reserved)} is set by goclaw itself.", "Leave it out.")
    return clean


def choice(kind: type[Choice], value: str, what: str) -> Choice:
    """One of the words of an enumeration."""
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(f"The {what} is not known.", f"Use one of: {', '.join(kind)}.") from None


def writable_kind(kind: str) -> Kind:
    """A kind that callers may give their records; copies of files are goclaw's own."""
    found = choice(Kind, kind, "kind")
    if found is Kind.MEMORY_FILE:
        raise InvalidInput(f"Records of kind {found} are copies of files.", "Edit the file, or use kind note.")
    return found


def label(value: str | None, what: str) -> str | None:
    """A short name without blanks around it; an empty one is none."""
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MAX_LABEL_CHARS:
        raise InvalidInput(f"{what} is too long or no text.", f"Use up to {MAX_LABEL_CHARS} characters.")
    return value.strip() or None


def _writable_scope(scope: str) -> Scope:
    if scope not in WRITABLE_SCOPES:
        raise InvalidInput("The scope cannot be written.", f"Use one of: {', '.join(WRITABLE_SCOPES)}.")
    return Scope(scope)


def _sources(sources: Iterable[SourceRef | Mapping[str, str | None]]) -> tuple[SourceRef, ...]:
    if isinstance(sources, str | Mapping) or not isinstance(sources, Iterable):
        raise InvalidInput("source_refs is no list.", 'Write [{"kind": "document", "uri": "..."}].')
    clean = tuple(dict.fromkeys(SourceRef.of(source) for source in sources))
    if len(clean) > MAX_SOURCES:
        raise InvalidInput(f"A record points to at most {MAX_SOURCES} sources.", "Name the ones it rests on.")
    return clean


def _turn(turn: int | None) -> int | None:
    if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int) or not 0 <= turn < 2**31):
        raise InvalidInput("turn is not a turn number.", "Use a whole number from 0 to 2,147,483,647.")
    return turn


def _moment(moment: datetime) -> int:
    if not isinstance(moment, datetime):
        raise InvalidInput("occurred_at is no date.", "Use a datetime; without a time zone it is read as UTC.")
    try:
        moment_us = to_us(moment)
        from_us(moment_us)
        return moment_us
    except (OverflowError, ValueError):
        raise InvalidInput("occurred_at is out of range.", "Use a year from 1 to 9999, in UTC.") from None
