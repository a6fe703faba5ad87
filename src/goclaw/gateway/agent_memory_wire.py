"""Agent-memory wire: records and answers in the shapes of the published contract, and in our own richer family.

A family is the first part of a schema version. The published ones keep their exact shape; ``goclaw.agent_memory`` adds
what they have no room for: the fourth policy flag, review and lifecycle, flags, sources, conflicts and reasons.
``memory_type`` is the contract's name for a record's kind; nowhere else in goclaw is it called so.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from goclaw.gateway.wire import policy_json
from goclaw.ingest.write_back import ARTIFACT, WriteBackAnswer
from goclaw.ingest.write_back_request import WriteBackRequest
from goclaw.model.errors import UnsafeContent
from goclaw.model.hit import Hit
from goclaw.model.principal import ActorKind
from goclaw.model.provenance import Provenance
from goclaw.model.record import MemoryRecord
from goclaw.model.use_policy import UsePolicy
from goclaw.recall.contract_recall import ContractAnswer
from goclaw.storage.record_origins import Origin

OWN_FAMILY = "goclaw.agent_memory"
SUMMARY_CHARS = 140
UNSAFE = "Unsafe write-back blocked"
# The published shape has no word for these two; the least trusted of its words is the honest one.
_PUBLISHED_STATUS = {Provenance.DISPUTED: Provenance.GENERATED, Provenance.SUPERSEDED: Provenance.GENERATED}
ASSUMED_CONFIDENCE = 0.5  # the contract's default, where the writer claimed nothing
UNTRACED = "untraced"  # where the store can only be read; the contract wants a word
RECORD_SOURCE = "agent_memory"  # the source of a record that rests on nothing else

CREATED_BY = {
    ActorKind.HUMAN: "user",
    ActorKind.AGENT: "agent",
    ActorKind.IMPORT: "import",
    ActorKind.JOB: "system",
}
_PUBLISHED_FLAGS = ("can_use_as_instruction", "can_use_as_evidence", "requires_user_confirmation")


def published_memory(record: MemoryRecord, policy: UsePolicy, origin: Origin | None = None) -> dict[str, Any]:
    """A record exactly as the published recall answer shows one."""
    flags = policy_json(policy)
    return {
        "memory_id": record.id,
        "summary": _summary(record),
        "content": record.content,
        "source": _source(record),
        "provenance": {
            "status": _PUBLISHED_STATUS.get(record.provenance, record.provenance),
            "confidence": ASSUMED_CONFIDENCE if record.confidence is None else record.confidence,
            "created_by": CREATED_BY[record.actor_kind],
            "model": _first_model(origin),
            "runtime": origin.runtime_name if origin else None,
        },
        "scope": {
            "workspace_id": record.workspace_id,
            "project_id": record.project_id,
            "channel_id": record.channel_id,
            "visibility": record.visibility,
        },
        "use_policy": {name: flags[name] for name in _PUBLISHED_FLAGS},
        "freshness": {
            "created_at": moment_json(record.created_at),
            "last_confirmed_at": moment_json(record.last_confirmed_at),
            "stale_after": moment_json(record.stale_after),
        },
        "related_artifacts": _artifacts(record),
    }


def own_memory(record: MemoryRecord, policy: UsePolicy, origin: Origin | None = None) -> dict[str, Any]:
    """A record in our own family: the published fields, and everything else a reader decides by."""
    memory = published_memory(record, policy, origin)
    memory["use_policy"] = policy_json(policy)
    memory["provenance"] |= {
        "status": record.provenance,
        "actor_id": record.actor_id,
        "on_behalf_of": record.on_behalf_of,
    }
    memory["scope"] |= {"owner_user_id": record.owner_user_id}
    memory["freshness"] |= {
        "updated_at": moment_json(record.updated_at),
        "last_seen_at": moment_json(record.last_seen_at),
        "expires_at": moment_json(record.expires_at),
    }
    return memory | {
        "memory_type": record.kind,
        "lifecycle_status": record.lifecycle,
        "review_status": record.review_status,
        "restricted_from": record.restricted_from,
        "flags": list(record.flags),
        "tags": list(record.tags),
        "source_refs": [source.as_dict() for source in record.source_refs],
        "version": record.version,
    }


def managed_memory(record: MemoryRecord, policy: UsePolicy, origin: Origin | None = None) -> dict[str, Any]:
    """A record for inspection and review; published clients read its id and flags from the top as well."""
    return own_memory(record, policy, origin) | {
        "id": record.id,
        "provenance_status": record.provenance,
        "created_at": moment_json(record.created_at),
        "task": _task(origin),
        **policy_json(policy),
    }


def recall_json(answer: ContractAnswer) -> dict[str, Any]:
    """The answer of a recall, in the family of its request."""
    is_own = answer.family == OWN_FAMILY
    body: dict[str, Any] = {
        "schema_version": f"{answer.family}.recall_response.v1",
        "request_id": answer.request_id or UNTRACED,
        "memories": [_hit(hit, answer.origins.get(hit.record.id), is_own=is_own) for hit in answer.hits],
    }
    if is_own:
        body |= {
            "reason": answer.reason,
            "notes": list(answer.notes),
            "truncated": answer.is_truncated,
            "conflicts": [{"memory_ids": list(each.memory_ids), "advice": each.advice} for each in answer.conflicts],
        }
    return body | warnings_json(answer.warnings)


def written_json(answer: WriteBackAnswer, request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of a write-back, in the family of its request; ``request`` says by which runtime and model."""
    shown = own_memory if answer.family == OWN_FAMILY else published_memory
    origin = _origin_of(request)
    body: dict[str, Any] = {
        "schema_version": f"{answer.family}.writeback_response.v1",
        "memories": [shown(record, record.use_policy, origin) for record in answer.records],
    }
    if answer.family == OWN_FAMILY:
        body["replayed"] = answer.is_replay
    return body | warnings_json(answer.warnings)


