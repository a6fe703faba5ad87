"""Memory: what people ask of a running gateway, with the key in GOCLAW_KEY, at GOCLAW_URL."""

import sys
from typing import Annotated, Any

import typer

from goclaw.cli import audit, memory_incident, memory_offline, review, trace, workflow
from goclaw.cli.gateway import open_gateway, watch_job
from goclaw.cli.output import FAILED, AsJson, emit, note, say, show_table

HEAVIEST = 12  # features that are shown

app = typer.Typer(help="Write, find and look after memories.", no_args_is_help=True)

Limit = Annotated[
    int | None, typer.Option("--limit", min=1, max=200, help="Most hits; else memory.search.max_results.")
]


@app.command()
def write(
    text: Annotated[str, typer.Argument(help="The text to remember; - reads it from stdin.")],
    scope: Annotated[str, typer.Option("--scope", help="personal, agent_notes, global or agent_config.")] = "personal",
    kind: Annotated[str, typer.Option("--kind", help="What sort of memory: fact, preference, decision, ...")] = "note",
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A label; repeatable.")] = None,
    domain: Annotated[str | None, typer.Option("--domain", help='A classification such as "infrastructure".')] = None,
    project: Annotated[str | None, typer.Option("--project", help="A project you belong to.")] = None,
    as_json: AsJson = False,
) -> None:
    """Remember a text. It can be found by its words when this returns."""
    content = sys.stdin.read() if text == "-" else text
    with open_gateway() as gateway:
        record = gateway.write(content, scope=scope, kind=kind, tags=tag or [], domain=domain, project_id=project)
    if as_json:
        emit(record)
    else:
        say(f"{record['id']}  {record['scope']}, {record['provenance']}, {record['review_status']}")
        if record["use_policy"]["requires_user_confirmation"]:
            note("It waits for a person's confirmation and is found by explicit search only until then.")


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What you want to know.")],
    limit: Limit = None,
    history: Annotated[bool, typer.Option("--history", help="Also what was superseded, marked.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Also say how the question was ranked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find memories you may see; what waits for review or may be outdated is found too, and marked."""
    with open_gateway() as gateway:
        found = gateway.search(query, limit=limit, include_history=history, explain=explain)
    if as_json:
        emit(found)
        return
    for hit in found["hits"]:
        _show_hit(hit)
    if not found["hits"]:
        say(f"Nothing found ({found['reason']}).")
    for remark in found["notes"]:
        note(f"Note: {remark}")
    if found["withheld"]:
        note(f"Withheld: {', '.join(sorted(each['why'] for each in found['withheld']))}")
    if explain:
        show_explanation(found["explanation"])


@app.command()
def why(
    memory_id: Annotated[str, typer.Argument(help="The id of a record you may see.")],
    query: Annotated[str, typer.Argument(help="The question that did, or did not, find it.")],
    as_json: AsJson = False,
) -> None:
    """Why a search finds a record, or does not: where it stands, what held it back, and what weighed how much."""
    with open_gateway() as gateway:
        told = gateway.why(memory_id, query)
    if as_json:
        emit(told)
        return
    say(f"{told['verdict']}" + (f" ({told['withheld_as']})" if told["withheld_as"] else ""))
    parts = {"rank": told["rank"], "score": told["score"], **told["score_parts"]}
    show_table(("part", "value"), [(name, _short(value)) for name, value in parts.items()], "")
    heavy = list(told["weighed"].items())[:HEAVIEST]
    if heavy:
        show_table(("feature", "adds"), [(name, f"{value:+.2f}") for name, value in heavy], "")
    show_explanation(told["explanation"])


@app.command()
def context(
    message: Annotated[str, typer.Argument(help="What the person says.")] = "",
    session: Annotated[
        str, typer.Option("--session", help="The conversation; one that is unknown is empty.")
    ] = "preview",
    as_json: AsJson = False,
) -> None:
    """What a model would be given of memory for a message, and where the characters went."""
    with open_gateway() as gateway:
        found = gateway.context(session, message)
    if as_json:
        emit(found)
        return
    for part in ("static_part", "session_part", "message_part"):
        if found[part]:
            say(found[part])
    report = found["report"]
    rows = [
        (
            each["number"],
            each["name"],
            each["characters"],
            each["records"],
            each["left_out"] or None,
            each["why"] or None,
        )
        for each in report["sections"]
        if each["characters"] or each["why"]
    ]
    show_table(("", "section", "characters", "records", "left out", "why"), rows, "Nothing is shown.")
    for warning in report["warnings"]:
        note(warning)


@app.command()
def show(
    memory_id: Annotated[str, typer.Argument(help="The id of a record.")],
    as_json: AsJson = False,
) -> None:
    """One record with everything known about it."""
    with open_gateway() as gateway:
        record = gateway.get(memory_id)
    if as_json:
        emit(record)
        return
    say(record.pop("content"))
    policy = record.pop("use_policy")
    record["may"] = [name for name, allowed in policy.items() if allowed]
    show_table(("field", "value"), [(name, value) for name, value in record.items() if value not in (None, [], {})], "")


@app.command()
def update(
    memory_id: Annotated[str, typer.Argument(help="The id of a record.")],
    text: Annotated[str | None, typer.Argument(help="The new text; - reads it from stdin.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Another kind.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="A label in place of the old ones; repeatable.")
    ] = None,
    domain: Annotated[str | None, typer.Option("--domain", help="Another domain; an empty one removes it.")] = None,
    version: Annotated[int | None, typer.Option("--version", help="Only if it still is this version.")] = None,
    as_json: AsJson = False,
) -> None:
    """Change a record. New text is a new statement: its trust is decided anew."""
    content = sys.stdin.read() if text == "-" else text
    wanted = {"content": content, "kind": kind, "tags": tag, "domain": domain}
    changes = {name: value for name, value in wanted.items() if value is not None}
    with open_gateway() as gateway:
        record = gateway.update(memory_id, expected_version=version, **changes)
    if as_json:
        emit(record)
    else:
        say(f"{record['id']}  version {record['version']}, {record['provenance']}, {record['review_status']}")


@app.command()
def forget(
    memory_id: Annotated[str, typer.Argument(help="The id of a record.")],
    as_json: AsJson = False,
) -> None:
    """Erase a record and everything derived from it. There is no way back; the receipt names what still holds it."""
    with open_gateway() as gateway:
        receipt = gateway.forget(memory_id)
    if as_json:
        emit(receipt)
        return
    say(f"Forgotten: {memory_id}. Traces that lost its words: {receipt['blanked_traces']}.")
    if receipt["kept_in"]:
        note(f"These backups still hold it: {', '.join(receipt['kept_in'])}")


@app.command()
def stats(as_json: AsJson = False) -> None:
    """How many memories you may read; for administrators also index, jobs and disk."""
    with open_gateway() as gateway:
        figures = gateway.stats()
    if as_json:
        emit(figures)
    else:
        show_table(("what", "how many"), list(_flat(figures)), "Nothing yet.")


@app.command()
def reindex(
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Queue it and return.")] = False,
    as_json: AsJson = False,
) -> None:
    """Rebuild what search runs on beside the old index, and switch at the end. For administrators."""
    with open_gateway() as gateway:
        job_id = gateway.reindex()
        job = gateway.job(job_id) if no_wait else watch_job(gateway, job_id, "Reindex")
    if as_json:
        emit(job)
    else:
        say(f"Job {job_id}: {job['state']}.")
    if job["state"] in ("failed", "dead"):
        note(job["last_error"] or "")
        raise typer.Exit(FAILED)


@app.command()
def jobs(
    dead: Annotated[bool, typer.Option("--dead", help="Only those that gave up.")] = False,
    retry: Annotated[str | None, typer.Option("--retry", help="Put this dead or failed job back.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Most jobs.")] = 50,
    as_json: AsJson = False,
) -> None:
    """The background jobs, newest first. For administrators."""
    with open_gateway() as gateway:
        if retry is not None:
            job = gateway.retry_job(retry)
            if as_json:
                emit(job)
            else:
                say(f"Job {retry}: {job['state']}.")
            return
        found = gateway.jobs(state="dead" if dead else None, limit=limit)
    if as_json:
        emit(list(found))
        return
    columns = ("id", "kind", "state", "tries", "made", "progress", "last error")
    rows = [
        (
            job["id"],
            job["kind"],
            job["state"],
            f"{job['attempts']}/{job['max_attempts']}",
            job["created_at"][:16].replace("T", " "),
            ", ".join(f"{name} {count}" for name, count in job["progress"].items()) or None,
            job["last_error"],
        )
        for job in found
    ]
    show_table(columns, rows, "No dead jobs." if dead else "No jobs.")


app.command()(memory_incident.rollback)
app.command()(memory_incident.rescan)
app.command()(memory_incident.acceptance)
app.add_typer(review.app, name="review")
app.add_typer(trace.app, name="trace")
app.add_typer(audit.app, name="audit")
app.add_typer(workflow.app, name="workflow")
app.command()(memory_offline.check)
app.command()(memory_offline.migrate)
app.command()(memory_offline.backup)


def _show_hit(hit: dict[str, Any]) -> None:
    record, policy = hit["record"], hit["use_policy"]
    grade = "may instruct" if policy["can_use_as_instruction"] else "evidence" if policy["can_use_as_evidence"] else "-"
    place = "/".join(part for part in (record["scope"], record["project_id"]) if part)
    marks = f"  ({', '.join(hit['marks'])})" if hit["marks"] else ""
    say(f"{hit['score']:.2f}  {hit['chunk_text']}{marks}", style="bold")
    origin = f"{place}, by {record['actor_id']}, {record['updated_at'][:10]}, {grade}"
    say(f"      {record['id']}  {origin}", style="dim")


def _flat(figures: dict[str, Any], prefix: str = "") -> "list[tuple[str, object]]":
    """Nested counts as lines."""
    lines: list[tuple[str, object]] = []
    for name, value in figures.items():
        if isinstance(value, dict):
            lines += _flat(value, f"{prefix}{name} ")
        else:
            lines.append((f"{prefix}{name}", value))
    return lines


def show_explanation(told: dict[str, Any]) -> None:
    """A question taken apart, for people."""
    say(
        f"Looked for: {', '.join(told['terms']) or 'nothing'}; a hit needs {told['least_score']:.2f}, the best has "
        f"{told['best_score']:.2f}."
    )
    places = sorted({f"{each['scope']} ({each['visibility']})" for each in told["namespaces"]})
    say(f"Searched: {', '.join(places) or 'nothing'}.")
    for name in ("words", "meaning"):
        ranked = told[name]
        if ranked is None:
            say("By meaning: not asked.")
        else:
            rows = [(place, each["memory_id"], f"{each['value']:.3f}") for place, each in enumerate(ranked, 1)]
            show_table(("by " + name, "record", "value"), rows, f"By {name}: nothing.")


def _short(value: object) -> object:
    return f"{value:.3f}" if isinstance(value, float) else value
