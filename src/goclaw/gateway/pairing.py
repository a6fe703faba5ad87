"""Pairing: which person stands behind a sender of a chat program. Kept in files of the folder ``credentials/``.

A sender nobody paired gets a code; whoever runs this machine approves it for a person. Until then the sender is
unknown: no personal memory, and the conversation is unverified. One file a channel kind, for this user alone.
"""

import fcntl
import hashlib
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from goclaw.governance.audit import EventType, event
from goclaw.model.clock import DAY, Clock
from goclaw.model.errors import Conflict, NotFound, StoreError
from goclaw.model.principal import Principal, canonical_id
from goclaw.settings.paths import make_folder
from goclaw.settings.private_file import write_private_file
from goclaw.storage import audit_log, principals
from goclaw.storage.database import Database

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is read as another
CODE_LENGTH = 8
MOST_WAITING = 100  # of one channel kind; more senders than anybody approves, so the oldest give way
WAITING_DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """One sender, waiting or paired."""

    channel_kind: str
    sender_id: str
    sender_name: str  # as the chat program says; shown to whoever approves, believed by nobody
    code: str
    asked_at: int  # microseconds since 1970
    user_id: str | None = None  # None while it waits
    approved_by: str | None = None  # an actor id
    approved_at: int | None = None


@dataclass(frozen=True, slots=True)
class _Book:
    """What one file holds."""

    workspace_id: str
    channel_kind: str
    pairings: tuple[Pairing, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class PairingBook:
    """The pairings of a state directory. Usable from several processes: changes queue at a lock file."""

    credentials: Path
    database: Database
    clock: Clock

    def person_of(self, workspace_id: str, channel_kind: str, sender_id: str) -> str | None:
        """The person behind a sender, or None while nobody approved it."""
        book = self._read(workspace_id, channel_kind)
        return next((each.user_id for each in book.pairings if each.sender_id == sender_id), None)

    def ask(self, workspace_id: str, channel_kind: str, sender_id: str, sender_name: str = "") -> Pairing:
        """Let a sender wait for approval; the same code as long as it waits."""
        asked = Pairing(
            channel_kind=canonical_id(channel_kind, "channel.kind"),
            sender_id=canonical_id(sender_id, "sender.id"),
            sender_name=sender_name[:200],
            code="".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH)),
            asked_at=self.clock.now(),
        )
        with self._changing(workspace_id, channel_kind) as book:
            known = next((each for each in book.pairings if each.sender_id == sender_id), None)
            if known is not None:
                return known
            waiting = [each for each in book.pairings if each.user_id is None][1 - MOST_WAITING :]
            paired = [each for each in book.pairings if each.user_id is not None]
            self._write(replace(book, pairings=(*paired, *waiting, asked)))
        return asked

    def approve(self, by: Principal, workspace_id: str, code: str, user_id: str) -> Pairing:
        """Pair the sender with this code with a registered person. Raises NotFound for either, and an audit row."""
        with self.database.read() as reader:
            if principals.find_person(reader, workspace_id, user_id) is None:
                raise NotFound("There is no such person in this workspace.", "Add them first: goclaw people add.")
        wanted = code.strip().upper()
        found = next((each for each in self.list(workspace_id) if each.code == wanted), None)
        if found is None:
            raise NotFound("No sender waits with that code.", "See goclaw pair list.")
        with self._changing(workspace_id, found.channel_kind) as book:
            waiting = next((each for each in book.pairings if each.code == wanted), None)
            if waiting is None or waiting.user_id is not None:
                raise Conflict("That sender is paired already.", "Revoke it first: goclaw pair revoke.")
            paired = replace(waiting, user_id=user_id, approved_by=by.actor_id, approved_at=self.clock.now())
            self._audit(by, workspace_id, paired, "sender_paired")
            self._write(replace(book, pairings=_with(book.pairings, paired)))
        return paired

    def revoke(self, by: Principal, workspace_id: str, channel_kind: str, sender_id: str) -> None:
        """Make a sender unknown again, from its next message on. Raises NotFound."""
        with self._changing(workspace_id, channel_kind) as book:
            found = next((each for each in book.pairings if each.sender_id == sender_id), None)
            if found is None:
                raise NotFound("There is no such sender.", "See goclaw pair list.")
            self._write(replace(book, pairings=tuple(each for each in book.pairings if each != found)))
            self._audit(by, workspace_id, found, "sender_unpaired")

    def list(self, workspace_id: str) -> Sequence[Pairing]:
        """Every sender of a workspace that waits or is paired, the waiting ones first."""
        folder = self.credentials
        files = sorted(folder.glob("pairing-*.json")) if folder.is_dir() else []
        books = [book for book in map(_load, files) if book.workspace_id == workspace_id]
        found = [each for book in books for each in self._fresh(book).pairings]
        return sorted(found, key=lambda each: (each.user_id is not None, each.channel_kind, each.asked_at))

    def _read(self, workspace_id: str, channel_kind: str) -> _Book:
        file = self._file(workspace_id, channel_kind)
        return self._fresh(_load(file)) if file.exists() else _Book(workspace_id, channel_kind)

    def _fresh(self, book: _Book) -> _Book:
        """Without those who waited too long."""
        since = self.clock.now() - WAITING_DAYS * DAY
        kept = tuple(each for each in book.pairings if each.user_id is not None or each.asked_at >= since)
        return replace(book, pairings=kept)

    def _write(self, book: _Book) -> None:
        content = json.dumps(asdict(book), ensure_ascii=False, indent=1).encode()
        write_private_file(self._file(book.workspace_id, book.channel_kind), content)

    def _file(self, workspace_id: str, channel_kind: str) -> Path:
        """A name that tells people what it holds, and that no two kinds share."""
        plain = re.sub(r"[^a-z0-9]+", "-", channel_kind.lower())[:40].strip("-") or "channel"
        digest = hashlib.sha256(json.dumps([workspace_id, channel_kind]).encode()).hexdigest()[:12]
        return self.credentials / f"pairing-{plain}-{digest}.json"

    @contextmanager
    def _changing(self, workspace_id: str, channel_kind: str) -> Iterator[_Book]:
        """The book, while nobody else changes one."""
        make_folder(self.credentials)
        with (self.credentials / "pairing.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # given back when the file closes, also by a crash
            yield self._read(workspace_id, channel_kind)

    def _audit(self, by: Principal, workspace_id: str, pairing: Pairing, what: str) -> None:
        detail = {
            "what": what,
            "channel_kind": pairing.channel_kind,
            "sender": pairing.sender_id,
            "user": pairing.user_id,
            "workspace": workspace_id,
        }
        row = event(by, EventType.ACCESS_CHANGED, self.clock.now(), detail=detail)
        self.database.write(partial(audit_log.append, event=row))


def _load(file: Path) -> _Book:
    try:
        held = json.loads(file.read_bytes())
        return _Book(held["workspace_id"], held["channel_kind"], tuple(Pairing(**each) for each in held["pairings"]))
    except (OSError, ValueError, TypeError, KeyError):
        raise StoreError(
            f"The pairing file {file.name} is damaged.", "Restore it from a backup, or delete it and pair anew."
        ) from None


def _with(pairings: Sequence[Pairing], changed: Pairing) -> tuple[Pairing, ...]:
    return tuple(changed if each.sender_id == changed.sender_id else each for each in pairings)
