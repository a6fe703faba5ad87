"""Record turns: what was said is durable, with its speaker, before anybody hears that it was taken.

Who speaks is decided here and not by the text: a turn of role ``user`` is the principal's. Text from outside taints
its turn, and what the agent says after it until a person speaks again (engine.md 2.19).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from goclaw.model.clock import SECOND, Clock
from goclaw.model.errors import Conflict, InvalidInput
from goclaw.model.home import home_for
from goclaw.model.ids import IdMaker
from goclaw.model.job import JobKind
from goclaw.model.principal import Principal, RunKind
from goclaw.model.session import Channel, ChatKind, Session, SessionTurn, TurnRole
from goclaw.sessions.cut import is_trim_due
from goclaw.sessions.new_turn import NewTurn, checked_session_id, checked_turn
from goclaw.sessions.session_jobs import job_for
from goclaw.settings.settings import Settings
from goclaw.storage import jobs, session_turns, sessions
from goclaw.storage.database import Database, Reader, Unit
from goclaw.storage.sessions import Growth

MAX_TURNS_AT_ONCE = 200
EXTRACTION_PAUSE_S = 60  # facts are looked for when a conversation rests, not after each of its words


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of the turns."""

    session: Session
    numbers: tuple[int, ...]  # of the turns, in their order; also of those that were there already
    added: int  # how many were new


@dataclass(frozen=True, slots=True)
class TurnRecorder:
    """Writes conversations down."""

    database: Database
    clock: Clock
    ids: IdMaker
    settings: Settings
    window_tokens: int  # of the model that is given the conversation
    wake: Callable[[], None]
    asks_for_facts: bool = field(default=False)  # whether there is a model that looks for them

    def record(
        self,
        principal: Principal,
        session_id: str,
        turns: Iterable[NewTurn],
        *,
        channel: Channel | None = None,
        chat_kind: ChatKind | None = None,
    ) -> Recorded:
        """Append turns to a conversation, which begins with its first one; durable when this returns.

        Without ``channel`` and ``chat_kind`` the conversation is the principal's own; with a channel it is the room's
        unless ``chat_kind`` says ``dm``. A message with a ``message_id`` that is there already is not added again.

        Raises Unauthenticated, AccessDenied, InvalidInput, and Conflict where a message id belongs to another text.
        """
        name = checked_session_id(session_id)
        said = self._checked(turns)
        kind = chat_kind or (ChatKind.GROUP if channel else ChatKind.DIRECT)
        home = home_for(principal, channel, kind)
        fresh = self._fresh_session(principal, name, home, channel, kind)
        recorded = self.database.write(lambda unit: self._append(unit, principal, fresh, said))
        if recorded.added:
            self.wake()
        return recorded

    def _checked(self, turns: Iterable[NewTurn]) -> Sequence[NewTurn]:
        said = list(turns)
        if not said or len(said) > MAX_TURNS_AT_ONCE:
            raise InvalidInput(f"{len(said)} turns at once.", f"Send 1 to {MAX_TURNS_AT_ONCE}.")
        return [checked_turn(turn, self.settings.memory.max_content_chars) for turn in said]

    def _fresh_session(
        self, principal: Principal, name: str, home: str, channel: Channel | None, kind: ChatKind
    ) -> Session:
        now = self.clock.now()
        return Session(
            key=self.ids.new_id(),
            session_id=name,
            workspace_id=principal.workspace_id,
            home=home,
            agent_id=principal.own_agent_id,
            chat_kind=kind,
            run_kind=principal.run_kind,
            channel_kind=channel.kind if channel else None,
            channel_id=channel.id if channel else None,
            thread_id=channel.thread_id if channel else None,
            participants=(),
            is_unverified=False,
            turns=0,
            first_kept=1,
            kept_chars=0,
            extracted_to=0,
            summary=None,
            created_at=now,
            updated_at=now,
        )

    def _append(self, unit: Unit, principal: Principal, fresh: Session, said: Sequence[NewTurn]) -> Recorded:
        session = _found_or_made(unit, fresh)
        is_tainted = _runs_tainted(unit, session)
        numbers: list[int] = []
        added: list[SessionTurn] = []
        for turn in said:
            known = _known(unit, session, turn)
            if known is not None:
                numbers.append(known)
                continue
            is_tainted = turn.comes_from_outside or (is_tainted and turn.role is not TurnRole.USER)
            number = session.turns + len(added) + 1
            added.append(self._turn(principal, session, turn, number, is_tainted))
            numbers.append(number)
        if added:
            session_turns.add(unit, session.key, added)
            session = self._grown(unit, principal, session, added)
        return Recorded(session, tuple(numbers), len(added))

    def _turn(
        self, principal: Principal, session: Session, turn: NewTurn, number: int, is_tainted: bool
    ) -> SessionTurn:
        is_person = turn.role is TurnRole.USER
        from_outside = is_person and principal.run_kind is RunKind.WEBHOOK
        channel = f"{session.channel_kind}:{session.channel_id}" if session.channel_id else None
        return SessionTurn(
            number=number,
            role=turn.role,
            speaker=_speaker(principal, turn),
            user_id=principal.person_id if is_person else None,
            content=turn.content,
            created_at=self.clock.now() if turn.occurred_at is None else turn.occurred_at,
            channel=channel,
            tool_calls=turn.tool_calls,
            tool_call_id=turn.tool_call_id,
            is_tainted=is_tainted or from_outside,
            recorded_by=principal.actor_id,
            message_id=turn.message_id,
        )

    def _grown(self, unit: Unit, principal: Principal, session: Session, added: Sequence[SessionTurn]) -> Session:
        people = [turn.user_id for turn in added if turn.user_id]
        has_stranger = any(turn.role is TurnRole.USER and turn.user_id is None for turn in added)
        grown = replace(
            session,
            turns=added[-1].number,
            kept_chars=session.kept_chars + sum(length_of(turn) for turn in added),
            participants=tuple(dict.fromkeys((*session.participants, *people))),
            is_unverified=session.is_unverified or has_stranger or any(turn.is_tainted for turn in added),
            updated_at=max(session.updated_at, self.clock.now()),
        )
        sessions.grow(
            unit,
            grown.key,
            Growth(
                turns=grown.turns,
                kept_chars=grown.kept_chars,
                participants=grown.participants,
                is_unverified=grown.is_unverified,
                updated_at=grown.updated_at,
            ),
        )
        self._queue_what_follows(unit, grown, has_person=bool(people))
        return grown

    def _queue_what_follows(self, unit: Unit, session: Session, *, has_person: bool) -> None:
        now = self.clock.now()
        if is_trim_due(session, self.settings.memory.session, self.window_tokens):
            jobs.enqueue(unit, job_for(session, JobKind.TRIM_SESSION, now), now)
        if has_person and self.asks_for_facts:
            jobs.enqueue(unit, job_for(session, JobKind.EXTRACT_FACTS, now + EXTRACTION_PAUSE_S * SECOND), now)


