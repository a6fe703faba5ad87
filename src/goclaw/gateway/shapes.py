"""Shapes: what requests and answers look like on the wire. Unknown fields are refused; each shape has an example."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from goclaw.gateway.plain_json import check_plain
from goclaw.model.job import JobKind, JobState
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.record import Kind
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import WRITABLE_SCOPES, Scope
from goclaw.model.visibility import Visibility
from goclaw.recall.ask import MAX_LIMIT
from goclaw.recall.cursor import MAX_PAGE

Limit = Annotated[
    int, Field(ge=1, le=MAX_LIMIT, strict=True, description="Most hits; the setting where it is left out.")
]


def example(**fields: Any) -> dict[str, Any]:
    return {"examples": [fields]}


class Request(BaseModel):
    """What every request body may say about who asks; it must agree with the key (403 and 404 otherwise)."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    user_id: str | None = Field(default=None, description="Need not be given; if it is, the user of the key.")
    workspace_id: str | None = Field(default=None, description="Need not be given; if it is, the workspace of the key.")

    @model_validator(mode="before")
    @classmethod
    def _must_be_plain(cls, body: Any) -> Any:
        check_plain(body)
        return body


class SourceRefShape(BaseModel):
    """A pointer to the artifact a memory rests on."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    kind: str = Field(description="issue, message, document, log, commit, ...")
    uri: str | None = None
    title: str | None = None
    timestamp: str | None = Field(default=None, description="ISO 8601, as the source gives it.")


class MemoryFields(BaseModel):
    """The fields of a new memory, on every wire."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    content: str = Field(description="The text to remember.")
    scope: str = Field(description=f"One of: {', '.join(WRITABLE_SCOPES)}.")
    kind: str = Field(default=Kind.NOTE, description=f"One of: {', '.join(Kind)}.")
    tags: list[str] = Field(default=[], description="Short labels.")
    domain: str | None = Field(default=None, description='A classification such as "infrastructure".')
    project_id: str | None = Field(default=None, description="Bind it to a project you belong to.")
    channel_id: str | None = Field(default=None, description="Bind it to a channel you belong to.")
    visibility: str | None = Field(default=None, description=f"One of: {', '.join(Visibility)}; else the narrowest.")
    source_refs: list[SourceRefShape] = Field(default=[], description="What it rests on.")
    external_ref: str | None = Field(default=None, description="Your own id for it.")
    session_id: str | None = None
    turn: Annotated[int, Field(strict=True)] | None = None
    speaker: str | None = None
    occurred_at: datetime | None = Field(default=None, description="When it happened; without a zone it is UTC.")


class WriteRequest(MemoryFields, Request):
    """A memory to be written."""

    model_config = ConfigDict(
        json_schema_extra=example(
            content="Deploys go out on Tuesdays.", scope="agent_notes", kind="decision", tags=["deploy"]
        )
    )

    metadata: dict[str, Any] = Field(default={}, description="Anything else, as JSON; it is stored, not searched.")


class PatchRequest(Request):
    """A change of a record; what is left out stays."""

    model_config = ConfigDict(json_schema_extra=example(content="Deploys go out on Thursdays.", expected_version=1))

    content: str | None = None
    kind: str | None = None
    domain: str | None = Field(default=None, description="An empty text removes it.")
    tags: list[str] | None = None
    expected_version: Annotated[int, Field(strict=True)] | None = Field(
        default=None, description="The version you read; or send it as If-Match."
    )


class SearchRequest(Request):
    """An explicit search: also pending, stale and disputed records, marked."""

    model_config = ConfigDict(json_schema_extra=example(query="when do deploys go out?", limit=5))

    query: str
    limit: Limit | None = None
    include_history: bool = Field(default=False, description="Also superseded records, marked.")


class RecallRequest(Request):
    """What may go into a prompt by itself."""

    model_config = ConfigDict(json_schema_extra=example(query="when do deploys go out?"))

    query: str
    limit: Limit | None = None
    include_unconfirmed: bool = Field(default=False, description="Also what waits for review.")
    include_stale: bool = Field(default=False, description="Also what may be outdated.")


class SchemaNoteRequest(Request):
    """What db_analyze or db_enrich learned about a table; replaces the table's last note."""

    model_config = ConfigDict(
        json_schema_extra=example(datasource="shop", table="orders", text="One row per order; total is in cents.")
    )

    datasource: str
    table: str
    text: str


class ReindexRequest(Request):
    """Nothing needs to be said; the body may be left out."""


class ListQuery(Request):
    """Which records a list holds. All filters must fit."""

    scope: Scope | None = None
    kind: Kind | None = None
    lifecycle: Lifecycle | None = None
    review_status: ReviewStatus | None = None
    tag: str | None = None
    session_id: str | None = None
    external_ref: str | None = None
    project_id: str | None = None
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE)


class JobsQuery(Request):
    """Which jobs a list holds."""

    state: JobState | None = None
    kind: JobKind | None = None
    limit: int = Field(default=50, ge=1, le=MAX_PAGE)


