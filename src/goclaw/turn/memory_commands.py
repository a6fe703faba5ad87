"""Memory commands: what a person says to memory itself in a chat: @notes:, @config:, @personal:, @forget (the seed).

They are the person's own hand, so they need the identified person who typed them, not an agent that repeats them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from goclaw.ingest.draft import draft_of
from goclaw.ingest.prefixes import SCOPES, Command, Prefixed
from goclaw.ingest.write import Writer
from goclaw.lifecycle.forget import Forgetter
from goclaw.model.access import WriteWay
from goclaw.model.errors import AccessDenied, GoclawError, InvalidInput, NotFound
from goclaw.model.principal import Principal
from goclaw.model.record import Kind, MemoryRecord

_KINDS = {Command.CONFIG: Kind.CONFIG}
_ADMINISTRATORS = (Command.NOTES, Command.CONFIG)


@dataclass(frozen=True, slots=True)
class MemoryCommands:
    """Does what a message to memory asks for."""

    writer: Writer
    forgetter: Forgetter
    get: Callable[[Principal, str], MemoryRecord | None]

    def obey(self, principal: Principal, said: Prefixed, *, session_id: str, turn: int) -> str:
        """What to answer: what was done, or why not and what would work. Changes nothing where it fails."""
        try:
            if not principal.is_own_hand:
                raise AccessDenied("A person types this by their own hand.", "An agent uses its tools.")
            if said.command is Command.FORGET:
                return self._forget(principal, said.text)
            return self._write(principal, said, session_id, turn)
        except GoclawError as error:
            return f"Not done. {error}"

    def _write(self, principal: Principal, said: Prefixed, session_id: str, turn: int) -> str:
        if not said.text:
            raise InvalidInput("There is nothing to remember.", f"Write {said.command}: and the text.")
        if said.command in _ADMINISTRATORS and not principal.is_admin:
            raise AccessDenied(
                f"{said.command}: is for administrators.", "Use @personal: for what only you should be reminded of."
            )
        draft = draft_of(
            said.text,
            scope=SCOPES[said.command],
            kind=_KINDS.get(said.command, Kind.NOTE),
            source_refs=[{"kind": "conversation", "title": f"{session_id}, turn {turn}"}],
            session_id=session_id,
            turn=turn,
            max_content_chars=self.writer.settings.memory.max_content_chars,
        )
        record = self.writer.write(principal, draft, WriteWay.PREFIX)
        state = f"{record.scope}, {record.review_status}"
        return f"Remembered as {record.id} ({state}). To take it back: @forget {record.id}"

    def _forget(self, principal: Principal, memory_id: str) -> str:
        record = self.get(principal, memory_id)
        if record is None:
            raise NotFound("There is no such record.", "Or it is not yours to see.")
        receipt = self.forgetter.forget(principal, record)
        kept = f" Backups that still hold it: {', '.join(receipt.kept_in)}." if receipt.kept_in else ""
        return f"Forgotten: {receipt.memory_id}.{kept}"
