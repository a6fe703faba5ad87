"""Bootstrap: builds everything from the settings; the only place that knows how the parts fit together."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from goclaw.context.assemble import ContextAssembler
from goclaw.context.lent import LentSections
from goclaw.embedding.choose import choose_provider
from goclaw.embedding.provider import EmbeddingProvider
from goclaw.governance.policy_book import PolicyBook
from goclaw.governance.workflow_book import WorkflowBook
from goclaw.ingest.embed import Embedder
from goclaw.ingest.learn import Learner
from goclaw.ingest.memory_files import INDEX_FILES, FileIndexer
from goclaw.ingest.queue import JobQueue
from goclaw.ingest.reindex import Reindexer
from goclaw.ingest.rescan import Rescanner
from goclaw.ingest.schedule import CronEntry, Scheduler
from goclaw.ingest.schema_notes import SchemaNotes
from goclaw.ingest.sealer import Sealer
from goclaw.ingest.sweep import SWEEP, Sweeper
from goclaw.ingest.update import Updater
from goclaw.ingest.upkeep import UPKEEP, Upkeeper
from goclaw.ingest.worker import Handler, WorkerPool
from goclaw.ingest.write import Writer
from goclaw.ingest.write_back import WriteBack
from goclaw.lifecycle.acceptance import Acceptance
from goclaw.lifecycle.extract_facts import FactExtractor
from goclaw.lifecycle.forget import Forgetter
from goclaw.lifecycle.forget_conversation import ConversationForgetter
from goclaw.lifecycle.forget_words import WordEraser
from goclaw.lifecycle.inspection import Inspector
from goclaw.lifecycle.propose import Proposer
from goclaw.lifecycle.review import Reviewer
from goclaw.lifecycle.review_queue import ReviewQueue
from goclaw.lifecycle.rollback import Rollback
from goclaw.lifecycle.widen import Widener
from goclaw.llm.choose import choose_background_model, choose_model, new_budget
from goclaw.llm.provider import ChatModel
from goclaw.llm.usage import ModelUsage
from goclaw.memory import Memory
from goclaw.model.access import WriteAccess
from goclaw.model.clock import Clock, SystemClock
from goclaw.model.ids import IdMaker
from goclaw.model.job import JobKind
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
from goclaw.search.blocks import BlockCache
from goclaw.search.vector_index import VectorIndex
from goclaw.services import Services
from goclaw.sessions.conversations import Conversations
from goclaw.sessions.later_summary import LaterSummaries
from goclaw.sessions.personal_summary import PersonalSummaries
from goclaw.sessions.read_session import SessionReader
from goclaw.sessions.record_turn import TurnRecorder
from goclaw.sessions.summarize import Summarizer
from goclaw.sessions.trim import Trimmer
from goclaw.sessions.write_archive import ArchiveWriter
from goclaw.settings.load import LoadedSettings, load_settings, write_first_config
from goclaw.settings.settings import Settings
from goclaw.storage.database import Database
from goclaw.storage.open import open_database
from goclaw.turn.answer import AgentTurns
from goclaw.turn.memory_commands import MemoryCommands
from goclaw.turn.tools import ToolBox, memory_tools
from goclaw.workspace.folder import WorkspaceFolder, folder_of

CRON_ZONE = ZoneInfo("UTC")
CRON = (
    CronEntry("sys-sweep", "* * * * *", SWEEP),
    CronEntry("sys-files", "* * * * *", INDEX_FILES),
    CronEntry("sys-upkeep", "17 * * * *", UPKEEP),
)
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Engine:
    """A running engine: the public face, and the parts that the gateway and the command line need beside it."""

    memory: Memory
    database: Database
    clock: Clock
    ids: IdMaker
    loaded: LoadedSettings
    settings: Settings  # with secrets filled in
    workers: WorkerPool
    vectors: VectorIndex
    blocks: BlockCache
    model: ChatModel | None  # of the default agent; None = everything that needs one says so
    background_model: ChatModel | None  # of jobs
    model_usage: ModelUsage  # of both


def open_memory(
    state_dir: Path | str | None = None,
    settings: Mapping[str, object] | None = None,
    *,
    clock: Clock | None = None,
) -> Memory:
    """Open the memory of a state directory (``~/.goclaw``, or ``GOCLAW_STATE_DIR``); it is made if it is missing.

    ``settings`` are dotted keys over the file's, e.g. ``{"memory.search.min_score": 0}``. The store may be open several
    times, also in other processes. ``clock`` replaces the machine's in tests.

    Raises SettingsError, StoreError (SchemaTooNew where a newer goclaw wrote the store) and SecretsError.
    """
    return open_engine(state_dir, settings, clock=clock).memory


def open_engine(
    state_dir: Path | str | None = None,
    settings: Mapping[str, object] | None = None,
    *,
    clock: Clock | None = None,
    workers: int | None = None,
) -> Engine:
    """Build and start an engine; ``workers`` replaces ``memory.jobs.workers``. Close its memory to close it."""
    loaded = load_settings(state_dir, settings)
    write_first_config(loaded.paths)
    in_force = loaded.unlock()
    clock = clock or SystemClock()
    database = open_database(in_force.database, loaded.paths.state_dir)
    try:
        provider = choose_provider(in_force, clock)
        return _assemble(loaded, in_force, database, provider, _open_models(in_force, clock), clock, workers)
    except BaseException:
        database.close()
        raise


def _assemble(
    loaded: LoadedSettings,
    settings: Settings,
    database: Database,
    provider: EmbeddingProvider | None,
    models: "_Models",
    clock: Clock,
    worker_count: int | None,
) -> Engine:
    search = settings.memory.search
    base = _Base(loaded, settings, database, clock, IdMaker(clock), models)
    vectors = VectorIndex(provider, search.query_timeout_s)
    blocks = BlockCache(search.cache_mb * MEGABYTE)
    handlers = dict(_handlers(base, vectors))
    workers = WorkerPool(database, clock, handlers, settings.memory.jobs.lease_s)
    scheduler = Scheduler(database, clock, CRON, CRON_ZONE, workers.wake)
    sealer = Sealer(database)
    count = settings.memory.jobs.workers if worker_count is None else worker_count
    writer = Writer(
        database, clock, base.ids, settings, base.write_access, wants_vectors=provider is not None, wake=workers.wake
    )
    handlers |= _conversation_handlers(base, writer)
    queue = JobQueue(database, clock, workers, has_workers=count > 0)
    services = [each.close for each in (provider, models.chat, models.background) if each is not None]
    closer = _Closer(database, services, workers, (scheduler.stop, sealer.stop))
    memory = Memory(_services(base, writer, vectors, blocks, queue, closer))
    if not database.read_only:
        database.write(vectors.adopt)
        workers.start(count)
        if count:
            scheduler.start()
            sealer.start()
    return Engine(
        memory=memory,
        database=database,
        clock=clock,
        ids=base.ids,
        loaded=loaded,
        settings=settings,
        workers=workers,
        vectors=vectors,
        blocks=blocks,
        model=models.chat,
        background_model=models.background,
        model_usage=models.usage,
    )


@dataclass(frozen=True, slots=True)
class _Models:
    """The models of a process, with the figures they share."""

    chat: ChatModel | None
    background: ChatModel | None
    usage: ModelUsage


def _open_models(settings: Settings, clock: Clock) -> _Models:
    usage, budget = ModelUsage(), new_budget(settings, clock)
    chat = choose_model(settings, clock, usage, budget)
    return _Models(chat, choose_background_model(settings, clock, usage, budget), usage)


@dataclass(frozen=True, slots=True)
class _Base:
    """What nearly every part is built from."""

    loaded: LoadedSettings
    settings: Settings
    database: Database
    clock: Clock
    ids: IdMaker
    models: "_Models"

    def folder_of(self, workspace_id: str, agent_id: str | None) -> WorkspaceFolder:
        """Where an agent's files lie; None: the default agent's."""
        return folder_of(self.loaded.paths.state_dir, workspace_id, agent_id)

    @property
    def write_access(self) -> WriteAccess:
        return WriteAccess(**self.settings.memory.write_access.model_dump())


def _handlers(base: _Base, vectors: VectorIndex) -> Mapping[JobKind, Handler]:
    """What works off each kind of job."""
    settings, database, clock = base.settings, base.database, base.clock
    embedder = Embedder(database, clock, vectors, settings.memory.search.timeout_s, settings.memory.cache.max_entries)
    return {
        JobKind.EMBED: embedder.work_off,
        JobKind.REINDEX: Reindexer(database, vectors, embedder).rebuild,
        JobKind.RESCAN: Rescanner(database, clock, settings.governance).rescan,
        JobKind.SWEEP: Sweeper(database, clock, settings.governance.pending_days).sweep,
        JobKind.UPKEEP: Upkeeper(database, clock, base.loaded.paths.backups, settings.backup.keep_days).keep_up,
    }


def _services(
    base: _Base,
    writer: Writer,
    vectors: VectorIndex,
    blocks: BlockCache,
    queue: JobQueue,
    close: Callable[[], None],
) -> Services:
    """Everything the public face hands its calls to."""
    settings, database, clock, access = base.settings, base.database, base.clock, base.write_access
    recaller = Recaller(database, clock, base.ids, settings, access, blocks, vectors)
    workflows = WorkflowBook(database, clock)
    browser = Browser(database, clock, access, settings.governance.pending_days)
    forgetter = Forgetter(writer, WordEraser(database, base.folder_of), base.loaded.paths.backups, vectors.clear_cache)
    contexts = ContextAssembler(recaller, LentSections(), base.folder_of)
    eraser = ConversationForgetter(writer, forgetter, base.folder_of)
    conversations = Conversations(_recorder(base, writer.wake), SessionReader(database), eraser.forget)
    return Services(
        settings=settings,
        writer=writer,
        updater=Updater(writer),
        forgetter=forgetter,
        schema_notes=SchemaNotes(writer),
        recaller=recaller,
        explainer=Explainer(recaller),
        write_back=WriteBack(writer),
        task_recaller=ContractRecaller(recaller),
        usage=UsageReports(database, clock),
        traces=TraceReports(database, clock, access),
        trace_list=TraceList(database, access),
        impacts=ImpactReports(database, access),
        audit=AuditReader(database, access, clock),
        audit_check=AuditCheck(database),
        policies=PolicyBook(database, clock, base.ids),
        workflows=workflows,
        acceptance=Acceptance(writer, workflows),
        reviewer=Reviewer(writer),
        review_queue=ReviewQueue(writer),
        inspector=Inspector(writer),
        proposer=Proposer(writer),
        widener=Widener(writer),
        rollback=Rollback(writer),
        sessions=conversations,
        contexts=contexts,
        agent=AgentTurns(
            model=base.models.chat,
            contexts=contexts,
            conversations=conversations,
            commands=MemoryCommands(writer, forgetter, browser.get),
            tools=ToolBox(memory_tools(writer, recaller)),
        ),
        browser=browser,
        statistics=Statistics(database, access, blocks, vectors),
        jobs=queue,
        close=close,
    )


def _recorder(base: _Base, wake: Callable[[], None]) -> TurnRecorder:
    return TurnRecorder(
        base.database,
        base.clock,
        base.ids,
        base.settings,
        base.settings.ai.model.window_tokens,
        wake,
        asks_for_facts=base.models.background is not None,
    )


def _conversation_handlers(base: _Base, writer: Writer) -> Mapping[JobKind, Handler]:
    """What works off the jobs that conversations and files make; facts are learned where there is a model that can."""
    learner = None if base.models.background is None else Learner(writer, base.models.background)
    summarizer, personal = Summarizer(base.models.background), PersonalSummaries(writer)
    trimmer = Trimmer(
        database=base.database,
        clock=base.clock,
        settings=base.settings.memory,
        window_tokens=base.settings.ai.model.window_tokens,
        archives=ArchiveWriter(base.folder_of),
        summarizer=summarizer,
        personal=personal,
        learner=learner,
        wake=writer.wake,
    )
    handlers: dict[JobKind, Handler] = {
        JobKind.INDEX_FILES: FileIndexer(writer, base.loaded.paths).work_off,
        JobKind.TRIM_SESSION: trimmer.work_off,
        JobKind.SUMMARIZE_SESSION: LaterSummaries(base.database, summarizer, personal).work_off,
    }
    if learner is not None:
        handlers[JobKind.EXTRACT_FACTS] = FactExtractor(base.database, learner).work_off
    return handlers


class _Closer:
    """Closes the parts in the order in which nothing that was acknowledged is lost; a second call does nothing."""

    def __init__(
        self,
        database: Database,
        services: Sequence[Callable[[], None]],
        workers: WorkerPool,
        tickers: Sequence[Callable[[], None]],
    ) -> None:
        self._parts = (*tickers, workers.stop, database.close, *services)
        self._lock = threading.Lock()
        self._is_closed = False

    def __call__(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        for close in self._parts:
            close()
