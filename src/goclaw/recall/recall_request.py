"""Recall request: the shape in which agents ask what they should know (the published contract, governance.md 6)."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from goclaw.model.visibility import Visibility
from goclaw.text.contract import ContractShape, one_of, read_request, unknown_keys

FAMILIES = ("openbrain.agent_memory", "openbrain.openclaw", "goclaw.agent_memory")
SCHEMA_VERSIONS = tuple(f"{family}.recall.v1" for family in FAMILIES)
_VERSIONS = Field(json_schema_extra={"enum": [*SCHEMA_VERSIONS]})
CHARS_PER_TOKEN = 4

Label = Annotated[str, StringConstraints(max_length=500)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Channel(ContractShape):
    kind: Label = ""
    id: Label | None = None
    thread_id: Label | None = None


class Runtime(ContractShape):
    name: Label = ""
    version: Label | None = None


class ModelIntent(ContractShape):
    provider: Label | None = None
    model: Label | None = None


class RecallScope(ContractShape):
    """How far to look, and what else to show."""

    visibility: Visibility = Visibility.PROJECT  # the narrowest level looked into
    project_only: bool = True
    include_unconfirmed: bool = False
    include_stale: bool = False


class Limits(ContractShape):
    max_items: int = Field(10, ge=1, le=50)
    max_tokens: int = Field(4000, ge=100, le=20_000)
    recency_days: int | None = Field(None, ge=1, le=36_500)


class Sensitivity(ContractShape):
    contains_code: bool = False
    contains_customer_data: bool = False
    contains_private_meeting_data: bool = False

    @property
    def is_private(self) -> bool:
        """The question must reach no remote model and nobody but its asker."""
        return self.contains_customer_data or self.contains_private_meeting_data


class RecallRequest(ContractShape):
    """One recall by contract. Identity is not in it: that comes from the session."""

    schema_version: Annotated[str, one_of(*SCHEMA_VERSIONS), _VERSIONS] = SCHEMA_VERSIONS[0]
    workspace_id: Name
    query: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    project_id: Name | None = None
    task_id: Label | None = None
    flow_id: Label | None = None
    task_type: Label = "general"
    channel: Channel = Channel()
    runtime: Runtime = Runtime()
    model_intent: ModelIntent = ModelIntent()
    entities: dict[str, list[str]] = Field(default_factory=dict)
    scope: RecallScope = RecallScope()
    limits: Limits = Limits()
    sensitivity: Sensitivity = Sensitivity()

    @property
    def family(self) -> str:
        """The contract family the answer mirrors."""
        return self.schema_version.rsplit(".recall.", 1)[0]

    @property
    def entity_terms(self) -> tuple[str, ...]:
        """Everything named as an entity: soft terms that raise matching records."""
        return tuple(dict.fromkeys(name for names in self.entities.values() for name in names))


def read_recall(request: Mapping[str, Any]) -> tuple[RecallRequest, tuple[str, ...]]:
    """The request, and warnings that name what was taken and not used. Raises InvalidInput."""
    shape = read_request(RecallRequest, request)
    warnings = tuple(f"{key} is not part of the contract and was ignored." for key in unknown_keys(shape))
    return shape, warnings
