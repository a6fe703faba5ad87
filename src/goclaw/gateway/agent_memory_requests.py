"""Agent-memory requests: what the contract's smaller routes and tools take, the same over HTTP and MCP.

The two large requests, recall and write-back, are read by the services that answer them.
"""

import json
from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from pydantic import Field, StringConstraints
from pydantic_core import PydanticCustomError

from goclaw.gateway.plain_json import check_plain
from goclaw.lifecycle.queue_entry import Priority
from goclaw.model.errors import InvalidInput
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.record import Kind
from goclaw.model.review import ReviewAction, ReviewStatus
from goclaw.recall.cursor import MAX_PAGE
from goclaw.storage.memories import RecordFilter
from goclaw.text.contract import ContractShape, read_request, unknown_keys

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Shape = TypeVar("Shape", bound=ContractShape)
MAX_IDS = 1_000


class Ignored(ContractShape):
    memory_id: str
    reason: str | None = None


class UsageReport(ContractShape):
    """Which of the returned memories were used; ignored ones in either of the two published forms."""

    used_memory_ids: list[str] = Field(default=[], max_length=MAX_IDS)
    ignored: list[Ignored] = Field(default=[], max_length=MAX_IDS)
    ignored_memory_ids: list[str] = Field(default=[], max_length=MAX_IDS)
    usage_notes: dict[str, str] = Field(default={}, description="Memory id to a note.")

    @property
    def reasons(self) -> dict[str, str]:
        """Ignored memory id to why; empty where no reason was given."""
        notes = self.usage_notes
        short = {memory_id: notes.get(memory_id, "") for memory_id in self.ignored_memory_ids}
        return short | {each.memory_id: each.reason or notes.get(each.memory_id, "") for each in self.ignored}

    @property
    def warnings(self) -> tuple[str, ...]:
        """A note about a memory that was used has no place in a trace."""
        is_lost = any(memory_id not in self.reasons for memory_id in self.usage_notes)
        return ("usage_notes are kept for ignored memories only.",) if is_lost else ()


class ReviewCall(ContractShape):
    """One of the nine actions, with what it needs."""

    action: ReviewAction
    content: str | None = Field(default=None, description="For edit: the new text.")
    summary: str | None = Field(default=None, description="For edit: the new summary.")
    visibility: str | None = Field(default=None, description="For restrict_scope: the narrower level.")
    project_id: Name | None = Field(default=None, description="For restrict_scope to a project or channel.")
    channel_id: Name | None = Field(default=None, description="For restrict_scope to a channel.")
    related_memory_id: Name | None = Field(
        default=None, description="For merge and supersede: the memory that stays; for dispute: the other side."
    )
    notes: str | None = Field(default=None, description="Why.")
    tags: list[str] | None = Field(default=None, description="For confirm and edit: in place of its tags.")


class ProposalCall(ContractShape):
    """A review action that somebody should decide on; it decides nothing."""

    action: ReviewAction
    notes: str | None = Field(default=None, description="Why; people decide by it.")
    related_memory_id: Name | None = Field(
        default=None, description="For merge and supersede: the memory that stays; for dispute: the other side."
    )


class QueueQuery(ContractShape):
    """Which part of the review queue."""

    workspace_id: Name | None = None
    project_id: Name | None = None
    memory_type: Kind | None = None
    written_by: Name | None = Field(default=None, description="As the audit log names it: agent:claw.")
    priority: Priority | None = None
    cursor: str | None = None
    limit: int = Field(default=50, ge=1, le=MAX_PAGE)

    @property
    def filters(self) -> RecordFilter:
        return RecordFilter(project_id=self.project_id, kind=self.memory_type, actor_id=self.written_by)


class ListQuery(ContractShape):
    """Which records a list holds. All filters must fit."""

    workspace_id: Name
    project_id: Name | None = None
    review_status: ReviewStatus | None = None
    lifecycle_status: Lifecycle | None = None
    runtime_name: Name | None = None
    memory_type: Kind | None = None
    task_id_prefix: Name | None = None
    cursor: str | None = None
    limit: int = Field(default=50, ge=1, le=MAX_PAGE)

    @property
    def filters(self) -> RecordFilter:
        return RecordFilter(
            project_id=self.project_id,
            review_status=self.review_status,
            lifecycle=self.lifecycle_status,
            runtime_name=self.runtime_name,
            kind=self.memory_type,
            task_id_prefix=self.task_id_prefix,
        )


def read_leniently(shape: type[Shape], request: Mapping[str, Any]) -> tuple[Shape, tuple[str, ...]]:
    """The request, and a warning for each key that was not understood. Raises InvalidInput."""
    read = read_request(shape, request)
    return read, tuple(f"{key} is not part of the contract and was ignored." for key in unknown_keys(read))


def read_strictly(
    shape: type[Shape], arguments: Mapping[str, Any], ignored: Collection[str]
) -> tuple[Shape, tuple[str, ...]]:
    """The same for tools: an unknown argument is refused by name, but for those that are taken and ignored."""
    plain(arguments)
    read = read_request(shape, arguments)
    unknown = list(unknown_keys(read))
    if wrong := [key for key in unknown if key not in ignored]:
        known = ", ".join(shape.model_fields)
        raise InvalidInput(f"These arguments do not fit: {', '.join(wrong)}.", f"Known are: {known}.")
    return read, tuple(f"{key} is not part of the contract and was ignored." for key in unknown)


def plain(value: Any) -> None:
    """Raise InvalidInput for what JSON can spell and a database cannot keep."""
    try:
        check_plain(value)
    except PydanticCustomError as error:
        raise InvalidInput(f"The request cannot be kept: {error.message()}.", "Send plain JSON.") from None


async def _read_body(request: Request) -> dict[str, Any]:
    """The body as a JSON object, whatever content-type it was sent with."""
    try:
        body = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        raise InvalidInput("The body is no JSON.", "Send a JSON object.") from None
    if not isinstance(body, dict):
        raise InvalidInput("The body is no JSON object.", "Send a JSON object.")
    plain(body)
    return body


async def _read_query(request: Request) -> dict[str, Any]:
    query = dict(request.query_params)
    plain(query)
    return query


BodyOf = Annotated[dict[str, Any], Depends(_read_body)]
QueryOf = Annotated[dict[str, Any], Depends(_read_query)]
