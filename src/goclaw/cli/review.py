"""Review: what waits for a person, and the nine decisions about it, on one record or many."""

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from goclaw.cli.gateway import open_gateway
from goclaw.cli.output import FAILED, AsJson, emit, note, say, show_table
from goclaw.model.errors import Conflict, GoclawError

app = typer.Typer(help="Decide what waits for a person.", no_args_is_help=True)

Ids = Annotated[list[str], typer.Argument(help="Ids of records.")]
Id = Annotated[str, typer.Argument(help="The id of a record.")]
Notes = Annotated[str | None, typer.Option("--notes", help="Why; kept with the decision.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A label in place of the old ones; repeatable.")]
OWNER = "governance.review_owner"


@app.command("list")
def list_queue(
    project: Annotated[str | None, typer.Option("--project", help="Only of this project.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only of this kind.")] = None,
    priority: Annotated[
        str | None, typer.Option("--priority", help="Only flagged, tainted, high_impact or normal ones.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Most entries.")] = 50,
    cursor: Annotated[str | None, typer.Option("--cursor", help="next_cursor of the page before.")] = None,
    as_json: AsJson = False,
) -> None:
    """What waits for you, newest first, with why."""
    with open_gateway() as gateway:
        page = gateway.review_queue(project_id=project, memory_type=kind, priority=priority, limit=limit, cursor=cursor)
    if as_json:
        emit(page)
        return
    rows = [
        (each["id"], each["priority"], f"{each['age_days']} d", each["reason"], _short(each["content"]))
        for each in page["memories"]
    ]
    show_table(("id", "priority", "age", "why", "text"), rows, "Nothing waits.")
    if page["next_cursor"]:
        note(f"There is more: --cursor {page['next_cursor']}")


@app.command()
def show(memory_id: Id, as_json: AsJson = False) -> None:
    """One record with its sources, relations and earlier decisions."""
    with open_gateway() as gateway:
        record = gateway.inspect(memory_id)
    if as_json:
        emit(record)
        return
    say(record["content"])
    show_table(("field", "value"), _facts(record), "")
    for row in record["review_actions"]:
        say(f"{row['created_at'][:16]}  {row['action']} by {row['actor_id']}{_because(row['notes'])}")
    for link in record["relations"]:
        say(f"{link['relation']} {link['to']}")


@app.command()
def confirm(ids: Ids, tag: Tags = None, notes: Notes = None, as_json: AsJson = False) -> None:
    """Let them instruct, in the scope they are in."""
    _decide(ids, "confirm", as_json, notes=notes, tags=tag)


@app.command()
def edit(
    memory_id: Id,
    text: Annotated[str | None, typer.Argument(help="The new text; - reads it from stdin.")] = None,
    summary: Annotated[str | None, typer.Option("--summary", help="A new summary.")] = None,
    tag: Tags = None,
    notes: Notes = None,
    as_json: AsJson = False,
) -> None:
    """Put it into your own words; that confirms it."""
    content = sys.stdin.read() if text == "-" else text
    _decide([memory_id], "edit", as_json, content=content, summary=summary, tags=tag, notes=notes)


@app.command("evidence-only")
def evidence_only(ids: Ids, notes: Notes = None, as_json: AsJson = False) -> None:
    """Let them inform and never instruct."""
    _decide(ids, "evidence_only", as_json, notes=notes)


@app.command()
def restrict(
    ids: Ids,
    to: Annotated[str, typer.Option("--to", help="The narrower level: personal, channel, project or workspace.")],
    project: Annotated[str | None, typer.Option("--project", help="Of a project or channel.")] = None,
    channel: Annotated[str | None, typer.Option("--channel", help="Of a channel.")] = None,
    notes: Notes = None,
    as_json: AsJson = False,
) -> None:
    """Let fewer people have them."""
    _decide(ids, "restrict_scope", as_json, visibility=to, project_id=project, channel_id=channel, notes=notes)


@app.command()
def stale(ids: Ids, notes: Notes = None, as_json: AsJson = False) -> None:
    """Say that they may be outdated."""
    _decide(ids, "mark_stale", as_json, notes=notes)


@app.command()
def merge(
    ids: Ids,
    into: Annotated[str, typer.Option("--into", help="The record that stays, with their sources.")],
    notes: Notes = None,
    as_json: AsJson = False,
) -> None:
    """Let them give way to one that says the same."""
    _decide(ids, "merge", as_json, related_memory_id=into, notes=notes)


