"""Question: what kind of answer a question asks for, found by rule; the second ranking weighs candidates by it."""

import re
from dataclasses import dataclass

from goclaw.text.kinds_of_things import things_of
from goclaw.text.structure import Trait
from goclaw.text.terms import QueryTerms, stem, term_hash

_WHEN = re.compile(r"^(?:(?:since )?when\b|what (?:date|year|month|day|time)\b)|\bhow long\b", re.I)
_HOW_MANY = re.compile(r"\bhow (?:many|much|often)\b", re.I)
_WHERE = re.compile(r"where\b|(?:what|which) (?:place|city|town|country|state)", re.I)
_TITLE = re.compile(r"\b(?:book|movie|film|song|series|show|game|author|band|novel|album|artist|title|name)s?\b", re.I)
# About what the assistant said, so what the user said is no answer.
_ABOUT_YOU = re.compile(
    r"\b(?:did|have|had) you\b|\byou (?:recommend|suggest|advise|propose|explain|mention|provide|outline)"
    r"|\byour (?:recommendation|suggestion|advice)",
    re.I,
)
# Words that talk about a conversation instead of what it was about.
_TALK = """
can tell list order brought bring different aspect aspects throughout conversation conversations mention items walk give
comprehensive summary summarize many much help please suggest recommend discussion discussions discussed chat chats
session sessions across said ask asked talked provide explain describe overall far item
"""
_TALK_TERMS = frozenset(term_hash(stem(word)) for word in _TALK.split())


@dataclass(frozen=True, slots=True)
class Question:
    """What a question asks for."""

    wants: Trait  # traits of a chunk that fit the kind of answer
    is_about_you: bool
    talk: frozenset[int]  # terms that say nothing about the subject; empty where there would be nothing else
    kinds: tuple[frozenset[int], ...]  # for each kind of thing that is asked for: the terms of such things


def read_question(text: str, terms: QueryTerms) -> Question:
    """What the words say; ``terms`` are those of the same text."""
    asked = text.strip()
    wants = Trait(0)
    if _WHEN.search(asked):
        wants |= Trait.TELLS_WHEN
    elif _HOW_MANY.search(asked):
        wants |= Trait.TELLS_HOW_MANY
    elif _WHERE.match(asked):
        wants |= Trait.TELLS_WHERE
    if _TITLE.search(asked):
        wants |= Trait.NAMES_A_TITLE
    talk = _TALK_TERMS.intersection(terms.hashes)
    kinds = [things for word in terms.hashes if (things := things_of(word))]
    return Question(
        wants=wants,
        is_about_you=bool(_ABOUT_YOU.search(asked)),
        talk=frozenset() if len(talk) == len(terms) else talk,
        kinds=tuple(kinds),
    )
