"""Write-back: what an agent learned in a task becomes records, all in one transaction or none (governance.md 4)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from goclaw.governance.impact import is_high_impact
from goclaw.governance.promotion import WriteContext, first_state
from goclaw.governance.workflow_book import holding
from goclaw.governance.write_guard import Verdict, examine, guarded_fields
from goclaw.ingest.draft import MAX_SOURCES, checked_content
from goclaw.ingest.index import Indexed, index_record
from goclaw.ingest.write import Writer
from goclaw.ingest.write_back_place import draft_place, may_travel
from goclaw.ingest.write_back_request import Artifact, WriteBackRequest, read_write_back
from goclaw.model.access import ManagedChannels, Reading, may_read
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, NotFound, UnsafeContent, UnsafeFinding
from goclaw.model.ids import sha256_hex
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal, RunKind
from goclaw.model.provenance import Provenance
from goclaw.model.record import MemoryDraft, MemoryRecord
from goclaw.model.visibility import Visibility
from goclaw.storage import (
    channels,
    idempotency_keys,
    memories,
    namespaces,
    policies,
    recall_traces,
    record_origins,
    workflows,
)
from goclaw.storage.database import Reader, Unit
from goclaw.storage.policies import PolicyKind
from goclaw.storage.recall_traces import RecallTrace
from goclaw.storage.record_origins import Origin

ARTIFACT = "artifact"  # metadata: the one artifact an artifact_reference is about
NOT_ACCEPTED = "workflow_not_accepted"  # why an audit row says that a write-back was refused
ENTITIES = "entities"  # metadata: who and what the write-back names


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBackAnswer:
    """What was stored: one record per entry, in the contract's order."""

    records: tuple[MemoryRecord, ...]
    warnings: tuple[str, ...]  # what was taken and not used
    family: str  # of the contract, to be mirrored
    is_replay: bool  # the same request had been answered before


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An entry, ready for the transaction."""

    record: MemoryRecord
    indexed: Indexed
    origin: Origin


@dataclass(frozen=True, slots=True)
class WriteBack:
    """Takes write-backs of agents, people, imports and jobs."""

    writer: Writer

    def write_back(self, principal: Principal, request: Mapping[str, Any]) -> WriteBackAnswer:
        """Store every entry, or nothing.

        Raises InvalidInput (shape, no entry), AccessDenied (wider than allowed), NotFound (another workspace, an
        unknown recall), UnsafeContent, and Conflict where the idempotency key belongs to another request.
        """
        shape, warnings = read_write_back(request)
        if shape.workspace_id != principal.workspace_id:
            raise NotFound("There is no such workspace.", "A key belongs to one workspace.")
        namespace = draft_place(self.writer, principal, shape)
        followed = self._check_recall(principal, shape, namespace)
        body_hash = sha256_hex(json.dumps(dict(request), sort_keys=True, ensure_ascii=False, default=str))
        drafts = self._drafts(shape, namespace)
        if not drafts:
            raise InvalidInput("There is nothing to remember.", "Fill at least one list of memory_payload.")
        flags = self._check_content(principal, shape, [draft for draft, _ in drafts])
        self._check_workflow(principal, shape, followed)
        prepared = [
            self._prepare(principal, shape, namespace, draft, artifact, entry_flags)
            for (draft, artifact), entry_flags in zip(drafts, flags, strict=True)
        ]
        records, is_replay = self.writer.database.write(
            lambda unit: self._store(unit, principal, shape, body_hash, prepared)
        )
        self.writer.wake()
        return WriteBackAnswer(records=records, warnings=warnings, family=shape.family, is_replay=is_replay)

    def _check_recall(self, principal: Principal, shape: WriteBackRequest, namespace: Namespace) -> RecallTrace | None:
        """The recall it follows must be the writer's own; a private one keeps the write-back narrow."""
        if shape.recall_request_id is None:
            return None
        self.writer.database.flush_later()
        with self.writer.database.read() as reader:
            trace = recall_traces.get(reader, principal.workspace_id, shape.recall_request_id)
        asked_by = None if trace is None else (trace.actor_id, trace.principal.get("user_id"))
        if trace is None or asked_by != (principal.actor_id, principal.user_id):
            raise NotFound("There is no such recall.", "recall_request_id names a recall of your own.")
        if trace.is_private:
            channel = trace.request.get("channel") or {}
            may_travel(namespace, trace.request.get("project_id"), channel.get("id"))
        return trace

    def _check_workflow(self, principal: Principal, shape: WriteBackRequest, followed: RecallTrace | None) -> None:
        """A registered workflow writes back once it is accepted. The row of a refusal says that all else was well:
        the acceptance checklist reads it as the proof of a first write-back.
        """
        with self.writer.database.read() as reader:
            registered = workflows.of_workspace(reader, principal.workspace_id)
        task_type = followed.request.get("task_type") if followed is not None else None
        workflow = holding(registered, shape.runtime.name, task_type)
        if workflow is None:
            return
        detail = {
            "why": NOT_ACCEPTED,
            "workflow": workflow.runtime_name,
            "task_type": workflow.task_type,
            "has_sources": bool(shape.source_refs),
        }
        self.writer.audit_refusal(principal, detail)
        raise AccessDenied(
            "This workflow is not accepted yet; it may recall.",
            "goclaw memory acceptance --workflow NAME says what is missing.",
        )

    def _drafts(self, shape: WriteBackRequest, namespace: Namespace) -> list[tuple[MemoryDraft, Artifact | None]]:
        max_chars = self.writer.settings.memory.max_content_chars
        sources = tuple(dict.fromkeys(source.as_ref() for source in shape.source_refs))[:MAX_SOURCES]
        drafts = []
        for kind, text, artifact in shape.entries():
            metadata: dict[str, Any] = {}
            if shape.memory_payload.entities:
                metadata[ENTITIES] = shape.memory_payload.entities
            if artifact is not None:
                metadata[ARTIFACT] = {"kind": artifact.kind, "uri": artifact.uri}
            draft = MemoryDraft(
                content=checked_content(text, max_chars),
                scope=namespace.scope,
                kind=kind,
                source_refs=sources,
                metadata=metadata,
            )
            drafts.append((draft, artifact))
        return drafts

    def _check_content(
        self, principal: Principal, shape: WriteBackRequest, drafts: Sequence[MemoryDraft]
    ) -> list[tuple[str, ...]]:
        """The flags of each entry; raises UnsafeContent, leaving one audit row, where any field is refused."""
        guard = self.writer.settings.governance.guard
        is_unsourced = not principal.is_own_hand and not shape.source_refs
        whole = examine(dict(_side_fields(shape)), guard)
        verdicts = [examine(guarded_fields(draft), guard, is_unsourced=is_unsourced) for draft in drafts]
        findings = [*whole.findings]
        for draft, verdict in zip(drafts, verdicts, strict=True):
            findings += [replace(each, field=f"{draft.kind}.{each.field}") for each in verdict.findings]
        if findings:
            self._refuse(principal, findings)
        return [_flags(whole, verdict) for verdict in verdicts]

    def _refuse(self, principal: Principal, findings: Sequence[UnsafeFinding]) -> None:
        reasons = sorted({finding.reason for finding in findings})
        self.writer.audit_refusal(principal, {"why": "unsafe_content", "reasons": reasons})
        raise UnsafeContent(tuple(dict.fromkeys(findings)))

    def _prepare(
        self,
        principal: Principal,
        shape: WriteBackRequest,
        namespace: Namespace,
        draft: MemoryDraft,
        artifact: Artifact | None,
        flags: tuple[str, ...],
    ) -> _Prepared:
        with self.writer.database.read() as reader:
            is_trusted = self._is_trusted(reader, principal, namespace)
        state = first_state(
            WriteContext(
                principal=principal,
                namespace=namespace,
                is_write_back=True,
                is_listed=self.writer.write_access.lists(principal),
                is_trusted_source=is_trusted,
                claimed=Provenance(shape.provenance.default_status),
                requires_review=shape.provenance.requires_review,
                has_source_refs=bool(draft.source_refs),
                is_high_impact=is_high_impact(draft.kind, draft.content),
                four_eyes=self.writer.settings.governance.four_eyes,
                flags=flags,
            )
        )
        record = self.writer.record_of(principal, draft, namespace, state)
        record = replace(
            record,
            confidence=shape.provenance.confidence,
            stale_after=_after(record, shape.retention.stale_after_days),
            expires_at=_after(record, shape.retention.ttl_days),
        )
        indexed = index_record(record, self.writer.settings.memory.chunk)
        return _Prepared(record, indexed, _origin(record, shape, artifact))

    def _is_trusted(self, reader: Reader, principal: Principal, namespace: Namespace) -> bool:
        """On the trusted-import list for this project, or promoted by a policy a human made for it."""
        is_workspace_wide = namespace.visibility is Visibility.WORKSPACE
        if not namespace.project_id and not is_workspace_wide:
            return False  # personal memory, a channel of its own, the organization: no policy reaches there
        kinds = [PolicyKind.PROMOTION]
        if principal.run_kind is RunKind.IMPORT:
            kinds.append(PolicyKind.TRUSTED_IMPORT)
        now, place = self.writer.clock.now(), (principal.workspace_id, namespace.project_id, principal.actor_id)
        return any(policies.in_force(reader, *place, kind, now) is not None for kind in kinds)

    def _store(
        self,
        unit: Unit,
        principal: Principal,
        shape: WriteBackRequest,
        body_hash: str,
        prepared: Sequence[_Prepared],
    ) -> tuple[tuple[MemoryRecord, ...], bool]:
        now = self.writer.clock.now()
        owner = (principal.workspace_id, principal.claimant)
        if shape.idempotency_key is not None:
            claim = idempotency_keys.claim(unit, *owner, shape.idempotency_key, body_hash, now)
            if claim.body_hash != body_hash:
                raise Conflict("This idempotency_key belongs to another request.", "Use a new key for a new request.")
            if claim.memory_ids:
                return self._answered(unit, principal, prepared[0].record.namespace, claim.memory_ids), True
        stored = []
        for each in prepared:
            record = self.writer.store(unit, principal, each.record, each.indexed)
            record_origins.put(unit, replace(each.origin, memory_id=record.id))
            stored.append(record)
        if shape.idempotency_key is not None:
            idempotency_keys.answer(unit, *owner, shape.idempotency_key, [record.id for record in stored])
        return tuple(stored), False

    def _answered(
        self, unit: Unit, principal: Principal, namespace: Namespace, memory_ids: Sequence[str]
    ) -> tuple[MemoryRecord, ...]:
        """The records that answered the same request before, in its order, wherever they live now.

        Left out are those that were forgotten, and those that were moved to where the writer may not read.
        """
        here = namespaces.find_or_make(unit, namespace).id  # a run that serves the workspace writes where it reads not
        found = memories.get_many(unit, list(memory_ids), sorted({here, *self._readable(unit, principal)}))
        return tuple(found[memory_id] for memory_id in memory_ids if memory_id in found)

    def _readable(self, reader: Reader, principal: Principal) -> Iterator[int]:
        """The ids of the namespaces the principal may read."""
        managed = ManagedChannels(channels.managed_ids(reader, principal.workspace_id))
        belongings = (principal.person_id, principal.project_ids, principal.channel_ids)
        for state in namespaces.candidates(reader, principal.workspace_id, *belongings):
            if may_read(principal, state.namespace, self.writer.write_access, Reading.MANAGE, managed):
                yield state.id


def _flags(whole: Verdict, entry: Verdict) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*whole.flags, *entry.flags)))


def _after(record: MemoryRecord, days: int | None) -> Any:
    return None if days is None else record.created_at + timedelta(days=days)


def _side_fields(shape: WriteBackRequest) -> Iterator[tuple[str, str]]:
    """Every text of the request beside its entries: ids, runtime, models, channel, entities, unknown keys too."""
    yield from _texts(shape.model_dump(exclude={"memory_payload"}), "")
    yield from _texts(shape.memory_payload.entities, "memory_payload.entities")


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and value:
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{number}]")


def _origin(record: MemoryRecord, shape: WriteBackRequest, artifact: Artifact | None) -> Origin:
    return Origin(
        memory_id=record.id,
        workspace_id=record.workspace_id,
        task_id=shape.task_id,
        flow_id=shape.flow_id,
        step_id=shape.step_id,
        runtime_name=shape.runtime.name or None,
        runtime_version=shape.runtime.version,
        models=[model.model_dump() for model in shape.models_used],
        recall_trace_id=shape.recall_request_id,
        client_hash=shape.content_hash,
        artifacts=[{"kind": artifact.kind, "uri": artifact.uri}] if artifact else [],
        channel=shape.channel.model_dump(),
    )
