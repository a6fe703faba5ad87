"""Eval: how well the right records are found on judged data, and weights fitted on data of one's own."""

from pathlib import Path
from typing import Annotated

import typer

from goclaw.cli.output import AsJson, emit, progress_bar, say, show_table

app = typer.Typer(no_args_is_help=True, help="Measure how well the right records are found, and learn from it.")

FORWARDED = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


@app.command(context_settings=FORWARDED)
def run(context: typer.Context) -> None:
    """Score retrieval on judged conversations. Takes what python -m goclaw.evaluation.run takes; --help lists it."""
    from goclaw.evaluation.run import main

    raise typer.Exit(main(context.args))


@app.command()
def train(
    paths: Annotated[list[Path], typer.Argument(help="Conversation files, or folders that hold some.")],
    out: Annotated[Path, typer.Option("--out", help="The file to write; memory.search.ranker can name it.")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting for the stores.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fit the second ranking on judged conversations, and say what it finds among those it has not seen."""
    from goclaw.evaluation.dataset import load_conversations
    from goclaw.evaluation.run import overrides
    from goclaw.evaluation.train import train as fit
    from goclaw.evaluation.train import write_ranker

    conversations = load_conversations(paths)
    with progress_bar("looking", sum(len(each.items) + len(each.questions) for each in conversations)) as bar:
        trained = fit(conversations, overrides(set_ or []), bar.step)
    write_ranker(trained, conversations, out)
    if as_json:
        emit({"written": str(out), "recall": trained.lines})
        return
    columns = ("data", "mode", "questions", "fitted R@5", "R@10", "left out R@5", "R@10")
    show_table(columns, [line.as_row() for line in trained.lines], "Nothing was learned.")
    say(f"Written to {out}. To use it: memory.search.ranker: {out.resolve()}")
