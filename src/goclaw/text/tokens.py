"""Tokens: splits text into words for the index and for queries, in any language, without knowing which one.

Words are compared after NFKC, without invisible characters, accents and case. What programmers write is kept whole and
split: ``svc-ledger`` is also ``svc`` and ``ledger``, ``writeRecord`` is also ``write`` and ``record``. Scripts that put
no spaces between words become pairs of neighbouring characters.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

MAX_WORD_CHARS = 64  # longer ones are cut, on both sides alike, so a pasted blob still finds itself

# Letters that decompose into nothing but are written plainly by people without the key.
_PLAIN_LETTERS = str.maketrans(
    {
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "’": "'",
        "ʼ": "'",
        "ё": "е",
        "ı": "i",
        "æ": "ae",
        "Æ": "Ae",
        "œ": "oe",
        "Œ": "Oe",
    }
)
# The same letters, written in full: Müller is Mueller. Without accents the letter alone is left, Muller.
_IN_FULL = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa", "Ø": "Oe"}
)
_SHORTENED_WORD = re.compile(r"\w*[äöüåøÄÖÜÅØ]\w*")
_INVISIBLE = re.compile("[\u00ad\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+")
# Accents fall; the breve of Cyrillic й is no accent. Vowel points of Hebrew and Arabic are optional in writing, too.
_ACCENTS = re.compile(
    "(?<![\u0400-\u052f])[\u0300-\u036f]+|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+"
)

_SYLLABLES = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"  # Hangul: spaces, but particles stick to the words
_IDEOGRAPHS = "\u3005-\u3007\u3041-\u3096\u3099-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_FAR_IDEOGRAPHS = "\U00020000-\U0003ffff"
_TALKING_CHARACTERS = re.compile(f"[{_IDEOGRAPHS}{_FAR_IDEOGRAPHS}{_SYLLABLES}]")  # one of them can be a whole word
_UNSPACED = re.compile(
    f"[{_IDEOGRAPHS}{_FAR_IDEOGRAPHS}{_SYLLABLES}"
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ece"  # Lao
    "\u1000-\u103f\u1050-\u108f"  # Burmese
    "\u1780-\u17d3]+"  # Khmer
)

# Vowel signs of Indic scripts belong to their word although they are no letters.
_LETTER = r"[\w\u0483-\u0487\u0711\u0730-\u074a\u0900-\u0963\u0971-\u0df3\u0f18-\u0f84]"
_WORD = re.compile(rf"{_LETTER}+(?:(?:::|[-./:@'\\]){_LETTER}+)*(?:(?:\+\+|\#)(?!\w))?")
_ASCII_WORD = re.compile(_WORD.pattern.replace(_LETTER, r"\w"))  # the same, a third quicker
_DOT_NET = re.compile(r"(?<![\w.])\.net\b", re.IGNORECASE)

_STRONG_JOINT = re.compile(r"[/\\@:]+")
_WEAK_JOINT = re.compile(r"[-._]+")
_HUMP = re.compile(r"[a-z0-9][A-Z]")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_VERSION = re.compile(r"v\d+(?:\.\d+)+\Z")
_CONTRACTIONS = frozenset({"s", "t", "re", "ve", "ll", "d", "m"})  # what English hangs on with an apostrophe


def normalise(text: str) -> str:
    """The text as words are compared, but for case: NFKC, nothing invisible, no accents. Plain ASCII stays as it is."""
    if text.isascii():
        return text
    visible = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_PLAIN_LETTERS)
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", visible))
    return unicodedata.normalize("NFC", bare).translate(_PLAIN_LETTERS)


def spelt_out(text: str) -> list[str]:
    """The words with ä, ö, ü, å or ø once more, as people without the key write them: ae, oe, ue, aa, oe."""
    if text.isascii():
        return []
    composed = unicodedata.normalize("NFC", text)
    return [normalise(word.translate(_IN_FULL)) for word in _SHORTENED_WORD.findall(composed)]


def raw_words(text: str) -> tuple[list[str], list[str]]:
    """The words of a normalised text as they are written, and its runs of characters without spaces between words."""
    if text.isascii():
        words, runs = _ASCII_WORD.findall(text), []
    else:
        runs = _UNSPACED.findall(text)
        words = _WORD.findall(_UNSPACED.sub(" ", text) if runs else text)
    if "." in text:
        words += _DOT_NET.findall(text)
    return words, runs


@lru_cache(maxsize=1 << 16)
def split_word(raw: str) -> tuple[str, ...]:
    """One raw word, folded: itself and, where it is put together, its parts; each once, the whole first."""
    if raw.isalpha() and not _HUMP.search(raw):
        return (_fold(raw),)
    words = dict.fromkeys(_parts(raw))
    words.pop("", None)
    return tuple(words)


def pair_up(run: str, *, with_singles: bool) -> list[str]:
    """Neighbouring pairs of an unspaced run; the index also takes single characters that can be words of their own."""
    pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    return pairs + _TALKING_CHARACTERS.findall(run) if with_singles and len(run) > 1 else pairs


def _fold(word: str) -> str:
    return word.casefold()[:MAX_WORD_CHARS]


def _parts(raw: str) -> Iterator[str]:
    if raw.startswith("."):
        yield _fold(raw)  # .NET; the pattern finds its letters, too
        return
    if raw.endswith(("++", "#")):
        yield _fold(raw)  # C++ and C# are words of their own
        raw = raw.rstrip("+#")
        if len(raw) == 1:
            return  # the letter alone would find every other language
    raw = raw.strip("_")
    if _VERSION.match(raw):
        raw = raw[1:]  # v1.2.3 is asked for as 1.2.3
    if len(raw) <= MAX_WORD_CHARS and "'" not in raw:
        yield raw.casefold()
    for piece in _STRONG_JOINT.split(raw):
        if len(piece) <= MAX_WORD_CHARS and "'" not in piece:
            yield piece.strip("_").casefold()
        for atom in _WEAK_JOINT.split(piece):
            yield from _open_apostrophe(atom) if "'" in atom else _open_humps(atom)


def _open_humps(atom: str) -> Iterator[str]:
    yield _fold(atom)
    if _HUMP.search(atom):
        yield from (_fold(hump) for hump in _HUMPS.findall(atom) if len(hump) > 1)


def _open_apostrophe(atom: str) -> Iterator[str]:
    """Alice's → alice, don't → do, l'hotel → hotel, O'Brien → obrien and brien."""
    head, _, tail = atom.casefold().rpartition("'")
    if tail in _CONTRACTIONS:
        yield _fold(head.removesuffix("n") if tail == "t" else head).replace("'", "")
        return
    if len(head) > 1:
        yield _fold(head).replace("'", "")
    yield _fold(tail)
    yield _fold(head + tail).replace("'", "")
