"""Memory: what people ask of a running gateway, with the key in GOCLAW_KEY, at GOCLAW_URL."""

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goclaw.cli import memory_offline
from goclaw.cli.output import FAILED, AsJson, emit, note, progress_bar, say, show_table
from goclaw.model.errors import Unauthenticated

if TYPE_CHECKING:
    from goclaw.client import GatewayClient

DEFAULT_URL = "http://127.0.0.1:8787"
POLL_S = 0.2
FINISHED = ("done", "failed", "dead")

app = typer.Typer(help="Write, find and look after memories.", no_args_is_help=True)

Limit = Annotated[
    int | None, typer.Option("--limit", min=1, max=200, help="Most hits; else memory.search.max_results.")
]


@app.command()
def write(
    text: Annotated[str, typer.Argument(help="The text to remember; - reads it from stdin.")],
    scope: Annotated[str, typer.Option("--scope", help="personal, agent_notes, global or agent_config.")] = "personal",
    kind: Annotated[str, typer.Option("--kind", help="What sort of memory: fact, preference, decision, ...")] = "note",
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A label; repeatable.")] = None,
    domain: Annotated[str | None, typer.Option("--domain", help='A classification such as "infrastructure".')] = None,
    project: Annotated[str | None, typer.Option("--project", help="A project you belong to.")] = None,
    as_json: AsJson = False,
) -> None:
    """Remember a text. It can be found by its words when this returns."""
    content = sys.stdin.read() if text == "-" else text
    with _gateway() as gateway:
        record = gateway.write(content, scope=scope, kind=kind, tags=tag or [], domain=domain, project_id=project)
    if as_json:
        emit(record)
    else:
        say(f"{record['id']}  {record['scope']}, {record['provenance']}, {record['review_status']}")
        if record["use_policy"]["requires_user_confirmation"]:
            note("It waits for a person's confirmation and is found by explicit search only until then.")


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What you want to know.")],
    limit: Limit = None,
    history: Annotated[bool, typer.Option("--history", help="Also what was superseded, marked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find memories you may see; what waits for review or may be outdated is found too, and marked."""
    with _gateway() as gateway:
        found = gateway.search(query, limit=limit, include_history=history)
    if as_json:
        emit(found)
        return
    for hit in found["hits"]:
        _show_hit(hit)
    if not found["hits"]:
        say(f"Nothing found ({found['reason']}).")
    for remark in found["notes"]:
        note(f"Note: {remark}")
    if found["withheld"]:
        note(f"Withheld: {', '.join(sorted(each['why'] for each in found['withheld']))}")


@app.command()
def show(
    memory_id: Annotated[str, typer.Argument(help="The id of a record.")],
    as_json: AsJson = False,
) -> None:
    """One record with everything known about it."""
    with _gateway() as gateway:
        record = gateway.get(memory_id)
    if as_json:
        emit(record)
        return
    say(record.pop("content"))
    policy = record.pop("use_policy")
    record["may"] = [name for name, allowed in policy.items() if allowed]
    show_table(("field", "value"), [(name, value) for name, value in record.items() if value not in (None, [], {})], "")


@app.command()
def stats(as_json: AsJson = False) -> None:
    """How many memories you may read; for administrators also index, jobs and disk."""
    with _gateway() as gateway:
        figures = gateway.stats()
    if as_json:
        emit(figures)
    else:
        show_table(("what", "how many"), list(_flat(figures)), "Nothing yet.")


@app.command()
def reindex(
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Queue it and return.")] = False,
    as_json: AsJson = False,
) -> None:
    """Rebuild what search runs on beside the old index, and switch at the end. For administrators."""
    with _gateway() as gateway:
        job_id = gateway.reindex()
        job = gateway.job(job_id) if no_wait else _watch(gateway, job_id)
    if as_json:
        emit(job)
    else:
        say(f"Job {job_id}: {job['state']}.")
    if job["state"] in ("failed", "dead"):
        note(job["last_error"] or "")
        raise typer.Exit(FAILED)


@app.command()
def jobs(
    dead: Annotated[bool, typer.Option("--dead", help="Only those that gave up.")] = False,
    retry: Annotated[str | None, typer.Option("--retry", help="Put this dead or failed job back.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Most jobs.")] = 50,
    as_json: AsJson = False,
) -> None:
    """The background jobs, newest first. For administrators."""
    with _gateway() as gateway:
        if retry is not None:
            job = gateway.retry_job(retry)
            if as_json:
                emit(job)
            else:
                say(f"Job {retry}: {job['state']}.")
            return
        found = gateway.jobs(state="dead" if dead else None, limit=limit)
    if as_json:
        emit(list(found))
        return
    columns = ("id", "kind", "state", "tries", "made", "progress", "last error")
    rows = [
        (
            job["id"],
            job["kind"],
            job["state"],
            f"{job['attempts']}/{job['max_attempts']}",
            job["created_at"][:16].replace("T", " "),
            ", ".join(f"{name} {count}" for name, count in job["progress"].items()) or None,
            job["last_error"],
        )
        for job in found
    ]
    show_table(columns, rows, "No dead jobs." if dead else "No jobs.")


app.command()(memory_offline.check)
app.command()(memory_offline.migrate)
app.command()(memory_offline.backup)


def _gateway() -> "GatewayClient":
    from goclaw.client import GatewayClient
    from goclaw.settings.load import load_gateway_target

    target = load_gateway_target()
    if target.key is None:
        raise Unauthenticated(
            "No key is set.", "Set GOCLAW_KEY to a key of yours; an administrator makes one with goclaw keys create."
        )
    return GatewayClient(target.url or DEFAULT_URL, target.key)


def _watch(gateway: "GatewayClient", job_id: str) -> dict[str, Any]:
    """Wait for a job behind a bar; the job as it ended."""
    with progress_bar("Reindex", None) as bar:
        while True:
            job = gateway.job(job_id)
            progress = job["progress"]
            bar.move_to(progress.get("done", 0) + progress.get("failed", 0), progress.get("total"))
            if job["state"] in FINISHED:
                return job
            time.sleep(POLL_S)


def _show_hit(hit: dict[str, Any]) -> None:
    record, policy = hit["record"], hit["use_policy"]
    grade = "may instruct" if policy["can_use_as_instruction"] else "evidence" if policy["can_use_as_evidence"] else "-"
    place = "/".join(part for part in (record["scope"], record["project_id"]) if part)
    marks = f"  ({', '.join(hit['marks'])})" if hit["marks"] else ""
    say(f"{hit['score']:.2f}  {hit['chunk_text']}{marks}", style="bold")
    origin = f"{place}, by {record['actor_id']}, {record['updated_at'][:10]}, {grade}"
    say(f"      {record['id']}  {origin}", style="dim")


def _flat(figures: dict[str, Any], prefix: str = "") -> "list[tuple[str, object]]":
    """Nested counts as lines."""
    lines: list[tuple[str, object]] = []
    for name, value in figures.items():
        if isinstance(value, dict):
            lines += _flat(value, f"{prefix}{name} ")
        else:
            lines.append((f"{prefix}{name}", value))
    return lines
