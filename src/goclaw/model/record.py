"""The memory record: the thing stored. Before it is accepted it is a :class:`MemoryDraft`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import ActorKind
from goclaw.model.provenance import Provenance, SourceRef
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import EVERGREEN_SCOPES, Scope
from goclaw.model.tags import CRITICAL, UNVERIFIED
from goclaw.model.use_policy import UsePolicy, use_policy
from goclaw.model.visibility import Visibility


class Kind(StrEnum):
    """What sort of memory it is."""

    FACT = "fact"
    PREFERENCE = "preference"
    NOTE = "note"
    DECISION = "decision"
    OUTPUT = "output"
    LESSON = "lesson"
    CONSTRAINT = "constraint"
    OPEN_QUESTION = "open_question"
    WORK_LOG = "work_log"
    FAILURE = "failure"
    ARTIFACT_REFERENCE = "artifact_reference"
    SUMMARY = "summary"
    HOST = "host"
    SCHEMA = "schema"
    CONFIG = "config"
    MEMORY_FILE = "memory_file"  # the searchable copy of a file of an agent's folder; goclaw alone writes it


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDraft:
    """What a caller wants remembered, before access, guard and first state have been decided."""

    content: str
    scope: Scope
    kind: Kind = Kind.NOTE
    tags: tuple[str, ...] = ()
    tags_as_given: tuple[str, ...] = ()  # before they were put into plain form, which could hide a secret
    domain: str | None = None  # a classification such as "infrastructure"
    visibility: Visibility | None = None  # None: the narrowest useful one
    project_id: str | None = None
    channel_id: str | None = None
    source_refs: tuple[SourceRef, ...] = ()
    external_ref: str | None = None  # the caller's own id for it
    session_id: str | None = None
    turn: int | None = None
    speaker: str | None = None
    occurred_at: int | None = None  # microseconds since 1970; when it happened, not when it was stored
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    """One memory as it is stored, with everything a reader needs to decide how much to trust it. Times are UTC."""

    id: str  # UUIDv7
    namespace: Namespace
    kind: Kind
    content: str
    content_hash: str  # of the text as governance.md 4 compares it, not of its bytes
    lifecycle: Lifecycle
    provenance: Provenance
    review_status: ReviewStatus
    actor_id: str  # who wrote it: human:<user>, agent:<agent>, import:<name>, job:<name>
    actor_kind: ActorKind
    created_at: datetime
    updated_at: datetime
    version: int  # grows with every change; what expected_version compares
    domain: str | None = None
    summary: str | None = None
    restricted_from: ReviewStatus | None = None
    confidence: float | None = None  # 0-1, as the writer claims
    flags: tuple[str, ...] = ()  # what the detectors said
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source_refs: tuple[SourceRef, ...] = ()
    external_ref: str | None = None
    session_id: str | None = None
    turn: int | None = None
    speaker: str | None = None
    occurred_at: datetime | None = None
    agent_id: str | None = None
    on_behalf_of: str | None = None  # the person an agent acted for
    last_confirmed_at: datetime | None = None
    last_seen_at: datetime | None = None
    stale_after: datetime | None = None
    expires_at: datetime | None = None

    @property
    def scope(self) -> Scope:
        return self.namespace.scope

    @property
    def workspace_id(self) -> str:
        return self.namespace.workspace_id

    @property
    def owner_user_id(self) -> str | None:
        return self.namespace.owner_user_id or None

    @property
    def project_id(self) -> str | None:
        return self.namespace.project_id or None

    @property
    def channel_id(self) -> str | None:
        return self.namespace.channel_id or None

    @property
    def visibility(self) -> Visibility:
        return self.namespace.visibility

    @property
    def is_unverified(self) -> bool:
        return UNVERIFIED in self.tags

    @property
    def is_evergreen(self) -> bool:
        """Whether it keeps its rank with age: its scope does not fade, or it is a critical constraint."""
        return self.scope in EVERGREEN_SCOPES or CRITICAL in self.tags

    @property
    def use_policy(self) -> UsePolicy:
        """What it may do for somebody inside its project and channel."""
        return self.policy_for(inside=True)

    def policy_for(self, *, inside: bool) -> UsePolicy:
        """What it may do for an asker inside, or outside, its project and channel."""
        return use_policy(
            self.provenance,
            self.lifecycle,
            self.review_status,
            restricted_from=self.restricted_from,
            is_unverified=self.is_unverified,
            inside=inside,
        )
