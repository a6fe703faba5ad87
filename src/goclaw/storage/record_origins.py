"""Record origins: from which task, runtime and recall a written-back record comes, beyond who wrote it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, delete, select

from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import RECORD_ORIGINS
from goclaw.storage.statement import InsertOrReplace, Statement, StatementFamily, in_portions


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a record comes from."""

    memory_id: str
    workspace_id: str
    task_id: str | None = None
    flow_id: str | None = None
    step_id: str | None = None
    runtime_name: str | None = None
    runtime_version: str | None = None
    models: Sequence[Mapping[str, Any]] = field(default_factory=list)  # provider, model, role
    recall_trace_id: str | None = None  # the recall it was written back after
    client_hash: str | None = None  # the client's own content hash: kept, never trusted
    artifacts: Sequence[Mapping[str, Any]] = field(default_factory=list)  # kind, uri
    channel: Mapping[str, Any] = field(default_factory=dict)  # kind, id, thread_id


_O = RECORD_ORIGINS.c
_PUT = Statement(InsertOrReplace(RECORD_ORIGINS))
_GET = StatementFamily(
    lambda size: select(RECORD_ORIGINS).where(_O.memory_id.in_([bindparam(f"id_{n}") for n in range(size)]))
)
_OF_TRACE = Statement(select(_O.memory_id).where(_O.recall_trace_id == bindparam("trace")).order_by(_O.memory_id))
_DELETE = Statement(delete(RECORD_ORIGINS).where(_O.memory_id == bindparam("memory")))


def put(unit: Unit, origin: Origin) -> None:
    """Keep the origin of a record; one that is there is replaced."""
    row = (
        origin.memory_id,
        origin.workspace_id,
        origin.task_id,
        origin.flow_id,
        origin.step_id,
        origin.runtime_name,
        origin.runtime_version,
        _json(origin.models),
        origin.recall_trace_id,
        origin.client_hash,
        _json(origin.artifacts),
        _json(origin.channel),
    )
    unit.run(_PUT, row)


def get_many(reader: Reader, memory_ids: Sequence[str]) -> dict[str, Origin]:
    """Origins by record; records that came another way have none."""
    found: dict[str, Origin] = {}
    for portion in in_portions(memory_ids):
        for row in reader.all(_GET.of(len(portion)), StatementFamily.padded(portion)):
            found[row[0]] = _origin(row)
    return found


def of_trace(reader: Reader, trace_id: str) -> list[str]:
    """The records that were written back after a recall, oldest first."""
    return [memory_id for (memory_id,) in reader.all(_OF_TRACE, (trace_id,))]


def delete_of(unit: Unit, memory_id: str) -> int:
    """Forget where a record came from."""
    return unit.run(_DELETE, (memory_id,))


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else None


def _origin(row: Row) -> Origin:
    memory_id, workspace_id, task, flow, step, runtime, version, models, trace, client_hash, artifacts, channel = row
    return Origin(
        memory_id=memory_id,
        workspace_id=workspace_id,
        task_id=task,
        flow_id=flow,
        step_id=step,
        runtime_name=runtime,
        runtime_version=version,
        models=json.loads(models) if models else [],
        recall_trace_id=trace,
        client_hash=client_hash,
        artifacts=json.loads(artifacts) if artifacts else [],
        channel=json.loads(channel) if channel else {},
    )
