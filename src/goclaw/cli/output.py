"""Output: one JSON document or readable text on stdout, everything else on stderr, and the exit codes."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from goclaw.model.clock import from_us
from goclaw.model.errors import GoclawError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# 0 is done, 2 what typer answers to a command it does not understand.
FAILED, BUSY = 1, 3
INTERRUPTED = 130  # as shells say it, and typer
# Errors that go away by themselves: another try may do better.
BUSY_CODES = frozenset({"store_busy", "rate_limited", "address_taken"})

AsJson = Annotated[bool, typer.Option("--json", help="Answer with one JSON document on stdout.")]


def emit(document: object) -> None:
    """The answer for a program: one JSON document on one line."""
    print(json.dumps(document, ensure_ascii=False, default=_plain))


def say(text: str = "", *, style: str | None = None) -> None:
    """A line of the answer for a person. Square brackets in it are text, not markup."""
    Console(highlight=False, soft_wrap=True).print(text, style=style, markup=False)


def note(text: str, *, style: str | None = None) -> None:
    """A remark beside the answer, on stderr."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, style=style, markup=False)


def show_table(columns: Sequence[str], rows: Iterable[Sequence[object]], empty: str) -> None:
    """Rows for a person; ``empty`` where there are none."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    if table.row_count:
        Console(highlight=False, markup=False).print(table)
    else:
        say(empty)


def fail(error: GoclawError, *, as_json: bool) -> int:
    """Tell what went wrong and what to do; the exit code that stands for it."""
    note(f"Error: {error.message}", style="red")
    if error.hint:
        note(error.hint)
    if as_json:
        emit({"error": error.message, "code": error.code, "hint": error.hint})
    return BUSY if error.code in BUSY_CODES else FAILED


@contextmanager
def progress_bar(title: str, total: int | None) -> Iterator["Bar"]:
    """A bar on stderr while something long runs; ``total`` None while nobody knows how long."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=not sys.stderr.isatty(),
    ) as progress:
        yield Bar(progress, progress.add_task(title, total=total))


class Bar:
    """The bar of :func:`progress_bar`."""

    def __init__(self, progress: "Progress", task: "TaskID") -> None:
        self._progress = progress
        self._task = task

    def step(self, _: object = None) -> None:
        """Show that one more piece is finished."""
        self._progress.advance(self._task)

    def move_to(self, done: int, total: int | None = None) -> None:
        """Show that ``done`` of ``total`` pieces are finished."""
        self._progress.update(self._task, completed=done, total=total)


def moment(microseconds: int | None) -> datetime | None:
    """A stored time as people and JSON read it; None stays None."""
    return None if microseconds is None else from_us(microseconds)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, tuple | list):
        return ", ".join(str(each) for each in value) or "-"
    return str(value)


def _plain(value: Any) -> Any:
    """What JSON has no word for."""
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple | set | frozenset) else str(value)
