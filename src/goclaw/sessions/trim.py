"""Trim: a conversation that grew too long is given to the model in part, and loses nothing (engine.md 2.9).

lock -> flush -> archive -> summary -> move the pointer -> queue what follows. The pointer moves in one unit, together
with the archive's row and the jobs; whatever fails before it leaves the conversation as it was, and a second try does
the same work into the same file. Turns are never deleted by it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goclaw.ingest.learn import Learner
from goclaw.ingest.worker import JobRun
from goclaw.model.clock import SECOND, Clock
from goclaw.model.errors import GoclawError, ProviderError
from goclaw.model.job import JobKind
from goclaw.model.session import Session, SessionTurn
from goclaw.sessions.cut import first_to_keep, is_trim_due
from goclaw.sessions.personal_summary import PersonalSummaries
from goclaw.sessions.record_turn import length_of
from goclaw.sessions.session_jobs import job_for
from goclaw.sessions.summarize import Summarizer, Summary, stub
from goclaw.sessions.write_archive import ArchiveWriter
from goclaw.settings.log import log_for
from goclaw.settings.settings import MemorySettings
from goclaw.storage import jobs, session_archives, session_turns, sessions
from goclaw.storage.database import Database, Unit
from goclaw.storage.session_archives import SessionArchive

log = log_for(__name__)

LOCK_S = 600  # longer than a flush and a summary together
SUMMARY_PAUSE_S = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Trimmed:
    """What one trimming did."""

    archived: int  # turns
    file: str  # in the agent's folder
    is_stub: bool  # no model summarised it yet


@dataclass(frozen=True, slots=True)
class Trimmer:
    """Trims conversations. ``learner`` is None where there is no model."""

    database: Database
    clock: Clock
    settings: MemorySettings
    window_tokens: int
    archives: ArchiveWriter
    summarizer: Summarizer
    personal: PersonalSummaries
    learner: Learner | None
    wake: Callable[[], None]

    def work_off(self, run: JobRun) -> None:
        """The handler of ``session_trim`` jobs."""
        is_last_try = run.job.attempts >= run.job.max_attempts
        # The job's id is the lock's owner: who takes the job over after a crash takes the lock over as well.
        trimmed = self.trim(str(run.job.payload["session"]), run.job.id, accepts_stub=is_last_try)
        run.report(done=trimmed.archived if trimmed else 0)

    def trim(self, session_key: str, owner: str, *, accepts_stub: bool) -> Trimmed | None:
        """Trim where it is due; None where it is not, or where somebody else is at it.

        Raises a ProviderError where the model does not answer, unless a stub is accepted in place of its summary.
        """
        if not self._lock(session_key, owner):
            return None
        try:
            return self._trim(session_key, owner, accepts_stub=accepts_stub)
        finally:
            self.database.write(lambda unit: sessions.unlock(unit, session_key, owner))

    def _trim(self, session_key: str, owner: str, *, accepts_stub: bool) -> Trimmed | None:
        with self.database.read() as reader:
            session = sessions.get(reader, session_key)
            if session is None or not is_trim_due(session, self.settings.session, self.window_tokens):
                return None
            turns = session_turns.between(reader, session_key, session.first_kept)
        first = first_to_keep(turns, self.settings.session, self.window_tokens, length_of)
        if first is None:
            return None
        gone = [turn for turn in turns if turn.number < first]
        self._flush(session, turns)
        archive = self.archives.write(session, gone)
        summary = self._summary(session, gone, accepts_stub=accepts_stub)
        row = SessionArchive(
            session_key=session_key,
            from_turn=gone[0].number,
            to_turn=gone[-1].number,
            file=archive.file,
            body_sha256=archive.body_sha256,
            summary=summary.text,
            needs_summary=summary.is_stub,
            created_at=self.clock.now(),
        )
        if not self.database.write(lambda unit: self._commit(unit, session, owner, first, gone, row)):
            return None  # the lock ran out, and another worker was faster
        if not summary.is_stub:
            self.personal.keep(session, summary.text)
        self.wake()
        log.info("session_trimmed", turns=len(gone), is_stub=summary.is_stub)
        return Trimmed(archived=len(gone), file=archive.file, is_stub=summary.is_stub)

    def _lock(self, session_key: str, owner: str) -> bool:
        now = self.clock.now()
        return self.database.write(lambda unit: sessions.lock(unit, session_key, owner, now, now + LOCK_S * SECOND))

    def _flush(self, session: Session, turns: Sequence[SessionTurn]) -> None:
        """Save what matters while the model still sees all of it. What it misses, the extraction behind it finds."""
        if self.learner is None or not self.settings.flush.enabled:
            return
        fresh = [turn for turn in turns if turn.number > session.extracted_to]
        if not fresh:
            return
        try:
            learned = self.learner.learn(session, fresh)
        except (ProviderError, GoclawError) as error:
            log.warning("flush_failed", error=type(error).__name__)
            return
        last = fresh[-1].number
        self.database.write(lambda unit: sessions.note_extracted(unit, session.key, last))
        log.info("session_flushed", stored=learned.stored, skipped=learned.skipped)

    def _summary(self, session: Session, gone: Sequence[SessionTurn], *, accepts_stub: bool) -> Summary:
        try:
            return self.summarizer.summarize(session.summary, gone)
        except ProviderError:
            if not accepts_stub:
                raise
            return stub(session.summary, gone)

    def _commit(
        self,
        unit: Unit,
        session: Session,
        owner: str,
        first: int,
        gone: Sequence[SessionTurn],
        row: SessionArchive,
    ) -> bool:
        cut_chars = sum(map(length_of, gone))
        if not sessions.cut(unit, session, owner, first_kept=first, cut_chars=cut_chars, summary=row.summary or ""):
            return False
        session_archives.put(unit, row)
        now = self.clock.now()
        if self.learner is not None:
            jobs.enqueue(unit, job_for(session, JobKind.EXTRACT_FACTS, now), now)
        has_stub = any(each.needs_summary for each in session_archives.of_session(unit, session.key))
        if has_stub and self.summarizer.model is not None:
            jobs.enqueue(unit, job_for(session, JobKind.SUMMARIZE_SESSION, now + SUMMARY_PAUSE_S * SECOND), now)
        return True
