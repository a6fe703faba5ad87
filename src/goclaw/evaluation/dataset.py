"""Dataset: conversations and notes with judged questions, one JSON file each, read as they are.

The shape is ``{dataset, id, items: [{id, text, session?, pos?, time?, speaker?, caption?, kind?, tags?, domain?}],
questions: [{id, q, category, answerable?, gold?: [item ids]}]}``. Data lies outside the package and is never shipped.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goclaw.model.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Item:
    """One turn of a conversation, or a note: that has no session and no speaker."""

    id: str
    session: str | None
    position: int  # in the file, from 0
    speaker: str | None
    text: str  # with the caption of a shared picture, where there is one
    time: datetime | None
    kind: str = "note"
    tags: tuple[str, ...] = ()
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that answer it."""

    id: str
    text: str
    category: str
    is_answerable: bool
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One file."""

    dataset: str
    id: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]


def load_conversations(paths: Sequence[Path]) -> list[Conversation]:
    """Every conversation of the files and folders, in the order of their names and numbers."""
    files = [
        file for path in paths for file in (sorted(path.glob("*.json"), key=_by_number) if path.is_dir() else [path])
    ]
    if not files:
        raise InvalidInput("There is no conversation to evaluate.", "Name JSON files, or folders that hold some.")
    return [_read(file) for file in files]


def _by_number(file: Path) -> list[tuple[str, int]]:
    return [(word, int(number or 0)) for word, number in re.findall(r"(\D+)(\d*)", file.name)]


def _read(file: Path) -> Conversation:
    try:
        raw = json.loads(file.read_text(encoding="utf-8"))
        return Conversation(
            dataset=raw["dataset"],
            id=raw["id"],
            items=tuple(_items(raw["items"])),
            questions=tuple(_question(each) for each in raw["questions"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(
            f"{file.name} cannot be read as a conversation ({type(error).__name__}).",
            "See docs/evaluation.md for its shape.",
        ) from error


def _items(raw: Iterable[dict[str, Any]]) -> Iterable[Item]:
    for position, each in enumerate(raw):
        caption = each.get("caption")
        yield Item(
            id=each["id"],
            session=None if each.get("session") is None else str(each["session"]),
            position=position,
            speaker=each.get("speaker"),
            text=f"{each['text']} [shared image: {caption}]" if caption else each["text"],
            time=_time(each.get("time")),
            kind=each.get("kind", "note"),
            tags=_tags(each.get("tags", [])),
            domain=each.get("domain"),
        )


def _tags(raw: object) -> tuple[str, ...]:
    if not isinstance(raw, list):
        raise TypeError("tags are a list")  # a text would become a tag a letter
    return tuple(raw)


def _question(raw: dict[str, Any]) -> Question:
    return Question(
        id=str(raw["id"]),
        text=raw["q"],
        category=str(raw["category"]),
        is_answerable=bool(raw.get("answerable", True)),
        gold=tuple(raw.get("gold") or ()),
    )


def _time(value: str | None) -> datetime | None:
    """The moment, or None where the data names none that can be read; a missing zone is UTC."""
    try:
        moment = datetime.fromisoformat(value or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