def length_of(turn: SessionTurn) -> int:
    """What a turn takes of the model's window, in characters."""
    return len(turn.content) + sum(len(call.name) + len(str(dict(call.arguments))) for call in turn.tool_calls)


def _found_or_made(unit: Unit, fresh: Session) -> Session:
    found = sessions.find(unit, fresh.workspace_id, (fresh.home,), fresh.session_id)
    if found is None and sessions.add(unit, fresh):
        return fresh
    found = found or sessions.find(unit, fresh.workspace_id, (fresh.home,), fresh.session_id)
    assert found is not None, "somebody made it meanwhile"
    return sessions.get_locked(unit, found.key) or found


def _runs_tainted(unit: Unit, session: Session) -> bool:
    """Whether outside text came in since a person spoke last."""
    if not session.turns:
        return False
    last = session_turns.between(unit, session.key, session.turns)[0]
    return last.is_tainted and last.role is not TurnRole.USER


def _known(reader: Reader, session: Session, turn: NewTurn) -> int | None:
    if turn.message_id is None:
        return None
    known = session_turns.of_message(reader, session.key, turn.message_id)
    if known is None:
        return None
    if known.content not in (turn.content, session_turns.FORGOTTEN) or known.role is not turn.role:
        raise Conflict("That message id belongs to another message.", "Give each message an id of its own.")
    return known.number


def _speaker(principal: Principal, turn: NewTurn) -> str:
    if turn.role is TurnRole.USER:
        return principal.person_id or principal.agent_id or str(principal.run_kind)
    return turn.speaker or principal.agent_id or "assistant"
