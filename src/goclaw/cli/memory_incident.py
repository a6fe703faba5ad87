"""Memory, incidents: undo what somebody wrote, look again with today's detectors, go through the checklist."""

from datetime import datetime
from typing import Annotated, Any

import typer

from goclaw.cli.gateway import open_gateway, watch_job
from goclaw.cli.output import FAILED, AsJson, emit, note, say, show_table


def rollback(
    source: Annotated[str | None, typer.Option("--source", help="uri of a source reference.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="task_id of the write-backs.")] = None,
    principal: Annotated[
        str | None, typer.Option("--principal", help="An actor as the audit log names it: agent:scribe, human:bob.")
    ] = None,
    imported: Annotated[str | None, typer.Option("--import", help="Name of an import.")] = None,
    since: Annotated[datetime | None, typer.Option("--since", help="Only what was written from then on (UTC).")] = None,
    include_confirmed: Annotated[
        bool, typer.Option("--include-confirmed", help="Also what a human confirmed.")
    ] = False,
    go: Annotated[bool, typer.Option("--go", help="Do it; without this it is only shown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Reject what a source, run, actor or import wrote, and say what it has reached. Shown first; --go does it."""
    with open_gateway() as gateway:
        report = gateway.rollback(
            source=source,
            run=run,
            by=principal,
            imported_from=imported,
            since=since,
            include_confirmed=include_confirmed,
            dry_run=not go,
        )
    if as_json:
        emit(report)
    else:
        _show_rollback(report)
    if report["counts"]["failed"]:
        raise typer.Exit(FAILED)


def rescan(
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Queue it and return.")] = False,
    as_json: AsJson = False,
) -> None:
    """Look at everything stored with today's detectors; what they find waits for a person. For administrators."""
    with open_gateway() as gateway:
        job_id = gateway.rescan()
        job = gateway.job(job_id) if no_wait else watch_job(gateway, job_id, "Rescan")
    counts = job["progress"]
    if as_json:
        emit(job)
    elif job["state"] == "done":
        say(f"Looked at {counts['done']}: {counts['flagged']} have a new flag, {counts['held']} of them wait now.")
    else:
        say(f"Job {job_id}: {job['state']}.")
    if job["state"] in ("failed", "dead"):
        note(job["last_error"] or "")
        raise typer.Exit(FAILED)


def acceptance(
    workflow: Annotated[str | None, typer.Option("--workflow", help="A registered workflow, by runtime.name.")] = None,
    task_type: Annotated[str | None, typer.Option("--task-type", help="Of a workflow registered for one.")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="If it passes, let the workflow write back.")] = False,
    as_json: AsJson = False,
) -> None:
    """Go through the eight points; 1 where a step is missing. For reviewers; --accept for administrators."""
    with open_gateway() as gateway:
        report = gateway.acceptance(workflow=workflow, task_type=task_type, accept=accept)
    if as_json:
        emit(report)
    else:
        rows = [
            (point["number"], "pass" if point["passed"] else "missing", point["title"], point["missing"])
            for point in report["points"]
        ]
        show_table(("", "state", "point", "step"), rows, "")
        if report["workflow"] is not None:
            may = "may" if report["workflow"]["may_write_back"] else "may not"
            say(f"{workflow} {may} write back.")
    if not report["passed"]:
        raise typer.Exit(FAILED)


def _show_rollback(report: dict[str, Any]) -> None:
    rows = [
        (each["record"]["id"], each["outcome"], each["why"], each["record"]["actor_id"], each["record"]["content"][:60])
        for each in report["records"]
    ]
    show_table(("id", "outcome", "why", "by", "text"), rows, "Nothing was written by them that you may see.")
    for title, ids in (
        ("Recalls that returned one of them", report["recalls"]),
        ("Tasks behind those recalls", report["tasks"]),
        ("Written back after those recalls", report["written_after"]),
        ("Made from one of them", report["derived"]),
    ):
        if ids:
            say(f"{title}: {', '.join(ids)}")
    if report["dry_run"] and report["counts"]["planned"]:
        note(f"Nothing was changed. Reject these {report['counts']['planned']}: the same command with --go")
