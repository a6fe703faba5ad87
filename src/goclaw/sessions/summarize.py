"""Summarize: what a model should still know of the turns it is given no more (engine.md 2.9).

Without a model, or where it does not answer, a stub says what was said last and where the rest lies; a later job puts a
summary in its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from goclaw.governance.secret_scan import redact
from goclaw.ingest.transcript_text import line_of, transcript_text
from goclaw.llm.json_reply import ask_for
from goclaw.llm.prompts import SUMMARY
from goclaw.llm.provider import ChatMessage, ChatModel, ChatRequest
from goclaw.model.clock import from_us
from goclaw.model.session import SessionTurn, TurnRole

TIMEOUT_S = 120.0
TEMPERATURE = 0.3
LEAST_TOKENS, MOST_TOKENS, SHARE_OF_INPUT = 1_024, 8_192, 25
STUB_TURNS, STUB_CHARS = 5, 200
MOST_CHARS = 6_000  # of a summary; it is given with every message
MOST_ITEM_CHARS = 500

Item = str


class SessionSummary(BaseModel):
    """What a model says of a conversation."""

    model_config = ConfigDict(extra="ignore")

    tasks: list[Item] = Field(default=[], description="Active tasks and their state.")
    pending: list[Item] = Field(default=[], description="What is waited for, and who waits for it.")
    last_request: str = Field(default="", description="What was asked for last.")
    decisions: list[Item] = Field(default=[], description="What was decided, and why.")
    open_questions: list[Item] = Field(default=[], description="What nobody has answered yet.")
    promises: list[Item] = Field(default=[], description="What somebody promised, to whom, until when.")
    facts: list[Item] = Field(default=[], description="Names, numbers and identifiers that will be needed, verbatim.")

    @property
    def text(self) -> str:
        """The summary as it is shown, without secrets; empty where nothing was said."""
        parts = [
            ("Tasks", self.tasks),
            ("Waiting for", self.pending),
            ("Asked last", [self.last_request]),
            ("Decided", self.decisions),
            ("Open questions", self.open_questions),
            ("Promised", self.promises),
            ("To be remembered", self.facts),
        ]
        lines = [f"{name}: {item}" for name, items in parts for item in map(_plain, items) if item]
        return "\n".join(lines)[:MOST_CHARS]


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, or what stands in its place."""

    text: str
    is_stub: bool


@dataclass(frozen=True, slots=True)
class Summarizer:
    """Summarises conversations with the background model; None: there is none."""

    model: ChatModel | None

    def summarize(self, previous: str | None, turns: Sequence[SessionTurn]) -> Summary:
        """What ``previous`` and the turns come to. Raises a ProviderError where the model does not answer."""
        if self.model is None:
            return stub(previous, turns)
        text = transcript_text(turns)
        request = ChatRequest(
            messages=(
                ChatMessage("system", SUMMARY),
                ChatMessage("user", f"<previous_summary>\n{previous or 'none'}\n</previous_summary>\n\n{text}"),
            ),
            max_tokens=min(max(len(text) // 4 // SHARE_OF_INPUT, LEAST_TOKENS), MOST_TOKENS),
            temperature=TEMPERATURE,
            timeout_s=TIMEOUT_S,
            json_schema=SessionSummary.model_json_schema(),
        )
        found = ask_for(self.model, request, SessionSummary).text
        return Summary(found, is_stub=False) if found else stub(previous, turns)


def stub(previous: str | None, turns: Sequence[SessionTurn]) -> Summary:
    """What can be said without a model: when, how many, and the last things that people said."""
    first, last = from_us(turns[0].created_at), from_us(turns[-1].created_at)
    said = [line_of(turn, STUB_CHARS) for turn in turns if turn.role is TurnRole.USER][-STUB_TURNS:]
    head = f"{len(turns)} messages from {first:%Y-%m-%d} to {last:%Y-%m-%d} are archived and not summarised."
    kept = [previous[: MOST_CHARS // 2]] if previous else []
    return Summary("\n".join([*kept, head, *said]), is_stub=True)


def _plain(item: str) -> str:
    return " ".join(redact(item).split())[:MOST_ITEM_CHARS]
