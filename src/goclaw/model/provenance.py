"""Provenance: where a memory came from (the second seed's seven statuses), and the sources it points to."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from goclaw.model.errors import InvalidInput


class Provenance(StrEnum):
    """What a record claims to be; given by code from the authenticated principal, never by the request."""

    OBSERVED = "observed"  # extracted from a source artifact, message, log or document
    INFERRED = "inferred"  # concluded by a model from observed evidence
    USER_CONFIRMED = "user_confirmed"  # confirmed or corrected by a human
    IMPORTED = "imported"  # migrated from a trusted system or file
    GENERATED = "generated"  # created by an agent during task execution
    SUPERSEDED = "superseded"  # replaced by newer memory
    DISPUTED = "disputed"  # flagged or conflicting

    @property
    def status(self) -> "Provenance":
        """The same word under the name the published contract gives it (``provenance.status``)."""
        return self


CLAIMABLE = frozenset(Provenance) - {Provenance.SUPERSEDED, Provenance.DISPUTED}
# Only these two can carry an instruction; everything else is evidence at best.
INSTRUCTION_GRADE = frozenset({Provenance.USER_CONFIRMED, Provenance.IMPORTED})
# What to prefer when two memories contradict each other, most trusted first (governance.md 6).
TRUST_ORDER = (
    Provenance.USER_CONFIRMED,
    Provenance.IMPORTED,
    Provenance.OBSERVED,
    Provenance.INFERRED,
    Provenance.GENERATED,
    Provenance.SUPERSEDED,
    Provenance.DISPUTED,
)


@dataclass(frozen=True, slots=True)
class SourceRef:
    """A pointer to the artifact a memory rests on."""

    kind: str  # issue, message, document, log, commit, ...
    uri: str | None = None
    title: str | None = None
    timestamp: str | None = None  # ISO 8601, as the source gives it

    @classmethod
    def of(cls, value: "SourceRef | Mapping[str, str | None]") -> "SourceRef":
        """A reference from itself or from a mapping of its fields."""
        if isinstance(value, SourceRef):
            return value
        if not isinstance(value, Mapping):
            raise InvalidInput("A source reference is no mapping.", "Give its kind, and uri, title or timestamp.")
        unknown = set(value) - {"kind", "uri", "title", "timestamp"}
        kind = value.get("kind")
        if unknown or not kind:
            raise InvalidInput(
                "A source reference is incomplete or has unknown fields.",
                "It has kind (required), uri, title and timestamp.",
            )
        return cls(kind, value.get("uri"), value.get("title"), value.get("timestamp"))

    def as_dict(self) -> dict[str, str | None]:
        return {"kind": self.kind, "uri": self.uri, "title": self.title, "timestamp": self.timestamp}
