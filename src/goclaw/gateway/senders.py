"""Senders: who speaks where a chat program's bridge hands over what others said.

A bridge is a job key of kind webhook, named after its channel kind (``discord``): it alone may name a sender, and only
of its own kind. A paired sender speaks as their person, with the rights that person has now; an unknown one as an
autonomous run, which has no personal memory and leaves the conversation unverified.
"""

from dataclasses import dataclass

from goclaw.gateway.pairing import PairingBook
from goclaw.model.errors import AccessDenied
from goclaw.model.principal import Principal, RunKind, canonical_id
from goclaw.model.session import Channel
from goclaw.storage import channels, standing
from goclaw.storage.database import Database, Reader


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks."""

    principal: Principal
    pairing_code: str | None = None  # to be told to an unknown sender, who may ask an administrator for approval


@dataclass(frozen=True, slots=True)
class Senders:
    """Finds the principal behind a sender."""

    database: Database
    pairings: PairingBook

    def speaker(
        self, bridge: Principal, sender_id: str, sender_name: str, channel: Channel | None, *, is_room: bool
    ) -> Speaker:
        """Whose turn it is. Raises AccessDenied where the key is no bridge, or the channel is not one of its own."""
        if bridge.run_kind is not RunKind.WEBHOOK or bridge.agent_id is None:
            raise AccessDenied("Only the bridge of a chat program names senders.", "Leave sender out: the key says it.")
        if channel is None or channel.kind != bridge.agent_id:
            raise AccessDenied("A bridge speaks for its own kind of channel.", f"Use channel.kind {bridge.agent_id}.")
        if bridge.channel_ids and channel.id not in bridge.channel_ids:
            raise AccessDenied("This key does not open that channel.", "Use a channel it names.")
        canonical_id(sender_id, "sender.id")
        workspace = bridge.workspace_id
        person = self.pairings.person_of(workspace, channel.kind, sender_id)
        with self.database.read() as reader:
            standing_now = None if person is None else standing.of_person(reader, workspace, person)
            opened = _opened(reader, workspace, channel, standing_now, is_room=is_room)
        if person is None or standing_now is None:
            code = self.pairings.ask(workspace, channel.kind, sender_id, sender_name).code
            stranger = Principal(
                None,
                roles=(),
                workspace_id=workspace,
                run_kind=RunKind.WEBHOOK,
                agent_id=f"{channel.kind}:{sender_id}"[:200],
                channel_ids=opened,
            )
            return Speaker(stranger, code)
        return Speaker(
            Principal(
                person,
                roles=standing_now.roles,
                workspace_id=workspace,
                project_ids=standing_now.project_ids,
                channel_ids=tuple(dict.fromkeys((*standing_now.channel_ids, *opened))),
            )
        )


def _opened(
    reader: Reader, workspace_id: str, channel: Channel, person: standing.Standing | None, *, is_room: bool
) -> tuple[str, ...]:
    """The room somebody speaks in opens to them, unless it has a list of members that they are not on."""
    if not is_room:
        return ()
    is_member = person is not None and channel.id in person.channel_ids
    return () if channel.id in channels.managed_ids(reader, workspace_id) and not is_member else (channel.id,)
