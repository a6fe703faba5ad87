"""Rule set: many word patterns tried over one text without reading it once for each of them.

Most rules begin with one of a few words. One pass finds those words; only there the rules that begin with that letter
are tried. The few others are searched for one by one.
"""

import re
from collections.abc import Iterable, Iterator

from goclaw.governance.detectors.alternation import alternation

_FIRST_GROUP = r"\b(?:"
_PLAIN_START = re.compile(r"\\b([^\W\d_][^\W\d_' ]{0,40})")


class RuleSet:
    """Compiled rules; the text must be in lower case."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.by_start: dict[str, list[re.Pattern[str]]] = {}
        self.anywhere: list[re.Pattern[str]] = []  # rules that begin with a sign, or in a script without spaces
        self.foreign: list[re.Pattern[str]] = []  # the same, which no text of ASCII can meet
        starts: list[str] = []
        for rule in (branch for pattern in patterns for branch in split_branches(pattern)):
            words = _first_words(rule)
            compiled = re.compile(rule)
            if words:
                starts += words
                for start in dict.fromkeys(_start(word) for word in words):
                    self.by_start.setdefault(start, []).append(compiled)
            elif not rule.isascii():
                self.foreign.append(compiled)
            else:
                self.anywhere.append(compiled)
        self.starts = re.compile(rf"\b(?:{alternation(starts)})")

    def fit(self, text: str) -> bool:
        """Whether any of the rules fits anywhere."""
        return next(self.matches(text), None) is not None

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Every place where a rule fits."""
        for rule in self.anywhere if text.isascii() else (*self.anywhere, *self.foreign):
            yield from rule.finditer(text)
        for start in self.starts.finditer(text):
            place = start.start()
            for rule in self._rules_at(text[place : place + 2]):
                match = rule.match(text, place)
                if match:
                    yield match

    def _rules_at(self, letters: str) -> Iterator[re.Pattern[str]]:
        yield from self.by_start.get(letters, ())
        yield from self.by_start.get(letters[0], ())

    def patterns(self) -> Iterator[re.Pattern[str]]:
        """Every compiled rule, for those who check them."""
        yield self.starts
        yield from self.anywhere
        yield from self.foreign
        for rules in self.by_start.values():
            yield from rules


def split_branches(pattern: str) -> list[str]:
    """The branches of a pattern at its top level."""
    branches, depth, in_set, skip = [""], 0, False, False
    for sign in pattern:
        if skip or sign == "\\":
            skip = not skip
        elif in_set:
            in_set = sign != "]"
        elif sign == "[":
            in_set = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "|" and depth == 0:
            branches.append("")
            continue
        branches[-1] += sign
    return branches


def _start(word: str) -> str:
    """The letters every text that fits this word begins with: two, or one where the second may differ."""
    return word[:2] if word[:2].isalpha() and len(word) > 1 and word[2:3] not in ("?", "*", "{") else word[0]


def _first_words(rule: str) -> list[str]:
    """The words, as patterns, one of which the rule begins with; none if it begins otherwise."""
    plain = _PLAIN_START.match(rule)
    if plain and plain[1] and rule[plain.end() : plain.end() + 1] not in ("?", "*", "{"):
        return [plain[1]]
    if not rule.startswith(_FIRST_GROUP):
        return []
    words = split_branches(rule[len(_FIRST_GROUP) : _closing(rule)])
    return words if all(word[:1].isalpha() and word[1:2] != "?" for word in words) else []


def _closing(rule: str) -> int:
    """Where the first group of the rule ends."""
    depth, skip = 0, False
    for place, sign in enumerate(rule):
        if skip or sign == "\\":
            skip = not skip
        elif sign in "()":
            depth += 1 if sign == "(" else -1
            if depth == 0 and sign == ")":
                return place
    raise ValueError("The pattern does not close its first group.")
