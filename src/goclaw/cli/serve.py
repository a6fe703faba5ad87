"""Serve: the gateway, a worker on its own, and MCP over stdio, until they are told to stop."""

import signal
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from goclaw.cli.output import AsJson, emit, note, say

if TYPE_CHECKING:
    from goclaw.bootstrap import Engine
    from goclaw.cli.first_keys import ShownKey
    from goclaw.model.principal import Principal

TRY_QUESTIONS = (
    ("mara", "may we deploy on Fridays?"),
    ("jonas", "how should reports look?"),
    ("priya", "how should reports look?"),
)


def serve(
    with_sample: Annotated[
        bool, typer.Option("--demo", help="Fill an empty store with a small team's memory of two weeks.")
    ] = False,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on; else server.host.")] = None,
    port: Annotated[int | None, typer.Option("--port", help="Port, 0 for any free one; else server.port.")] = None,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Leave background jobs to processes of 'goclaw worker'.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Start the gateway: HTTP, and MCP at /mcp. Stop it with Ctrl-C."""
    from goclaw.bootstrap import open_engine
    from goclaw.cli.first_keys import make_first_key, make_team_keys
    from goclaw.gateway.serve import serve as run_gateway

    overrides: dict[str, object] = {"server.host": host} if host is not None else {}
    if port is not None:
        overrides["server.port"] = port
    is_filled = with_sample and _fill_if_empty()
    engine = open_engine(settings=overrides, workers=0 if no_worker else None)
    shown = [] if engine.database.read_only else make_team_keys(engine) if is_filled else make_first_key(engine)

    def show_banner(url: str) -> None:
        if as_json:
            keys = [{"user_id": key.user_id, "key": key.secret, "file": str(key.file)} for key in shown]
            emit({"url": url, "state_dir": str(engine.loaded.paths.state_dir), "keys": keys})
        else:
            _show_banner(engine, url, shown, with_sample)

    run_gateway(engine, on_listening=show_banner)


def worker(
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Worker threads; else memory.jobs.workers, at least one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Work off background jobs beside the gateway, until told to stop."""
    from goclaw.bootstrap import open_engine
    from goclaw.gateway.logs import configure_logs
    from goclaw.settings.load import load_settings

    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopping.set())
    count = threads or max(1, load_settings().settings.memory.jobs.workers)
    engine = open_engine(workers=count)
    with engine.memory:
        configure_logs(engine.settings.log)
        if as_json:
            emit({"threads": count, "state_dir": str(engine.loaded.paths.state_dir)})
        else:
            say(f"Working with {count} threads on {engine.loaded.paths.state_dir}. Stop with Ctrl-C.")
        stopping.wait()
    note("Stopped; jobs that were under way are back in the queue.")


def mcp(as_json: AsJson = False) -> None:
    """Offer the tools over stdio (see docs/mcp.md), as whoever the key in GOCLAW_KEY belongs to."""
    principal = _principal_of_key()

    from goclaw.bootstrap import open_engine
    from goclaw.gateway.logs import configure_logs
    from goclaw.gateway.mcp_server import serve_stdio

    engine = open_engine()
    with engine.memory:
        configure_logs(engine.settings.log)
        serve_stdio(engine, principal)


def _principal_of_key() -> "Principal":
    """Who GOCLAW_KEY speaks for; asked before anything slow is imported."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.keys import KeyRing
    from goclaw.model.errors import Unauthenticated
    from goclaw.settings.load import load_gateway_target

    key = load_gateway_target().key
    with open_store() as store:
        try:
            return KeyRing(store.database, store.clock).verify(key)[1]
        except Unauthenticated:
            pass
    raise Unauthenticated("goclaw mcp needs a valid key in GOCLAW_KEY.", "Make one: goclaw keys create.")


def _fill_if_empty() -> bool:
    """Put the sample into a store without records, under a clock of its own, so that it is two weeks old."""
    from goclaw.bootstrap import open_engine
    from goclaw.cli.fill_sample import fill_sample, first_day
    from goclaw.model.clock import ManualClock, SystemClock
    from goclaw.storage import chunks

    begin = first_day(SystemClock().now())
    clock = ManualClock(begin)
    engine = open_engine(clock=clock, workers=0)
    with engine.memory:
        with engine.database.read() as reader:
            is_empty = chunks.count(reader) == 0
        if not is_empty or engine.database.read_only:
            return False
        fill_sample(engine.memory, clock, begin)
    return True


def _show_banner(engine: "Engine", url: str, shown: "list[ShownKey]", with_sample: bool) -> None:
    from goclaw.cli.first_keys import FIRST_KEY_FILE, command_to_type

    provider = engine.vectors.provider
    say(f"goclaw is listening at {url}   (MCP at {url}/mcp, routes at {url}/openapi.json)", style="bold")
    say(f"State directory: {engine.loaded.paths.state_dir}")
    say(f"Search: by words{f' and by meaning ({provider.identity.model})' if provider else ' alone'}")
    for key in shown:
        say(f"Key of {key.display_name} ({key.user_id}), shown this once: {key.secret}")
        say(f"    also in {key.file}", style="dim")
    if not shown:
        say(f"Keys were made before; the first one is in {engine.loaded.paths.credentials / FIRST_KEY_FILE}.")
    if with_sample:
        say("Three commands to try in another terminal:")
        for line in _commands_to_try(engine, url, command_to_type()):
            say(f"  {line}", style="cyan")
    note("Stop with Ctrl-C.")


def _commands_to_try(engine: "Engine", url: str, command: str) -> list[str]:
    """The same question by different people, who get different answers; only what their keys allow."""
    import shlex

    from goclaw.cli.first_keys import FIRST_KEY_FILE

    credentials = engine.loaded.paths.credentials
    lines = []
    for user_id, question in TRY_QUESTIONS:
        file = credentials / f"demo_{user_id}.key"
        if not file.exists():
            file = credentials / FIRST_KEY_FILE
        key = f'GOCLAW_KEY="$(cat {shlex.quote(str(file))})"'
        where = f"GOCLAW_URL={url} " if not url.endswith(":8787") else ""
        lines.append(f'{where}{key} {command} memory search "{question}"')
    return lines
