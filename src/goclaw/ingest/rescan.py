"""Rescan: today's detectors over everything a workspace has stored, since detectors grow and records stay.

Flags are added and never taken away. An active record with a new flag waits for a human again, where no human wrote it
or where the flag says that it may hold a secret; nothing is deleted. Every record is looked at each time it is asked
for: a look is cheap beside the harm of a missed one, so no record carries the version of the detectors that saw it.
The audit row does.
"""

from dataclasses import dataclass, replace
from functools import partial

from goclaw.governance.audit import EventType, event
from goclaw.governance.write_guard import (
    DETECTORS_VERSION,
    OVERSIZE,
    SECRET_SUSPECTED,
    examine,
    guarded_fields,
)
from goclaw.ingest.index import renew_chunks
from goclaw.ingest.worker import JobRun
from goclaw.model.clock import Clock, from_us
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import ActorKind, Principal, RunKind
from goclaw.model.record import MemoryDraft, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.use_policy import effective_review
from goclaw.settings.settings import GovernanceSettings, GuardSettings
from goclaw.storage import audit_log, memories, namespaces
from goclaw.storage.database import Database, Unit

BATCH = 200
RESCAN_ACTOR = "sys-rescan"
_SECRETS = frozenset({"private_key", "api_key", "credential_like_string"})  # reasons of a refusal


@dataclass(frozen=True, slots=True)
class Rescanner:
    """Looks again at stored records."""

    database: Database
    clock: Clock
    settings: GovernanceSettings

    def rescan(self, run: JobRun) -> None:
        """The handler of ``rescan`` jobs; the job names the workspace."""
        with self.database.read() as reader:
            places = namespaces.of_workspace(reader, run.job.workspace_id)
        counts = {"done": 0, "flagged": 0, "held": 0, "skipped": 0, "detectors": DETECTORS_VERSION}
        for place in places:
            self._look_through(run, place.id, counts)
        run.report(**counts)

    def _look_through(self, run: JobRun, namespace_id: int, counts: dict[str, int]) -> None:
        before = None
        while True:
            with self.database.read() as reader:
                found = memories.page(reader, [namespace_id], before=before, limit=BATCH)
            for record in found:
                self._look_at(record, namespace_id, counts)
            counts["done"] += len(found)
            run.report(**counts)
            if len(found) < BATCH:
                return
            before = (found[-1].created_at, found[-1].id)

    def _look_at(self, record: MemoryRecord, namespace_id: int, counts: dict[str, int]) -> None:
        flags = new_flags(record, self.settings.guard)
        if not flags:
            return
        after = flagged(record, flags, self.clock.now())
        if not self.database.write(partial(self._keep, before=record, after=after, namespace_id=namespace_id)):
            counts["skipped"] += 1  # changed meanwhile, and so examined meanwhile
            return
        counts["flagged"] += 1
        counts["held"] += _is_pending(after) and not _is_pending(record)

    def _keep(self, unit: Unit, *, before: MemoryRecord, after: MemoryRecord, namespace_id: int) -> bool:
        if not memories.replace(unit, after, before.version):
            return False
        renew_chunks(unit, after, self.settings.pending_days)
        rescanner = Principal(None, workspace_id=after.workspace_id, run_kind=RunKind.CRON, agent_id=RESCAN_ACTOR)
        detail = {
            "why": "rescan",
            "detectors": DETECTORS_VERSION,
            "flags": [flag for flag in after.flags if flag not in before.flags],
            "review": after.review_status,
        }
        row = event(
            rescanner, EventType.MEMORY_EDITED, self.clock.now(), record=after, namespace_id=namespace_id, detail=detail
        )
        audit_log.append(unit, row)
        return True


def new_flags(record: MemoryRecord, guard: GuardSettings) -> tuple[str, ...]:
    """What today's detectors say of a stored record and its flags do not.

    What a write would be refused for today has no other place than a flag: a secret is suspected, the rest is oversize.
    """
    verdict = examine(_fields(record), guard)
    refused = [SECRET_SUSPECTED if each.reason in _SECRETS else OVERSIZE for each in verdict.findings]
    return tuple(flag for flag in dict.fromkeys((*verdict.flags, *refused)) if flag not in record.flags)


def flagged(record: MemoryRecord, flags: tuple[str, ...], now: int) -> MemoryRecord:
    """The record with its new flags at ``now`` (microseconds), and waiting for a human where it has to."""
    changed = replace(record, flags=(*record.flags, *flags), updated_at=from_us(now), version=record.version + 1)
    is_held = record.actor_kind is not ActorKind.HUMAN or SECRET_SUSPECTED in flags
    if record.lifecycle is not Lifecycle.ACTIVE or not is_held:
        return changed
    if record.review_status is ReviewStatus.RESTRICTED:
        return replace(changed, restricted_from=ReviewStatus.PENDING)  # it stays where a reviewer put it
    return replace(changed, review_status=ReviewStatus.PENDING)


def _is_pending(record: MemoryRecord) -> bool:
    return effective_review(record.review_status, record.restricted_from) is ReviewStatus.PENDING


def _fields(record: MemoryRecord) -> dict[str, str | tuple[str, ...]]:
    """Every text of the record, under the names a write has for them."""
    draft = MemoryDraft(
        content=record.content,
        scope=record.scope,
        tags=record.tags,
        domain=record.domain,
        project_id=record.project_id,
        channel_id=record.channel_id,
        source_refs=record.source_refs,
        external_ref=record.external_ref,
        session_id=record.session_id,
        speaker=record.speaker,
        metadata=record.metadata,
    )
    return guarded_fields(draft) | ({} if record.summary is None else {"summary": record.summary})
