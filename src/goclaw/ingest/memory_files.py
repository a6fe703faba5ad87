"""Memory files: the searchable copies of the Markdown files that people edit in the agents' folders.

One record a file, of kind ``memory_file``, renewed when its bytes change and deleted when it is gone. Evidence: whoever
can edit files on the server is known to the server and not to us. A file whose text the write guard refuses is not
indexed, and its copy, if there is one, goes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from goclaw.governance.audit import EventType, event
from goclaw.ingest.erase import erase
from goclaw.ingest.index import Indexed, index_record
from goclaw.ingest.own_record import own_record, renew
from goclaw.ingest.worker import JobRun
from goclaw.ingest.write import Writer, was_forgotten
from goclaw.model.errors import GoclawError, UnsafeContent
from goclaw.model.job import JobKind, NewJob, Priority
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal, RunKind
from goclaw.model.provenance import Provenance, SourceRef
from goclaw.model.record import Kind, MemoryDraft, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.settings.log import log_for
from goclaw.settings.paths import StatePaths
from goclaw.storage import audit_log, memories, namespaces
from goclaw.storage.database import Unit
from goclaw.storage.memories import RecordFilter
from goclaw.workspace import memory_file
from goclaw.workspace.daily_files import CONSOLIDATED, FOLDER, day_of, markdown_names
from goclaw.workspace.folder import DEFAULT, WorkspaceFolder
from goclaw.workspace.text_file import TextFile, read_file

log = log_for(__name__)

INDEX_FILES = NewJob(kind=JobKind.INDEX_FILES, dedupe_key="all", workspace_id="", priority=Priority.INDEX)
INDEXER = "sys-files"
DIGEST = "file_digest"  # metadata: of the bytes that were indexed
MOST_FILES = 5_000  # of one workspace


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that should be found."""

    agent_id: str
    name: str  # in the agent's folder
    file: TextFile

    @property
    def external_ref(self) -> str:
        return f"file:{self.agent_id}/{self.name}"


