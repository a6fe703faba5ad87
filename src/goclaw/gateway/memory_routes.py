"""Memory routes: records, search and recall. A route translates and nothing more; rules live below."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from starlette.responses import Response

from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import CallerOf
from goclaw.gateway.idempotency import IdempotentWrites
from goclaw.gateway.shapes import (
    ErrorShape,
    FoundShape,
    ListQuery,
    PageShape,
    PatchRequest,
    RecallRequest,
    ReceiptShape,
    RecordShape,
    SchemaNoteRequest,
    SearchRequest,
    SearchShape,
    WhyShape,
    WriteRequest,
)
from goclaw.gateway.wire import explanation_json, found_json, page_json, receipt_json, record_json, why_json
from goclaw.model.errors import InvalidInput, NotFound
from goclaw.model.record import MemoryRecord
from goclaw.storage.memories import RecordFilter

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorShape, "description": meaning}
    for status, meaning in (
        (400, "Outside its limits."),
        (401, "No valid key."),
        (403, "Known, but not allowed."),
        (404, "No such thing, or not yours to see."),
        (409, "Not in a state that allows this."),
        (413, "Too large."),
        (422, "Does not fit, or refused by the write guard."),
        (429, "Too many requests with this key."),
    )
}
NOT_ALLOWED: dict[int | str, dict[str, Any]] = {
    405: {"model": ErrorShape, "description": "Deleting needs the id of one record; nothing was deleted."}
}

router = APIRouter(prefix="/api/memory", responses=ERRORS)

MemoryId = str
Explain = Annotated[bool, Query(description="Also say how the question was ranked.")]
IfMatch = Annotated[str | None, Header(description='The version you read, as the ETag gave it: "3".')]
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=1, max_length=200, description="Repeat a request with the same key and it is done once."),
]


@router.post("/records", status_code=201, response_model=RecordShape, summary="Write a memory", tags=["records"])
def write_record(caller: CallerOf, body: WriteRequest, idempotency_key: IdempotencyKey = None) -> Response:
    """Store a text. The same text written again in the same place returns the record that is there, refreshed."""
    caller.must_be(body)
    fields = body.model_dump(exclude={"content", "user_id", "workspace_id"})

    def write() -> MemoryRecord:
        return caller.memory.write(caller.principal, body.content, **fields)

    if idempotency_key is None:
        return _record_answer(write(), 201)
    writes = IdempotentWrites(caller.engine.database, caller.engine.clock, caller.memory)
    return _record_answer(writes.once(caller.principal, idempotency_key, body.model_dump_json(), write), 201)


@router.get("/records", response_model=PageShape, summary="List memories", tags=["records"])
def list_records(caller: CallerOf, query: Annotated[ListQuery, Query()]) -> Response:
    """Records you may see, newest first, a page at a time."""
    caller.must_be(query)
    filters = RecordFilter(**query.model_dump(exclude={"user_id", "workspace_id", "cursor", "limit"}))
    page = caller.memory.list(caller.principal, filters, cursor=query.cursor, limit=query.limit)
    return Answer(page_json(page))


@router.get("/records/{memory_id}", response_model=RecordShape, summary="Read a memory", tags=["records"])
def get_record(caller: CallerOf, memory_id: MemoryId) -> Response:
    """One record. The ETag is its version."""
    record = caller.memory.get(caller.principal, memory_id)
    if record is None:
        raise NotFound("There is no such record.", "Or it is not yours to see.")
    return _record_answer(record)


@router.get("/records/{memory_id}/why", response_model=WhyShape, summary="Why was it found, or not", tags=["search"])
def why(caller: CallerOf, memory_id: MemoryId, query: Annotated[str, Query(max_length=2_000)]) -> Response:
    """Where a record that you may see stood when a question is searched for, and what held it back."""
    return Answer(why_json(caller.memory.explain(caller.principal, query, memory_id)))


@router.patch("/records/{memory_id}", response_model=RecordShape, summary="Change a memory", tags=["records"])
def change_record(caller: CallerOf, memory_id: MemoryId, body: PatchRequest, if_match: IfMatch = None) -> Response:
    """Change text, kind, domain or tags. New text is a new statement, so its trust is decided anew."""
    caller.must_be(body)
    record = caller.memory.update(
        caller.principal,
        memory_id,
        content=body.content,
        kind=body.kind,
        domain=body.domain,
        tags=body.tags,
        expected_version=_expected_version(body.expected_version, if_match),
    )
    return _record_answer(record)


@router.delete("/records/{memory_id}", response_model=ReceiptShape, summary="Forget a memory", tags=["records"])
def forget_record(caller: CallerOf, memory_id: MemoryId) -> Response:
    """Erase a record and everything derived from it. The receipt says what went, and which backups still hold it."""
    return Answer(receipt_json(caller.memory.forget(caller.principal, memory_id)))


@router.post("/search", response_model=SearchShape, summary="Search explicitly", tags=["search"])
def search(caller: CallerOf, body: SearchRequest, explain: Explain = False) -> Response:
    """For somebody who sees the marks: also pending, stale and disputed records are found."""
    caller.must_be(body)
    found = caller.memory.search(caller.principal, body.query, limit=body.limit, include_history=body.include_history)
    told = None
    if explain:
        told = caller.memory.explain(
            caller.principal, body.query, limit=body.limit, include_history=body.include_history
        )
    return Answer({**found_json(found), "explanation": explanation_json(told) if told else None})


@router.post("/recall", response_model=FoundShape, summary="Recall for a prompt", tags=["search"])
def recall(caller: CallerOf, body: RecallRequest) -> Response:
    """Only what review and time allow to go into a prompt by itself."""
    caller.must_be(body)
    found = caller.memory.recall(
        caller.principal,
        body.query,
        limit=body.limit,
        include_unconfirmed=body.include_unconfirmed,
        include_stale=body.include_stale,
    )
    return Answer(found_json(found))


@router.post("/schema-notes", status_code=201, response_model=RecordShape, summary="Note a table", tags=["records"])
def write_schema_note(caller: CallerOf, body: SchemaNoteRequest) -> Response:
    """Store what is known about a table, in place of its last note: found by search, never injected."""
    caller.must_be(body)
    record = caller.memory.write_schema_note(caller.principal, body.datasource, body.table, body.text)
    return _record_answer(record, 201)


def _record_answer(record: MemoryRecord, status: int = 200) -> Response:
    return Answer(record_json(record), status, headers={"etag": f'"{record.version}"'})


def _expected_version(in_body: int | None, if_match: str | None) -> int | None:
    """The version the caller read, from either place."""
    if if_match is None:
        return in_body
    text = if_match.strip().removeprefix("W/").strip('"')
    if not text.isdecimal() or len(text) > 18 or in_body not in (None, int(text)):
        raise InvalidInput("If-Match is no version, or another one than the body's.", "Send the ETag you were given.")
    return int(text)
