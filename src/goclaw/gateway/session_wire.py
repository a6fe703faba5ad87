"""Session wire: conversations and contexts as JSON."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from goclaw.context.assemble import Context
from goclaw.gateway.session_shapes import TurnShape
from goclaw.gateway.wire import moment_json
from goclaw.model.clock import from_us, to_us
from goclaw.model.session import Channel, ConversationReceipt, Session, SessionTurn, TurnRole, TurnToolCall
from goclaw.sessions.new_turn import NewTurn
from goclaw.sessions.read_session import SessionPage, Transcript
from goclaw.sessions.record_turn import Recorded
from goclaw.turn.answer import ChatAnswer


def session_json(session: Session) -> dict[str, Any]:
    """A conversation; its key in the store is nobody's business."""
    channel = None
    if session.channel_id and session.channel_kind:
        channel = asdict(Channel(session.channel_kind, session.channel_id, session.thread_id))
    return {
        "session_id": session.session_id,
        "chat_kind": session.chat_kind,
        "run_kind": session.run_kind,
        "channel": channel,
        "agent_id": session.agent_id,
        "participants": list(session.participants),
        "trust": "unverified" if session.is_unverified else "confirmed",
        "turns": session.turns,
        "first_kept": session.first_kept,
        "summary": session.summary,
        "created_at": moment_json(from_us(session.created_at)),
        "updated_at": moment_json(from_us(session.updated_at)),
    }


def turn_json(turn: SessionTurn) -> dict[str, Any]:
    """A turn as it is kept."""
    return {
        "number": turn.number,
        "role": turn.role,
        "speaker": turn.speaker,
        "user_id": turn.user_id,
        "content": turn.content,
        "created_at": moment_json(from_us(turn.created_at)),
        "channel": turn.channel,
        "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in turn.tool_calls
        ],
        "tool_call_id": turn.tool_call_id,
        "is_tainted": turn.is_tainted,
        "recorded_by": turn.recorded_by,
        "message_id": turn.message_id,
    }


def turns_json(session: Session, turns: Iterable[SessionTurn]) -> dict[str, Any]:
    return {"session": session_json(session), "turns": [turn_json(turn) for turn in turns]}


def sessions_json(page: SessionPage) -> dict[str, Any]:
    return {"sessions": [session_json(each) for each in page.sessions], "next_cursor": page.next_cursor}


def recorded_json(recorded: Recorded, pairing_code: str | None) -> dict[str, Any]:
    return {
        "session": session_json(recorded.session),
        "numbers": list(recorded.numbers),
        "added": recorded.added,
        "skipped": len(recorded.numbers) - recorded.added,
        "pairing_code": pairing_code,
    }


def transcript_json(transcript: Transcript) -> dict[str, Any]:
    archives = [
        {
            "from_turn": archive.from_turn,
            "to_turn": archive.to_turn,
            "file": archive.file,
            "sha256": archive.body_sha256,
            "created_at": moment_json(from_us(archive.created_at)),
        }
        for archive in transcript.archives
    ]
    return {**turns_json(transcript.session, transcript.turns), "archives": archives}


def context_json(context: Context, pairing_code: str | None = None) -> dict[str, Any]:
    return {**asdict(context), "pairing_code": pairing_code}


def forgotten_json(receipt: ConversationReceipt) -> dict[str, Any]:
    return {**asdict(receipt), "forgotten_at": moment_json(receipt.forgotten_at)}


def chat_json(answer: ChatAnswer, pairing_code: str | None) -> dict[str, Any]:
    return {**asdict(answer), "pairing_code": pairing_code}


def new_turn(shape: TurnShape) -> NewTurn:
    """A turn as the memory takes it."""
    return NewTurn(
        role=TurnRole(shape.role),
        content=shape.content,
        speaker=shape.speaker,
        occurred_at=None if shape.occurred_at is None else to_us(shape.occurred_at),
        tool_calls=tuple(TurnToolCall(call.id, call.name, call.arguments) for call in shape.tool_calls),
        tool_call_id=shape.tool_call_id,
        is_tainted=shape.is_tainted,
        message_id=shape.message_id,
    )
