"""Review request: what a reviewer asks for, every field checked before any record is looked at."""

from collections.abc import Iterable
from dataclasses import dataclass

from goclaw.ingest.draft import checked_content, checked_tags, choice, given_tags
from goclaw.model.errors import InvalidInput
from goclaw.model.principal import canonical_id
from goclaw.model.review import TRANSITIONS, ReviewAction, ReviewStatus
from goclaw.model.visibility import Visibility

MAX_NOTE_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """How far a record shall travel, and where that level needs one, in which project or channel."""

    visibility: Visibility
    project_id: str | None = None
    channel_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """One of the nine actions, with what it needs; a field that the action has no use for is not read."""

    action: ReviewAction
    content: str | None = None  # edit
    summary: str | None = None  # edit
    target: Target | None = None  # restrict_scope
    related_id: str | None = None  # the record that stays, or the other side of a dispute
    notes: str | None = None
    tags: tuple[str, ...] | None = None  # confirm and edit: in place of the tags the record has
    tags_as_given: tuple[str, ...] = ()

    @property
    def confirms(self) -> bool:
        return TRANSITIONS[self.action].review is ReviewStatus.CONFIRMED


def read_review(
    action: str,
    *,
    content: str | None = None,
    summary: str | None = None,
    visibility: str | None = None,
    project_id: str | None = None,
    channel_id: str | None = None,
    related_id: str | None = None,
    notes: str | None = None,
    tags: Iterable[str] | None = None,
    max_content_chars: int,
) -> ReviewRequest:
    """The request, or InvalidInput that names what is missing or wrong."""
    word = choice(ReviewAction, action, "action")
    needs = TRANSITIONS[word]
    if needs.needs_related and related_id is None:
        raise InvalidInput(f"{word} needs the record that stays.", "Name related_id.")
    if needs.needs_target and visibility is None:
        raise InvalidInput(f"{word} needs a narrower visibility.", "Name visibility, and its project or channel.")
    if needs.needs_text and content is None and summary is None:
        raise InvalidInput(f"{word} needs the new words.", "Give content or summary.")
    if tags is not None and needs.review is not ReviewStatus.CONFIRMED:
        raise InvalidInput(f"{word} changes no tags.", "Tags are given in confirm or edit.")
    given = given_tags(tags or ())
    return ReviewRequest(
        action=word,
        content=checked_content(content, max_content_chars) if needs.needs_text and content is not None else None,
        summary=checked_content(summary, max_content_chars) if needs.needs_text and summary is not None else None,
        target=read_target(visibility, project_id, channel_id) if needs.needs_target and visibility else None,
        related_id=related_id if needs.needs_related or word is ReviewAction.DISPUTE else None,
        notes=read_notes(notes),
        tags=None if tags is None else checked_tags(given),
        tags_as_given=given,
    )


def read_target(visibility: str, project_id: str | None, channel_id: str | None) -> Target:
    """The level and the names that go with it."""
    return Target(
        visibility=choice(Visibility, visibility, "visibility"),
        project_id=None if project_id is None else canonical_id(project_id, "project_id"),
        channel_id=None if channel_id is None else canonical_id(channel_id, "channel_id"),
    )


def read_notes(notes: str | None) -> str | None:
    """What the reviewer says about it; blank is nothing."""
    if notes is None:
        return None
    if not isinstance(notes, str) or len(notes) > MAX_NOTE_CHARS:
        raise InvalidInput("The notes are too long or no text.", f"Use up to {MAX_NOTE_CHARS:,} characters.")
    return notes.strip() or None
