"""Evidence: which terms of a question have to stand in a text that may be its answer, and for how much each counts.

"At least half of the query's terms" (the seed) speaks of words. Search also looks for pieces of words and, in scripts
without spaces, for pairs of characters; these are no words. So a word counts once, by its stem or by the share of its
pieces; a run of characters counts for as many words as are likely in it, by the share of its pairs; and what a question
is only wrapped in (particles, copulas, question words) does not count at all. Of English nothing changes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from goclaw.text.tokens import normalise, pair_up, raw_words, split_word

HAN_CHARS, THAI_CHARS = 2.0, 4.0  # of a likely word

# What holds a Chinese sentence together, or only asks; a run is parted at it.
_HAN_PARTICLES = """
之前 之后 之後 以前 以后 以後 时候 時候 多久 多少 几点 幾點 几号 幾號 哪天 哪些 哪种 哪種 哪里 哪裡 哪个 哪個
什么 什麼 怎么 怎麼 为什么 為什麼 为了 為了 可以 需要 应该 應該 我们 我們 他们 他們
的 了 是 在 吗 嗎 呢 吧 啊 呀 嘛 么 麼 和 与 與 或 把 没 沒 不 也 要 我 你 您 他 她 它 这 這 那 哪 谁 誰 几 幾
"""
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a0-\u30ff\uff66-\uff9f"
_HANGUL = "\uac00-\ud7a3"
_THAI = "\u0e00-\u0e7f"
_THAI_PARTICLES = """
ของ ที่ ใน และ เป็น คือ มี จะ ได้ ไม่ ให้ กับ จาก ไหน ไหม ครับ ค่ะ คะ ต้อง อยู่ นี้ นั้น กี่ ใด เท่าไร เท่าไหร่ บ้าง หรือ ว่า ถูก โดย
เมื่อ
"""
_PARTS = re.compile(
    rf"[{_HIRAGANA}]+|[{_KATAKANA}]+|[{_HANGUL}]+|[{_THAI}]+|[^{_HIRAGANA}{_KATAKANA}{_HANGUL}{_THAI}]+"
)
_BEYOND_HIRAGANA = re.compile(f"[^{_HIRAGANA}]")
_KANA = re.compile(f"[{_HIRAGANA}{_KATAKANA}]")


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile("|".join(sorted(words.split(), key=len, reverse=True)))


_HAN_SPLIT, _THAI_SPLIT = _any_of(_HAN_PARTICLES), _any_of(_THAI_PARTICLES)
_JAPANESE_WRAPPING = re.compile("何.{0,2}|誰|[上下中]")  # which day, who
# Korean words that only ask, and the endings of those that only say that something is.
_HANGUL_WRAPPING = re.compile(
    r"(?:어떤|어느|무슨|몇|얼마나?|누가|누구\w*|무엇\w*|뭐\w*|언제\w*|어디\w*|어떻게|왜)"
    r"|(?:있|하|했|되|됐|이|계시|싶|않|없|인|합|됩|입)\w{0,2}(?:나요|니까|어요|아요|지요|죠|까요|가요|나|니|는지|습니까|다)"
    r"|(?:이?에요|이?예요|입니까|인가요?|이?야|해요|하나요?|수|것|때|등|및|그|이|저)"
)
# Small words of other languages than English; in word_pieces stand more.
_SMALL_WORDS = """
в во на и с со к ко у о об от до из за по для при как что кто где когда какой какая какое какие какого чей чья ли не ни
же бы это этот эта эти тот та те он она они мы вы я его ее их наш наша наше наши ваш был была было были есть сколько
почему зачем куда откуда который которая которое которые или а но нужно можно
في من على الى عن مع ما ماذا متى اين كيف كم لماذا هل اي التي الذي هذا هذه ذلك تلك هو هي هم كان كانت لا لم لن ان قد و او
ثم عند بعد قبل بين يكون تكون
um wie viel viele vieles uhr es gibt gab fuer fur wegen mag man ab aus bis durch mit ohne an in im am als so ihr sie er
ich mir mich dich dir bitte kann kannst muss musst soll sollte hat habe ist war waren hier dort da wohin woher womit
wofur jeder jede jedes alle unser unsere mein meine dein deine
en al lo se si hay tiene tienen hace hacer puede pueden debe deben cada mas menos entre desde hasta sobre sin
"""
SMALL_WORDS = frozenset(part for raw in raw_words(normalise(_SMALL_WORDS))[0] for part in split_word(raw))


@dataclass(frozen=True, slots=True)
class Word:
    """Something a question asks for, and the terms by which a text can hold it."""

    weight: float  # for how many words it counts
    whole: str | None  # a term that is all of it
    pieces: tuple[str, ...]  # terms that are each a part of it


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a question asks for, as search counts it: terms by number of the word they speak for."""

    weights: tuple[float, ...]  # of each word
    shares: Mapping[str, tuple[int, float]]  # term: its word, and for how much of it the term stands

    @property
    def total(self) -> float:
        return sum(self.weights)

    @classmethod
    def of(cls, words: Sequence[Word]) -> "Evidence | None":
        """None where each word is one term and counts once: then counting terms is the same."""
        if all(each.weight == 1.0 and not each.pieces for each in words):
            return None
        if not any(each.weight for each in words):
            words = [replace(each, weight=1.0) for each in words]
        shares: dict[str, tuple[int, float]] = {}
        for number, each in enumerate(words):
            if each.whole is not None:
                shares.setdefault(each.whole, (number, each.weight))
            for piece in each.pieces:
                shares.setdefault(piece, (number, each.weight / len(each.pieces)))
        return cls(tuple(each.weight for each in words), shares)


