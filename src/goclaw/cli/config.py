"""Config: shows the settings in force and who set them. Secrets stay hidden and the vault stays closed."""

from typing import Annotated

import typer

from goclaw.cli.output import AsJson, emit, note, show_table

app = typer.Typer(help="The settings in force.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep ``config`` a group although it has one command."""


@app.command()
def show(
    changed: Annotated[bool, typer.Option("--changed", help="Only those that differ from the defaults.")] = False,
    as_json: AsJson = False,
) -> None:
    """Every setting with its value, and where the value comes from."""
    from goclaw.settings.describe import write_value
    from goclaw.settings.load import load_settings

    loaded = load_settings()
    lines = [line for line in loaded.in_force() if not changed or line.origin.kind != "default"]
    if as_json:
        settings = [{"key": line.key, "value": line.value, "origin": str(line.origin)} for line in lines]
        emit({"state_dir": str(loaded.paths.state_dir), "settings": settings})
        return
    note(f"State directory: {loaded.paths.state_dir}")
    rows = [(line.key, write_value(line.value) or "(unset)", str(line.origin)) for line in lines]
    show_table(("setting", "value", "from"), rows, "Everything is as it comes.")