def unsafe_json(error: UnsafeContent) -> dict[str, Any]:
    """What a refused write-back says: reasons and places, never the text."""
    return {"error": UNSAFE, "unsafe": [{"reason": each.reason, "field": each.field} for each in error.findings]}


def memories_json(
    records: Iterable[MemoryRecord], next_cursor: str | None, warnings: Sequence[str] = ()
) -> dict[str, Any]:
    """A list of records."""
    memories = [managed_memory(record, record.use_policy) for record in records]
    return {"memories": memories, "count": len(memories), "next_cursor": next_cursor} | warnings_json(warnings)


def warnings_json(warnings: Sequence[str]) -> dict[str, Any]:
    """A key of its own where there is something to say; an answer without warnings stays exactly as published."""
    return {"warnings": list(warnings)} if warnings else {}


def moment_json(moment: datetime | None) -> str | None:
    """ISO 8601 with its zone."""
    return None if moment is None else moment.isoformat()


def _hit(hit: Hit, origin: Origin | None, *, is_own: bool) -> dict[str, Any]:
    if not is_own:
        return published_memory(hit.record, hit.use_policy, origin)
    return own_memory(hit.record, hit.use_policy, origin) | {
        "score": hit.score,
        "score_parts": dict(hit.score_parts),
        "matched_text": hit.chunk_text,
    }


def _summary(record: MemoryRecord) -> str:
    return record.summary or " ".join(record.content.split())[:SUMMARY_CHARS]


def _source(record: MemoryRecord) -> dict[str, Any]:
    """The first artifact it rests on, else the record itself."""
    if not record.source_refs:
        title, born = _summary(record), moment_json(record.created_at)
        return {"kind": RECORD_SOURCE, "uri": None, "title": title, "timestamp": born}
    first = record.source_refs[0]
    return {"kind": first.kind, "uri": first.uri, "title": first.title, "timestamp": _as_moment(first.timestamp)}


def _as_moment(text: str | None) -> str | None:
    """A source's own timestamp where it is one; the contract has no room for other words."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment.isoformat() if moment.tzinfo else None


def _artifacts(record: MemoryRecord) -> list[dict[str, str]]:
    artifact = record.metadata.get(ARTIFACT)
    if not isinstance(artifact, Mapping) or not {"kind", "uri"} <= set(artifact):
        return []
    return [{"kind": str(artifact["kind"]), "uri": str(artifact["uri"])}]


def _first_model(origin: Origin | None) -> str | None:
    return str(origin.models[0]["model"]) if origin and origin.models else None


def _task(origin: Origin | None) -> dict[str, Any] | None:
    if origin is None:
        return None
    return {
        "task_id": origin.task_id,
        "flow_id": origin.flow_id,
        "step_id": origin.step_id,
        "runtime_version": origin.runtime_version,
        "models_used": [dict(model) for model in origin.models],
        "recall_request_id": origin.recall_trace_id,
        "channel": dict(origin.channel),
    }


def _origin_of(request: Mapping[str, Any]) -> Origin:
    shape = WriteBackRequest.model_validate(dict(request))
    models = [model.model_dump() for model in shape.models_used]
    return Origin(memory_id="", workspace_id="", runtime_name=shape.runtime.name or None, models=models)
