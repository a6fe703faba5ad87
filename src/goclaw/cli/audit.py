"""Audit: who did what, and whether the log of it is as it was written."""

import json
from typing import Annotated

import typer

from goclaw.cli.gateway import open_gateway
from goclaw.cli.output import FAILED, AsJson, emit, note, say, show_table

app = typer.Typer(help="Who did what.", no_args_is_help=True)
PAGE = 200

Memory = Annotated[str | None, typer.Option("--memory", help="Only about this record.")]
Event = Annotated[str | None, typer.Option("--event", help="Only of this type, such as memory_rejected.")]
Organization = Annotated[
    bool, typer.Option("--organization", help="The log of organization memory instead; for administrators.")
]


@app.command()
def verify(organization: Organization = False, as_json: AsJson = False) -> None:
    """Walk the chain over the log; 1 where a row was changed, removed or added. For reviewers."""
    with open_gateway() as gateway:
        found = gateway.verify_audit(organization=organization)
    if as_json:
        emit(found)
    elif found["ok"]:
        say(f"{found['sealed']} rows are as they were written; {found['unsealed']} wait for their seal.")
    else:
        at = "One row has no seal" if found["broken_at"] is None else f"Seal {found['broken_at']} does not fit"
        say(f"{at}: {found['problem'].replace('_', ' ')}, event {found['broken_event_id']}.")
        note("Compare with a backup, and ask who could write to the store's file.")
    if not found["ok"]:
        raise typer.Exit(FAILED)


@app.command("list")
def list_events(
    memory: Memory = None,
    recall: Annotated[str | None, typer.Option("--recall", help="Only of this recall.")] = None,
    event: Event = None,
    organization: Organization = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=PAGE, help="Most rows.")] = 50,
    cursor: Annotated[str | None, typer.Option("--cursor", help="next_cursor of the page before.")] = None,
    as_json: AsJson = False,
) -> None:
    """Rows, newest first: your own, and for reviewers the workspace's."""
    with open_gateway() as gateway:
        page = gateway.audit(
            memory_id=memory,
            request_id=recall,
            event_type=event,
            organization=organization,
            limit=limit,
            cursor=cursor,
        )
    if as_json:
        emit(page)
        return
    rows = [
        (each["at"][:19], each["event_type"], each["actor_id"], each["memory_id"], json.dumps(each["payload"]))
        for each in page["events"]
    ]
    show_table(("when", "what", "by", "memory", "detail"), rows, "Nothing happened yet.")
    if page["next_cursor"]:
        note(f"There is more: --cursor {page['next_cursor']}")


@app.command()
def export(
    memory: Memory = None, event: Event = None, organization: Organization = False, as_json: AsJson = False
) -> None:
    """All rows you may read, newest first, one JSON document a line; with --json one of all. Leaves a row."""
    with open_gateway() as gateway:
        rows = gateway.export_audit(memory_id=memory, event_type=event, organization=organization)
    if as_json:
        emit({"events": list(rows)})
        return
    for row in rows:
        emit(row)
