"""Readable: the set of namespaces a principal may read, with their counters. Every read is given this set."""

from collections.abc import Iterable

from goclaw.model.access import NO_MANAGED_CHANNELS, ManagedChannels, Reading, WriteAccess, may_read
from goclaw.model.namespace import NamespaceState
from goclaw.model.principal import Principal
from goclaw.storage import channels, namespaces
from goclaw.storage.database import Reader


def readable_states(
    reader: Reader, principal: Principal, write_access: WriteAccess, reading: Reading
) -> list[NamespaceState]:
    """One indexed look-up, then the rules of ``model/access.py``; empty for an unknown identity."""
    if not principal.is_identified:
        return []
    candidates = namespaces.candidates(
        reader, principal.workspace_id, principal.person_id, principal.project_ids, principal.channel_ids
    )
    managed = managed_channels(reader, principal.workspace_id, candidates)
    return [each for each in candidates if may_read(principal, each.namespace, write_access, reading, managed)]


def managed_channels(reader: Reader, workspace_id: str, states: Iterable[NamespaceState]) -> ManagedChannels:
    """The workspace's channels with members of their own; not looked up where no namespace is a channel's."""
    if not any(state.namespace.channel_id for state in states):
        return NO_MANAGED_CHANNELS
    return ManagedChannels(channels.managed_ids(reader, workspace_id))
