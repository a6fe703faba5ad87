"""Archive: turns of a conversation as a Markdown file that people can read and that reads back exactly.

A YAML head, then a heading a turn: ``### time · speaker · role``, marks of ours behind it, the calls of tools one a
line, and what was said. A line of the text that looks like one of ours is written with a backslash before it.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote

import yaml

from goclaw.model.clock import from_us, to_us
from goclaw.model.errors import StoreError
from goclaw.model.session import ChatKind, SessionTurn, TurnRole, TurnToolCall
from goclaw.settings.private_file import sync_folder, write_private_file
from goclaw.workspace.folder import WorkspaceFolder
from goclaw.workspace.names import file_name

FOLDER = "memory/archive"
FORGOTTEN = "[forgotten]"
_OURS = re.compile(r"\\*(?:### |- call )")
_TAINTED, _ANSWERS = "outside text", "answers "
_SEPARATOR = " · "


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveHead:
    """What the head of the file says."""

    session_id: str
    session_key: str
    channel: str | None
    chat_kind: ChatKind
    participants: tuple[str, ...]  # user ids
    agent_id: str | None
    from_turn: int
    to_turn: int
    is_unverified: bool
    closed_at: int  # of the last turn, microseconds since 1970


@dataclass(frozen=True, slots=True)
class WrittenArchive:
    """Where it lies, and the sha256 of its body."""

    file: str
    body_sha256: str


@dataclass(frozen=True, slots=True)
class ReadArchive:
    """An archive read back. ``is_intact``: the body is what was written."""

    head: ArchiveHead
    turns: tuple[SessionTurn, ...]
    is_intact: bool


def write_archive(folder: WorkspaceFolder, head: ArchiveHead, turns: Sequence[SessionTurn]) -> WrittenArchive:
    """Write the turns, which hold no secrets any more; on the disk when this returns, whole or not at all.

    The same turns written again give the same file.
    """
    folder.folder(FOLDER)
    name = f"{FOLDER}/{_file_name(head)}"
    raw, digest = _written(head, turns)
    write_private_file(folder.inside(name), raw)
    return WrittenArchive(name, digest)


def read_archive(folder: WorkspaceFolder, name: str) -> ReadArchive:
    """The archive of that name. Raises StoreError where it is none or cannot be read."""
    handle = folder.open_read(name)
    if handle is None:
        raise StoreError("The archive is not there.", "Restore it from a backup; the transcript still has its turns.")
    with open(handle, "rb") as file:
        raw = file.read()
    try:
        _, head_text, body = raw.decode().split("---\n", 2)
        told = yaml.safe_load(head_text)
        head = _head(told)
        turns = tuple(_turns(body, head))
    except (ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError):
        raise StoreError("The archive is damaged.", "The transcript still has its turns.") from None
    return ReadArchive(head, turns, told["sha256"] == hashlib.sha256(body.encode()).hexdigest())


def forget_turns(folder: WorkspaceFolder, name: str, numbers: Collection[int]) -> int:
    """Put a mark in place of the words of these turns; how many were changed. No earlier version is kept."""
    if not folder.inside(name).is_file():
        return 0
    found = read_archive(folder, name)
    blanked = [
        replace(turn, content=FORGOTTEN, tool_calls=()) if turn.number in numbers else turn for turn in found.turns
    ]
    changed = sum(before != after for before, after in zip(found.turns, blanked, strict=True))
    if changed:
        write_private_file(folder.inside(name), _written(found.head, blanked)[0])
    return changed


def delete_archive(folder: WorkspaceFolder, name: str) -> bool:
    """Delete the file; False where there was none."""
    place = folder.inside(name)
    if not place.is_file():
        return False
    place.unlink()
    sync_folder(place.parent)
    return True


def _file_name(head: ArchiveHead) -> str:
    moment = from_us(head.closed_at).strftime("%Y%m%dT%H%M%SZ")
    return f"{moment}_{file_name(head.session_id)[:80]}_{head.session_key[-12:]}-{head.from_turn}.md"


def _written(head: ArchiveHead, turns: Sequence[SessionTurn]) -> tuple[bytes, str]:
    body = "".join(_block(turn) for turn in turns)
    digest = hashlib.sha256(body.encode()).hexdigest()
    told = {
        "session_id": head.session_id,
        "session_key": head.session_key,
        "channel": head.channel,
        "chat_kind": str(head.chat_kind),
        "participants": list(head.participants),
        "agent": head.agent_id,
        "from_turn": head.from_turn,
        "to_turn": head.to_turn,
        "trust": "unverified" if head.is_unverified else "confirmed",
        "closed_at": from_us(head.closed_at).isoformat(),
        "sha256": digest,
    }
    head_text = "".join(f"{name}: {_yaml(value)}\n" for name, value in told.items())
    return f"---\n{head_text}---\n{body}".encode(), digest


def _yaml(value: Any) -> str:
    """A value in one line, as YAML reads it: no text of an id can end the head."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in text)


def _head(told: dict[str, Any]) -> ArchiveHead:
    return ArchiveHead(
        session_id=str(told["session_id"]),
        session_key=str(told["session_key"]),
        channel=told["channel"],
        chat_kind=ChatKind(told["chat_kind"]),
        participants=tuple(told["participants"]),
        agent_id=told["agent"],
        from_turn=int(told["from_turn"]),
        to_turn=int(told["to_turn"]),
        is_unverified=told["trust"] != "confirmed",
        closed_at=to_us(datetime.fromisoformat(told["closed_at"])),
    )


def _block(turn: SessionTurn) -> str:
    marks = [_TAINTED] if turn.is_tainted else []
    if turn.tool_call_id:
        marks.append(f"{_ANSWERS}{_plain(turn.tool_call_id)}")
    heading = _SEPARATOR.join([from_us(turn.created_at).isoformat(), _plain(turn.speaker), str(turn.role), *marks])
    calls = "".join(
        f"- call {json.dumps([call.id, call.name, dict(call.arguments)], ensure_ascii=False)}\n"
        for call in turn.tool_calls
    )
    lines = [f"\\{line}" if _OURS.match(line) else line for line in turn.content.split("\n")]
    text = "\n".join(lines)
    return f"### {heading}\n{calls}{text}\n\n"


def _turns(body: str, head: ArchiveHead) -> Iterator[SessionTurn]:
    blocks = re.split(r"^### ", body, flags=re.MULTILINE)[1:] if body.startswith("### ") else []
    for number, block in enumerate(blocks, start=head.from_turn):
        heading, *lines = block.split("\n")
        moment, speaker, role, *marks = heading.split(_SEPARATOR)
        calls = []
        while lines and lines[0].startswith("- call "):
            calls.append(TurnToolCall(*json.loads(lines.pop(0).removeprefix("- call "))))
        said = "\n".join(line[1:] if _OURS.match(line) else line for line in lines[:-2])
        name = unquote(speaker)
        is_person = role == TurnRole.USER and name in head.participants
        answered = next((mark.removeprefix(_ANSWERS) for mark in marks if mark.startswith(_ANSWERS)), None)
        yield SessionTurn(
            number=number,
            role=TurnRole(role),
            speaker=name,
            user_id=name if is_person else None,
            content=said,
            created_at=to_us(datetime.fromisoformat(moment)),
            channel=head.channel,
            tool_calls=tuple(calls),
            tool_call_id=None if answered is None else unquote(answered),
            is_tainted=_TAINTED in marks,
        )


def _plain(name: str) -> str:
    """A name that cannot end the heading it stands in; ``unquote`` gives it back."""
    return "".join(each if each.isprintable() and each not in "%·" else _escaped(each) for each in name)


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())
