"""Sessions: your conversations, through the running gateway."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from goclaw.cli.gateway import open_gateway
from goclaw.cli.output import AsJson, emit, say, show_table

app = typer.Typer(help="Your conversations and those of your rooms.", no_args_is_help=True)

SessionId = Annotated[str, typer.Argument(help="The conversation's name.")]


@app.command("list")
def list_sessions(
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many.")] = 50,
    cursor: Annotated[str | None, typer.Option("--cursor", help="next_cursor of the page before.")] = None,
    as_json: AsJson = False,
) -> None:
    """Conversations, last used first."""
    with open_gateway() as client:
        page = client.sessions(cursor=cursor, limit=limit)
    if as_json:
        emit(page)
        return
    rows = [
        (each["session_id"], each["chat_kind"], each["turns"], ", ".join(each["participants"]), each["updated_at"])
        for each in page["sessions"]
    ]
    show_table(("session", "kind", "turns", "people", "last used"), rows, "No conversation yet.")


@app.command()
def show(
    session: SessionId,
    first: Annotated[int, typer.Option("--from", min=1, help="Number of the first turn.")] = 1,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many turns.")] = 200,
    as_json: AsJson = False,
) -> None:
    """What was said, also what was trimmed; the summary of what was trimmed stands first."""
    with open_gateway() as client:
        found = client.turns(session, first=first, limit=limit)
    if as_json:
        emit(found)
        return
    if found["session"]["summary"]:
        say(f"[summary up to turn {found['session']['first_kept'] - 1}] {found['session']['summary']}\n")
    for turn in found["turns"]:
        say(f"{turn['number']}. {turn['created_at']} {_who(turn)}: {turn['content']}")


@app.command()
def export(
    session: SessionId,
    file: Annotated[Path, typer.Option("--file", help="Where to write it, as JSON.")],
    as_json: AsJson = False,
) -> None:
    """Write a whole conversation into a file."""
    with open_gateway() as client:
        found = client.export_session(session)
    file.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    if as_json:
        emit({"file": str(file), "turns": len(found["turns"])})
    else:
        say(f"{len(found['turns'])} turns are in {file}.")


@app.command()
def forget(
    session: SessionId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase a conversation with its archives and its summary; what was learned from it stays."""
    if not yes and not typer.confirm(f"Forget the conversation {session} for ever?"):
        raise typer.Exit(1)
    with open_gateway() as client:
        receipt = client.forget_session(session)
    if as_json:
        emit(receipt)
        return
    say(f"Forgotten: {receipt['turns']} turns and {receipt['archives']} archives.")
    if receipt["kept_in"]:
        say(f"Backups that may still hold it: {', '.join(receipt['kept_in'])}.")


def _who(turn: dict[str, Any]) -> str:
    marks = [turn["role"], *(["outside text"] if turn["is_tainted"] else [])]
    return f"{turn['speaker']} ({', '.join(marks)})"