@dataclass(frozen=True, slots=True)
class FileIndexer:
    """Brings the copies up to date with the files."""

    writer: Writer
    paths: StatePaths

    def work_off(self, run: JobRun) -> None:
        """The handler of ``index_files`` jobs: look at every file, and do something about those that changed."""
        counts = {"done": 0, "skipped": 0, "failed": 0}
        folders: dict[str, list[tuple[str, WorkspaceFolder]]] = {}
        for workspace_id, agent_id, folder in _folders(self.paths):
            folders.setdefault(workspace_id, []).append((agent_id, folder))
        for workspace_id, agents in folders.items():
            self._bring_up_to_date(run, workspace_id, agents, counts)
        run.report(**counts)

    def _bring_up_to_date(
        self, run: JobRun, workspace_id: str, agents: list[tuple[str, WorkspaceFolder]], counts: dict[str, int]
    ) -> None:
        place = Namespace(workspace_id, Scope.AGENT_NOTES)
        known = self._known(place)
        seen: set[str] = set()
        for agent_id, folder in agents:
            for found in _files(agent_id, folder):
                run.stop_if_asked()
                seen.add(found.external_ref)
                before = known.get(found.external_ref)
                if before is not None and before.metadata.get(DIGEST) == found.file.digest:
                    counts["skipped"] += 1
                    continue
                counts["done" if self._keep(place, found, before) else "failed"] += 1
        for reference, record in known.items():
            if reference not in seen:
                self._forget(record)
                counts["done"] += 1

    def _known(self, place: Namespace) -> Mapping[str, MemoryRecord]:
        with self.writer.database.read() as reader:
            state = namespaces.find(reader, place)
            if state is None:
                return {}
            copies = memories.page(
                reader, [state.id], filters=RecordFilter(kind=Kind.MEMORY_FILE), before=None, limit=MOST_FILES
            )
        return {record.external_ref: record for record in copies if record.external_ref}

    def _keep(self, place: Namespace, found: FoundFile, before: MemoryRecord | None) -> bool:
        """Whether the file is indexed now."""
        draft = self._draft(found)
        indexer = _indexer(place.workspace_id)
        try:
            flags = self.writer.check_content(indexer, draft)
        except UnsafeContent:
            log.warning("file_not_indexed", agent=found.agent_id, file=found.name)
            if before is not None:
                self._forget(before)
            return False
        told = {DIGEST: found.file.digest}
        record = own_record(self.writer, indexer, draft, place, Provenance.OBSERVED, flags, metadata=told)
        indexed = index_record(record, self.writer.settings.memory.chunk)
        self.writer.database.write(partial(self._store, record=record, before=before, indexed=indexed))
        self.writer.wake()
        return True

    def _draft(self, found: FoundFile) -> MemoryDraft:
        """The file as a draft; of one that is too long for a record, its beginning."""
        content = found.file.content[: self.writer.settings.memory.max_content_chars]
        day = day_of(found.name)
        moment = None if day is None else datetime.combine(day, time(), UTC)
        return MemoryDraft(
            content=content,
            scope=Scope.AGENT_NOTES,
            kind=Kind.MEMORY_FILE,
            external_ref=found.external_ref,
            source_refs=(SourceRef("file", title=found.name),),  # so that its name finds it
            occurred_at=None if moment is None else int(moment.timestamp()) * 1_000_000,
        )

    def _store(self, unit: Unit, *, record: MemoryRecord, before: MemoryRecord | None, indexed: Indexed) -> None:
        state = namespaces.find_or_make(unit, record.namespace)
        if was_forgotten(unit, state.id, record, None):
            if before is not None:
                self._drop(unit, record=before)
            return  # these words were forgotten on purpose; an edit of the file makes others of them
        if before is not None and _is_decided(before):
            record = replace(record, review_status=ReviewStatus.PENDING)  # people decide about the new words, too
        renew(unit, self.writer, _indexer(record.workspace_id), record, before, indexed)  # if it is as it was

    def _forget(self, record: MemoryRecord) -> None:
        """Take a copy out, with the words of it that traces and caches hold."""
        self.writer.database.flush_later()  # traces that still wait must be there to be blanked
        self.writer.database.write(partial(self._drop, record=record))
        self.writer.database.checkpoint()

    def _drop(self, unit: Unit, *, record: MemoryRecord) -> None:
        state = namespaces.find_or_make(unit, record.namespace)
        if memories.get(unit, record.id, [state.id]) is None:
            return
        erase(unit, record)
        now = self.writer.clock.now()
        gone = event(
            _indexer(record.workspace_id), EventType.MEMORY_FORGOTTEN, now, record=record, namespace_id=state.id
        )
        audit_log.append(unit, gone)


def _is_decided(record: MemoryRecord) -> bool:
    """Whether a person decided about the file as it was."""
    return record.lifecycle is not Lifecycle.ACTIVE or record.review_status is not ReviewStatus.EVIDENCE_ONLY


def _indexer(workspace_id: str) -> Principal:
    return Principal(None, workspace_id=workspace_id, run_kind=RunKind.CRON, agent_id=INDEXER)


def _folders(paths: StatePaths) -> Iterator[tuple[str, str, WorkspaceFolder]]:
    """Workspace, agent and folder of every agent that has one; names that were cut cannot be read back and are left."""
    roots: list[tuple[str, Path]] = [(DEFAULT, paths.state_dir)]
    others = paths.state_dir / "workspaces"
    if others.is_dir():
        roots += [(unquote(each.name), each) for each in sorted(others.iterdir()) if "~" not in each.name]
    for workspace_id, root in roots:
        own = root / "workspace"
        if own.is_dir():
            yield workspace_id, DEFAULT, WorkspaceFolder(own)
        agents = root / "agents"
        for agent in sorted(agents.iterdir()) if agents.is_dir() else ():
            if (agent / "workspace").is_dir() and "~" not in agent.name:
                yield workspace_id, unquote(agent.name), WorkspaceFolder(agent / "workspace")


def _files(agent_id: str, folder: WorkspaceFolder) -> Iterator[FoundFile]:
    for name in (memory_file.NAME, *markdown_names(folder, FOLDER), *markdown_names(folder, CONSOLIDATED)):
        try:
            file = read_file(folder, name)
        except (GoclawError, OSError) as error:
            log.warning("file_not_read", agent=agent_id, file=name, error=type(error).__name__)
            continue
        if file.exists and file.content.strip():
            yield FoundFile(agent_id, name, file)
