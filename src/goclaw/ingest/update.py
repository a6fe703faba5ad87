"""Update: a change of text, kind, domain or tags, by whoever may write there, against the version they read."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from goclaw.governance.audit import EventType, event
from goclaw.governance.promotion import TAINTED
from goclaw.ingest.decided import require_undecided
from goclaw.ingest.draft import checked_content, checked_tags, given_tags, label, writable_kind
from goclaw.ingest.embedding_queue import ask_for_vectors
from goclaw.ingest.index import Indexed, index_record, replace_chunks
from goclaw.ingest.refresh import REJECTED_BEFORE, says_more
from goclaw.ingest.write import Writer, identity_of, was_forgotten
from goclaw.model.access import WriteWay
from goclaw.model.clock import from_us
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, VersionConflict
from goclaw.model.freshness import settle
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import Principal
from goclaw.model.record import Kind, MemoryDraft, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.tags import CRITICAL, ENGINE_TAGS
from goclaw.storage import audit_log, memories, namespaces
from goclaw.storage.database import Unit

_ORIGIN_FLAGS = frozenset({TAINTED, REJECTED_BEFORE})
_EDITABLE = (Lifecycle.ACTIVE, Lifecycle.STALE, Lifecycle.DISPUTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What to change; ``None`` leaves a field as it is, an empty domain removes it."""

    content: str | None = None
    kind: str | None = None
    domain: str | None = None
    tags: Iterable[str] | None = None

    @property
    def is_empty(self) -> bool:
        return self.content is None and self.kind is None and self.domain is None and self.tags is None


