"""Write an archive: the turns that a model is given no more, as a file that people can read and replay can parse."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from goclaw.governance.secret_scan import redact
from goclaw.model.session import Session, SessionTurn
from goclaw.workspace.archive import ArchiveHead, WrittenArchive, write_archive
from goclaw.workspace.folder import WorkspaceFolder

FolderOf = Callable[[str, "str | None"], WorkspaceFolder]


@dataclass(frozen=True, slots=True)
class ArchiveWriter:
    """Writes archives into the folder of the conversation's agent."""

    folder_of: FolderOf

    def write(self, session: Session, turns: Sequence[SessionTurn]) -> WrittenArchive:
        """The file, on the disk when this returns. The same turns written again give the same file."""
        clean = [_without_secrets(turn) for turn in turns]
        return write_archive(self.folder_of(session.workspace_id, session.agent_id), _head(session, turns), clean)


def _head(session: Session, turns: Sequence[SessionTurn]) -> ArchiveHead:
    return ArchiveHead(
        session_id=session.session_id,
        session_key=session.key,
        channel=f"{session.channel_kind}:{session.channel_id}" if session.channel_id else None,
        chat_kind=session.chat_kind,
        participants=session.participants,
        agent_id=session.agent_id,
        from_turn=turns[0].number,
        to_turn=turns[-1].number,
        is_unverified=session.is_unverified,
        closed_at=turns[-1].created_at,
    )


def _without_secrets(turn: SessionTurn) -> SessionTurn:
    """The turn with the kinds of secrets in place of the secrets, in what was said and in the arguments of calls."""
    calls = tuple(replace(call, arguments=_redacted(call.arguments)) for call in turn.tool_calls)
    return replace(turn, content=redact(turn.content), tool_calls=calls)


def _redacted(value: object) -> dict[str, object]:
    assert isinstance(value, dict), "arguments are a mapping"
    return {redact(name): _redacted_value(each) for name, each in value.items()}


def _redacted_value(value: object) -> object:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return _redacted(value)
    return [_redacted_value(each) for each in value] if isinstance(value, list) else value
