"""Run: fills a fresh store with each conversation, asks its questions, and prints how well the right turns were found.

    python -m goclaw.evaluation.run FILE_OR_FOLDER... [--json OUT] [--level turn|session] [--through python|http]

Each conversation has a store of its own. Unanswerable questions are left out of the averages and counted apart: how
many of them got an honest empty answer.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from goclaw.evaluation.dataset import Conversation, load_conversations
from goclaw.evaluation.retrieval_scores import DEPTH, Averages, score_ranking, unique
from goclaw.evaluation.ways import OPEN_GUARD, RANKING_ONLY, Way, open_http, open_python
from goclaw.model.errors import GoclawError, InvalidInput

OpenWay = Callable[[Path, Mapping[str, object]], AbstractContextManager[Way]]
WAYS: dict[str, OpenWay] = {"python": open_python, "http": open_http}
WIDTH = 120  # of the table where it goes into a file
SHOWN = ("recall@1", "recall@5", "recall@10", "any@5", "any@10", "ndcg@10", "mrr")


@dataclass(slots=True)
class Report:
    """What an evaluation found."""

    averages: Averages = field(default_factory=Averages)
    written: int = 0
    refused: int = 0  # by the write guard; they count as misses
    unanswerable: int = 0
    emptied: int = 0  # unanswerable questions that got an empty answer
    answerable_emptied: int = 0
    rankings: dict[str, list[str]] = field(default_factory=dict)  # question -> ranking, to compare two ways

    def as_dict(self) -> dict[str, Any]:
        return {
            "scores": self.averages.means(),
            "written": self.written,
            "refused": self.refused,
            "unanswerable": self.unanswerable,
            "unanswerable_emptied": self.emptied,
            "answerable_emptied": self.answerable_emptied,
            "rankings": self.rankings,
        }


def evaluate(
    conversations: Sequence[Conversation],
    way: str,
    level: str,
    settings: Mapping[str, object],
    advance: Callable[[int], None] = lambda steps: None,
) -> Report:
    """Fill, ask and score, one conversation after the other; ``advance`` hears of each turn and question."""
    report = Report()
    for conversation in conversations:
        with tempfile.TemporaryDirectory() as folder, WAYS[way](Path(folder), settings) as store:
            for item in conversation.items:
                is_taken = store.write(item)
                report.written += is_taken
                report.refused += not is_taken
                advance(1)
            store.wait_until_indexed()
            _ask(conversation, store, level, report, advance)
    return report


def _ask(conversation: Conversation, store: Way, level: str, report: Report, advance: Callable[[int], None]) -> None:
    session_of = {item.id: item.session or item.id for item in conversation.items}
    for question in conversation.questions:
        ranked = store.search(question.text, DEPTH)
        report.rankings[f"{conversation.id}/{question.id}"] = ranked
        gold: Sequence[str] = question.gold
        if level == "session":
            ranked = unique(session_of[item] for item in ranked)
            gold = unique(session_of[item] for item in gold if item in session_of)
        if question.is_answerable and gold:
            report.averages.add(question.category, score_ranking(ranked, gold))
            report.answerable_emptied += not ranked
        elif not question.is_answerable:
            report.unanswerable += 1
            report.emptied += not ranked
        advance(1)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0 when it ran, 2 where it was called wrongly."""
    options = _parser().parse_args(arguments)
    try:
        conversations = load_conversations([Path(path) for path in options.paths])
        settings = settings_for(default_settings=options.default_settings) | overrides(options.set)
        steps = sum(len(each.items) + len(each.questions) for each in conversations)
        with Progress(console=Console(stderr=True)) as bar:
            task = bar.add_task("evaluating", total=steps)
            report = evaluate(
                conversations, options.through, options.level, settings, lambda done: bar.advance(task, done)
            )
    except GoclawError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, InvalidInput) else 1
    print_report(report)
    if options.json:
        Path(options.json).write_text(json.dumps(report.as_dict(), indent=1), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m goclaw.evaluation.run", description="Score retrieval, judge-free.")
    parser.add_argument("paths", nargs="+", help="conversation files, or folders that hold some")
    parser.add_argument("--json", metavar="OUT", help="write scores and rankings to this file")
    parser.add_argument("--level", choices=("turn", "session"), default="turn", help="what is counted as found")
    parser.add_argument("--through", choices=tuple(WAYS), default="python", help="library or gateway")
    parser.add_argument(
        "--default-settings", action="store_true", help="keep min_score and evidence check on (default: rank only)"
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting for the store")
    return parser


def settings_for(*, default_settings: bool) -> dict[str, object]:
    """What the stores of an evaluation run with: an open guard, and no cut unless the defaults are asked for."""
    return {**OPEN_GUARD, **({} if default_settings else RANKING_ONLY)}


def overrides(pairs: Sequence[str]) -> dict[str, object]:
    """Settings out of KEY=VALUE words. Raises InvalidInput."""
    settings: dict[str, object] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign:
            raise InvalidInput("--set takes KEY=VALUE.", "For example --set memory.search.provider=none.")
        settings[key] = yaml.safe_load(value)
    return settings


def print_report(report: Report) -> None:
    """As a table, with what was refused and emptied below it."""
    table = Table(title="judge-free retrieval")
    for heading in ("category", "questions", *SHOWN):
        table.add_column(heading, justify="left" if heading == "category" else "right")
    for category, means in report.averages.means().items():
        table.add_row(category, str(int(means["questions"])), *(f"{means[name]:.3f}" for name in SHOWN))
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(table)
    console.print(
        f"{report.written} turns written, {report.refused} refused; {report.emptied} of {report.unanswerable} "
        f"unanswerable and {report.answerable_emptied} answerable questions got an empty answer."
    )


if __name__ == "__main__":
    sys.exit(main())
