"""Eval: how well the right records are found on judged data, and weights fitted on data of one's own."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from goclaw.cli.output import AsJson, emit, progress_bar, say, show_table

app = typer.Typer(no_args_is_help=True, help="Measure how well the right records are found, and learn from it.")

Paths = Annotated[list[Path], typer.Argument(help="Conversation files, or folders that hold some.")]
Overrides = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting for the stores.")]


@app.command()
def run(
    paths: Paths,
    level: Annotated[str, typer.Option(help="What is counted as found: turn or session.")] = "turn",
    through: Annotated[str, typer.Option(help="By the library or a gateway: python or http.")] = "python",
    default_settings: Annotated[
        bool, typer.Option("--default-settings", help="Keep min_score and evidence check on; else rank only.")
    ] = False,
    set_: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Fill a fresh store with each conversation, ask its questions, and score what comes back."""
    from goclaw.evaluation.dataset import load_conversations
    from goclaw.evaluation.run import WAYS, evaluate, overrides, print_report, settings_for

    if level not in ("turn", "session") or through not in WAYS:
        raise typer.BadParameter("--level is turn or session, --through python or http.")
    conversations = load_conversations(paths)
    settings = settings_for(default_settings=default_settings) | overrides(set_ or [])
    with progress_bar("evaluating", sum(len(each.items) + len(each.questions) for each in conversations)) as bar:
        report = evaluate(conversations, through, level, settings, bar.step)
    if as_json:
        emit(report.as_dict())
    else:
        print_report(report)


@app.command()
def train(
    paths: Paths,
    out: Annotated[Path, typer.Option("--out", help="The file to write; memory.search.ranker can name it.")],
    set_: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Fit the second ranking on judged conversations, and say what it finds among those it has not seen."""
    from goclaw.evaluation.dataset import load_conversations
    from goclaw.evaluation.run import overrides
    from goclaw.evaluation.train import train as fit
    from goclaw.evaluation.train import write_ranker

    if not out.parent.is_dir() or out.is_dir():
        raise typer.BadParameter("--out is a file in a folder that exists.")  # before anybody waits for the fit
    conversations = load_conversations(paths)
    with progress_bar("looking", sum(len(each.items) + len(each.questions) for each in conversations)) as bar:
        trained = fit(conversations, overrides(set_ or []), bar.step)
    write_ranker(trained, conversations, out)
    if as_json:
        emit({"written": str(out), "recall": [asdict(line) for line in trained.lines]})
        return
    columns = ("data", "mode", "questions", "fitted R@5", "R@10", "left out R@5", "R@10")
    show_table(columns, [line.as_row() for line in trained.lines], "Nothing was learned.")
    say(f"Written to {out}. To use it: memory.search.ranker: {out.resolve()}")
