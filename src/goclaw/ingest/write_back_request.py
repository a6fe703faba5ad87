"""Write-back request: the shape in which agents hand in what they learned (the published contract, governance.md 4)."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from goclaw.model.provenance import SourceRef
from goclaw.model.record import Kind
from goclaw.model.visibility import Visibility
from goclaw.text.contract import ContractShape, one_of, read_request, unknown_keys

FAMILIES = ("openbrain.agent_memory", "openbrain.openclaw", "goclaw.agent_memory")
SCHEMA_VERSIONS = tuple(f"{family}.writeback.v1" for family in FAMILIES)
_VERSIONS = Field(json_schema_extra={"enum": [*SCHEMA_VERSIONS]})
# Taken from published clients and ignored: who writes comes from the key.
IGNORED = frozenset({"actor_id", "actor_label", "reviewer"})

Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Label = Annotated[str, StringConstraints(max_length=500)]
OPENNESS = ("none", "private", "shared", "restricted")
Texts = Annotated[list[Text], Field(default_factory=list, max_length=100)]


class Channel(ContractShape):
    kind: Label = ""
    id: Label | None = None
    thread_id: Label | None = None


class Runtime(ContractShape):
    name: Label = ""
    version: Label | None = None


class ModelUsed(ContractShape):
    provider: Label
    model: Label
    role: Label


class Source(ContractShape):
    kind: Label
    uri: str | None = None
    title: str | None = None
    timestamp: str | None = None

    def as_ref(self) -> SourceRef:
        return SourceRef(self.kind, self.uri, self.title, self.timestamp)


class Artifact(ContractShape):
    kind: Label
    uri: Text
    description: Text | None = None


class Payload(ContractShape):
    """What is handed in: one record per entry."""

    decisions: Texts
    outputs: Texts
    lessons: Texts
    constraints: Texts
    unresolved_questions: Texts
    next_steps: Texts
    failures: Texts
    artifacts: Annotated[list[Artifact], Field(default_factory=list, max_length=100)]
    entities: dict[str, list[str]] = Field(default_factory=dict)


class ClaimedProvenance(ContractShape):
    default_status: Literal["observed", "inferred", "user_confirmed", "imported", "generated"] = "generated"
    confidence: float = Field(0.5, ge=0, le=1)
    requires_review: bool = True


class Retention(ContractShape):
    ttl_days: int | None = Field(None, ge=1, le=36_500)
    stale_after_days: int | None = Field(None, ge=1, le=36_500)


class Openings(ContractShape):
    """How far the writer wants the memory to travel: the widest that is ``shared``.

    Some published clients send words of their own here. They ask for nothing, and are reported.
    """

    workspace: Label = "private"
    project: Label = "none"
    channel: Label = "none"

    def widest(self) -> Visibility | None:
        """None where nothing is shared and not every word is known: that is left to the narrowest useful scope."""
        for level in (Visibility.WORKSPACE, Visibility.PROJECT, Visibility.CHANNEL):
            if getattr(self, level.value) == "shared":
                return level
        return None if self.unknown else Visibility.PERSONAL

    @property
    def unknown(self) -> tuple[str, ...]:
        """The levels whose word the contract does not have."""
        return tuple(level for level in ("workspace", "project", "channel") if getattr(self, level) not in OPENNESS)


class WriteBackRequest(ContractShape):
    """One write-back. Identity is not in it: that comes from the session."""

    schema_version: Annotated[str, one_of(*SCHEMA_VERSIONS), _VERSIONS]
    workspace_id: Name
    project_id: Name | None = None
    task_id: Label | None = None
    flow_id: Label | None = None
    step_id: Label | None = None
    idempotency_key: Name | None = None
    content_hash: Label | None = None
    channel: Channel = Channel()
    runtime: Runtime = Runtime()
    models_used: list[ModelUsed] = Field(default_factory=list, max_length=50)
    source_refs: list[Source] = Field(default_factory=list, max_length=50)
    memory_payload: Payload
    provenance: ClaimedProvenance = ClaimedProvenance()
    retention: Retention = Retention()
    visibility: Openings | None = None
    requested_visibility: Visibility | None = None
    recall_request_id: Label | None = None

    @property
    def wanted_visibility(self) -> Visibility | None:
        """What is asked for; None leaves it to the narrowest useful scope."""
        if self.requested_visibility is not None:
            return self.requested_visibility
        return self.visibility.widest() if self.visibility is not None else None

    @property
    def family(self) -> str:
        """The contract family the answer mirrors."""
        return self.schema_version.rsplit(".writeback.", 1)[0]

    def entries(self) -> Iterator[tuple[Kind, str, Artifact | None]]:
        """One (kind, text, artifact) per record to store, in the contract's order."""
        payload = self.memory_payload
        for name, kind in ENTRY_KINDS.items():
            for text in getattr(payload, name):
                yield kind, text, None
        for artifact in payload.artifacts:
            yield Kind.ARTIFACT_REFERENCE, artifact.description or artifact.uri, artifact


ENTRY_KINDS = {
    "decisions": Kind.DECISION,
    "outputs": Kind.OUTPUT,
    "lessons": Kind.LESSON,
    "constraints": Kind.CONSTRAINT,
    "unresolved_questions": Kind.OPEN_QUESTION,
    "next_steps": Kind.WORK_LOG,
    "failures": Kind.FAILURE,
}


def read_write_back(request: Mapping[str, Any]) -> tuple[WriteBackRequest, tuple[str, ...]]:
    """The request, and warnings that name what was taken and not used. Raises InvalidInput."""
    shape = read_request(WriteBackRequest, request)
    warnings = [f"{key} is not part of the contract and was ignored." for key in unknown_keys(shape)]
    strange = shape.visibility.unknown if shape.visibility else ()
    warnings += [f"visibility.{level} is none of {', '.join(OPENNESS)} and was ignored." for level in strange]
    return shape, tuple(warnings)
