"""Extract facts: learn what people said in a conversation since the last time somebody looked (engine.md 2.11)."""

from dataclasses import dataclass
from functools import partial

from goclaw.ingest.learn import Learner
from goclaw.ingest.worker import JobRun
from goclaw.model.session import Session, SessionTurn, TurnRole
from goclaw.storage import session_turns, sessions
from goclaw.storage.database import Database

TURNS_AT_ONCE = 40  # shown to the model together


@dataclass(frozen=True, slots=True)
class FactExtractor:
    """Works off ``extract_facts`` jobs. Idempotent: the conversation says up to which turn it was looked through."""

    database: Database
    learner: Learner

    def work_off(self, run: JobRun) -> None:
        """Look through the turns that nobody looked through yet."""
        key = str(run.job.payload["session"])
        counts = {"done": 0, "stored": 0, "skipped": 0}
        while (found := self._next(key)) is not None:
            session, turns = found
            if any(turn.role is TurnRole.USER and turn.user_id for turn in turns):
                learned = self.learner.learn(session, turns)
                counts["stored"] += learned.stored
                counts["skipped"] += learned.skipped
            self.database.write(partial(sessions.note_extracted, key=key, number=turns[-1].number))
            counts["done"] += len(turns)
            run.report(**counts)

    def _next(self, key: str) -> tuple[Session, list[SessionTurn]] | None:
        with self.database.read() as reader:
            session = sessions.get(reader, key)
            if session is None:
                return None
            turns = session_turns.between(reader, key, session.extracted_to + 1, limit=TURNS_AT_ONCE)
        return (session, turns) if turns else None
