"""Answer: one turn of the agent, from the person's message to the recorded answer.

The message is durable before the model is asked, and each step after it. Facts are looked for later, by a job. A
message that was answered already, by its ``message_id``, is answered with the same words and asks no model.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from goclaw.context.assemble import ContextAssembler
from goclaw.context.listeners import Earshot, listeners_of
from goclaw.ingest.prefixes import read_prefix
from goclaw.llm.provider import ChatModel, Usage
from goclaw.model.errors import InvalidInput, ModelMissing
from goclaw.model.home import channel_of
from goclaw.model.principal import Principal, RunKind
from goclaw.model.session import Channel, Session, SessionTurn, TurnRole
from goclaw.sessions.conversations import Conversations
from goclaw.sessions.cut import first_to_keep, largest_chars
from goclaw.sessions.new_turn import NewTurn
from goclaw.sessions.record_turn import length_of
from goclaw.storage import session_turns
from goclaw.turn.memory_commands import MemoryCommands
from goclaw.turn.messages import messages_of
from goclaw.turn.tool_loop import Answer, ToolLoop, ToolUse
from goclaw.turn.tools import Call, ToolBox

DEFAULT_AGENT = "goclaw"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """What a turn ended with."""

    session_id: str
    text: str
    turn: int  # number of the person's message
    trace_id: str | None  # of what memory gave; None for a message to memory itself
    usage: Usage
    was_answered_before: bool = False


@dataclass(frozen=True, slots=True)
class AgentTurns:
    """Answers messages. ``model`` is None where none is configured: then only messages to memory are answered."""

    model: ChatModel | None
    contexts: ContextAssembler
    conversations: Conversations
    commands: MemoryCommands
    tools: ToolBox

    def answer(
        self,
        principal: Principal,
        session_id: str,
        message: str,
        *,
        channel: Channel | Mapping[str, str | None] | None = None,
        chat_kind: str | None = None,
        message_id: str | None = None,
    ) -> Iterator[str | ToolUse | ChatAnswer]:
        """Pieces of the answer as they come, and the tools that are used; the last item is the whole answer.

        Raises ModelMissing before anything is recorded, and a ProviderError where the model does not answer: the
        message is recorded then, and the same ``message_id`` asks again.
        """
        if not isinstance(message, str) or not message.strip():
            raise InvalidInput("There is no message.", "Say something.")
        said = read_prefix(message)
        if said is None and self.model is None:
            raise ModelMissing("No model is configured.", "Set ai.model.provider and ai.model.name.")
        place = channel_of(channel)
        turn = NewTurn(role=TurnRole.USER, content=message, message_id=message_id)
        recorded = self.conversations.record(principal, session_id, [turn], channel=place, chat_kind=chat_kind)
        number = recorded.numbers[0]
        known = self._known_answer(recorded.session, number) if not recorded.added else None
        if known is not None:
            yield known
        elif said is not None:
            text = self.commands.obey(principal, said, session_id=session_id, turn=number)
            self._record(principal, recorded.session, [NewTurn(role=TurnRole.ASSISTANT, content=text)])
            yield ChatAnswer(session_id=session_id, text=text, turn=number, trace_id=None, usage=Usage())
        else:
            yield from self._ask(principal, recorded.session, number, message)

    def _ask(
        self, principal: Principal, session: Session, number: int, message: str
    ) -> Iterator[str | ToolUse | ChatAnswer]:
        assert self.model is not None, "checked before anything was recorded"
        context = self.contexts.assemble(
            principal, session.session_id, message, channel=_channel(session), chat_kind=session.chat_kind
        )
        turns = self._history(session, number)
        messages = messages_of(context, session, turns, takes_late_system=self.model.takes_late_system)
        settings = self.contexts.recaller.settings.memory
        listeners = listeners_of(principal, session.chat_kind, group_personal=settings.group.personal)
        call = Call(
            principal=_agent_for(principal, session),
            session_id=session.session_id,
            turn=number,
            is_tainted=turns[-1].is_tainted,
            within=Earshot(listeners, session.chat_kind, _channel(session), session.workspace_id),
        )
        loop = ToolLoop(self.model, self.tools, lambda said: self._record(principal, session, said))
        for piece in loop.run(messages, call):
            if isinstance(piece, Answer):
                yield ChatAnswer(
                    session_id=session.session_id,
                    text=piece.text,
                    turn=number,
                    trace_id=context.trace_id,
                    usage=piece.usage,
                )
            else:
                yield piece

    def _history(self, session: Session, number: int) -> list[SessionTurn]:
        """What was said up to the person's message, as far as the model's window takes it.

        Trimming is a job: where it is not done yet, or a model with a smaller window is asked, less is sent.
        """
        assert self.model is not None, "checked before anything was recorded"
        settings = self.contexts.recaller.settings.memory.session
        with self.contexts.recaller.database.read() as reader:
            turns = session_turns.between(reader, session.key, session.first_kept, number)
        window = self.model.window_tokens
        if sum(map(length_of, turns)) <= largest_chars(settings, window):
            return turns
        first = first_to_keep(turns, settings, window, length_of)
        return [turn for turn in turns if first is None or turn.number >= first]

    def _record(self, principal: Principal, session: Session, said: list[NewTurn]) -> None:
        agent = session.agent_id or DEFAULT_AGENT
        named = [turn if turn.speaker else replace(turn, speaker=agent) for turn in said]
        self.conversations.record(
            principal, session.session_id, named, channel=_channel(session), chat_kind=session.chat_kind
        )

    def _known_answer(self, session: Session, number: int) -> ChatAnswer | None:
        """The answer that this message has already, or None: then it is asked again."""
        with self.contexts.recaller.database.read() as reader:
            later = session_turns.between(reader, session.key, number + 1)
        for turn in later:
            if turn.role is TurnRole.USER:
                return None
            if turn.role is TurnRole.ASSISTANT and not turn.tool_calls:
                return ChatAnswer(
                    session_id=session.session_id,
                    text=turn.content,
                    turn=number,
                    trace_id=None,
                    usage=Usage(),
                    was_answered_before=True,
                )
        return None


def _channel(session: Session) -> Channel | None:
    if session.channel_kind is None or session.channel_id is None:
        return None
    return Channel(session.channel_kind, session.channel_id, session.thread_id)


def _agent_for(principal: Principal, session: Session) -> Principal:
    """As whom tools are called: the agent that acts for the person who spoke; a job is itself."""
    if principal.run_kind is not RunKind.PERSON or principal.user_id is None:
        return principal
    return replace(principal, run_kind=RunKind.AGENT, agent_id=session.agent_id or DEFAULT_AGENT)
