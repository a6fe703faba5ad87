"""Pair: which person stands behind a sender of a chat program. Opens the state directory directly."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goclaw.cli.output import AsJson, emit, moment, say, show_table

if TYPE_CHECKING:
    from goclaw.gateway.pairing import Pairing, PairingBook

app = typer.Typer(help="Which person stands behind a sender of a chat program.", no_args_is_help=True)

Workspace = Annotated[str, typer.Option("--workspace", help="The workspace.")]


@app.command("list")
def list_pairings(workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Senders that wait for approval with their codes, and those that are paired."""
    with _book() as book:
        found = book.list(workspace)
    if as_json:
        emit([_document(each) for each in found])
        return
    rows = [
        (
            each.channel_kind,
            each.sender_id,
            each.sender_name,
            each.user_id or f"waits: {each.code}",
            moment(each.asked_at),
        )
        for each in found
    ]
    show_table(("channel", "sender", "calls itself", "person", "since"), rows, "Nobody has written yet.")


@app.command()
def approve(
    code: Annotated[str, typer.Argument(help="The code the sender was given.")],
    user: Annotated[str, typer.Option("--user", help="The person it is.")],
    workspace: Workspace = "default",
    as_json: AsJson = False,
) -> None:
    """Say who a sender is: from its next message on it speaks as that person."""
    from goclaw.gateway.people import command_line

    with _book() as book:
        paired = book.approve(command_line(workspace), workspace, code, user)
    _show(paired, f"{paired.channel_kind}:{paired.sender_id} is {user} now.", as_json)


@app.command()
def revoke(
    channel_kind: Annotated[str, typer.Argument(help="The kind of channel, such as discord.")],
    sender: Annotated[str, typer.Argument(help="The sender's id there.")],
    workspace: Workspace = "default",
    as_json: AsJson = False,
) -> None:
    """Make a sender unknown again, from its next message on."""
    from goclaw.gateway.people import command_line

    with _book() as book:
        book.revoke(command_line(workspace), workspace, channel_kind, sender)
    if as_json:
        emit({"channel_kind": channel_kind, "sender_id": sender, "paired": False})
    else:
        say(f"{channel_kind}:{sender} is nobody we know now.")


@contextmanager
def _book() -> "Iterator[PairingBook]":
    from goclaw.cli.store import open_store
    from goclaw.gateway.pairing import PairingBook

    with open_store() as store:
        yield PairingBook(store.loaded.paths.credentials, store.database, store.clock)


def _person_or_code(pairing: "Pairing") -> str:
    return pairing.user_id or f"waits: {pairing.code}"


def _show(pairing: "Pairing", sentence: str, as_json: bool) -> None:
    if as_json:
        emit(_document(pairing))
    else:
        say(sentence)


def _document(pairing: "Pairing") -> dict[str, Any]:
    return {
        "channel_kind": pairing.channel_kind,
        "sender_id": pairing.sender_id,
        "sender_name": pairing.sender_name,
        "user_id": pairing.user_id,
        "code": pairing.code if pairing.user_id is None else None,
        "asked_at": moment(pairing.asked_at),
        "approved_by": pairing.approved_by,
        "approved_at": None if pairing.approved_at is None else moment(pairing.approved_at),
    }
