"""Listeners: who hears the answer, and so what of memory may be shown (the seed's group privacy, engine.md 2.20).

A conversation with one person shows that person's own memory. In a room, what is injected shapes answers that everybody
in it reads: no personal records for the whole session, the speaker's own only with the message and only where
``memory.group.personal`` is on, and of shared memory only what every member of the room may read. Autonomous runs and
unknown senders have no person whose memory could be shown.
"""

from dataclasses import dataclass

from goclaw.model.namespace import NamespaceState
from goclaw.model.principal import Principal
from goclaw.model.session import Channel, ChatKind
from goclaw.storage import channels
from goclaw.storage.database import Reader

ROOM = "others listen in this room"
NO_PERSON = "nobody's personal memory belongs to this run"
UNKNOWN = "nobody is known to be asking"


@dataclass(frozen=True, slots=True)
class Listeners:
    """What may be shown."""

    shows_memory: bool = True  # anything at all
    shows_personal_in_session: bool = True  # RECENT MEMORY
    shows_personal_with_message: bool = True  # PERSONAL MEMORY
    shows_previous_context: bool = True
    names_one_person: bool = True  # the session's part may speak of the current user
    why: str = ""  # what is not shown is not


# Rows of the table person x kind of channel x kind of run, the first that fits.
_NOBODY = Listeners(False, False, False, False, False, UNKNOWN)
_AUTONOMOUS = Listeners(True, False, False, False, False, NO_PERSON)
_ALONE = Listeners()
_IN_A_ROOM = Listeners(True, False, False, True, False, ROOM)
_IN_A_ROOM_THAT_ALLOWS = Listeners(True, False, True, True, False, ROOM)


def listeners_of(principal: Principal, chat_kind: ChatKind, *, group_personal: bool) -> Listeners:
    """What may be shown to this principal in this kind of conversation."""
    if not principal.is_identified:
        return _NOBODY
    if principal.person_id is None:
        return _AUTONOMOUS
    if chat_kind is ChatKind.DIRECT:
        return _ALONE
    return _IN_A_ROOM_THAT_ALLOWS if group_personal else _IN_A_ROOM


@dataclass(frozen=True, slots=True)
class Earshot:
    """Whose memory may be told where a conversation is held; a filter of namespaces for searches in a turn."""

    listeners: Listeners
    chat_kind: ChatKind
    channel: Channel | None
    workspace_id: str

    def __call__(self, reader: Reader, states: list[NamespaceState]) -> list[NamespaceState]:
        """The namespaces whose records everybody who listens may hear."""
        if not self.listeners.shows_memory:
            return []
        channel_id = self.channel.id if self.channel else None
        project = channels.project_of(reader, self.workspace_id, channel_id) if channel_id else ""
        own = [state for state in states if state.namespace.owner_user_id]
        shared = shared_states(states, self.chat_kind, channel_id, project)
        return [*shared, *(own if self.listeners.shows_personal_with_message else [])]


def shared_states(
    states: list[NamespaceState], chat_kind: ChatKind, channel_id: str | None, project_id: str
) -> list[NamespaceState]:
    """The namespaces of nobody in particular that everybody who listens may read.

    In a room: those of the workspace and the organization, of the room's project (``project_id``, '' where it lies in
    none) and of the room itself; what the speaker alone may read of other projects and channels stays out.
    """
    shared = [state for state in states if not state.namespace.owner_user_id]
    if chat_kind is ChatKind.DIRECT:
        return shared
    return [
        state
        for state in shared
        if state.namespace.project_id in ("", project_id) and state.namespace.channel_id in ("", channel_id or "")
    ]
