"""People: who belongs to a workspace, and in which roles. Opens the store directly."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from goclaw.cli.output import AsJson, emit, moment, say, show_table

if TYPE_CHECKING:
    from goclaw.storage.principals import Person

app = typer.Typer(help="Who belongs to a workspace, and in which roles.", no_args_is_help=True)

User = Annotated[str, typer.Argument(help="The person's user id.")]
Workspace = Annotated[str, typer.Option("--workspace", help="The workspace.")]
Roles = Annotated[
    list[str] | None, typer.Option("--role", help="A role: member, reviewer, admin or one of your own; repeatable.")
]


@app.command()
def add(
    user: User,
    name: Annotated[str | None, typer.Option("--name", help="How the person is called.")] = None,
    role: Roles = None,
    language: Annotated[str | None, typer.Option("--language", help="The language they are answered in.")] = None,
    workspace: Workspace = "default",
    as_json: AsJson = False,
) -> None:
    """Register a person. Without --role they are a member."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import People, command_line

    with open_store() as store:
        person = People(store.database, store.clock).add(
            command_line(workspace), workspace, user, display_name=name, roles=role or ("member",), language=language
        )
    _show(person, f"{person.display_name} ({user}) belongs to {workspace} now: {', '.join(person.roles)}.", as_json)


@app.command("list")
def list_people(workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Everybody of a workspace."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import People

    with open_store() as store:
        people = People(store.database, store.clock).list(workspace)
    if as_json:
        emit([_document(person) for person in people])
        return
    rows = [(person.user_id, person.display_name, person.roles, moment(person.created_at)) for person in people]
    show_table(("user", "name", "roles", "since"), rows, "Nobody yet. Add somebody: goclaw people add USER")


@app.command()
def role(
    user: User,
    roles: Annotated[list[str], typer.Argument(help="All the roles the person has from now on.")],
    workspace: Workspace = "default",
    as_json: AsJson = False,
) -> None:
    """Give a person these roles instead of the old ones; their keys have them from the next request on."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import People, command_line

    with open_store() as store:
        person = People(store.database, store.clock).set_roles(command_line(workspace), workspace, user, roles)
    _show(person, f"{user} is now: {', '.join(person.roles)}.", as_json)


@app.command()
def language(
    user: User,
    language: Annotated[str | None, typer.Argument(help="German, pt-BR ...; nothing: the one they write in.")] = None,
    workspace: Workspace = "default",
    as_json: AsJson = False,
) -> None:
    """Say in which language an agent answers a person."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import People, command_line

    with open_store() as store:
        person = People(store.database, store.clock).set_language(command_line(workspace), workspace, user, language)
    _show(person, f"{user} is answered in {person.language or 'the language they write in'}.", as_json)


def _show(person: "Person", sentence: str, as_json: bool) -> None:
    if as_json:
        emit(_document(person))
    else:
        say(sentence)


def _document(person: "Person") -> dict[str, Any]:
    return {
        "user_id": person.user_id,
        "display_name": person.display_name,
        "workspace_id": person.workspace_id,
        "roles": person.roles,
        "language": person.language,
        "created_at": moment(person.created_at),
    }
