"""Rollback: undo what a source, an actor, a run or an import wrote, and say what it had touched by then.

Undone means rejected, with one audit event each, so everything stays for inspection and a person may write it anew.
What a human confirmed stays, unless they are included on purpose. A reviewer undoes what they may review: not the
personal memory of others, and no project they do not belong to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from goclaw.governance.audit import EventType
from goclaw.ingest.write import Writer
from goclaw.lifecycle.deed import Deed, keep_deed
from goclaw.lifecycle.review_effects import after_step
from goclaw.lifecycle.review_rights import may_review, require_human
from goclaw.model.access import Reading
from goclaw.model.clock import from_us
from goclaw.model.errors import AccessDenied, Conflict, GoclawError, InvalidInput
from goclaw.model.freshness import settle
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.principal import ActorKind, Principal
from goclaw.model.provenance import Provenance
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewAction, transition
from goclaw.recall.impact import ImpactReader
from goclaw.recall.readable import readable_states
from goclaw.storage import memories, record_origins, reviews
from goclaw.storage.database import Reader
from goclaw.storage.memories import RecordFilter

ROLLBACK = "rollback"  # the reason, in the review row and in the audit row
PAGE = 200
_CONFIRMING = (ReviewAction.CONFIRM, ReviewAction.EDIT)


class Outcome(StrEnum):
    """What became, or would become, of one record."""

    PLANNED = "planned"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """Whose writes are to be undone. At least one is given, and all that are given must fit."""

    source: str | None = None  # uri of a source reference
    run: str | None = None  # task_id of the write-backs
    by: str | None = None  # an actor id: agent:claw, human:bob, job:nightly
    since: datetime | None = None  # only what was written from then on
    imported_from: str | None = None  # name of an import: crm for import:crm

    @property
    def actor_id(self) -> str | None:
        if self.imported_from is None:
            return self.by
        return f"{ActorKind.IMPORT}:{self.imported_from.removeprefix(f'{ActorKind.IMPORT}:')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackStep:
    """One record that the culprit wrote."""

    record: MemoryRecord  # as it was before
    outcome: Outcome
    why: str | None = None  # skipped and failed ones


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackReport:
    """What a rollback did, or would do."""

    is_dry_run: bool
    steps: tuple[RollbackStep, ...]  # newest first
    request_ids: tuple[str, ...]  # recalls that returned one of the records
    task_ids: tuple[str, ...]  # tasks behind those recalls
    written_after: tuple[str, ...]  # records written back after those recalls, beside the steps: look at them
    derived: tuple[str, ...]  # records that took something over from one of them, beside the steps

    def count(self, outcome: Outcome) -> int:
        return sum(step.outcome is outcome for step in self.steps)


@dataclass(frozen=True, slots=True)
class Rollback:
    """Undoes writes, for reviewers by their own hand."""

    writer: Writer

    def plan(self, principal: Principal, culprit: Culprit, *, include_confirmed: bool = False) -> RollbackReport:
        """What :meth:`roll_back` would do now. Raises AccessDenied, and InvalidInput where no culprit is named."""
        _require_reviewer(principal)
        _require_named(culprit)
        self.writer.database.flush_later()  # traces of recalls that were just answered
        with self.writer.database.read() as reader:
            states = readable_states(reader, principal, self.writer.write_access, Reading.MANAGE)
            namespace_ids = [state.id for state in states]
            steps = tuple(
                _step(reader, principal, record, include_confirmed)
                for record in self._written_by(reader, namespace_ids, culprit)
            )
            return _with_impact(ImpactReader(reader, principal, namespace_ids), steps)

    def roll_back(self, principal: Principal, culprit: Culprit, *, include_confirmed: bool = False) -> RollbackReport:
        """Reject every record the culprit wrote; each in a unit of its own, so a repetition goes on where one ended.

        Raises AccessDenied and InvalidInput for the whole; what concerns one record stands in its step.
        """
        plan = self.plan(principal, culprit, include_confirmed=include_confirmed)
        steps = tuple(self._undo(principal, step) if step.outcome is Outcome.PLANNED else step for step in plan.steps)
        return replace(plan, is_dry_run=False, steps=steps)

    def _written_by(self, reader: Reader, namespace_ids: Sequence[int], culprit: Culprit) -> Iterator[MemoryRecord]:
        filters = RecordFilter(
            actor_id=culprit.actor_id,
            created_since=culprit.since,
            task_id_prefix=culprit.run,
            source_uri=culprit.source,
        )
        now, pending_days = self.writer.clock.now(), self.writer.settings.governance.pending_days
        before = None
        while True:
            found = memories.page(reader, namespace_ids, filters=filters, before=before, limit=PAGE)
            origins = record_origins.get_many(reader, [record.id for record in found]) if culprit.run else {}
            for record in found:
                if culprit.run is None or origins[record.id].task_id == culprit.run:
                    yield settle(record, now, pending_days)
            if len(found) < PAGE:
                return
            before = (found[-1].created_at, found[-1].id)

    def _undo(self, principal: Principal, step: RollbackStep) -> RollbackStep:
        """Reject the record in the version that was judged; one that somebody changed meanwhile is left alone."""
        record = step.record
        now = from_us(self.writer.clock.now())
        deed = Deed(
            principal=principal,
            action=ReviewAction.REJECT,
            event_type=EventType.MEMORY_REJECTED,
            before=record,
            after=after_step(record, transition(record.lifecycle, ReviewAction.REJECT), now),
            notes=ROLLBACK,
            why=ROLLBACK,
        )
        try:
            self.writer.database.write(lambda unit: keep_deed(self.writer, unit, deed, None))
        except Conflict as error:
            return replace(step, outcome=Outcome.SKIPPED, why=error.message)
        except GoclawError as error:
            return replace(step, outcome=Outcome.FAILED, why=error.message)
        return replace(step, outcome=Outcome.DONE)


def _require_reviewer(principal: Principal) -> None:
    require_human(principal)
    if not principal.is_reviewer:
        raise AccessDenied("Writes are rolled back by reviewers.", "Ask a reviewer of the workspace.")


def _require_named(culprit: Culprit) -> None:
    named = (culprit.source, culprit.run, culprit.by, culprit.imported_from)
    if all(each is None for each in (*named, culprit.since)):
        raise InvalidInput("Nothing says whose writes to undo.", "Name a source, run, actor, import or time.")
    if any(each is not None and not each.strip() for each in named):
        raise InvalidInput("A name is blank.", "Leave out what you do not mean.")
    if culprit.by is not None and culprit.imported_from is not None:
        raise InvalidInput("An actor and an import are both named.", "An import is an actor: name one of them.")


def _step(reader: Reader, principal: Principal, record: MemoryRecord, include_confirmed: bool) -> RollbackStep:
    if not may_review(principal, record):
        return RollbackStep(record=record, outcome=Outcome.FAILED, why="It is not yours to decide about.")
    if record.lifecycle in (Lifecycle.REJECTED, Lifecycle.MERGED):
        return RollbackStep(record=record, outcome=Outcome.SKIPPED, why=f"It is {record.lifecycle} already.")
    if not include_confirmed and _is_confirmed_by_a_human(reader, record):
        return RollbackStep(record=record, outcome=Outcome.SKIPPED, why="A human confirmed it.")
    return RollbackStep(record=record, outcome=Outcome.PLANNED)


def _is_confirmed_by_a_human(reader: Reader, record: MemoryRecord) -> bool:
    """Also where a later dispute or replacement has taken the word from the record itself."""
    if record.provenance not in (Provenance.DISPUTED, Provenance.SUPERSEDED):
        return record.provenance is Provenance.USER_CONFIRMED
    return any(
        row.action in _CONFIRMING or row.before.get("provenance_status") == Provenance.USER_CONFIRMED
        for row in reviews.of_memory(reader, record.id)
    )


def _with_impact(impacts: ImpactReader, steps: tuple[RollbackStep, ...]) -> RollbackReport:
    """The plan, with what the records have touched: those that are skipped count too, they may be just as wrong."""
    own = {step.record.id for step in steps}
    reached = [impacts.of(memory_id) for memory_id in own]
    tasks = [task for impact in reached for task in impact.tasks]
    return RollbackReport(
        is_dry_run=True,
        steps=steps,
        request_ids=_sorted(met.request_id for impact in reached for met in impact.recalls if met.rank is not None),
        task_ids=_sorted(task.task_id for task in tasks if task.task_id),
        written_after=_sorted(each for task in tasks for each in task.written_back if each not in own),
        derived=_sorted(each.memory_id for impact in reached for each in impact.derived if each.memory_id not in own),
    )


def _sorted(ids: Iterator[str]) -> tuple[str, ...]:
    return tuple(sorted(set(ids)))
