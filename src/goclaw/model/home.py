"""Home: which conversations a principal may see, and where a new one is held. There is no read without it.

A conversation belongs to the person it was held with, to the room it was held in, or to the autonomous run that held
it. An administrator sees no more of other people's conversations than anybody else.
"""

from collections.abc import Mapping

from goclaw.model.errors import AccessDenied, InvalidInput, Unauthenticated
from goclaw.model.principal import Principal, canonical_id
from goclaw.model.session import Channel, ChatKind, actor_home, channel_home, person_home


def homes_of(principal: Principal) -> tuple[str, ...]:
    """The homes whose conversations the principal may see, its own first; none for an unknown identity."""
    if not principal.is_identified:
        return ()
    return (_own_home(principal), *(channel_home(channel_id) for channel_id in principal.channel_ids))


def home_for(principal: Principal, channel: Channel | None, chat_kind: ChatKind) -> str:
    """Where a new conversation of the principal is held.

    Raises Unauthenticated for an unknown identity, InvalidInput for a room without a channel, AccessDenied for a room
    the principal does not stand in.
    """
    if not principal.is_identified:
        raise Unauthenticated("Nobody is known to be speaking.", "Identify the person or use a key.")
    if chat_kind is ChatKind.DIRECT:
        return _own_home(principal)
    if channel is None:
        raise InvalidInput("A conversation of a group has a channel.", "Name its kind and id.")
    if channel.id not in principal.channel_ids:
        raise AccessDenied("You are not in that channel.", "Speak in a channel you are a member of, or alone.")
    return channel_home(channel.id)


def channel_of(channel: Channel | Mapping[str, str | None] | None) -> Channel | None:
    """A channel out of a mapping of its fields, in its plain form, or InvalidInput."""
    if channel is None:
        return None
    if isinstance(channel, Channel):
        kind, channel_id, thread_id = channel.kind, channel.id, channel.thread_id
    elif isinstance(channel, Mapping) and channel.get("kind") and channel.get("id"):
        kind, channel_id, thread_id = channel["kind"] or "", channel["id"] or "", channel.get("thread_id")
    else:
        raise InvalidInput("The channel has no kind or no id.", 'Write {"kind": "discord", "id": "general"}.')
    thread = None if thread_id is None else canonical_id(thread_id, "channel.thread_id")
    return Channel(canonical_id(kind, "channel.kind"), canonical_id(channel_id, "channel.id"), thread)


def _own_home(principal: Principal) -> str:
    if principal.person_id is not None:
        return person_home(principal.person_id)
    return actor_home(principal.actor_id)
