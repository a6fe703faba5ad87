"""Acceptance: the seed's eight points, held against the running system, for all of it or for one workflow.

Rules are tried out rather than trusted: each probe asks the very function that decides in earnest. What only use can
show (that a workflow recalls, writes back, names its sources) is read from traces, records and the audit log. A
workflow that may not write back yet proves its write-back by trying: the refusal leaves a row.
"""

from dataclasses import dataclass
from itertools import product

from goclaw.governance.promotion import WriteContext, first_state
from goclaw.governance.workflow_book import WorkflowBook
from goclaw.governance.write_guard import examine
from goclaw.ingest.place import place_of
from goclaw.ingest.write import Writer
from goclaw.ingest.write_back import NOT_ACCEPTED
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import ADMIN, MEMBER, REVIEWER, Principal, RunKind
from goclaw.model.provenance import INSTRUCTION_GRADE, Provenance
from goclaw.model.record import MemoryDraft
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.model.use_policy import use_policy
from goclaw.model.visibility import Visibility
from goclaw.recall.recall_request import RecallScope
from goclaw.storage import audit_log, memories, namespaces, principals, recall_traces, record_origins
from goclaw.storage.database import Reader
from goclaw.storage.memories import RecordFilter
from goclaw.storage.recall_traces import RecallTrace
from goclaw.storage.workflows import Workflow

LOOK_BACK = 1_000  # newest recalls, records and refusals that are looked through
LOOK_AT = 50  # newest records that were written back whose sources are looked at
_AGENT = Principal("somebody", project_ids=("project",), run_kind=RunKind.AGENT, agent_id="probe")
_FAKE_KEY = "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END " + "PRIVATE KEY-----"


@dataclass(frozen=True, slots=True)
class Point:
    """One of the eight points."""

    number: int  # 1-8, in the seed's order
    title: str
    missing: str | None  # the step that is missing; None: it passes

    @property
    def passed(self) -> bool:
        return self.missing is None


@dataclass(frozen=True, slots=True)
class AcceptanceReport:
    """The checklist of the system, or of one workflow."""

    workflow: Workflow | None
    points: tuple[Point, ...]

    @property
    def passed(self) -> bool:
        return all(point.passed for point in self.points)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Goes through the checklist, for reviewers; an administrator's own hand accepts a workflow that passes."""

    writer: Writer
    book: WorkflowBook

    def check(
        self, principal: Principal, *, workflow: str | None = None, task_type: str | None = None
    ) -> AcceptanceReport:
        """Raises AccessDenied for all but reviewers, and NotFound for a workflow that is not registered."""
        if not principal.is_reviewer:
            raise AccessDenied("The checklist is gone through by reviewers.", "Ask a reviewer of the workspace.")
        entry = None if workflow is None else self.book.get(principal, workflow, task_type=task_type)
        self.writer.database.flush_later()
        with self.writer.database.read() as reader:
            seen = _seen(reader, principal.workspace_id, entry)
            steps: tuple[tuple[str, str | None], ...] = (
                ("A recall and a write-back shape.", _shapes(seen)),
                ("Source references instead of raw dumps.", self._sources(seen)),
                ("Inferred and generated memory starts as evidence.", _first_states()),
                ("Instructions need a human's confirmation or a trusted import.", _instructions()),
                ("Scope defaults are conservative.", self._scopes()),
                ("Secret-like content is blocked or flagged.", self._secrets()),
                ("Recall traces are preserved.", self._traces(reader, principal.workspace_id)),
                ("The review queue has a clear owner.", self._owner(reader, principal.workspace_id)),
            )
        points = (Point(number, title, missing) for number, (title, missing) in enumerate(steps, start=1))
        return AcceptanceReport(entry, tuple(points))

    def accept(self, principal: Principal, *, workflow: str | None, task_type: str | None = None) -> AcceptanceReport:
        """Let a workflow that passes write back. Raises AccessDenied, InvalidInput, NotFound, Conflict."""
        report = self.check(principal, workflow=workflow, task_type=task_type)
        if workflow is None or report.workflow is None:
            raise InvalidInput("No workflow is named.", "Name the one that is to be accepted.")
        if not report.passed:
            missing = ", ".join(str(point.number) for point in report.points if not point.passed)
            raise Conflict(f"The workflow does not pass yet: point {missing}.", "See goclaw memory acceptance.")
        self.book.accept(principal, report.workflow)
        return AcceptanceReport(self.book.get(principal, workflow, task_type=task_type), report.points)

    def _sources(self, seen: "_Seen") -> str | None:
        guard = self.writer.settings.governance.guard
        let_in = [name for name in ("large_code", "transcript", "data_dump") if getattr(guard, name) == "allow"]
        if let_in:
            return f"Set governance.guard.{let_in[0]} to refuse or flag."
        if not seen.sourced:
            return "Write back once with source_refs."
        return None if all(seen.sourced) else "Name source_refs in every write-back; the newest ones lack them."

    def _scopes(self) -> str | None:
        access = self.writer.write_access
        if access.enabled and MEMBER in access.roles:
            return "Take the role member out of memory.write_access.roles."
        draft = MemoryDraft(content="probe", scope=Scope.AGENT_NOTES, project_id="project")
        own = place_of(_AGENT, MemoryDraft(content="probe", scope=Scope.PERSONAL))
        is_narrow = place_of(_AGENT, draft).visibility is Visibility.PROJECT and own.owner_user_id == _AGENT.user_id
        asked = RecallScope()
        is_careful = asked.project_only and not asked.include_unconfirmed and not asked.include_stale
        return None if is_narrow and is_careful else "Scope defaults are wider than the seed allows; report this."

    def _secrets(self) -> str | None:
        verdict = examine({"content": _FAKE_KEY}, self.writer.settings.governance.guard)
        return None if verdict.is_refused else "A private key is not refused; report this."

    def _traces(self, reader: Reader, workspace_id: str) -> str | None:
        if self.writer.database.read_only:
            return "Make the state directory writable: no trace can be kept."
        asked = audit_log.page(reader, workspace_id, event_type="recall_requested", limit=1)
        is_kept = all(
            each.trace_id and recall_traces.get(reader, workspace_id, each.trace_id) is not None for each in asked
        )
        return None if is_kept else "The newest recall has no trace; see goclaw memory check."

    def _owner(self, reader: Reader, workspace_id: str) -> str | None:
        """Set, and a reviewer where people are registered; a program that embeds goclaw need register nobody."""
        owner = self.writer.settings.governance.review_owner
        if owner is None:
            return "Name the owner: goclaw memory review owner USER."
        people = {each.user_id: each.roles for each in principals.list_people(reader, workspace_id)}
        if not people or {REVIEWER, ADMIN} & set(people.get(owner, ())):
            return None
        return f"Make the owner a reviewer: goclaw people role {owner} member reviewer."