def word_of(word: str, stem: str, pieces: Sequence[str], *, is_english: bool) -> Word:
    """A word of a script with spaces."""
    is_small = word in SMALL_WORDS and not (is_english and word.isascii())
    return Word(0.0 if is_small else 1.0, stem, tuple(pieces))


def words_of_runs(runs: Sequence[str], *, has_words: bool) -> Iterable[Word]:
    """What is likely to be words in the runs of a question; ``has_words``: it has words of other scripts beside them.

    Syllables of hiragana are grammar wherever there is anything else.
    """
    has_content = has_words or any(_BEYOND_HIRAGANA.search(run) for run in runs)
    for run in runs:
        yield from _words_of_run(run, has_content=has_content)


def _words_of_run(run: str, *, has_content: bool) -> Iterable[Word]:
    parts = _PARTS.findall(run)
    is_japanese = _KANA.search(run) is not None
    for place, part in enumerate(parts):
        if re.match(f"[{_HANGUL}]", part):
            yield _of(part, 0.0 if _HANGUL_WRAPPING.fullmatch(part) else 1.0)
        elif re.match(f"[{_THAI}]", part):
            yield from (_of(piece, len(piece) / THAI_CHARS) for piece in _THAI_SPLIT.split(part))
        elif re.match(f"[{_HIRAGANA}]", part):
            yield _of(part, 0.0 if has_content else len(part) / HAN_CHARS)
        elif re.match(f"[{_KATAKANA}]", part):
            yield _of(part, 1.0)
        elif is_japanese:
            yield _japanese(part, "".join(parts[place + 1 : place + 2]))
        else:
            yield from (_of(piece, len(piece) / HAN_CHARS) for piece in _HAN_SPLIT.split(part) if len(piece) > 1)


def _japanese(part: str, behind: str) -> Word:
    """Characters of Chinese origin; a single one is a verb or adjective, which is known by its first ending too."""
    if _JAPANESE_WRAPPING.fullmatch(part):
        return _of(part, 0.0)
    if len(part) > 1:
        return _of(part, len(part) / HAN_CHARS)
    return Word(0.5 if behind else 0.0, None, (part + behind[:1],))


def _of(text: str, weight: float) -> Word:
    pairs = tuple(dict.fromkeys(pair_up(text, with_singles=False))) if text else ()
    return Word(weight if pairs else 0.0, None, pairs)
