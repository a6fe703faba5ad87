"""Session routes: conversations and the context of a message. Each is seen by those who take part in it."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import Caller, CallerOf
from goclaw.gateway.memory_routes import ERRORS
from goclaw.gateway.pairing import PairingBook
from goclaw.gateway.senders import Senders, Speaker
from goclaw.gateway.session_shapes import (
    ContextRequest,
    ContextShape,
    ExportShape,
    ForgottenShape,
    Place,
    RecordedShape,
    SessionShape,
    SessionsQuery,
    SessionsShape,
    TurnsQuery,
    TurnsRequest,
    TurnsShape,
)
from goclaw.gateway.session_wire import (
    context_json,
    forgotten_json,
    new_turn,
    recorded_json,
    session_json,
    sessions_json,
    transcript_json,
    turns_json,
)
from goclaw.model.home import channel_of
from goclaw.model.session import Channel

router = APIRouter(prefix="/api", responses=ERRORS, tags=["sessions"])

SessionId = Annotated[str, Path(max_length=500)]


@router.get("/sessions", response_model=SessionsShape, summary="List conversations")
def list_sessions(caller: CallerOf, query: Annotated[SessionsQuery, Query()]) -> Response:
    """Your own and those of your rooms, last used first."""
    caller.must_be(query)
    return Answer(sessions_json(caller.memory.sessions.list(caller.principal, cursor=query.cursor, limit=query.limit)))


@router.get("/sessions/{session_id:path}/turns", response_model=TurnsShape, summary="Read turns")
def get_turns(caller: CallerOf, session_id: SessionId, query: Annotated[TurnsQuery, Query()]) -> Response:
    """What was said, from turn ``first`` on; also what was trimmed."""
    caller.must_be(query)
    session = caller.memory.sessions.get(caller.principal, session_id)
    turns = caller.memory.sessions.turns(caller.principal, session_id, first=query.first, limit=query.limit)
    return Answer(turns_json(session, turns))


@router.post("/sessions/{session_id:path}/turns", status_code=201, response_model=RecordedShape, summary="Append turns")
def append_turns(caller: CallerOf, session_id: SessionId, body: TurnsRequest) -> Response:
    """Durable when this answers. A conversation begins with its first turn; a known ``message_id`` is skipped."""
    caller.must_be(body)
    speaker = speaker_of(caller, body)
    recorded = caller.memory.sessions.record(
        speaker.principal,
        session_id,
        [new_turn(turn) for turn in body.turns],
        channel=channel_in(body),
        chat_kind=body.chat_kind,
    )
    return Answer(recorded_json(recorded, speaker.pairing_code), 201)


@router.get("/sessions/{session_id:path}/export", response_model=ExportShape, summary="Export a conversation")
def export_session(caller: CallerOf, session_id: SessionId) -> Response:
    """All of it, and the files in which its older turns are archived."""
    return Answer(transcript_json(caller.memory.sessions.export(caller.principal, session_id)))


@router.delete("/sessions/{session_id:path}", response_model=ForgottenShape, summary="Forget a conversation")
def forget_session(caller: CallerOf, session_id: SessionId) -> Response:
    """Erase it with its archives and its summary; what was learned from it stays. The receipt names backups."""
    return Answer(forgotten_json(caller.memory.sessions.forget(caller.principal, session_id)))


# behind the others: a name may hold a slash
@router.get("/sessions/{session_id:path}", response_model=SessionShape, summary="Read a conversation's head")
def get_session(caller: CallerOf, session_id: SessionId) -> Response:
    """Who takes part, how long it is, and the summary of what was trimmed."""
    return Answer(session_json(caller.memory.sessions.get(caller.principal, session_id)))


@router.post("/memory/context", response_model=ContextShape, summary="Context of a message", tags=["search"])
def context(caller: CallerOf, body: ContextRequest) -> Response:
    """What a model should be given of memory for this message: two parts, and a report of their budget."""
    caller.must_be(body)
    speaker = speaker_of(caller, body)
    found = caller.memory.context(
        speaker.principal, body.session_id, body.message, channel=channel_in(body), chat_kind=body.chat_kind
    )
    return Answer(context_json(found, speaker.pairing_code))


def speaker_of(caller: Caller, place: Place) -> Speaker:
    """Whose turn it is: the key's principal, or the sender that the bridge of a chat program names."""
    if place.sender is None:
        return Speaker(caller.principal)
    engine = caller.engine
    pairings = PairingBook(engine.loaded.paths.credentials, engine.database, engine.clock)
    is_room = place.chat_kind != "dm"
    senders = Senders(engine.database, pairings)
    return senders.speaker(caller.principal, place.sender.id, place.sender.name, channel_in(place), is_room=is_room)


def channel_in(place: Place) -> Channel | None:
    """The channel a request names, in its plain form."""
    return None if place.channel is None else channel_of(place.channel.model_dump())
