"""Writes docs/cli.md from the commands themselves; each command needs an example here."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from goclaw.cli.main import app

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"

HEAD = """\
# Command line

<!-- Written by scripts/write_cli_docs.py; change the commands, not this page. -->

Commands work on the state directory `~/.goclaw`, or the one in `GOCLAW_STATE_DIR`. Those that write, search, show and
review memories, and those that trust somebody, ask a running gateway: `GOCLAW_URL` says where it listens
(`http://127.0.0.1:8787` where unset), `GOCLAW_KEY` who asks. The others open the state directory themselves, also
beside a running gateway: `serve`, `worker`, `mcp`, `demo`, `keys`, `people`, `projects`, `channels`, `secrets`,
`config show`, `eval`, `memory review owner`, `memory check`, `memory migrate` and `memory backup`.

Every command takes `--json`: then stdout holds one JSON document and nothing else. Remarks, bars and errors go to
stderr. A failure has a message and a hint; with `--json` also a document with `error`, `code` and `hint` on stdout.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | failed; the hint says what would work |
| 2 | the command was not understood |
| 3 | locked or busy: the store, the port or the rate limit; try again |
| 130 | interrupted before it was done; `serve` and `worker` end with 0 when they are told to stop |
"""

EXAMPLES = {
    "serve": "goclaw serve --demo --port 8800",
    "worker": "goclaw worker --threads 4",
    "mcp": "GOCLAW_KEY=gck_... goclaw mcp",
    "demo": "goclaw demo",
    "memory write": 'goclaw memory write "Reports as three bullet points, please." --kind preference',
    "memory search": 'goclaw memory search "how should reports look?" --limit 3',
    "memory context": 'goclaw memory context "which units do we use?" --session s1',
    "memory why": 'goclaw memory why 01a1e3a8-e860-7000-9eb4-655e4afac400 "how should reports look?"',
    "memory show": "goclaw memory show 01a1e3a8-e860-7000-9eb4-655e4afac400",
    "memory update": 'goclaw memory update 01a1e3a8-e860-7000-9eb4-655e4afac400 "Deploys go out on Thursdays."',
    "memory forget": "goclaw memory forget 01a1e3a8-e860-7000-9eb4-655e4afac400",
    "memory rollback": "goclaw memory rollback --source https://wiki.example/page --since 2026-03-01",
    "memory rescan": "goclaw memory rescan",
    "memory acceptance": "goclaw memory acceptance --workflow hermes",
    "memory review list": "goclaw memory review list --project apollo --priority flagged",
    "memory review show": "goclaw memory review show 01a1e3a8-e860-7000-9eb4-655e4afac400",
    "memory review confirm": 'goclaw memory review confirm 01a1e3a8-e860-7000-9eb4-655e4afac400 --notes "seen it"',
    "memory review edit": 'goclaw memory review edit 01a1e3a8-e860-7000-9eb4-655e4afac400 "Torque is 12 Nm."',
    "memory review evidence-only": "goclaw memory review evidence-only 01a1e3a8-e860-7000-9eb4-655e4afac400",
    "memory review restrict": "goclaw memory review restrict 01a1e3a8-e860-7000-9eb4-655e4afac400 --to personal",
    "memory review stale": "goclaw memory review stale 01a1e3a8-e860-7000-9eb4-655e4afac400",
    "memory review merge": (
        "goclaw memory review merge 01a1e3a8-e860-7000-9eb4-655e4afac400 --into 01a1e3a8-e860-7001-9eb4-655e4afac400"
    ),
    "memory review reject": (
        "goclaw memory review reject 01a1e3a8-e860-7000-9eb4-655e4afac400 01a1e3a8-e860-7001-9eb4-655e4afac400"
    ),
    "memory review dispute": (
        "goclaw memory review dispute 01a1e3a8-e860-7000-9eb4-655e4afac400 --with 01a1e3a8-e860-7001-9eb4-655e4afac400"
    ),
    "memory review supersede": (
        "goclaw memory review supersede 01a1e3a8-e860-7000-9eb4-655e4afac400 --by 01a1e3a8-e860-7001-9eb4-655e4afac400"
    ),
    "memory review propose": (
        'goclaw memory review propose 01a1e3a8-e860-7000-9eb4-655e4afac400 mark_stale --notes "sold in May"'
    ),
    "memory review owner": "goclaw memory review owner rita",
    "memory trace list": "goclaw memory trace list --limit 20",
    "memory trace show": "goclaw memory trace show 01a1e3a8-e860-7002-9eb4-655e4afac400",
    "memory trace impact": "goclaw memory trace impact 01a1e3a8-e860-7000-9eb4-655e4afac400",
    "memory audit verify": "goclaw memory audit verify",
    "memory audit list": "goclaw memory audit list --event memory_refused",
    "memory audit export": "goclaw memory audit export > audit.jsonl",
    "memory workflow list": "goclaw memory workflow list",
    "memory workflow register": "goclaw memory workflow register hermes --task-type deploy",
    "memory workflow remove": "goclaw memory workflow remove hermes --task-type deploy",
    "memory stats": "goclaw memory stats --json",
    "memory reindex": "goclaw memory reindex --no-wait",
    "memory jobs": "goclaw memory jobs --dead",
    "memory check": "goclaw memory check --fix",
    "memory migrate": "goclaw memory migrate",
    "memory backup": "goclaw memory backup",
    "keys create": "goclaw keys create --kind agent --user alice --name scribe --project apollo",
    "keys list": "goclaw keys list",
    "keys rotate": "goclaw keys rotate 5b7870cc345ff65f",
    "keys revoke": "goclaw keys revoke 5b7870cc345ff65f",
    "people add": 'goclaw people add alice --name "Alice Ahl" --role member --role reviewer',
    "people list": "goclaw people list",
    "people role": "goclaw people role alice member admin",
    "projects add": 'goclaw projects add apollo --name "Apollo"',
    "projects list": "goclaw projects list",
    "projects members": "goclaw projects members apollo",
    "projects add-member": "goclaw projects add-member apollo alice",
    "projects remove-member": "goclaw projects remove-member apollo alice",
    "channels add": "goclaw channels add quay --project apollo --kind slack",
    "channels list": "goclaw channels list",
    "channels members": "goclaw channels members quay",
    "channels add-member": "goclaw channels add-member quay alice",
    "channels remove-member": "goclaw channels remove-member quay alice",
    "people language": "goclaw people language alice German",
    "chat": 'goclaw chat "Which units do we use?" --session standup',
    "sessions list": "goclaw sessions list",
    "sessions show": "goclaw sessions show standup --from 41",
    "sessions export": "goclaw sessions export standup --file standup.json",
    "sessions forget": "goclaw sessions forget standup --yes",
    "pair list": "goclaw pair list",
    "pair approve": "goclaw pair approve K7QX3MZD --user alice",
    "pair revoke": "goclaw pair revoke discord 80351110224678912",
    "policies list": "goclaw policies list",
    "policies add": 'goclaw policies add agent:scribe --project apollo --reason "read for a month, no mistake"',
    "policies revoke": "goclaw policies revoke 01a1e3a8-e860-7003-9eb4-655e4afac400",
    "imports list": "goclaw imports list",
    "imports trust": 'goclaw imports trust crm --project apollo --reason "reviewed on 2 March"',
    "imports revoke": "goclaw imports revoke 01a1e3a8-e860-7003-9eb4-655e4afac400",
    "secrets set": "pass show embedding-key | goclaw secrets set embedding-key",
    "secrets list": "goclaw secrets list",
    "secrets rm": "goclaw secrets rm embedding-key",
    "config show": "goclaw config show --changed",
    "eval run": "goclaw eval run judged/ --set memory.search.provider=none",
    "eval train": "goclaw eval train judged/ --out ranker.json",
}


def page() -> str:
    """The whole page. KeyError where a command has no example."""
    parts = [HEAD, *(_section(name, command) for name, command in commands())]
    return "\n".join(parts)


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with its full name, in the order of the help."""
    yield from _walk(typer.main.get_command(app), ())


def _walk(command: Any, name: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield " ".join(name), command
        return
    for word, inner in command.commands.items():
        yield from _walk(inner, (*name, word))


def _section(name: str, command: Any) -> str:
    lines = [f"## goclaw {name}", "", _one_line(command.help), "", "```sh", EXAMPLES[name], "```", ""]
    shown = [parameter for parameter in command.params if parameter.name != "help" and "--json" not in parameter.opts]
    if shown:
        lines += ["| | |", "| --- | --- |", *(_row(parameter) for parameter in shown), ""]
    return "\n".join(lines)


def _row(parameter: Any) -> str:
    names = ", ".join(f"`{each}`" for each in parameter.opts)
    if parameter.param_type_name == "argument":
        names = f"`{parameter.name.upper()}`"
    notes = [_one_line(parameter.help)]
    if isinstance(parameter.default, str | int | float) and not isinstance(parameter.default, bool):
        notes.append(f"Default: `{getattr(parameter.default, 'value', parameter.default)}`.")
    return f"| {names} | {' '.join(notes)} |"


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
