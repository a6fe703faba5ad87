"""Projects: what a workspace works on, and who belongs to each. Opens the store directly."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from goclaw.cli.output import AsJson, emit, moment, say, show_table

if TYPE_CHECKING:
    from goclaw.storage.projects import Project

app = typer.Typer(help="What a workspace works on, and who belongs to it.", no_args_is_help=True)

ProjectId = Annotated[str, typer.Argument(help="The project's id.")]
User = Annotated[str, typer.Argument(help="The person's user id.")]
Workspace = Annotated[str, typer.Option("--workspace", help="The workspace.")]


@app.command()
def add(
    project: ProjectId,
    name: Annotated[str | None, typer.Option("--name", help="How the project is called.")] = None,
    workspace: Workspace = "default",
    as_json: AsJson = False,
) -> None:
    """Register a project. Nobody belongs to it yet."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import command_line
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        made = Projects(store.database, store.clock).add(command_line(workspace), workspace, project, name=name)
    if as_json:
        emit(_document(made))
    else:
        say(f"{made.name} ({project}) is a project of {workspace} now.")


@app.command("list")
def list_projects(workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """The projects of a workspace."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        found = Projects(store.database, store.clock).list(workspace)
    if as_json:
        emit([_document(each) for each in found])
        return
    rows = [(each.project_id, each.name, moment(each.created_at)) for each in found]
    show_table(("project", "name", "since"), rows, "No project yet. Add one: goclaw projects add PROJECT")


@app.command()
def members(project: ProjectId, workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Who belongs to a project."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        found = Projects(store.database, store.clock).members(workspace, project)
    if as_json:
        emit(list(found))
    else:
        show_table(("user",), [(user,) for user in found], "Nobody yet.")


@app.command("add-member")
def add_member(project: ProjectId, user: User, workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Let a person in; their keys open the project from the next request on."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import command_line
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        Projects(store.database, store.clock).add_member(command_line(workspace), workspace, project, user)
    _say_member(project, user, True, as_json)


@app.command("remove-member")
def remove_member(project: ProjectId, user: User, workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Let a person out, from the next request on."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import command_line
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        Projects(store.database, store.clock).remove_member(command_line(workspace), workspace, project, user)
    _say_member(project, user, False, as_json)


def _say_member(project: str, user: str, is_member: bool, as_json: bool) -> None:
    if as_json:
        emit({"project_id": project, "user_id": user, "member": is_member})
    else:
        say(f"{user} {'belongs' if is_member else 'no longer belongs'} to {project}.")


def _document(project: "Project") -> dict[str, Any]:
    return {
        "project_id": project.project_id,
        "name": project.name,
        "workspace_id": project.workspace_id,
        "created_at": moment(project.created_at),
    }
