"""Ways: the two doors an evaluation goes through, Python and HTTP, so that both can be shown to rank alike."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from goclaw.bootstrap import open_memory
from goclaw.client import GatewayClient
from goclaw.evaluation.dataset import Item
from goclaw.evaluation.gateway_process import run_gateway
from goclaw.memory import Memory
from goclaw.model.errors import UnsafeContent
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord

PERSON = "evaluator"
WAIT_S = 600.0
POLL_S = 0.1
# Public conversations hold code and long quotes; secrets stay refused, and refused items count as misses.
OPEN_GUARD = {
    "governance.guard.large_code": "allow",
    "governance.guard.transcript": "allow",
    "governance.guard.data_dump": "allow",
}
# No cut and no gate: the ranking alone (engine.md 1, decision y). All records are seconds old, so time is left out too:
# the seconds between two writes would otherwise order what is equal, and two runs would differ by it.
RANKING_ONLY = {
    "memory.search.min_score": 0,
    "memory.search.min_similarity": -1,
    "memory.search.half_life_days": 0,
}


class Way(Protocol):
    """A store that can be filled and asked."""

    def write(self, item: Item) -> bool:
        """Remember a turn or note; False where the write guard refuses it."""
        ...

    def wait_until_indexed(self) -> None: ...

    def search(self, question: str, limit: int) -> list[str]:
        """Ids of items, best first, each once."""
        ...


class PythonWay:
    """The library in this process."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._person = Principal(PERSON)

    def write(self, item: Item) -> bool:
        try:
            self._memory.write(self._person, item.text, **_fields(item))
        except UnsafeContent:
            return False
        return True

    def wait_until_indexed(self) -> None:
        self._memory.wait_until_indexed(WAIT_S)

    def search(self, question: str, limit: int) -> list[str]:
        found = self._memory.search(self._person, question, limit=limit)
        return references([_sightings(hit.record) for hit in found.hits])


class HttpWay:
    """A gateway in another process."""

    def __init__(self, client: GatewayClient) -> None:
        self._client = client

    def write(self, item: Item) -> bool:
        try:
            self._client.write(item.text, **_fields(item))
        except UnsafeContent:
            return False
        return True

    def wait_until_indexed(self) -> None:
        deadline = time.monotonic() + WAIT_S
        while self._is_embedding() and time.monotonic() < deadline:
            time.sleep(POLL_S)

    def search(self, question: str, limit: int) -> list[str]:
        found = self._client.search(question, limit=limit)
        return references([(hit["record"]["external_ref"], hit["record"]["metadata"]) for hit in found["hits"]])

    def _is_embedding(self) -> bool:
        return any(self._client.jobs(kind="embed", state=state) for state in ("queued", "running"))


def _fields(item: Item) -> dict[str, Any]:
    """What both doors are told beside the text; a note has no turn, as it has no session."""
    return {
        "scope": "personal",
        "external_ref": item.id,
        "session_id": item.session,
        "turn": None if item.session is None else item.position,
        "speaker": item.speaker,
        "occurred_at": item.time,
        "kind": item.kind,
        "tags": list(item.tags),
        "domain": item.domain,
    }


def _sightings(record: MemoryRecord) -> tuple[str | None, Mapping[str, object]]:
    return record.external_ref, record.metadata


def references(records: Sequence[tuple[str | None, Mapping[str, object]]]) -> list[str]:
    """The items behind records: the same words said twice are one record that names both turns."""
    found: list[str] = []
    for reference, metadata in records:
        again = metadata.get("also_seen")
        later = [each.get("external_ref") for each in again] if isinstance(again, list) else []
        found += [each for each in (reference, *later) if each]
    return list(dict.fromkeys(found))


@contextmanager
def open_python(folder: Path, settings: Mapping[str, object]) -> Iterator[Way]:
    """A fresh store in ``folder``, used through the library."""
    with open_memory(folder, settings) as memory:
        yield PythonWay(memory)


@contextmanager
def open_http(folder: Path, settings: Mapping[str, object]) -> Iterator[Way]:
    """A fresh store in ``folder`` behind a gateway of its own, used through its routes."""
    with run_gateway(folder, settings, PERSON) as client:
        yield HttpWay(client)
