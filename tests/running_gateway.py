"""A gateway for tests: a real engine in a folder of its own, a team with keys, and the application on a real socket."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from goclaw.bootstrap import Engine, open_engine
from goclaw.client import GatewayClient
from goclaw.gateway.keys import KeyRequest, KeyRing
from goclaw.gateway.people import People, command_line
from goclaw.gateway.serve import listen, url_of, uvicorn_server
from goclaw.model.principal import ActorKind, RunKind

KEYWORDS_ONLY: Mapping[str, object] = {
    "memory.search.provider": "none",
    "memory.jobs.workers": 0,
    "server.rate_limit_per_minute": 0,
}


@dataclass(frozen=True)
class Team:
    """Keys of everybody a test may want to be."""

    admin: str  # ada, administrator of workspace default, in project apollo
    alice: str  # members of workspace default, in project apollo
    bob: str
    agent: str  # claw, which acts for alice
    job: str  # a cron run
    importer: str
    stranger: str  # alice of workspace other: the same name, somebody else
    revoked: str
    ring: KeyRing
    people: People


def hire(engine: Engine) -> Team:
    """Register the team and make its keys."""
    ring, people = KeyRing(engine.database, engine.clock), People(engine.database, engine.clock)
    by = command_line()
    people.add(by, "default", "ada", roles=("admin",))
    people.add(by, "default", "alice")
    people.add(by, "default", "bob")
    people.add(by, "other", "alice")

    def key(kind: ActorKind, **fields: object) -> str:
        return ring.create(by, KeyRequest(kind=kind, **fields)).secret  # type: ignore[arg-type]

    apollo = ("apollo",)
    revoked = ring.create(by, KeyRequest(kind=ActorKind.HUMAN, user_id="alice", project_ids=apollo))
    ring.revoke(by, "default", revoked.key.id)
    return Team(
        admin=key(ActorKind.HUMAN, user_id="ada", project_ids=apollo),
        alice=key(ActorKind.HUMAN, user_id="alice", project_ids=apollo),
        bob=key(ActorKind.HUMAN, user_id="bob", project_ids=apollo),
        agent=key(ActorKind.AGENT, user_id="alice", name="claw", project_ids=apollo),
        job=key(ActorKind.JOB, name="nightly", run_kind=RunKind.CRON, project_ids=apollo),
        importer=key(ActorKind.IMPORT, name="crm", project_ids=apollo),
        stranger=key(ActorKind.HUMAN, user_id="alice", workspace_id="other"),
        revoked=revoked.secret,
        ring=ring,
        people=people,
    )


@dataclass(frozen=True)
class Gateway:
    """A gateway that answers at ``url``."""

    url: str
    engine: Engine
    team: Team

    def client(self, key: str) -> GatewayClient:
        return GatewayClient(self.url, key)

    def http(self, key: str | None = None) -> httpx2.Client:
        """A bare client, for requests that no decent client would send."""
        return httpx2.Client(base_url=self.url, headers={"x-brain-key": key} if key else {})


@contextmanager
def running_gateway(state_dir: Path, settings: Mapping[str, object] | None = None) -> Iterator[Gateway]:
    """Open an engine, serve it from a thread on any free port, and stop it cleanly."""
    engine = open_engine(state_dir, {**KEYWORDS_ONLY, **(settings or {})})
    try:
        team = hire(engine)
        listener = listen("127.0.0.1", 0)
        with listener:
            server = uvicorn_server(engine)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
            thread.start()
            try:
                yield Gateway(url_of(listener), engine, team)
            finally:
                server.should_exit = True
                thread.join()
    finally:
        engine.memory.close()
