"""Channels: places of conversation with members of their own. Opens the store directly."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from goclaw.cli.output import AsJson, emit, moment, say, show_table

if TYPE_CHECKING:
    from goclaw.storage.channels import Channel

app = typer.Typer(
    help="Channels with members of their own; any other is open to its project's members.", no_args_is_help=True
)

ChannelId = Annotated[str, typer.Argument(help="The channel's id.")]
User = Annotated[str, typer.Argument(help="The person's user id.")]
Workspace = Annotated[str, typer.Option("--workspace", help="The workspace.")]


@app.command()
def add(
    channel: ChannelId,
    project: Annotated[str | None, typer.Option("--project", help="The project it belongs to.")] = None,
    kind: Annotated[str, typer.Option("--kind", help="Where it is, such as slack.")] = "",
    workspace: Workspace = "default",
    as_json: AsJson = False,
) -> None:
    """Give a channel members of its own. Nobody is one yet, so it is closed to all."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import command_line
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        made = Projects(store.database, store.clock).add_channel(
            command_line(workspace), workspace, channel, project_id=project, kind=kind
        )
    if as_json:
        emit(_document(made))
    else:
        say(f"{channel} has members of its own now. Let somebody in: goclaw channels add-member {channel} USER")


@app.command("list")
def list_channels(workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """The channels with members of their own."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        found = Projects(store.database, store.clock).channels(workspace)
    if as_json:
        emit([_document(each) for each in found])
        return
    rows = [(each.channel_id, each.project_id or None, each.kind or None, moment(each.created_at)) for each in found]
    show_table(("channel", "project", "kind", "since"), rows, "None: every channel is open to its project's members.")


@app.command()
def members(channel: ChannelId, workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Who belongs to a channel."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        found = Projects(store.database, store.clock).channel_members(workspace, channel)
    if as_json:
        emit(list(found))
    else:
        show_table(("user",), [(user,) for user in found], "Nobody yet.")


@app.command("add-member")
def add_member(channel: ChannelId, user: User, workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Let a person in, from the next request on."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import command_line
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        Projects(store.database, store.clock).add_channel_member(command_line(workspace), workspace, channel, user)
    _say_member(channel, user, True, as_json)


@app.command("remove-member")
def remove_member(channel: ChannelId, user: User, workspace: Workspace = "default", as_json: AsJson = False) -> None:
    """Let a person out, from the next request on."""
    from goclaw.cli.store import open_store
    from goclaw.gateway.people import command_line
    from goclaw.gateway.projects import Projects

    with open_store() as store:
        Projects(store.database, store.clock).remove_channel_member(command_line(workspace), workspace, channel, user)
    _say_member(channel, user, False, as_json)


def _say_member(channel: str, user: str, is_member: bool, as_json: bool) -> None:
    if as_json:
        emit({"channel_id": channel, "user_id": user, "member": is_member})
    else:
        say(f"{user} {'belongs' if is_member else 'no longer belongs'} to {channel}.")


def _document(channel: "Channel") -> dict[str, Any]:
    return {
        "channel_id": channel.channel_id,
        "project_id": channel.project_id or None,
        "kind": channel.kind,
        "workspace_id": channel.workspace_id,
        "created_at": moment(channel.created_at),
    }
