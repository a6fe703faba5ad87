"""Imports: the trusted-import list of a workspace. Asks the gateway: trusting somebody is an own act."""

from typing import Annotated

import typer

from goclaw.cli.output import AsJson
from goclaw.cli.policies import TRUSTED_IMPORT, Project, Reason, Until, revoke, show_policies
from goclaw.cli.policies import trust as make

app = typer.Typer(help="Imports whose records may instruct.", no_args_is_help=True)


@app.command("list")
def list_imports(as_json: AsJson = False) -> None:
    """The trusted imports. For reviewers."""
    show_policies(TRUSTED_IMPORT, as_json)


@app.command()
def trust(
    name: Annotated[str, typer.Argument(help="Name of the import, as its key has it.")],
    reason: Reason,
    project: Project = None,
    until: Until = None,
    as_json: AsJson = False,
) -> None:
    """Put an import on the list: what it writes back as imported may instruct. For reviewers."""
    make(TRUSTED_IMPORT, f"import:{name.removeprefix('import:')}", reason, project, until, as_json)


app.command()(revoke)
