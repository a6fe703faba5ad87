"""The command line: every command by name, and what happens when one fails. Bodies import what they need themselves."""

import os
import sys
from typing import Annotated

import typer

from goclaw import __version__
from goclaw.cli import (
    channels,
    chat,
    config,
    demo,
    evaluate,
    imports,
    keys,
    memory,
    pair,
    people,
    policies,
    projects,
    secrets,
    serve,
    sessions,
)
from goclaw.cli.output import FAILED, INTERRUPTED, fail, note, say
from goclaw.model.errors import GoclawError

app = typer.Typer(
    help="A memory for teams of AI agents: who wrote it, who may see it, what it may do.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(serve.serve)
app.command()(serve.worker)
app.command()(serve.mcp)
app.command()(demo.demo)
app.command()(chat.chat)
app.add_typer(memory.app, name="memory")
app.add_typer(sessions.app, name="sessions")
app.add_typer(keys.app, name="keys")
app.add_typer(people.app, name="people")
app.add_typer(pair.app, name="pair")
app.add_typer(projects.app, name="projects")
app.add_typer(channels.app, name="channels")
app.add_typer(policies.app, name="policies")
app.add_typer(imports.app, name="imports")
app.add_typer(secrets.app, name="secrets")
app.add_typer(config.app, name="config")
app.add_typer(evaluate.app, name="eval")


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"goclaw {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an unexpected error happened.")] = False,
) -> None:
    """Answers: 0 done, 1 failed, 2 not understood, 3 locked or busy (try again)."""


def run() -> None:
    """The entry point ``goclaw``. Errors of ours end with message and hint; nothing ends with a traceback."""
    as_json, debug = "--json" in sys.argv[1:], "--debug" in sys.argv[1:]
    try:
        app()
    except GoclawError as error:
        sys.exit(fail(error, as_json=as_json))
    except KeyboardInterrupt:
        note("Stopped.")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Who read our output has gone; Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except Exception as error:
        if debug:
            raise
        unexpected = GoclawError(
            f"Something went wrong inside goclaw ({type(error).__name__}).",
            "'goclaw --debug ...' shows where; please report it with the command you typed.",
        )
        sys.exit(fail(unexpected, as_json=as_json))
