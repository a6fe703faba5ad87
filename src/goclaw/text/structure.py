"""Structure: what is known of a chunk besides its words: its place in a conversation, who speaks, what it is like.

Found by rule when a record is written, stored beside the chunk's terms, and read by the second ranking. No rule decides
what is remembered or shown; they only weigh. Those that look at words know English, and stay silent in other languages.
"""

import re
import struct
from dataclasses import dataclass
from enum import IntFlag

from goclaw.text.terms import query_terms, term_hash

NO_TURN = 0xFFFF_FFFF
_MOST_TURN = NO_TURN - 1
_pack = struct.Struct("<IIIH")
STRUCTURE_BYTES = _pack.size

_USERS = frozenset({"user", "human", "customer"})
_ASSISTANTS = frozenset({"assistant", "ai", "agent", "bot", "model", "system"})


class Trait(IntFlag):
    """What a chunk, or the record it is of, is like."""

    FROM_USER = 1  # said by the human side of a conversation with an assistant
    FROM_ASSISTANT = 2
    ENDS_ASKING = 4  # the record ends with a question
    ASKS = 8  # the record holds a question
    FIRST_PERSON = 16
    TELLS_WHEN = 32
    TELLS_HOW_MANY = 64
    TELLS_WHERE = 128
    NAMES_A_TITLE = 256  # something in quotation marks that begins with a capital: a book, a film, a song
    STANDING = 512  # a wish for every time: "always …", "from now on", "I prefer"


_ASKING = re.compile(r"[?？؟]")
_ENDS_ASKING = re.compile(r"[?？؟][\s\"'”’»)\]*_]*(?:\[[^\]]*\]\s*)?$")  # a bracketed remark may follow
_FIRST_PERSON = re.compile(r"\b(?:i|i['’]m|i['’]ve|my|we)\b", re.I)
_MONTHS = "january|february|march|april|june|july|august|september|october|november|december"  # may is a verb, too
_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|recently|since|weekend|(?:last|next|this) (?:night|week|month|year"
    r"|spring|summer|autumn|fall|winter|morning|evening|mon|tue|wed|thu|fri|sat|sun)\w{0,6}"
    rf"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|{_MONTHS}|\d{{4}})\b",
    re.I,
)
_HOW_MANY = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|couple|few|several|dozen|twice|once)\b", re.I
)
_WHERE = re.compile(r"\b(?:in|at|to|from|near) (?:the )?[A-Z]")
_TITLE = re.compile(r"[\"“][A-Z][^\"”\n]{1,60}[\"”]")
_STANDING = re.compile(
    r"\b(?:always|never)\b[^.?!\n]{0,80}\b(?:when|if|include|use|provide|format|mention|give|show|explain|ask)"
    r"|\bwhen(?:ever)? i ask\b|\bfrom now on\b|\bi(?:['’]d)? prefer\b|\bi(?:['’]d| would) like (?:you )?to\b"
    r"|\bmy preference\b|\bmake sure (?:you|to)\b",
    re.I,
)
_OF_CHUNK = (
    (_FIRST_PERSON, Trait.FIRST_PERSON),
    (_WHEN, Trait.TELLS_WHEN),
    (_HOW_MANY, Trait.TELLS_HOW_MANY),
    (_WHERE, Trait.TELLS_WHERE),
    (_TITLE, Trait.NAMES_A_TITLE),
)


@dataclass(frozen=True, slots=True)
class Structure:
    """One chunk's structure. Numbers stand for names: equal names have equal numbers."""

    session: int  # 0: of no conversation
    turn: int  # NO_TURN: none was said; the order of writing then counts
    speaker: int  # the term of the speaker's first name; 0: nobody is named
    traits: Trait

    def packed(self) -> bytes:
        """The 14 bytes that are stored: three uint32 and a uint16, little-endian."""
        return _pack.pack(self.session, self.turn, self.speaker, self.traits)


NO_STRUCTURE = Structure(0, NO_TURN, 0, Trait(0)).packed()


def structure_of(
    chunk: str, *, record: str, session_id: str | None, turn: int | None, speaker: str | None
) -> Structure:
    """The structure of one chunk of a record."""
    who = (speaker or "").casefold()
    traits = _role_of(who)
    for pattern, trait in _OF_CHUNK:
        if pattern.search(chunk):
            traits |= trait
    if _ASKING.search(record):
        traits |= Trait.ASKS
    if _ENDS_ASKING.search(record[-400:]):
        traits |= Trait.ENDS_ASKING
    if not traits & Trait.FROM_ASSISTANT and _STANDING.search(chunk):
        traits |= Trait.STANDING
    return Structure(
        session=(term_hash(session_id) or 1) if session_id else 0,
        turn=NO_TURN if turn is None or not session_id else min(max(turn, 0), _MOST_TURN),
        speaker=speaker_number(who),
        traits=traits,
    )


def speaker_number(name: str) -> int:
    """What stands for a speaker: the term by which a question would name them; 0 for nobody and for mere roles."""
    if _role_of(name.casefold()):
        return 0
    named = query_terms(name)
    return named.hashes[0] if named.hashes else 0


def _role_of(name: str) -> Trait:
    if name in _USERS:
        return Trait.FROM_USER
    return Trait.FROM_ASSISTANT if name in _ASSISTANTS else Trait(0)
