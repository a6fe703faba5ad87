"""Write: access, guard, first state, one unit of work, and only then "stored".

No model is asked while someone waits. A record is findable by keyword the moment it is acknowledged; its vectors follow
as a job. The same content in the same namespace refreshes the record that is there instead of doubling it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from goclaw.governance.audit import EventType, event
from goclaw.governance.impact import is_high_impact
from goclaw.governance.promotion import FirstState, WriteContext, first_state
from goclaw.governance.write_guard import examine, guarded_fields
from goclaw.ingest.embedding_queue import ask_for_vectors
from goclaw.ingest.index import Indexed, index_record, store_chunks
from goclaw.ingest.place import place_of
from goclaw.ingest.refresh import REJECTED_BEFORE, refresh, says_more
from goclaw.model.access import NO_MANAGED_CHANNELS, Decision, ManagedChannels, WriteAccess, WriteWay, may_write
from goclaw.model.clock import Clock, from_us
from goclaw.model.errors import AccessDenied, Conflict, UnsafeContent
from goclaw.model.freshness import settle
from goclaw.model.ids import IdMaker
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryDraft, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.tags import CRITICAL
from goclaw.settings.settings import Settings
from goclaw.storage import audit_log, channels, memories, namespaces, tombstones
from goclaw.storage.database import Database, Reader, Unit
from goclaw.text.fingerprint import content_hash

_LIVING = (Lifecycle.ACTIVE, Lifecycle.STALE, Lifecycle.DISPUTED)


@dataclass(frozen=True, slots=True)
class Writer:
    """Stores drafts. ``wants_vectors`` says whether this process has an embedding provider; ``wake`` rouses workers."""

    database: Database
    clock: Clock
    ids: IdMaker
    settings: Settings
    write_access: WriteAccess
    wants_vectors: bool
    wake: Callable[[], None]

    def write(
        self,
        principal: Principal,
        draft: MemoryDraft,
        way: WriteWay = WriteWay.MEMORY_WRITE,
        *,
        is_tainted: bool | None = None,
    ) -> MemoryRecord:
        """Store the draft and return the record as stored, or the one that already says the same.

        ``is_tainted`` is for a tool call in a person's own turn: whether text from outside has entered it by then.

        Raises AccessDenied, UnsafeContent or InvalidInput; then nothing is stored but the audit row of the refusal.
        """
        namespace = place_of(principal, draft)
        self.check_access(principal, namespace, way)
        draft = self.without_undue_tags(principal, draft)
        flags = self.check_content(principal, draft)
        state = self.first_state(principal, draft, namespace, flags, way, is_tainted=is_tainted)
        record = self.record_of(principal, draft, namespace, state)
        indexed = index_record(record, self.settings.memory.chunk)
        stored = self.database.write(lambda unit: self.store(unit, principal, record, indexed))
        self.wake()
        return stored

    def check_access(self, principal: Principal, namespace: Namespace, way: WriteWay) -> None:
        """Raise AccessDenied, leaving an audit row, where the principal may not write into the namespace."""
        decision = self.decide(principal, namespace, way)
        if not decision.allowed:
            self.audit_refusal(principal, {"why": "access_denied", "scope": namespace.scope})
            raise _denied(decision)

    def decide(self, principal: Principal, namespace: Namespace, way: WriteWay) -> Decision:
        """Whether the principal may write there; a channel with members of its own lets only them in."""
        managed = NO_MANAGED_CHANNELS
        if namespace.channel_id:
            with self.database.read() as reader:
                managed = ManagedChannels(channels.managed_ids(reader, principal.workspace_id))
        return may_write(principal, namespace, way, self.write_access, managed)

    def check_content(self, principal: Principal, draft: MemoryDraft) -> tuple[str, ...]:
        """The flags of the write guard; raises UnsafeContent, leaving an audit row, where it refuses."""
        is_unsourced = not principal.is_own_hand and not draft.source_refs
        verdict = examine(guarded_fields(draft), self.settings.governance.guard, is_unsourced=is_unsourced)
        if verdict.findings:
            reasons = sorted({finding.reason for finding in verdict.findings})
            self.audit_refusal(principal, {"why": "unsafe_content", "reasons": reasons})
            raise UnsafeContent(verdict.findings)
        return verdict.flags

    def without_undue_tags(self, principal: Principal, draft: MemoryDraft) -> MemoryDraft:
        """``critical`` is given by the own hand of an administrator or a listed writer; elsewhere it falls off."""
        if CRITICAL not in draft.tags or self.may_tag_critical(principal):
            return draft
        return replace(draft, tags=tuple(tag for tag in draft.tags if tag != CRITICAL))

    def may_tag_critical(self, principal: Principal) -> bool:
        return principal.is_own_hand and (principal.is_admin or self.write_access.lists(principal))

    def first_state(
        self,
        principal: Principal,
        draft: MemoryDraft,
        namespace: Namespace,
        flags: tuple[str, ...],
        way: WriteWay = WriteWay.MEMORY_WRITE,
        *,
        is_tainted: bool | None = None,
    ) -> FirstState:
        """What trust the text starts with (governance.md 2); ``is_tainted`` as in :meth:`write`, None: of no turn."""
        return first_state(
            WriteContext(
                principal=principal,
                namespace=namespace,
                way=way,
                is_untainted_turn=is_tainted is False,
                is_tainted=bool(is_tainted),
                is_listed=self.write_access.lists(principal),
                flags=flags,
                has_source_refs=bool(draft.source_refs),
                is_high_impact=is_high_impact(draft.kind, draft.content),
                four_eyes=self.settings.governance.four_eyes,
            )
        )

    def record_of(
        self, principal: Principal, draft: MemoryDraft, namespace: Namespace, state: FirstState
    ) -> MemoryRecord:
        """The record a draft becomes, with the trust it starts with."""
        now = from_us(self.clock.now())
        return MemoryRecord(
            id=self.ids.new_id(),
            namespace=namespace,
            kind=draft.kind,
            content=draft.content,
            content_hash=identity_of(draft),
            lifecycle=Lifecycle.ACTIVE,
            provenance=state.provenance,
            review_status=state.review_status,
            actor_id=principal.actor_id,
            actor_kind=principal.actor_kind,
            created_at=now,
            updated_at=now,
            version=1,
            domain=draft.domain,
            flags=state.flags,
            tags=draft.tags,
            metadata=draft.metadata,
            source_refs=draft.source_refs,
            external_ref=draft.external_ref,
            session_id=draft.session_id,
            turn=draft.turn,
            speaker=draft.speaker,
            occurred_at=None if draft.occurred_at is None else from_us(draft.occurred_at),
            agent_id=principal.agent_id,
            on_behalf_of=principal.person_id,
            last_confirmed_at=now if state.review_status is ReviewStatus.CONFIRMED else None,
            last_seen_at=now,
        )

    def store(self, unit: Unit, principal: Principal, record: MemoryRecord, indexed: Indexed) -> MemoryRecord:
        """Insert the record with its chunks, audit row and job, or refresh the one that says the same."""
        state = namespaces.find_or_make(unit, record.namespace)
        known = memories.find_same(unit, state.id, record.kind, record.content_hash)
        if not principal.is_own_hand and was_forgotten(unit, state.id, record, known):
            raise Conflict("This was forgotten on purpose.", "A person may write it anew by their own hand.")
        if known is not None:  # as it is now: what time has ended is not refreshed
            known = settle(known, self.clock.now(), self.settings.governance.pending_days)
        if known is not None and known.lifecycle is Lifecycle.REJECTED:
            if _is_of_the_same_source(principal, record, known):
                return known  # refused once, from this source: it does not come back
            record = replace(
                record,
                review_status=ReviewStatus.PENDING,
                flags=(*record.flags, REJECTED_BEFORE),
                last_confirmed_at=None,
            )
        elif known is not None and known.lifecycle in _LIVING and not says_more(known, record):
            return refresh(unit, principal, known, record, self.settings.governance.pending_days)
        pending_days = self.settings.governance.pending_days
        memories.insert(unit, record, state.id)
        store_chunks(unit, record, state.id, indexed, pending_days, embed=self.wants_vectors)
        if self.wants_vectors:
            ask_for_vectors(unit, self.clock.now())
        now = self.clock.now()
        audit_log.append(unit, event(principal, EventType.MEMORY_WRITTEN, now, record=record, namespace_id=state.id))
        return record

    def audit_refusal(self, principal: Principal, detail: dict[str, object]) -> None:
        """Leave the one row that a refused write leaves."""
        row = event(principal, EventType.MEMORY_REFUSED, self.clock.now(), detail=detail)
        self.database.write(lambda unit: audit_log.append(unit, row))


def _is_of_the_same_source(principal: Principal, again: MemoryRecord, known: MemoryRecord) -> bool:
    """Whether nothing speaks for a text that did not before: neither a source nor another person's own hand."""
    is_somebodys_word = principal.is_own_hand and again.actor_id != known.actor_id
    return not is_somebodys_word and set(again.source_refs) <= set(known.source_refs)


def identity_of(draft: MemoryDraft) -> str:
    """What "the same content" compares: who said it counts, since "I like tea" of two people is two memories."""
    return content_hash(f"{draft.speaker}: {draft.content}" if draft.speaker else draft.content)


def was_forgotten(reader: Reader, namespace_id: int, record: MemoryRecord, known: MemoryRecord | None) -> bool:
    """Whether the record's words were forgotten in the namespace, whoever said them.

    With ``known``, the record that says the same, only as this speaker said them: who is remembered may say it again.
    """
    words = (record.content_hash,) if known else (record.content_hash, content_hash(record.content))
    return any(tombstones.exists(reader, namespace_id, each) for each in words)


def _denied(decision: Decision) -> AccessDenied:
    return AccessDenied(decision.reason, decision.hint)