@app.command()
def reject(ids: Ids, notes: Notes = None, as_json: AsJson = False) -> None:
    """End them: neither recall nor search shows them again."""
    _decide(ids, "reject", as_json, notes=notes)


@app.command()
def dispute(
    ids: Ids,
    against: Annotated[str | None, typer.Option("--with", help="The record they contradict.")] = None,
    notes: Notes = None,
    as_json: AsJson = False,
) -> None:
    """Say that they may be wrong; they wait for a decision."""
    _decide(ids, "dispute", as_json, related_memory_id=against, notes=notes)


@app.command()
def supersede(
    ids: Ids,
    by: Annotated[str, typer.Option("--by", help="The newer record that stays.")],
    notes: Notes = None,
    as_json: AsJson = False,
) -> None:
    """Let a newer record take their place; they stay as history."""
    _decide(ids, "supersede", as_json, related_memory_id=by, notes=notes)


@app.command()
def propose(
    memory_id: Id,
    action: Annotated[
        str,
        typer.Argument(
            help="confirm, edit, evidence_only, restrict_scope, mark_stale, merge, reject, dispute or supersede."
        ),
    ],
    related: Annotated[
        str | None, typer.Option("--with", help="The record that stays, or the other side of a dispute.")
    ] = None,
    notes: Notes = None,
    as_json: AsJson = False,
) -> None:
    """Say what should be decided, and decide nothing; it waits in the queue. Agents may, of what they see."""
    with open_gateway() as gateway:
        proposal = gateway.propose(memory_id, action, notes=notes, related_id=related)
    if as_json:
        emit(proposal)
    else:
        say(f"{memory_id}  {proposal['action']} by {proposal['actor_id']}")


@app.command()
def owner(
    user: Annotated[str | None, typer.Argument(help="Who owns the queue from now on; shown where left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Name who looks after the queue, in config.yaml of this machine. A running gateway reads it at its next start."""
    from goclaw.model.principal import canonical_id
    from goclaw.settings.config_file import change_config_file
    from goclaw.settings.load import load_settings, write_first_config

    loaded = load_settings()
    if user is not None:
        origin = loaded.origin(OWNER)
        if origin.kind == "environment":
            raise Conflict(f"{origin} sets the owner.", "Change the variable: it wins over config.yaml.")
        write_first_config(loaded.paths)
        change_config_file(loaded.paths.config, OWNER, canonical_id(user, "The owner"))
        note("A gateway that runs already takes it at its next start.")
    named = user or loaded.settings.governance.review_owner
    if as_json:
        emit({"owner": named})
    else:
        say(named or "Nobody owns the review queue. Name somebody: goclaw memory review owner USER")


def _decide(ids: list[str], action: str, as_json: bool, **fields: Any) -> None:
    """Take one action on each; a single one that fails fails as every command does, many are all tried."""
    given = {name: value for name, value in fields.items() if value is not None}
    with open_gateway() as gateway:
        done, failed = _each(ids, lambda memory_id: gateway.review(memory_id, action, **given))
    if as_json:
        emit({"done": done, "failed": failed})
    else:
        for record in done:
            state = (record["lifecycle_status"], record["review_status"], record["scope"]["visibility"])
            say(f"{record['id']}  {', '.join(state)}")
    for each in failed:
        note(f"{each['id']}  {each['error']} {each['hint']}", style="red")
    if failed:
        raise typer.Exit(FAILED)


def _each(ids: list[str], work: Callable[[str], dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    if len(ids) == 1:
        return [work(ids[0])], []
    done, failed = [], []
    for memory_id in dict.fromkeys(ids):
        try:
            done.append(work(memory_id))
        except GoclawError as error:
            failed.append({"id": memory_id, "error": error.message, "code": error.code, "hint": error.hint})
    return done, failed


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def _because(notes: str | None) -> str:
    return f": {notes}" if notes else ""


def _facts(record: dict[str, Any]) -> list[tuple[str, object]]:
    """What a reviewer decides by, beside the words."""
    place, origin = record["scope"], record["provenance"]
    names = [place[name] for name in ("project_id", "channel_id", "owner_user_id") if place[name]]
    return [
        ("state", f"{record['lifecycle_status']}, {record['review_status']}"),
        ("provenance", f"{origin['status']}, by {origin['actor_id']}"),
        ("place", [place["visibility"], *names]),
        ("may", [name for name, allowed in record["use_policy"].items() if allowed]),
        ("flags", record["flags"]),
        ("tags", record["tags"]),
        ("sources", [source["uri"] or source["title"] or source["kind"] for source in record["source_refs"]]),
        ("written", record["freshness"]["created_at"][:16]),
    ]
