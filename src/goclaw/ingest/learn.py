"""Learn: from what people said in a conversation to memory, each fact with the trust of its speaker's own turn.

A member's facts go to the member's personal memory, an administrator's to the agent notes: those of the workspace, or
of the channel where that is not open to everybody (engine.md 2.11). Preferences are their speaker's. What is high
impact, uncertain or reported by an agent waits for a human. Learning the same turns again refreshes what is there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from goclaw.ingest.draft import draft_of
from goclaw.ingest.index import index_record
from goclaw.ingest.learned_fact import (
    LOW_CONFIDENCE,
    MOST_FACTS,
    FactsReply,
    LearnedFact,
    numbered,
    short_name,
    speaker_of,
    why_refused,
)
from goclaw.ingest.place import place_of
from goclaw.ingest.transcript_text import transcript_text
from goclaw.ingest.write import Writer
from goclaw.llm.json_reply import ask_for
from goclaw.llm.prompts import FACTS
from goclaw.llm.provider import ChatMessage, ChatModel, ChatRequest
from goclaw.model.access import WriteWay
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, UnsafeContent
from goclaw.model.namespace import Namespace
from goclaw.model.principal import MEMBER, Principal, RunKind
from goclaw.model.record import MemoryDraft
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.model.session import ChatKind, Session, SessionTurn, learned_from
from goclaw.model.tags import UNVERIFIED
from goclaw.storage import channels, standing

TURN_CHARS, TOTAL_CHARS = 800, 12_000
MAX_TOKENS = 1_200
TEMPERATURE = 0.0
TIMEOUT_S = 60.0
EXTRACTOR = "fact-extraction"


@dataclass(slots=True)
class Learned:
    """What became of a model's facts; ``refused`` counts each rule that kept one out."""

    stored: int = 0
    refused: dict[str, int] = field(default_factory=dict)

    def refuse(self, why: str) -> None:
        self.refused[why] = self.refused.get(why, 0) + 1

    @property
    def skipped(self) -> int:
        return sum(self.refused.values())


@dataclass(frozen=True, slots=True)
class Learner:
    """Learns from conversations with the background model."""

    writer: Writer
    model: ChatModel

    def learn(self, session: Session, turns: Sequence[SessionTurn]) -> Learned:
        """Ask the model what these turns teach, and store what passes. Raises a ProviderError where it is silent."""
        learned = Learned()
        by_number = numbered(turns)
        for number, item in enumerate(self._ask(turns)):
            fact = _fact(item)
            why = "malformed" if fact is None else why_refused(fact, by_number)
            if number >= MOST_FACTS:
                why = "too_many"
            if fact is None or why is not None:
                learned.refuse(why or "malformed")
                continue
            try:
                self._store(session, fact, by_number)
                learned.stored += 1
            except UnsafeContent:
                learned.refuse("write_guard")
            except AccessDenied:
                learned.refuse("access")
            except Conflict:
                learned.refuse("forgotten")
            except InvalidInput:
                learned.refuse("malformed")
        self.writer.wake()
        return learned

    def _ask(self, turns: Sequence[SessionTurn]) -> list[dict[str, object]]:
        request = ChatRequest(
            messages=(
                ChatMessage("system", FACTS),
                ChatMessage("user", transcript_text(turns, turn_chars=TURN_CHARS, total=TOTAL_CHARS)),
            ),
            max_tokens=MAX_TOKENS,
            temperature=TEMPERATURE,
            timeout_s=TIMEOUT_S,
            json_schema={"type": "object", "properties": {"facts": {"type": "array"}}, "required": ["facts"]},
        )
        return ask_for(self.model, request, FactsReply).facts

    def _store(self, session: Session, fact: LearnedFact, turns: Mapping[int, SessionTurn]) -> None:
        person = self._speaker(session, speaker_of(fact, turns))
        draft, namespace = self._place(session, person, fact)
        self.writer.check_access(person, namespace, WriteWay.EXTRACTION)
        extractor = replace(person, run_kind=RunKind.AGENT, agent_id=EXTRACTOR)
        flags = self.writer.check_content(extractor, draft)
        was_reported = any(turns[number].recorded_by != f"human:{person.user_id}" for number in fact.turns)
        # What an agent wrote down as a person's words is not that person's own turn.
        is_tainted = None if was_reported else False
        state = self.writer.first_state(extractor, draft, namespace, flags, WriteWay.EXTRACTION, is_tainted=is_tainted)
        if fact.confidence < LOW_CONFIDENCE and state.review_status is ReviewStatus.EVIDENCE_ONLY:
            state = replace(state, review_status=ReviewStatus.PENDING)
        record = self.writer.record_of(extractor, draft, namespace, state)
        record = replace(
            record,
            confidence=fact.confidence,
            metadata={**record.metadata, **learned_from(session, fact.turns)},
            tags=(*record.tags, UNVERIFIED) if session.is_unverified else record.tags,
        )
        indexed = index_record(record, self.writer.settings.memory.chunk)
        self.writer.database.write(lambda unit: self.writer.store(unit, extractor, record, indexed))

    def _speaker(self, session: Session, user_id: str) -> Principal:
        """The person with the rights of this moment; somebody nobody registered is a member."""
        with self.writer.database.read() as reader:
            now = standing.of_person(reader, session.workspace_id, user_id)
        channel_ids = (session.channel_id,) if session.channel_id else ()
        if now is None:
            return Principal(user_id, roles=(MEMBER,), workspace_id=session.workspace_id, channel_ids=channel_ids)
        return Principal(
            user_id,
            roles=now.roles,
            workspace_id=session.workspace_id,
            project_ids=now.project_ids,
            channel_ids=tuple(dict.fromkeys((*now.channel_ids, *channel_ids))),
        )

    def _place(self, session: Session, person: Principal, fact: LearnedFact) -> tuple[MemoryDraft, Namespace]:
        """Whose memory a fact becomes: decided by who spoke and where, never by the model."""
        is_shared = person.is_admin and fact.kind == "fact"
        channel = self._closed_channel(session) if is_shared else None
        draft = draft_of(
            " ".join(fact.content.split()),
            scope=Scope.AGENT_NOTES if is_shared else Scope.PERSONAL,
            kind=fact.kind,
            domain=short_name(fact.domain),
            channel_id=channel,
            project_id=self._project_of(session, channel) if channel else None,
            visibility=None if channel or not is_shared else "workspace",
            source_refs=[{"kind": "conversation", "title": f"{session.session_id}, turns {_numbers(fact.turns)}"}],
            session_id=session.session_id,
            turn=fact.turns[0],
            metadata={"subject": short_name(fact.subject), "attribute": short_name(fact.attribute)}
            | {"value": short_name(fact.value), "explicit": fact.explicit},
            max_content_chars=self.writer.settings.memory.max_content_chars,
        )
        return draft, place_of(person, draft)

    def _closed_channel(self, session: Session) -> str | None:
        """The channel of the conversation where not everybody of the workspace may listen."""
        if session.chat_kind is ChatKind.DIRECT or session.channel_id is None:
            return None
        with self.writer.database.read() as reader:
            managed = channels.managed_ids(reader, session.workspace_id)
        return session.channel_id if session.channel_id in managed else None

    def _project_of(self, session: Session, channel_id: str) -> str | None:
        with self.writer.database.read() as reader:
            return channels.project_of(reader, session.workspace_id, channel_id) or None


def _fact(item: dict[str, object]) -> LearnedFact | None:
    try:
        return LearnedFact.model_validate(item)
    except ValidationError:
        return None


def _numbers(turns: Sequence[int]) -> str:
    return ", ".join(str(number) for number in turns[:5])
