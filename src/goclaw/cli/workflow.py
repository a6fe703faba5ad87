"""Workflow: which agents' workflows are held to the checklist before they may write back."""

from typing import Annotated

import typer

from goclaw.cli.gateway import open_gateway
from goclaw.cli.output import AsJson, emit, say, show_table

app = typer.Typer(help="Workflows that are held to the checklist.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="runtime.name, as the workflow's requests say it.")]
TaskType = Annotated[str | None, typer.Option("--task-type", help="Only for tasks of this type.")]


@app.command("list")
def list_workflows(as_json: AsJson = False) -> None:
    """The registered workflows, and whether they may write back. For reviewers."""
    with open_gateway() as gateway:
        found = gateway.workflows()
    if as_json:
        emit(list(found))
        return
    rows = [
        (each["runtime_name"], each["task_type"], "yes" if each["may_write_back"] else "no", each["accepted_by"])
        for each in found
    ]
    show_table(("workflow", "task type", "may write back", "accepted by"), rows, "None: write-back is open to all.")


@app.command()
def register(
    name: Name,
    task_type: TaskType = None,
    open_: Annotated[bool, typer.Option("--open", help="List it without holding it to the checklist.")] = False,
    as_json: AsJson = False,
) -> None:
    """Hold a workflow to the checklist: until accepted it may recall and not write back. For administrators."""
    with open_gateway() as gateway:
        made = gateway.register_workflow(name, task_type=task_type, require_acceptance=not open_)
    if as_json:
        emit(made)
    else:
        say(f"{name} may {'' if made['may_write_back'] else 'not '}write back.")


@app.command()
def remove(name: Name, task_type: TaskType = None, as_json: AsJson = False) -> None:
    """Take a workflow off the list; nothing holds it any more. For administrators."""
    with open_gateway() as gateway:
        gone = gateway.remove_workflow(name, task_type=task_type)
    if as_json:
        emit(gone)
    else:
        say(f"{name} is held to nothing.")
