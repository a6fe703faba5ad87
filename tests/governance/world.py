"""The world of the governance cases: two workspaces, three projects, four channels, and a key for everybody."""

import shutil
import tempfile
import weakref
from datetime import UTC, datetime
from pathlib import Path

from goclaw.bootstrap import Engine, open_engine
from goclaw.gateway.keys import KeyRequest, KeyRing
from goclaw.gateway.people import People, command_line
from goclaw.gateway.projects import Projects
from goclaw.ingest.sweep import SWEEP
from goclaw.model.clock import ManualClock
from goclaw.model.errors import Unauthenticated
from goclaw.model.principal import ActorKind, Principal, RunKind
from goclaw.storage import jobs
from tests.running_gateway import KEYWORDS_ONLY

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
REVIEWER = ("member", "reviewer")
PEOPLE = {
    "alice": ("ws1", REVIEWER),
    "bob": ("ws1", ("member",)),
    "carol": ("ws1", ("member",)),
    "dave": ("ws2", REVIEWER),
}
PROJECTS = {("ws1", "p1"): ("alice", "bob"), ("ws1", "p2"): ("alice", "carol"), ("ws2", "q1"): ("dave",)}
CHANNELS = ("c1", "c2", "c7", "c8")  # of ws1 and p1
AGENTS = {"a1": "bob", "a2": "carol", "a3": "alice", "d1": "dave"}
IMPORTS = ("trusted", "rogue")
BOTH = ("p1", "p2")


class World:
    """A fresh, empty store with its people; everything goes when nobody holds it any more."""

    def __init__(self) -> None:
        folder = tempfile.mkdtemp(prefix="goclaw-case-")
        self.clock = ManualClock(START)
        self.engine: Engine = open_engine(Path(folder), KEYWORDS_ONLY, clock=self.clock)
        self.ring = KeyRing(self.engine.database, self.clock)
        self._close = weakref.finalize(self, _end, self.engine, folder)
        self._hire()
        self.keys = self._make_keys()
        self._trust()

    def close(self) -> None:
        self._close()

    def key(self, actor: str) -> str:
        """The key of an actor such as ``agent:a1``; anybody else has none that opens anything."""
        return self.keys.get(actor, "gck_nobody")

    def principal(self, actor: str) -> Principal:
        """Who the actor's key says it is. Raises Unauthenticated."""
        if actor not in self.keys:
            raise Unauthenticated("Nobody of this name has a key.")
        return self.ring.verify(self.keys[actor])[1]

    def advance(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> None:
        """Let time pass, and let what is due by then be done."""
        self.clock.advance(days=days, hours=hours, seconds=seconds)
        self.engine.database.write(lambda unit: jobs.enqueue(unit, SWEEP, self.clock.now()))
        self.engine.workers.run_due_jobs(10)

    def _hire(self) -> None:
        by = command_line()
        people = People(self.engine.database, self.clock)
        projects = Projects(self.engine.database, self.clock)
        for user_id, (workspace, roles) in PEOPLE.items():
            people.add(by, workspace, user_id, roles=roles)
        for (workspace, project), members in PROJECTS.items():
            projects.add(by, workspace, project)
            for user_id in members:
                projects.add_member(by, workspace, project, user_id)
        for channel in CHANNELS:
            projects.add_channel(by, "ws1", channel, project_id="p1", kind="chat")
            for user_id in PROJECTS["ws1", "p1"]:
                projects.add_channel_member(by, "ws1", channel, user_id)

    def _make_keys(self) -> dict[str, str]:
        requests = {
            f"human:{user_id}": KeyRequest(kind=ActorKind.HUMAN, user_id=user_id, workspace_id=workspace)
            for user_id, (workspace, _) in PEOPLE.items()
        }
        for name, user_id in AGENTS.items():
            workspace = PEOPLE[user_id][0]
            requests[f"agent:{name}"] = KeyRequest(
                kind=ActorKind.AGENT, user_id=user_id, name=name, workspace_id=workspace
            )
        for name in IMPORTS:
            requests[f"import:{name}"] = KeyRequest(
                kind=ActorKind.IMPORT, name=name, workspace_id="ws1", project_ids=BOTH
            )
        requests["job:cron"] = KeyRequest(
            kind=ActorKind.JOB, name="cron", run_kind=RunKind.CRON, workspace_id="ws1", project_ids=("p1",)
        )
        return {actor: self.ring.create(command_line(), request).secret for actor, request in requests.items()}

    def _trust(self) -> None:
        for project in BOTH:
            self.engine.memory.set_policy(
                self.principal("human:alice"),
                kind="trusted_import",
                source="import:trusted",
                project_id=project,
                reason="the team looked at it",
            )


def _end(engine: Engine, folder: str) -> None:
    engine.memory.close()
    shutil.rmtree(folder, ignore_errors=True)
