"""Secrets: puts passwords and keys into the vault. A value is read from stdin or a prompt, never from an argument."""

import sys
from typing import Annotated

import typer

from goclaw.cli.output import AsJson, emit, say, show_table
from goclaw.model.errors import InvalidInput, NotFound

app = typer.Typer(help="Passwords and keys that settings refer to as ${secret:NAME}.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The name that settings refer to.")]


@app.command("set")
def set_secret(name: Name, as_json: AsJson = False) -> None:
    """Store or replace a secret: typed at a prompt, or piped in."""
    from goclaw.settings.load import load_settings

    value = _read_value(name)
    load_settings().open_vault().set(name, value)
    if as_json:
        emit({"name": name, "stored": True})
    else:
        say(f"Stored. Settings refer to it as ${{secret:{name}}}.")


@app.command("list")
def list_secrets(as_json: AsJson = False) -> None:
    """The names of all secrets; never their values."""
    from goclaw.settings.load import load_settings

    names = load_settings().open_vault().names()
    if as_json:
        emit(names)
    else:
        show_table(("name",), [(name,) for name in names], "The vault is empty. Fill it: goclaw secrets set NAME")


@app.command("rm")
def remove(name: Name, as_json: AsJson = False) -> None:
    """Take a secret away."""
    from goclaw.settings.load import load_settings

    if not load_settings().open_vault().remove(name):
        raise NotFound(f"The vault has no secret {name!r}.", "See: goclaw secrets list")
    if as_json:
        emit({"name": name, "removed": True})
    else:
        say(f"{name} is gone from the vault.")


def _read_value(name: str) -> str:
    """What the person types, or what is piped in without its last line break."""
    if sys.stdin.isatty():
        typed: str = typer.prompt(f"Value of {name}", hide_input=True, err=True)
        return typed
    try:
        piped = sys.stdin.read()
    except UnicodeDecodeError:
        raise InvalidInput("The secret is no text.", "Pipe in UTF-8.") from None
    return piped.removesuffix("\n").removesuffix("\r")
