"""The message's part: sections 12 to 17, what was found for this message; it stands after the person's message."""

from dataclasses import dataclass

from goclaw.context.lent import LentSections, Occasion
from goclaw.context.line import EVIDENCE_NOTICE, one_line
from goclaw.context.records import Shelf
from goclaw.context.scene import Scene
from goclaw.context.section import Entry, Name, Section
from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.clock import from_us
from goclaw.model.hit import Found, Hit
from goclaw.model.record import Kind
from goclaw.model.scope import Scope
from goclaw.model.session import ChatKind
from goclaw.recall.ask import Ask, Mode
from goclaw.recall.recall import Recaller

MATCHING_NOTES = 5  # the seed
LEARNED = 10
PERSONAL = 5  # the seed
LOOKED_AT = 60  # hits among which the sections find theirs
_LEARNED_KINDS = (Kind.FACT, Kind.PREFERENCE)
_NOT_INJECTED = (Kind.MEMORY_FILE,)  # Memory.md stands in the session's part, daily files are found by search
_NOTHING = Found(hits=(), reason=None)


@dataclass(frozen=True, slots=True)
class FoundForMessage:
    """What two searches returned: among what all may read, and among the speaker's own."""

    shared: Found = _NOTHING
    personal: Found = _NOTHING


@dataclass(frozen=True, slots=True)
class MessagePart:
    """Puts the message's sections together."""

    recaller: Recaller
    lent: LentSections

    def search(self, shelf: Shelf, scene: Scene, vectors: TextVectors | None) -> FoundForMessage:
        """Ask the store what matches the message."""
        ask = self.ask(scene.message)
        if not scene.listeners.shows_memory or not scene.message.strip():
            return FoundForMessage()
        notes = self.recaller.find(shelf.reader, scene.principal, ask, vectors, scene.shared_of(Scope.AGENT_NOTES))
        if not scene.listeners.shows_personal_with_message:
            return FoundForMessage(notes)
        return FoundForMessage(notes, self.recaller.find(shelf.reader, scene.principal, ask, vectors, scene.personal))

    def ask(self, message: str) -> Ask:
        """The message as a question."""
        return Ask(text=message, mode=Mode.AUTOMATIC, limit=LOOKED_AT)

    def sections(self, shelf: Shelf, scene: Scene, found: FoundForMessage) -> list[Section]:
        """All six, in the seed's order."""
        occasion = Occasion(scene.principal, scene.session_id, scene.message)
        why = scene.listeners.why
        notes = [hit for hit in found.shared.hits if hit.record.kind not in (*_LEARNED_KINDS, *_NOT_INJECTED)]
        learned = [hit for hit in found.shared.hits if hit.record.kind in _LEARNED_KINDS]
        own = "" if scene.listeners.shows_personal_with_message else why
        sections = [
            _time(scene),
            _hits(shelf, Name.NOTES, notes, MATCHING_NOTES),
            _hits(shelf, Name.LEARNED, learned, LEARNED),
            _hits(shelf, Name.PERSONAL, found.personal.hits, PERSONAL, own),
        ]
        if not scene.listeners.shows_memory:
            return [sections[0], *(Section(name, why=why) for name in _NAMES)]
        return [*sections, self.lent.section(Name.HOOKS, occasion), self.lent.section(Name.QUERIES, occasion)]


_NAMES = (Name.NOTES, Name.LEARNED, Name.PERSONAL, Name.HOOKS, Name.QUERIES)


def _hits(shelf: Shelf, name: Name, hits: "tuple[Hit, ...] | list[Hit]", most: int, why: str = "") -> Section:
    entries = shelf.found(hits, most)
    return Section(name, entries, EVIDENCE_NOTICE, why=why)


def _time(scene: Scene) -> Section:
    """The minute, and in a room who speaks."""
    lines = [f"{from_us(scene.now):%Y-%m-%d %H:%M} UTC, {from_us(scene.now):%A}"]
    if scene.chat_kind is ChatKind.GROUP:
        lines.append(one_line(f"speaking: {scene.speaker_name} (id {scene.principal.person_id or 'unknown'})"))
    return Section(Name.TIME, tuple(Entry(line) for line in lines))
