"""Chat: talk to the agent in the terminal, through the running gateway. Ends with an empty line or Ctrl-D."""

import sys
import uuid
from typing import Annotated, Any

import typer

from goclaw.cli.gateway import open_gateway
from goclaw.cli.output import AsJson, emit, note, say


def chat(
    message: Annotated[str | None, typer.Argument(help="One message; without it, a conversation.")] = None,
    session: Annotated[str, typer.Option("--session", help="The conversation it belongs to.")] = "terminal",
    as_json: AsJson = False,
) -> None:
    """Talk to the agent. @personal: at the start of a message remembers it, @forget ID takes it back."""
    with open_gateway() as client:
        if message is not None:
            _say(client, session, message, as_json)
            return
        note(f"Conversation {session}. An empty line ends it.")
        while (line := _read()) is not None:
            _say(client, session, line, as_json)


def _read() -> str | None:
    """The next message, or None at the end."""
    if sys.stdin.isatty():
        sys.stdout.write("> ")
        sys.stdout.flush()
    return sys.stdin.readline().strip() or None


def _say(client: Any, session: str, message: str, as_json: bool) -> None:
    """Show the answer as it comes; each message has an id of its own, so that a second try is no second message."""
    done: dict[str, Any] = {}
    has_begun = False
    for event, data in client.chat_events(session, message, message_id=uuid.uuid4().hex):
        if event == "done":
            done = data
        elif as_json:
            continue
        elif event == "text":
            sys.stdout.write(data["text"])
            sys.stdout.flush()
            has_begun = True
        elif event == "tool":
            note(f"[{data['name']}{'' if data['succeeded'] else ' failed'}]")
    if as_json:
        emit(done)
    else:
        say("" if has_begun else done["text"])  # what memory itself answers comes whole