@dataclass(frozen=True, slots=True)
class Updater:
    """Changes records. New text is a new statement: its trust is decided anew, by the rules of a write."""

    writer: Writer

    def update(
        self, principal: Principal, record: MemoryRecord, change: Change, expected_version: int | None
    ) -> MemoryRecord:
        """The record as it is afterwards.

        ``record`` is what the principal may see. Raises VersionConflict where somebody changed it since
        ``expected_version``, AccessDenied where the principal may not write there, and what a write raises.
        """
        self._check(principal, record, change, expected_version)
        if record.kind is Kind.MEMORY_FILE:
            raise AccessDenied("This is the copy of a file.", "Edit the file; the copy follows within a minute.")
        draft = self._draft(record, change)
        if CRITICAL not in record.tags:  # one that was given stays; a new one takes the right to give it
            draft = self.writer.without_undue_tags(principal, draft)
        flags = self.writer.check_content(principal, draft)
        changed = self._changed(principal, record, draft, flags)
        indexed = index_record(changed, self.writer.settings.memory.chunk)
        stored = self.writer.database.write(lambda unit: self._store(unit, principal, record, changed, indexed))
        self.writer.wake()
        return stored

    def _check(self, principal: Principal, record: MemoryRecord, change: Change, expected_version: int | None) -> None:
        if change.is_empty:
            raise InvalidInput("Nothing is to be changed.", "Give content, kind, domain or tags.")
        self.writer.check_access(principal, record.namespace, WriteWay.MEMORY_WRITE)
        if record.lifecycle not in _EDITABLE:
            raise Conflict(f"A record that is {record.lifecycle} cannot be changed.", "Write it anew.")
        require_undecided(self.writer.database, principal, record)
        if expected_version is not None and expected_version != record.version:
            raise _changed_meanwhile()

    def _draft(self, record: MemoryRecord, change: Change) -> MemoryDraft:
        max_chars = self.writer.settings.memory.max_content_chars
        tags, given = record.tags, tuple[str, ...]()
        if change.tags is not None:
            given = given_tags(change.tags)
            tags = (*checked_tags(given), *(tag for tag in record.tags if tag in ENGINE_TAGS))
        return MemoryDraft(
            content=record.content if change.content is None else checked_content(change.content, max_chars),
            scope=record.scope,
            kind=record.kind if change.kind is None else writable_kind(change.kind),
            tags=tags,
            tags_as_given=given,
            domain=record.domain if change.domain is None else label(change.domain, "domain"),
            source_refs=record.source_refs,
            external_ref=record.external_ref,
            session_id=record.session_id,
            speaker=record.speaker,
            metadata=record.metadata,
        )

    def _changed(
        self, principal: Principal, record: MemoryRecord, draft: MemoryDraft, flags: tuple[str, ...]
    ) -> MemoryRecord:
        now = from_us(self.writer.clock.now())
        changed = replace(
            record,
            content=draft.content,
            content_hash=identity_of(draft),
            kind=draft.kind,
            domain=draft.domain,
            tags=draft.tags,
            actor_id=principal.actor_id if draft.content != record.content else record.actor_id,
            actor_kind=principal.actor_kind if draft.content != record.content else record.actor_kind,
            updated_at=now,
            version=record.version + 1,
        )
        if draft.content == record.content and principal.is_own_hand and not flags:
            return changed  # labels only, by a human, and nothing a detector held: the statement's trust is the same
        origin = _origin_flags(record)
        held = flags if principal.is_own_hand else tuple(dict.fromkeys((*flags, *origin)))
        state = self.writer.first_state(principal, draft, record.namespace, held)
        is_confirmed = state.review_status is ReviewStatus.CONFIRMED
        return replace(
            changed,
            lifecycle=Lifecycle.ACTIVE,
            provenance=state.provenance,
            review_status=state.review_status,
            restricted_from=None,
            flags=tuple(dict.fromkeys((*state.flags, *origin))),
            last_confirmed_at=now if is_confirmed else record.last_confirmed_at,
        )

    def _store(
        self, unit: Unit, principal: Principal, record: MemoryRecord, changed: MemoryRecord, indexed: Indexed
    ) -> MemoryRecord:
        state = namespaces.find_or_make(unit, changed.namespace)
        if (changed.content_hash, changed.kind) != (record.content_hash, record.kind):
            self._require_new_words(unit, principal, state.id, changed)
        if not memories.replace(unit, changed, record.version):
            raise _changed_meanwhile()
        pending_days = self.writer.settings.governance.pending_days
        replace_chunks(unit, changed, state.id, indexed, pending_days, embed=self.writer.wants_vectors)
        now = self.writer.clock.now()
        if self.writer.wants_vectors:
            ask_for_vectors(unit, now)
        audit_log.append(unit, event(principal, EventType.MEMORY_EDITED, now, record=changed))
        return changed

    def _require_new_words(self, unit: Unit, principal: Principal, namespace_id: int, changed: MemoryRecord) -> None:
        """Raise Conflict where a change would double a record, as a write would not, or bring back what was forgotten
        or rejected, unless by own hand. The other record may be named: who changes this one reads both.
        """
        known = memories.find_same(unit, namespace_id, changed.kind, changed.content_hash)
        if known is not None:  # as it is now: what time has ended stands in nobody's way
            known = settle(known, self.writer.clock.now(), self.writer.settings.governance.pending_days)
        if known is not None and known.lifecycle in _EDITABLE and not says_more(known, changed):
            raise Conflict(f"Another record says the same: {known.id}.", "Keep that one, or merge the two in a review.")
        if principal.is_own_hand:
            return
        was_rejected = known is not None and known.lifecycle is Lifecycle.REJECTED
        if was_rejected or was_forgotten(unit, namespace_id, changed, known):
            raise Conflict("These words were forgotten or rejected.", "A person may write them anew by their own hand.")


def _origin_flags(record: MemoryRecord) -> tuple[str, ...]:
    """The flags that say where a record came from; new words do not wash them off."""
    return tuple(flag for flag in record.flags if flag in _ORIGIN_FLAGS or flag.startswith("claimed_"))


def _changed_meanwhile() -> VersionConflict:
    return VersionConflict("The record was changed since you read it.", "Read it again and repeat the change.")