class UsePolicyShape(BaseModel):
    """What a memory may do, for the one who asks."""

    can_use_as_instruction: bool
    can_use_as_evidence: bool
    requires_user_confirmation: bool
    do_not_inject_automatically: bool


class RecordShape(BaseModel):
    """A memory record."""

    model_config = ConfigDict(extra="forbid")

    id: str
    workspace_id: str
    scope: Scope
    visibility: Visibility
    owner_user_id: str | None
    project_id: str | None
    channel_id: str | None
    kind: Kind
    content: str
    summary: str | None
    domain: str | None
    tags: list[str]
    flags: list[str] = Field(description="What the detectors said.")
    lifecycle: Lifecycle
    provenance: str
    review_status: ReviewStatus
    restricted_from: ReviewStatus | None
    confidence: float | None
    use_policy: UsePolicyShape
    source_refs: list[SourceRefShape]
    metadata: dict[str, Any]
    external_ref: str | None
    session_id: str | None
    turn: int | None
    speaker: str | None
    actor_id: str
    actor_kind: str
    agent_id: str | None
    on_behalf_of: str | None
    created_at: datetime
    updated_at: datetime
    occurred_at: datetime | None
    last_confirmed_at: datetime | None
    last_seen_at: datetime | None
    stale_after: datetime | None
    expires_at: datetime | None
    version: int


class PageShape(BaseModel):
    """Records, newest first."""

    records: list[RecordShape]
    next_cursor: str | None = Field(description="Null on the last page.")


class HitShape(BaseModel):
    """A found record, and why it stands where it stands."""

    record: RecordShape
    chunk_text: str = Field(description="The piece of it that fits best.")
    score: float = Field(description="0-1, after decay.")
    score_parts: dict[str, float | int | None]
    use_policy: UsePolicyShape
    marks: list[str] = Field(description="What to know before using it: pending, stale, disputed, superseded, ...")


class WithheldShape(BaseModel):
    """A record that fits and may not be shown this way."""

    memory_id: str
    why: str


class FoundShape(BaseModel):
    """The answer of search and recall."""

    hits: list[HitShape]
    reason: str | None = Field(description="Why hits is empty; null where it is not.")
    notes: list[str] = Field(description="What was missing although something was found.")
    withheld: list[WithheldShape]
    trace_id: str | None


class PlaceShape(BaseModel):
    """A record at its place in one of the two lists."""

    memory_id: str
    value: float = Field(description="BM25, or the cosine.")


class SearchedShape(BaseModel):
    """A namespace that was searched."""

    scope: str
    visibility: str
    project_id: str | None
    channel_id: str | None


class ExplanationShape(BaseModel):
    """A question taken apart."""

    terms: list[str] = Field(description="What was looked for.")
    namespaces: list[SearchedShape]
    words: list[PlaceShape] = Field(description="By words, best first.")
    meaning: list[PlaceShape] | None = Field(description="By meaning, best first; null where words answered alone.")
    best_score: float = Field(description="Before decay.")
    least_score: float = Field(description="What a hit needs.")


class SearchShape(FoundShape):
    """The answer of a search, which can also say how it was ranked."""

    explanation: ExplanationShape | None = Field(description="With ?explain=true; else null.")


class WhyShape(BaseModel):
    """Why a question found a record, or did not."""

    memory_id: str
    verdict: str = Field(
        description="found, behind_limit, withheld, no_match, under_min_score, no_evidence, other_person, not_searched."
    )
    withheld_as: str | None = Field(description="pending, stale, disputed, ...; null where it is not withheld.")
    rank: int | None = Field(description="Among all that could be shown.")
    score: float
    score_parts: dict[str, float | int | None]
    weighed: dict[str, float] = Field(description="What each feature of the second ranking added, the heaviest first.")
    explanation: ExplanationShape


class ReceiptShape(BaseModel):
    """What forgetting did."""

    memory_id: str
    forgotten_at: datetime
    removed: dict[str, int] = Field(description="Table -> rows.")
    blanked_traces: int
    kept_in: list[str] = Field(description="Backups that still hold the text.")


class QueuedShape(BaseModel):
    """A job that was queued."""

    job_id: str


class JobShape(BaseModel):
    """A job of the queue."""

    id: str
    kind: JobKind
    state: JobState
    attempts: int
    max_attempts: int
    priority: int
    run_after: datetime
    last_error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    progress: dict[str, int]


class JobsShape(BaseModel):
    """Jobs, newest first."""

    jobs: list[JobShape]


class HealthShape(BaseModel):
    """Whether the gateway lives, or is ready to work."""

    status: str


class ErrorShape(BaseModel):
    """Every error of the gateway."""

    model_config = ConfigDict(
        json_schema_extra=example(
            error="There is no such record.",
            code="not_found",
            hint="Or it is not yours to see.",
            request_id="0198c0de-0000-7000-8000-000000000000",
        )
    )

    error: str
    code: str
    hint: str
    details: dict[str, Any] | None = None
    request_id: str
