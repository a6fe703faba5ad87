"""Wire: from the engine's values to the JSON that HTTP and MCP send."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from goclaw.lifecycle.forget import Receipt
from goclaw.model.clock import from_us
from goclaw.model.hit import Found, Hit
from goclaw.model.job import Job
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.session import LEARNED_FROM
from goclaw.model.use_policy import UsePolicy
from goclaw.recall.browse import Page
from goclaw.recall.explain import Explanation


def record_json(record: MemoryRecord, policy: UsePolicy | None = None) -> dict[str, Any]:
    """A record with all that a reader needs to decide how much to trust it."""
    namespace = record.namespace
    return {
        "id": record.id,
        "workspace_id": namespace.workspace_id,
        "scope": namespace.scope,
        "visibility": namespace.visibility,
        "owner_user_id": namespace.owner_user_id or None,
        "project_id": namespace.project_id or None,
        "channel_id": namespace.channel_id or None,
        "kind": record.kind,
        "content": record.content,
        "summary": record.summary,
        "domain": record.domain,
        "tags": list(record.tags),
        "flags": list(record.flags),
        "lifecycle": record.lifecycle,
        "provenance": record.provenance,
        "review_status": record.review_status,
        "restricted_from": record.restricted_from,
        "confidence": record.confidence,
        "use_policy": policy_json(policy or record.use_policy),
        "source_refs": [source.as_dict() for source in record.source_refs],
        # Where it was learned is for forgetting to find: its keys of conversations are nobody's business.
        "metadata": {name: value for name, value in record.metadata.items() if name != LEARNED_FROM},
        "external_ref": record.external_ref,
        "session_id": record.session_id,
        "turn": record.turn,
        "speaker": record.speaker,
        "actor_id": record.actor_id,
        "actor_kind": record.actor_kind,
        "agent_id": record.agent_id,
        "on_behalf_of": record.on_behalf_of,
        "created_at": moment_json(record.created_at),
        "updated_at": moment_json(record.updated_at),
        "occurred_at": moment_json(record.occurred_at),
        "last_confirmed_at": moment_json(record.last_confirmed_at),
        "last_seen_at": moment_json(record.last_seen_at),
        "stale_after": moment_json(record.stale_after),
        "expires_at": moment_json(record.expires_at),
        "version": record.version,
    }


def policy_json(policy: UsePolicy) -> dict[str, bool]:
    """The four flags."""
    return {
        "can_use_as_instruction": policy.can_use_as_instruction,
        "can_use_as_evidence": policy.can_use_as_evidence,
        "requires_user_confirmation": policy.requires_user_confirmation,
        "do_not_inject_automatically": policy.do_not_inject_automatically,
    }


def page_json(page: Page) -> dict[str, Any]:
    """One page of a list."""
    return {"records": [record_json(record) for record in page.records], "next_cursor": page.next_cursor}


def found_json(found: Found) -> dict[str, Any]:
    """The answer of search or recall."""
    return {
        "hits": [_hit_json(hit) for hit in found.hits],
        "reason": found.reason,
        "notes": list(found.notes),
        "withheld": [{"memory_id": each.memory_id, "why": each.why} for each in found.withheld],
        "trace_id": found.trace_id,
    }


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """A question taken apart."""
    words, meaning = (
        None if ranked is None else [{"memory_id": memory_id, "value": value} for memory_id, value in ranked]
        for ranked in (explanation.words, explanation.meaning)
    )
    return {
        "terms": list(explanation.terms),
        "namespaces": [
            {
                "scope": str(each.scope),
                "visibility": str(each.visibility),
                "project_id": each.project_id or None,
                "channel_id": each.channel_id or None,
            }
            for each in explanation.namespaces
        ],
        "words": words,
        "meaning": meaning,
        "best_score": explanation.best_score,
        "least_score": explanation.least_score,
    }


def why_json(explanation: Explanation) -> dict[str, Any]:
    """What became of the record that was asked about, and the question taken apart."""
    one = explanation.record
    assert one is not None
    return {
        "memory_id": one.memory_id,
        "verdict": str(one.verdict),
        "withheld_as": one.withheld_as,
        "rank": one.rank,
        "score": one.score,
        "score_parts": dict(one.score_parts),
        "weighed": dict(one.weighed),
        "explanation": explanation_json(explanation),
    }


def marks_of(record: MemoryRecord) -> list[str]:
    """What to know before using a record; empty for one that nothing speaks against."""
    marks = [] if record.lifecycle is Lifecycle.ACTIVE else [str(record.lifecycle)]
    if record.review_status is ReviewStatus.PENDING:
        marks.append("pending")
    if record.is_unverified:
        marks.append("unverified")
    return marks


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """What forgetting did."""
    return {
        "memory_id": receipt.memory_id,
        "forgotten_at": moment_json(receipt.forgotten_at),
        "removed": dict(receipt.removed),
        "blanked_traces": receipt.blanked_traces,
        "kept_in": list(receipt.kept_in),
    }


def job_json(job: Job) -> dict[str, Any]:
    """A job without its payload and key, which name records that the asker may not know."""
    return {
        "id": job.id,
        "kind": job.kind,
        "state": job.state,
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "priority": job.priority,
        "run_after": moment_json(from_us(job.run_after)),
        "last_error": job.last_error,
        "created_at": moment_json(from_us(job.created_at)),
        "started_at": _us(job.started_at),
        "finished_at": _us(job.finished_at),
        "progress": dict(job.progress),
    }


def _hit_json(hit: Hit) -> dict[str, Any]:
    parts: Mapping[str, Any] = hit.score_parts
    return {
        "record": record_json(hit.record, hit.use_policy),
        "chunk_text": hit.chunk_text,
        "score": hit.score,
        "score_parts": dict(parts),
        "use_policy": policy_json(hit.use_policy),
        "marks": marks_of(hit.record),
    }


def moment_json(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _us(moment: int | None) -> str | None:
    return None if moment is None else moment_json(from_us(moment))
