"""Later summary: puts a summary in the place of a stub, once a model answers again."""

from dataclasses import dataclass, replace

from goclaw.ingest.worker import JobRun
from goclaw.model.session import Session
from goclaw.sessions.personal_summary import PersonalSummaries
from goclaw.sessions.summarize import Summarizer
from goclaw.storage import session_archives, session_turns, sessions
from goclaw.storage.database import Database, Unit
from goclaw.storage.session_archives import SessionArchive


@dataclass(frozen=True, slots=True)
class LaterSummaries:
    """Works off ``session_summary`` jobs."""

    database: Database
    summarizer: Summarizer
    personal: PersonalSummaries

    def work_off(self, run: JobRun) -> None:
        """Summarise each archive of the conversation that has a stub, oldest first, each on top of the one before."""
        key = str(run.job.payload["session"])
        with self.database.read() as reader:
            session = sessions.get(reader, key)
            archives = session_archives.of_session(reader, key)
        if session is None:
            return
        done, before = 0, None
        for archive in archives:
            run.stop_if_asked()
            text = archive.summary
            if archive.needs_summary:
                text = self._summarize(session, archive, before)
                done += 1
            before = text
        run.report(done=done, total=len(archives))

    def _summarize(self, session: Session, archive: SessionArchive, before: str | None) -> str:
        with self.database.read() as reader:
            turns = session_turns.between(reader, session.key, archive.from_turn, archive.to_turn)
        summary = self.summarizer.summarize(before, turns)
        kept = replace(archive, summary=summary.text, needs_summary=summary.is_stub)
        is_newest = self.database.write(lambda unit: _keep(unit, kept))
        if is_newest and not summary.is_stub:
            self.personal.keep(session, summary.text)
        return summary.text


def _keep(unit: Unit, archive: SessionArchive) -> bool:
    """Whether the conversation shows it: it does where nothing was trimmed since."""
    session_archives.put(unit, archive)
    return sessions.set_summary(unit, archive.session_key, archive.to_turn + 1, archive.summary or "")
