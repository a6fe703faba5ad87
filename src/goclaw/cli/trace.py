"""Trace: what was recalled, for whom, and how far one memory has reached."""

from typing import Annotated

import typer

from goclaw.cli.gateway import open_gateway
from goclaw.cli.output import AsJson, emit, note, say, show_table

app = typer.Typer(help="What was recalled, and what became of it.", no_args_is_help=True)


@app.command("list")
def list_traces(
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Most recalls.")] = 50,
    cursor: Annotated[str | None, typer.Option("--cursor", help="next_cursor of the page before.")] = None,
    as_json: AsJson = False,
) -> None:
    """Your recalls, newest first; for reviewers the workspace's."""
    with open_gateway() as gateway:
        page = gateway.traces(limit=limit, cursor=cursor)
    if as_json:
        emit(page)
        return
    rows = [
        (each["request_id"], each["at"][:16], each["asked_by"], each["task_id"], each["returned"], each["query"][:80])
        for each in page["traces"]
    ]
    show_table(("id", "when", "asked by", "task", "returned", "question"), rows, "Nothing was recalled yet.")
    if page["next_cursor"]:
        note(f"There is more: --cursor {page['next_cursor']}")


@app.command()
def show(
    request_id: Annotated[str, typer.Argument(help="The id of a recall: request_id or trace_id of its answer.")],
    as_json: AsJson = False,
) -> None:
    """One recall: what was returned, withheld and used, and what came of it."""
    with open_gateway() as gateway:
        found = gateway.trace(request_id)
    if as_json:
        emit(found)
        return
    trace = found["trace"]
    say(trace["query"], style="bold")
    say(f"{trace['created_at'][:16]}, by {trace['actor_id']}, {trace['mode']}, task {trace['task_id'] or '-'}")
    rows = [
        (
            item["memory_id"],
            item["rank"] or f"withheld: {item['withheld_reason']}",
            {None: "not reported", True: "used", False: f"ignored: {item['ignored_reason']}"}[item["used"]],
            ", ".join(event["event_type"] for event in item["later_events"]) or None,
        )
        for item in found["items"]
    ]
    show_table(("memory", "rank", "use", "later"), rows, "It met nothing that you may see.")
    for each in found["writebacks"]:
        say(f"written back: {each['memory_id']}")


@app.command()
def impact(
    memory_id: Annotated[str, typer.Argument(help="The id of a record.")],
    as_json: AsJson = False,
) -> None:
    """How far one memory has reached: recalls, tasks, and records made from it."""
    with open_gateway() as gateway:
        found = gateway.impact(memory_id)
    if as_json:
        emit(found)
        return
    rows = [
        (met["request_id"], met["at"][:16], met["asked_by"], met["task_id"], met["rank"] or met["withheld_reason"])
        for met in found["recalls"]
    ]
    show_table(("recall", "when", "asked by", "task", "rank"), rows, "No recall met it.")
    for task in found["tasks"]:
        say(f"task {task['task_id'] or '-'} wrote back: {', '.join(task['written_back']) or 'nothing'}")
    for each in found["derived"]:
        say(f"{each['memory_id']}  {each['relation']} {each['of']}")
    if not found["complete"]:
        note("There are older recalls than these.")
