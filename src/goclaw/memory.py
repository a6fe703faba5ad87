"""Memory: the services by name. The public face of the library; it has no logic of its own."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self, Unpack

from goclaw.context.assemble import Context
from goclaw.context.lent import LentSections
from goclaw.governance.audit_chain import Verification
from goclaw.governance.workflow_book import WorkflowBook
from goclaw.ingest.draft import draft_of
from goclaw.ingest.queue import JobQueue
from goclaw.ingest.update import Change
from goclaw.ingest.write_back import WriteBackAnswer
from goclaw.lifecycle.acceptance import AcceptanceReport
from goclaw.lifecycle.bulk_review import BulkResult, bulk_review
from goclaw.lifecycle.forget import Receipt
from goclaw.lifecycle.inspection import Inspection
from goclaw.lifecycle.queue_entry import Priority
from goclaw.lifecycle.review_queue import QueuePage
from goclaw.lifecycle.rollback import Culprit, RollbackReport
from goclaw.model.errors import NotFound
from goclaw.model.hit import Found
from goclaw.model.principal import Principal
from goclaw.model.provenance import SourceRef
from goclaw.model.record import MemoryRecord
from goclaw.model.session import Channel
from goclaw.recall.ask import Ask, Mode
from goclaw.recall.audit_reader import AuditFilter, AuditPage
from goclaw.recall.browse import Page
from goclaw.recall.contract_recall import ContractAnswer
from goclaw.recall.explain import Explanation
from goclaw.recall.impact import Impact
from goclaw.recall.trace_list import TracePage
from goclaw.recall.trace_report import TraceReport
from goclaw.recall.usage import UsageCounts
from goclaw.services import Services
from goclaw.sessions.conversations import Conversations
from goclaw.storage.audit_log import AuditEvent
from goclaw.storage.memories import RecordFilter
from goclaw.storage.policies import Policy
from goclaw.storage.reviews import ReviewRow
from goclaw.turn.answer import AgentTurns


class Memory:
    """A memory store that is open. Use it from any number of threads, and close it, or use ``with``.

    Every method takes the :class:`goclaw.Principal` that asks. It is trusted: the program around has authenticated it.
    Errors are those of :mod:`goclaw.errors`; each carries a hint that says what would work.
    """

    def __init__(self, services: Services) -> None:
        self._services = services

    def write(
        self,
        principal: Principal,
        text: str,
        *,
        scope: str,
        kind: str = "note",
        tags: Iterable[str] = (),
        domain: str | None = None,
        project_id: str | None = None,
        channel_id: str | None = None,
        visibility: str | None = None,
        source_refs: Iterable[SourceRef | Mapping[str, str | None]] = (),
        external_ref: str | None = None,
        session_id: str | None = None,
        turn: int | None = None,
        speaker: str | None = None,
        occurred_at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> MemoryRecord:
        """Remember a text; the record as stored, durable and findable by keyword when this returns.

        ``scope`` is personal, agent_notes, global or agent_config. ``visibility`` is the narrowest useful one unless
        given: the channel, the project, else the workspace. The same content written again in the same place and kind
        returns the record that is there, refreshed. ``occurred_at`` without a time zone is read as UTC.

        Raises AccessDenied, UnsafeContent or InvalidInput; then nothing is stored.
        """
        draft = draft_of(
            text,
            scope=scope,
            kind=kind,
            tags=tags,
            domain=domain,
            project_id=project_id,
            channel_id=channel_id,
            visibility=visibility,
            source_refs=source_refs,
            external_ref=external_ref,
            session_id=session_id,
            turn=turn,
            speaker=speaker,
            occurred_at=occurred_at,
            metadata=metadata,
            max_content_chars=self._services.settings.memory.max_content_chars,
        )
        return self._services.writer.write(principal, draft)

    def get(self, principal: Principal, memory_id: str) -> MemoryRecord | None:
        """The record, or None: also where the principal may not see it."""
        return self._services.browser.get(principal, memory_id)

    def list(
        self,
        principal: Principal,
        filters: RecordFilter | None = None,
        *,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Records the principal may see, newest first, ``limit`` (1-200) at a time; follow ``next_cursor``."""
        return self._services.browser.page(principal, filters or RecordFilter(), cursor, limit)

    def update(
        self,
        principal: Principal,
        memory_id: str,
        *,
        content: str | None = None,
        kind: str | None = None,
        domain: str | None = None,
        tags: Iterable[str] | None = None,
        expected_version: int | None = None,
    ) -> MemoryRecord:
        """Change a record; new text is a new statement, so its trust is decided anew.

        Raises NotFound, AccessDenied, UnsafeContent, and VersionConflict where ``expected_version`` is not the
        record's: then read it again.
        """
        record = self._require(principal, memory_id)
        change = Change(content=content, kind=kind, domain=domain, tags=tags)
        return self._services.updater.update(principal, record, change, expected_version)

    def forget(self, principal: Principal, memory_id: str) -> Receipt:
        """Erase a record and all made from it; the receipt says what backups hold. Raises NotFound, AccessDenied."""
        return self._services.forgetter.forget(principal, self._require(principal, memory_id))

    def recall(
        self,
        principal: Principal,
        query: str,
        *,
        limit: int | None = None,
        include_unconfirmed: bool = False,
        include_stale: bool = False,
    ) -> Found:
        """What may go into a prompt for this question: only what review and time allow, with the trace of it.

        ``limit`` (1-200) replaces ``memory.search.max_results``. An empty answer has a ``reason``.
        """
        ask = Ask(
            text=query,
            mode=Mode.AUTOMATIC,
            limit=limit,
            include_unconfirmed=include_unconfirmed,
            include_stale=include_stale,
        )
        return self._services.recaller.answer(principal, ask)

    def search(
        self, principal: Principal, query: str, *, limit: int | None = None, include_history: bool = False
    ) -> Found:
        """Explicit search: also pending, stale and disputed records, marked; ``include_history``: superseded ones."""
        ask = Ask(text=query, mode=Mode.EXPLICIT, limit=limit, include_history=include_history)
        return self._services.recaller.answer(principal, ask)

    def explain(self, principal: Principal, query: str, memory_id: str | None = None, **ask: Any) -> Explanation:
        """How a :meth:`search` (``ask``: its arguments) is ranked, and why it finds, or does not find, one record."""
        return self._services.explainer.explain(principal, Ask(text=query, mode=Mode.EXPLICIT, **ask), memory_id)

    def write_back(self, principal: Principal, request: Mapping[str, Any]) -> WriteBackAnswer:
        """Store what was learned in a task (the published contract): every entry, or nothing.

        Agent-written memory starts as evidence. Raises InvalidInput, AccessDenied with the widest visibility that is
        open, NotFound, UnsafeContent, and Conflict where the idempotency key belongs to another request.
        """
        return self._services.write_back.write_back(principal, request)

    def recall_for_task(self, principal: Principal, request: Mapping[str, Any]) -> ContractAnswer:
        """What an agent should know for a task (the published contract): within its project, level and limits.

        Raises InvalidInput, and NotFound for a workspace or project that is not the principal's.
        """
        return self._services.task_recaller.recall(principal, request)

    def report_usage(
        self,
        principal: Principal,
        request_id: str,
        used_memory_ids: Iterable[str] = (),
        ignored: Mapping[str, str] | None = None,
    ) -> UsageCounts:
        """Say which returned memories were used, and which ignored and why; whole or not at all.

        Raises NotFound for a recall of somebody else, UnknownItems where an id was not returned by it.
        """
        return self._services.usage.report(principal, request_id, tuple(used_memory_ids), dict(ignored or {}))

    def trace(self, principal: Principal, request_id: str) -> TraceReport:
        """One recall explained. For its asker, and for reviewers as far as they may read. Raises NotFound."""
        return self._services.traces.report(principal, request_id)

    def traces(self, principal: Principal, *, cursor: str | None = None, limit: int = 50) -> TracePage:
        """Recalls, newest first, ``limit`` (1-200) at a time: one's own, and for reviewers the workspace's."""
        return self._services.trace_list.page(principal, cursor=cursor, limit=limit)

    def impact(self, principal: Principal, memory_id: str) -> Impact:
        """The recalls that met a record, their tasks, and what was made from it. Raises NotFound."""
        return self._services.impacts.report(principal, memory_id)

    def review(
        self,
        principal: Principal,
        memory_id: str,
        action: str,
        *,
        content: str | None = None,
        summary: str | None = None,
        visibility: str | None = None,
        project_id: str | None = None,
        channel_id: str | None = None,
        related_id: str | None = None,
        notes: str | None = None,
        tags: Iterable[str] | None = None,
    ) -> MemoryRecord:
        """Decide about a record by one of the nine actions; the record as it is afterwards.

        For reviewers, and for the owner of personal memory, by own hand. Raises AccessDenied, NotFound, InvalidInput,
        UnsafeContent, and Conflict that names the actions that are legal.
        """
        return self._services.reviewer.review(
            principal,
            memory_id,
            action,
            content=content,
            summary=summary,
            visibility=visibility,
            project_id=project_id,
            channel_id=channel_id,
            related_id=related_id,
            notes=notes,
            tags=tags,
        )

    def review_many(
        self, principal: Principal, memory_ids: Iterable[str], action: str, notes: str | None = None
    ) -> BulkResult:
        """One action on many records; what was done, skipped and failed, each with its reason."""
        return bulk_review(self._services.reviewer, principal, tuple(memory_ids), action, notes)

    def review_queue(
        self,
        principal: Principal,
        filters: RecordFilter | None = None,
        *,
        priority: Priority | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> QueuePage:
        """What waits for a human, newest first, as far as the principal may see it."""
        return self._services.review_queue.page(
            principal, filters or RecordFilter(), priority=priority, cursor=cursor, limit=limit
        )

    def propose(
        self,
        principal: Principal,
        memory_id: str,
        action: str,
        notes: str | None = None,
        *,
        related_id: str | None = None,
    ) -> ReviewRow:
        """Propose a review action; agents may, and a human decides."""
        return self._services.proposer.propose(principal, memory_id, action, notes, related_id=related_id)

    def widen(
        self,
        principal: Principal,
        memory_id: str,
        visibility: str,
        reason: str,
        *,
        project_id: str | None = None,
        channel_id: str | None = None,
    ) -> MemoryRecord:
        """Let a record travel further: a reviewer's own act, with a reason that is kept."""
        return self._services.widener.widen(
            principal, memory_id, visibility, reason, project_id=project_id, channel_id=channel_id
        )

    def rollback(
        self,
        principal: Principal,
        *,
        source: str | None = None,
        run: str | None = None,
        by: str | None = None,
        since: datetime | None = None,
        imported_from: str | None = None,
        include_confirmed: bool = False,
        dry_run: bool = True,
    ) -> RollbackReport:
        """Reject what a source (uri), a run (task id), an actor or an import wrote; all that is named must fit.

        A dry run only says what would go. For reviewers, as far as they may review. Raises AccessDenied, InvalidInput.
        """
        culprit = Culprit(source=source, run=run, by=by, since=since, imported_from=imported_from)
        way = self._services.rollback.plan if dry_run else self._services.rollback.roll_back
        return way(principal, culprit, include_confirmed=include_confirmed)

    def inspect(self, principal: Principal, memory_id: str) -> Inspection:
        """A record with its origin, links and reviews. Raises NotFound, also where it may not be seen."""
        return self._services.inspector.inspect(principal, memory_id)

    def audit(
        self, principal: Principal, *, cursor: str | None = None, limit: int = 50, **which: Unpack[AuditFilter]
    ) -> AuditPage:
        """Who did what, newest first: the workspace's for reviewers, one's own for everybody else."""
        return self._services.audit.page(principal, cursor=cursor, limit=limit, **which)

    def export_audit(self, principal: Principal, **which: Unpack[AuditFilter]) -> Sequence[AuditEvent]:
        """All of the same at once; the log then says who took how many."""
        return self._services.audit.export(principal, **which)

    def verify_audit(self, principal: Principal, *, organization: bool = False) -> Verification:
        """Whether every sealed row of the workspace's (or organization's) audit log is as it was; for reviewers."""
        return self._services.audit_check.verify(principal, organization=organization)

    def set_policy(
        self,
        principal: Principal,
        *,
        kind: str,
        source: str,
        project_id: str | None,
        reason: str,
        expires_at: datetime | None = None,
    ) -> Policy:
        """Trust an import, or promote a source, for one project or for workspace-wide memory; for reviewers.

        ``kind`` is trusted_import or promotion, ``source`` an actor such as ``import:crm``. Ends within a year.
        """
        return self._services.policies.add(
            principal, kind=kind, source=source, project_id=project_id, reason=reason, expires_at=expires_at
        )

    def policies(self, principal: Principal, *, include_ended: bool = False) -> Sequence[Policy]:
        """The policies of the workspace; for reviewers."""
        return self._services.policies.page(principal, include_ended=include_ended)

    def revoke_policy(self, principal: Principal, policy_id: str) -> None:
        """End a policy now; what it confirmed stays as it is. For reviewers."""
        self._services.policies.revoke(principal, policy_id)

    def acceptance(
        self, principal: Principal, *, workflow: str | None = None, task_type: str | None = None, accept: bool = False
    ) -> AcceptanceReport:
        """The seed's eight points against the system or a workflow, for reviewers; ``accept``: for administrators."""
        way = self._services.acceptance.accept if accept else self._services.acceptance.check
        return way(principal, workflow=workflow, task_type=task_type)

    @property
    def workflows(self) -> WorkflowBook:
        """The registered workflows: register, remove, list, get. For administrators."""
        return self._services.workflows

    def context(
        self,
        principal: Principal,
        session_id: str,
        message: str,
        *,
        channel: Channel | Mapping[str, str | None] | None = None,
        chat_kind: str | None = None,
    ) -> Context:
        """What a model should be given of memory for a message: ``session_part``, ``message_part`` and ``report``.

        The session's part is the same for equal state, whatever the message says. An unknown ``session_id`` is an
        empty conversation; ``channel`` and ``chat_kind`` say where it will be held. Raises InvalidInput.
        """
        return self._services.contexts.assemble(principal, session_id, message, channel=channel, chat_kind=chat_kind)

    @property
    def agent(self) -> AgentTurns:
        """The agent: answer a message, with context, model and tools; and the tools the host adds to ours."""
        return self._services.agent

    @property
    def lent(self) -> LentSections:
        """Where the host application lends what it knows: its systems, message hooks and queries."""
        return self._services.contexts.lent

    @property
    def sessions(self) -> Conversations:
        """Conversations: record turns, list, get, turns, export. Each is seen by those who took part in it."""
        return self._services.sessions

    def write_schema_note(self, principal: Principal, datasource: str, table: str, text: str) -> MemoryRecord:
        """Store what is known about a table, in place of its last note: found by search, never injected.

        For the host's db_analyze and db_enrich: administrators, agents that act for one, SOP, cron and import runs.
        """
        return self._services.schema_notes.write(principal, datasource, table, text)

    def wait_until_indexed(self, timeout_s: float = 60) -> bool:
        """Wait until everything written so far has its vectors; False when the time (seconds) is over first."""
        return self._services.jobs.wait_until_indexed(timeout_s)

    def stats(self, principal: Principal) -> dict[str, Any]:
        """Counts of what the principal may read; for an administrator also jobs, index and disk."""
        return self._services.statistics.of(principal)

    @property
    def jobs(self) -> JobQueue:
        """The job queue: page, get, retry, reindex, rescan. For administrators."""
        return self._services.jobs

    def close(self) -> None:
        """Stop the workers, finish what was acknowledged, and let go of the files. Closing twice is safe."""
        self._services.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require(self, principal: Principal, memory_id: str) -> MemoryRecord:
        record = self.get(principal, memory_id)
        if record is None:
            raise NotFound("There is no such record.", "Or it is not yours to see.")
        return record
