"""Rule set: many word patterns tried over one text without reading it once for each of them.

Most rules begin with one of a few words. One pass finds those words; only there the rules that begin with that word
are tried, and where the same text follows a word again, not again. The few others are searched for one by one, after
what they cannot do without.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from goclaw.governance.detectors.alternation import alternation

_FIRST_GROUP = r"\b(?:"
REACH = 1_200  # characters; no rule that begins with a word looks further
_LETTERS = re.compile(r"[^\W\d_]{1,40}")
_PLAIN_START = re.compile(r"\\b([^\W\d_][^\W\d_' ]{0,40})")


class RuleSet:
    """Compiled rules; the text must be in lower case.

    ``needs``: rule to a pattern that must fit somewhere in the text, or the rule is not tried.
    """

    def __init__(self, patterns: Iterable[str], needs: Mapping[str, str] | None = None) -> None:
        self.by_start: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # two letters: first word, rule
        self.anywhere: list[re.Pattern[str]] = []  # rules that begin with a sign, or in a script without spaces
        self.foreign: list[re.Pattern[str]] = []  # the same, which no text of ASCII can meet
        self.needs = {rule: re.compile(need) for rule, need in (needs or {}).items()}
        starts: list[str] = []
        for rule in (branch for pattern in patterns for branch in split_branches(pattern)):
            words = _first_words(rule)
            compiled = re.compile(rule)
            if words:
                starts += words
                for word in dict.fromkeys(_letters(word) for word in words):
                    self.by_start.setdefault(word[:2], []).append((word, compiled))
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
            need = self.needs.get(rule.pattern)
            if need is None or need.search(text):
                yield from rule.finditer(text)
        in_vain: set[str] = set()  # a text made to hurt repeats itself
        for start in self.starts.finditer(text):
            place = start.start()
            ahead = text[place : place + REACH]
            if ahead in in_vain:
                continue
            found = [match for rule in self._rules_at(ahead) if (match := rule.match(text, place))]
            if not found:
                in_vain.add(ahead)
            yield from found

    def _rules_at(self, ahead: str) -> Iterator[re.Pattern[str]]:
        for letters in (ahead[:2], ahead[:1]):
            for word, rule in self.by_start.get(letters, ()):
                if ahead.startswith(word):
                    yield rule

    def patterns(self) -> Iterator[re.Pattern[str]]:
        """Every compiled rule, for those who check them."""
        yield self.starts
        yield from self.anywhere
        yield from self.foreign
        yield from self.needs.values()
        for rules in self.by_start.values():
            yield from (rule for _, rule in rules)


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


def _letters(word: str) -> str:
    """The letters that every text which fits this word begins with."""
    plain = _LETTERS.match(word)
    assert plain, "a first word begins with a letter"
    may_lack_last = word[plain.end() : plain.end() + 1] in ("?", "*", "{") and len(plain[0]) > 1
    return plain[0][:-1] if may_lack_last else plain[0]


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