@dataclass(frozen=True, slots=True)
class _Seen:
    """What use has shown, of the workflow or of any."""

    has_recalled: bool
    sourced: tuple[bool, ...]  # of each write-back seen, stored or held: whether it named sources


def _seen(reader: Reader, workspace_id: str, workflow: Workflow | None) -> _Seen:
    places = [state.id for state in namespaces.of_workspace(reader, workspace_id)]
    recall = _recall_of(reader, workspace_id, workflow)
    filters = RecordFilter(runtime_name=workflow.runtime_name if workflow else None)
    newest = memories.page(reader, places, filters=filters, limit=LOOK_AT if workflow else LOOK_BACK)
    origins = record_origins.get_many(reader, [record.id for record in newest])
    stored = [bool(record.source_refs) for record in newest if record.id in origins][:LOOK_AT]
    refused = audit_log.page(reader, workspace_id, event_type="memory_refused", limit=LOOK_BACK)
    held = [
        bool(row.detail.get("has_sources"))
        for row in refused
        if row.detail.get("why") == NOT_ACCEPTED
        and (workflow is None or _names(row.detail.get("workflow"), row.detail.get("task_type"), workflow))
    ]
    # Of those held back the newest counts: the workflow may have learned since its first try.
    return _Seen(recall is not None, (*held[:1], *stored))


def _recall_of(reader: Reader, workspace_id: str, workflow: Workflow | None) -> RecallTrace | None:
    found = recall_traces.page(reader, workspace_id, actor_id=None, before=None, limit=LOOK_BACK)
    asked = (each for each in found if "schema_version" in each.request)  # by the contract
    return next((each for each in asked if workflow is None or _is_by(each, workflow)), None)


def _is_by(trace: RecallTrace, workflow: Workflow) -> bool:
    runtime = trace.request.get("runtime") or {}
    return _names(runtime.get("name"), trace.request.get("task_type"), workflow)


def _names(runtime_name: object, task_type: object, workflow: Workflow) -> bool:
    return runtime_name == workflow.runtime_name and workflow.task_type in ("", task_type)


def _shapes(seen: _Seen) -> str | None:
    if not seen.has_recalled:
        return "Make a recall by the contract, with runtime.name: POST /api/agent-memory/recall."
    if not seen.sourced:
        return "Make a write-back by the contract, with runtime.name: POST /api/agent-memory/writeback."
    return None


def _first_states() -> str | None:
    place = Namespace("default", Scope.AGENT_NOTES, project_id="project")
    for claimed, requires_review in product((Provenance.INFERRED, Provenance.GENERATED), (True, False)):
        state = first_state(
            WriteContext(
                principal=_AGENT,
                namespace=place,
                is_write_back=True,
                claimed=claimed,
                requires_review=requires_review,
                has_source_refs=True,
            )
        )
        policy = use_policy(state.provenance, Lifecycle.ACTIVE, state.review_status)
        if policy.can_use_as_instruction or not policy.can_use_as_evidence:
            return f"{claimed} memory does not start as evidence; report this."
    return None


def _instructions() -> str | None:
    for provenance, lifecycle, review in product(Provenance, Lifecycle, ReviewStatus):
        policy = use_policy(provenance, lifecycle, review)
        is_earned = provenance in INSTRUCTION_GRADE and review is ReviewStatus.CONFIRMED
        if policy.can_use_as_instruction and not (is_earned and lifecycle is Lifecycle.ACTIVE):
            return f"{provenance} memory instructs although it is {review}; report this."
    return None
