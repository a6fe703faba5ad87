"""Readable: the set of namespaces a principal may read, with their counters. Every read is given this set."""

from goclaw.model.access import Reading, WriteAccess, may_read
from goclaw.model.namespace import NamespaceState
from goclaw.model.principal import Principal
from goclaw.storage import namespaces
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
    return [each for each in candidates if may_read(principal, each.namespace, write_access, reading)]
