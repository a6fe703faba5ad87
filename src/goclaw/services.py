"""Services: the parts that a Memory hands its calls to, by name; built by ``bootstrap``."""

from collections.abc import Callable
from dataclasses import dataclass

from goclaw.context.assemble import ContextAssembler
from goclaw.governance.policy_book import PolicyBook
from goclaw.governance.workflow_book import WorkflowBook
from goclaw.ingest.queue import JobQueue
from goclaw.ingest.schema_notes import SchemaNotes
from goclaw.ingest.update import Updater
from goclaw.ingest.write import Writer
from goclaw.ingest.write_back import WriteBack
from goclaw.lifecycle.acceptance import Acceptance
from goclaw.lifecycle.forget import Forgetter
from goclaw.lifecycle.inspection import Inspector
from goclaw.lifecycle.propose import Proposer
from goclaw.lifecycle.review import Reviewer
from goclaw.lifecycle.review_queue import ReviewQueue
from goclaw.lifecycle.rollback import Rollback
from goclaw.lifecycle.widen import Widener
from goclaw.recall.audit_check import AuditCheck
from goclaw.recall.audit_reader import AuditReader
from goclaw.recall.browse import Browser
from goclaw.recall.contract_recall import ContractRecaller
from goclaw.recall.explain import Explainer
from goclaw.recall.impact import ImpactReports
from goclaw.recall.recall import Recaller
from goclaw.recall.statistics import Statistics
from goclaw.recall.trace_list import TraceList
from goclaw.recall.trace_report import TraceReports
from goclaw.recall.usage import UsageReports
from goclaw.sessions.conversations import Conversations
from goclaw.settings.settings import Settings
from goclaw.turn.answer import AgentTurns

# import Settings


@dataclass(frozen=True, slots=True)
class Services:
    """What a Memory is made of."""

    settings: Settings
    writer: Writer
    updater: Updater
    forgetter: Forgetter
    schema_notes: SchemaNotes
    recaller: Recaller
    explainer: Explainer
    browser: Browser
    statistics: Statistics
    write_back: WriteBack
    task_recaller: ContractRecaller
    usage: UsageReports
    traces: TraceReports
    trace_list: TraceList
    impacts: ImpactReports
    audit: AuditReader
    audit_check: AuditCheck
    policies: PolicyBook
    workflows: WorkflowBook
    acceptance: Acceptance
    reviewer: Reviewer
    review_queue: ReviewQueue
    inspector: Inspector
    proposer: Proposer
    widener: Widener
    rollback: Rollback
    sessions: Conversations
    contexts: ContextAssembler
    agent: AgentTurns
    jobs: JobQueue
    close: Callable[[], None]
