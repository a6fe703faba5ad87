"""Policies: which sources a person trusts, for which project, why, until when. Asks the gateway: it is an own act."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from goclaw.cli.gateway import open_gateway
from goclaw.cli.output import AsJson, emit, say, show_table

app = typer.Typer(help="Sources whose memory may instruct, because a person said so.", no_args_is_help=True)

PolicyId = Annotated[str, typer.Argument(help="The id of the policy.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept with it.")]
Project = Annotated[str | None, typer.Option("--project", help="Only there; without it: workspace-wide memory only.")]
Until = Annotated[datetime | None, typer.Option("--until", help="When it ends (UTC); else in a year.")]

TRUSTED_IMPORT, PROMOTION = "trusted_import", "promotion"


@app.command("list")
def list_policies(as_json: AsJson = False) -> None:
    """The policies in force. For reviewers."""
    show_policies(None, as_json)


@app.command()
def add(
    source: Annotated[str, typer.Argument(help="Who, as the audit log names it: agent:scribe, job:nightly.")],
    reason: Reason,
    project: Project = None,
    until: Until = None,
    as_json: AsJson = False,
) -> None:
    """Promote a source: what it writes back as imported may instruct. For reviewers."""
    trust(PROMOTION, source, reason, project, until, as_json)


@app.command()
def revoke(policy: PolicyId, as_json: AsJson = False) -> None:
    """End a policy now; what it confirmed stays as it is. For reviewers."""
    with open_gateway() as gateway:
        ended = gateway.revoke_policy(policy)
    if as_json:
        emit(ended)
    else:
        say(f"{policy} has ended. What it confirmed stays: goclaw memory rollback undoes it.")


def show_policies(kind: str | None, as_json: bool) -> None:
    """Those in force, of one kind or of all."""
    with open_gateway() as gateway:
        found: Sequence[dict[str, Any]] = [each for each in gateway.policies() if kind in (None, each["kind"])]
    if as_json:
        emit(found)
        return
    rows = [
        (
            each["id"],
            each["kind"],
            each["source"],
            each["project_id"],
            each["author"],
            each["expires_at"][:10],
            each["reason"],
        )
        for each in found
    ]
    show_table(("id", "kind", "source", "project", "by", "until", "why"), rows, "Nobody is trusted by policy.")


def trust(kind: str, source: str, reason: str, project: str | None, until: datetime | None, as_json: bool) -> None:
    """Make a policy of this kind."""
    with open_gateway() as gateway:
        made = gateway.set_policy(kind=kind, source=source, reason=reason, project_id=project, expires_at=until)
    if as_json:
        emit(made)
    else:
        place = made["project_id"] or "workspace-wide memory"
        say(f"{made['id']}  {made['source']} is trusted in {place} until {made['expires_at'][:10]}.")
