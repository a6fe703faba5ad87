"""Terms: what the index stores of a text and what a query asks for; a term is a stemmed word and its 32-bit hash.

Nothing here knows a text's language: the stemmer is chosen by the script a word is written in, so the same word gives
the same term in every text, on every engine, for ever, or :data:`TOKENS_VERSION` changes.
"""

import re
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

from goclaw.text.evidence import Evidence, word_of, words_of_runs
from goclaw.text.tokens import normalise, pair_up, raw_words, spelt_out, split_word
from goclaw.text.word_pieces import SMALL_WORDS, pieces_of, reads_as_english

TOKENS_VERSION = 3  # stands in every chunk; a change re-tokenises as a job
MAX_QUERY_CHARS = 2_000
TERM_BYTES = 5  # uint32 hash, uint8 count
_MAX_COUNT = 255
_pack_term = struct.Struct("<IB").pack

# "May" is left in: it is a month more often than a permission. The last three are what is left of won't, can't, shan't.
_STOP_WORDS = """
a an the this that these those
i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs
am is are was were be been being do does did doing done have has had having
can could will would shall should might must
and or but nor if than then so as because while until
of in on at to for from by with about into onto upon over under between through during before after against
what which who whom whose when where why how
not no only just also too very such own same some any each both all more most other there here again
wo ca sha
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# The same for scripts without spaces: what a question is wrapped in. Only queries are split at them.
_UNSPACED_STOP_WORDS = """
什么时候 什麼時候 为什么 為什麼 什么 什麼 怎么 怎麼 哪里 哪裡 哪个 哪個 多少 请问 請問 是谁 是誰
ですか ますか でしたか ましたか ください いつ どこ なぜ どれ どうやって
언제 어디 무엇 누구 왜
เมื่อไหร่ เมื่อไร อะไร ที่ไหน วันไหน อย่างไร ทำไม ใคร
"""
_WRAPPING = re.compile("|".join(sorted(_UNSPACED_STOP_WORDS.split(), key=len, reverse=True)))

# Script (first and last character) → Snowball algorithm; Latin words without diacritics are read as English.
_STEMMED_SCRIPTS = (
    ("a", "z", "english"),
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0531", "\u0587", "armenian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)
_stemmers = {algorithm: Stemmer.Stemmer(algorithm, 0) for _, _, algorithm in _STEMMED_SCRIPTS}
_UNSTEMMED = re.compile(r"[\d_./:@'\\+#-]")  # digits and joints: identifiers, not words
_stemming = threading.Lock()  # a Snowball stemmer keeps its word in itself


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The distinct terms a query asks for, in the order of the question."""

    words: tuple[str, ...]  # as stemmed
    hashes: tuple[int, ...]  # of the words, same order
    evidence: Evidence | None = None  # which words they speak for; None: each term is a word of its own

    def __len__(self) -> int:
        return len(self.hashes)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of one folded word; words with digits or joints, and scripts without a rule, stay as they are."""
    if len(word) < 3 or _UNSTEMMED.search(word):
        return word
    for first, last, algorithm in _STEMMED_SCRIPTS:
        if first <= word[0] <= last:
            with _stemming:
                return str(_stemmers[algorithm].stemWord(word))
    return word


@lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """The 32-bit number that stands for a term in blobs and blocks."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1 << 16)
def _word_hashes(raw: str) -> tuple[int, ...]:
    return _hashes(split_word(raw), is_english=True)


@lru_cache(maxsize=1 << 14)
def _hashes_of_other_language(raw: str) -> tuple[int, ...]:
    return _hashes(split_word(raw), is_english=False)


def _hashes(words: Collection[str], *, is_english: bool) -> tuple[int, ...]:
    terms = {stem(word) for word in words}.union(*(pieces_of(word, is_english=is_english) for word in words))
    return tuple({term_hash(term) for term in terms})


def index_terms(text: str) -> bytes:
    """The blob of a chunk: sorted (uint32 hash, uint8 count), little-endian, five bytes each; counts end at 255."""
    words, runs = raw_words(normalise(text))
    found = Counter(words)
    found.update(spelt_out(text))
    hashes_of = _word_hashes if reads_as_english(text, found.keys()) else _hashes_of_other_language
    counts: dict[int, int] = {}
    for raw, count in found.items():
        for number in hashes_of(raw):
            counts[number] = counts.get(number, 0) + count
    for run in runs:
        for term in pair_up(run, with_singles=True):
            number = term_hash(term)
            counts[number] = counts.get(number, 0) + 1
    return b"".join([_pack_term(number, min(count, _MAX_COUNT)) for number, count in sorted(counts.items())])


def query_terms(text: str) -> QueryTerms:
    """What to look for: at most 2,000 characters, stop words out (all kept where there is nothing else)."""
    asked = text[:MAX_QUERY_CHARS]
    words, runs = raw_words(normalise(asked)[:MAX_QUERY_CHARS])
    is_english = reads_as_english(asked, set(words))
    parts = [word for raw in words + spelt_out(asked) for word in split_word(raw)]
    unwrapped = [piece for run in runs for piece in _WRAPPING.split(run) if piece]
    pairs = [pair for run in unwrapped or runs for pair in pair_up(run, with_singles=False)]
    empty = STOP_WORDS if is_english else STOP_WORDS | SMALL_WORDS
    wanted = [word for word in parts if word not in empty]
    pieces = [piece for word in wanted for piece in pieces_of(word, is_english=is_english)]
    asked_for = wanted or ([] if pairs else parts)
    terms = tuple(dict.fromkeys([*map(stem, asked_for), *pairs, *pieces]))
    words_meant = [
        word_of(word, stem(word), pieces_of(word, is_english=is_english), is_english=is_english)
        for word in dict.fromkeys(asked_for)
    ]
    words_meant += words_of_runs(unwrapped or runs, has_words=bool(asked_for))
    return QueryTerms(terms, tuple(term_hash(term) for term in terms), Evidence.of(words_meant))


def content_words(text: str) -> frozenset[str]:
    """The distinct non-stop terms of a text, as words: what two texts are compared by."""
    words, runs = raw_words(normalise(text))
    parts = {stem(word) for raw in set(words) for word in split_word(raw) if word not in STOP_WORDS}
    return frozenset(parts.union(*(pair_up(run, with_singles=False) for run in runs)))
