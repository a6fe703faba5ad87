"""A learned fact: what a model noted of a conversation, and the rules of code that it has to pass (engine.md 2.11).

A model proposes; these rules decide. A fact rests on turns that exist, that its speaker said as a person, and that no
outside text has entered. Who it is about, where it goes and how far it is trusted is never the model's to say.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from goclaw.governance.secret_scan import scan_secrets
from goclaw.model.session import SessionTurn, TurnRole

MOST_FACTS = 10  # of one reply
LEAST_CHARS, MOST_CHARS = 12, 400
MOST_NAME_CHARS = 80
LOW_CONFIDENCE = 0.6  # below it a fact waits for a human

_QUESTION = re.compile(r"[?？؟]\s*$")
_CODE = re.compile(
    r"```|^\s*(?:def|class|import|SELECT|INSERT|UPDATE|DELETE|function|const|#include)\b|[{};]\s*$", re.MULTILINE
)
# Words that order the assistant about; a speaker's own preference is worded differently ("prefers short answers").
_ORDER = re.compile(
    r"\b(?:ignore|disregard|always|never|from now on|you must|the (?:assistant|agent|model|ai)\b.{0,40}"
    r"\b(?:must|should|shall|has to|needs to))\b",
    re.IGNORECASE,
)


class LearnedFact(BaseModel):
    """One fact, as the model gives it."""

    model_config = ConfigDict(extra="ignore")

    content: str
    kind: Literal["fact", "preference"]
    domain: str | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    turns: list[int] = Field(min_length=1)
    speaker: str
    confidence: float = Field(default=0.5, ge=0, le=1)
    explicit: bool = False


class FactsReply(BaseModel):
    """A model's answer. Items that do not fit are counted and left out, not repaired: the others still stand."""

    model_config = ConfigDict(extra="ignore")

    facts: list[dict[str, object]] = []


def why_refused(fact: LearnedFact, turns: Mapping[int, SessionTurn]) -> str | None:
    """The first rule the fact breaks, by name; None where it passes all. ``turns`` are those the model was shown."""
    rests_on = [turns.get(number) for number in fact.turns]
    if any(turn is None for turn in rests_on):
        return "unknown_turn"
    said = [turn for turn in rests_on if turn is not None]
    if any(turn.role is not TurnRole.USER or turn.user_id is None for turn in said):
        return "not_said_by_a_person"
    if any(turn.is_tainted for turn in said):
        return "outside_text"
    if any(fact.speaker not in (turn.user_id, turn.speaker) for turn in said):
        return "another_speaker"
    return _why_text_is_refused(fact)


def _why_text_is_refused(fact: LearnedFact) -> str | None:
    content = fact.content.strip()
    if not LEAST_CHARS <= len(content) <= MOST_CHARS:
        return "length"
    if _QUESTION.search(content):
        return "question"
    if _CODE.search(content):
        return "code"
    if scan_secrets(content):
        return "secret"
    if _ORDER.search(content) and fact.kind != "preference":
        return "instruction"
    return None


def speaker_of(fact: LearnedFact, turns: Mapping[int, SessionTurn]) -> str:
    """The user id of the person whose turns a fact that passed rests on."""
    user_id = turns[fact.turns[0]].user_id
    assert user_id is not None, "only a person's turns pass"
    return user_id


def short_name(value: str | None) -> str | None:
    """A label of a fact in one line, or None."""
    plain = " ".join((value or "").split())[:MOST_NAME_CHARS]
    return plain or None


def numbered(turns: Sequence[SessionTurn]) -> dict[int, SessionTurn]:
    """Turns by their number."""
    return {turn.number: turn for turn in turns}
