"""Keys: what people, agents, imports and jobs show the gateway. Opens the store directly; a key is shown once."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from goclaw.cli.output import AsJson, emit, moment, note, say, show_table
from goclaw.model.principal import ActorKind, RunKind

if TYPE_CHECKING:
    from goclaw.gateway.keys import NewKey
    from goclaw.storage.principals import Key

app = typer.Typer(help="The keys that open the gateway.", no_args_is_help=True)

KeyId = Annotated[str, typer.Argument(help="The id of the key, as 'keys list' shows it.")]
Workspace = Annotated[str, typer.Option("--workspace", help="The workspace.")]


@app.command()
def create(
    user: Annotated[
        str | None, typer.Option("--user", help="Whose key it is; of an agent: the person it acts for.")
    ] = None,
    kind: Annotated[ActorKind, typer.Option("--kind", help="Who shows it.")] = ActorKind.HUMAN,
    name: Annotated[str | None, typer.Option("--name", help="Name of the agent, import or job.")] = None,
    run: Annotated[RunKind | None, typer.Option("--run", help="Of a job: sop, cron or webhook.")] = None,
    project: Annotated[list[str] | None, typer.Option("--project", help="A project it opens; repeatable.")] = None,
    channel: Annotated[list[str] | None, typer.Option("--channel", help="A channel it opens; repeatable.")] = None,
    workspace: Workspace = "default",
    as_json: AsJson = False,
) -> None:
    """Make a key. It is shown this once and never again."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.keys import KeyRequest, KeyRing
    from goclaw.gateway.people import command_line

    request = KeyRequest(
        kind=kind,
        workspace_id=workspace,
        user_id=user,
        name=name,
        run_kind=run,
        project_ids=tuple(project or ()),
        channel_ids=tuple(channel or ()),
    )
    with open_store() as store:
        made = KeyRing(store.database, store.clock).create(command_line(workspace), request)
    _show_new(made, as_json)


@app.command("list")
def list_keys(workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """All keys of a workspace, revoked ones too; never the keys themselves."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.keys import KeyRing

    with open_store() as store:
        keys = KeyRing(store.database, store.clock).list(workspace)
    if as_json:
        emit([_document(key) for key in keys])
        return
    columns = ("id", "kind", "whose", "projects", "made", "last used", "revoked")
    rows = [
        (
            key.id,
            str(key.kind),
            _owner(key),
            key.project_ids,
            moment(key.created_at),
            moment(key.last_used_at),
            moment(key.revoked_at),
        )
        for key in keys
    ]
    show_table(columns, rows, "No key yet. Make one: goclaw keys create --user USER")


@app.command()
def rotate(key_id: KeyId, workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Give a key a new secret; the old one opens nothing from now on."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.keys import KeyRing
    from goclaw.gateway.people import command_line

    with open_store() as store:
        made = KeyRing(store.database, store.clock).rotate(command_line(workspace), workspace, key_id)
    _show_new(made, as_json)


@app.command()
def revoke(key_id: KeyId, workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Make a key open nothing, for ever."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.keys import KeyRing
    from goclaw.gateway.people import command_line

    with open_store() as store:
        KeyRing(store.database, store.clock).revoke(command_line(workspace), workspace, key_id)
    if as_json:
        emit({"id": key_id, "revoked": True})
    else:
        say(f"The key {key_id} opens nothing any more.")


def _show_new(made: "NewKey", as_json: bool) -> None:
    if as_json:
        emit({**_document(made.key), "key": made.secret})
        return
    say(made.secret)
    note(f"The key {made.key.id} of {_owner(made.key)}. It is not shown again; keep it like a password.")


def _owner(key: "Key") -> str:
    if key.agent_id and key.user_id:
        return f"{key.agent_id} for {key.user_id}"
    return key.user_id or key.agent_id or "-"


def _document(key: "Key") -> dict[str, Any]:
    return {
        "id": key.id,
        "kind": str(key.kind),
        "user_id": key.user_id,
        "name": key.agent_id,
        "run_kind": str(key.run_kind),
        "workspace_id": key.workspace_id,
        "project_ids": key.project_ids,
        "channel_ids": key.channel_ids,
        "created_at": moment(key.created_at),
        "last_used_at": moment(key.last_used_at),
        "revoked_at": moment(key.revoked_at),
    }
