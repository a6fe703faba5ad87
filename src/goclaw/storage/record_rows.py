"""How a memory record lies in its row: one line a column, read both ways."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Any

from goclaw.model.clock import from_us, to_us
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import ActorKind
from goclaw.model.provenance import Provenance, SourceRef
from goclaw.model.record import Kind, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.storage.database import Row
from goclaw.storage.namespaces import namespace_of


@dataclass(frozen=True, slots=True)
class Place:
    """Where a field of the record lies, and how it is written and read (None: as it is). NULL is never converted."""

    field: str
    column: str
    write: Callable[[Any], Any] | None = None
    read: Callable[[Any], Any] | None = None


def _as_is(name: str) -> Place:
    return Place(name, name)


class _Words(dict[str, StrEnum]):
    """An enum's members by their words: looked up in a quarter of the time that the enum itself takes."""

    def __init__(self, words: type[StrEnum]) -> None:
        super().__init__((word.value, word) for word in words)
        self._words = words

    def __missing__(self, word: str) -> StrEnum:
        return self._words(word)  # raises ValueError


def _word(name: str, words: type[StrEnum], column: str | None = None) -> Place:
    return Place(name, column or name, attrgetter("value"), _Words(words).__getitem__)


def _time(name: str) -> Place:
    return Place(name, name, to_us, from_us)


def _write_json(value: Any) -> str | None:
    """Nothing for an empty list or object: most are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else None


def _write_refs(refs: tuple[SourceRef, ...]) -> str | None:
    return _write_json([ref.as_dict() for ref in refs])


def uri_as_written(uri: str) -> str:
    """How a source's uri stands in the column ``source_refs``. No title can look like it: its quotes are escaped."""
    return f'"uri":{json.dumps(uri, ensure_ascii=False)}'


def _read_refs(text: str) -> tuple[SourceRef, ...]:
    return tuple(SourceRef(**ref) for ref in json.loads(text))


# After id and namespace_id, in the order of schema.MEMORIES.
PLACES = (
    _word("kind", Kind),
    _as_is("domain"),
    _as_is("content"),
    _as_is("summary"),
    _as_is("content_hash"),
    _word("lifecycle", Lifecycle),
    _word("provenance", Provenance, "provenance_status"),
    _word("review_status", ReviewStatus),
    _word("restricted_from", ReviewStatus),
    _as_is("confidence"),
    Place("flags", "flags", _write_json, lambda text: tuple(json.loads(text))),
    Place("metadata", "metadata", lambda value: _write_json(dict(value)), json.loads),
    Place("source_refs", "source_refs", _write_refs, _read_refs),
    _as_is("external_ref"),
    _as_is("session_id"),
    _as_is("turn"),
    _as_is("speaker"),
    _time("occurred_at"),
    _as_is("actor_id"),
    _word("actor_kind", ActorKind),
    _as_is("agent_id"),
    _as_is("on_behalf_of"),
    _time("created_at"),
    _time("updated_at"),
    _time("last_confirmed_at"),
    _time("last_seen_at"),
    _time("stale_after"),
    _time("expires_at"),
    _as_is("version"),
)
_WRITE = tuple((place.field, place.write) for place in PLACES)
_READ = tuple((place.field, place.read) for place in PLACES)


def to_row(record: MemoryRecord) -> tuple[Any, ...]:
    """The values of :data:`PLACES`, in their order."""
    values = [(getattr(record, field), write) for field, write in _WRITE]
    return tuple([value if write is None or value is None else write(value) for value, write in values])


def to_record(row: Row, tags: tuple[str, ...]) -> MemoryRecord:
    """The record of a row: id, namespace_id, :data:`PLACES`, then the five columns that name the namespace."""
    fields = {
        field: value if read is None else read(value)
        for (field, read), value in zip(_READ, row[2:-5], strict=True)
        if value is not None
    }
    return MemoryRecord(
        id=row[0],
        namespace=namespace_of(*row[-5:]),
        tags=tags,
        **fields,
    )
