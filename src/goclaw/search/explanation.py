"""Explanation: how a question was ranked, and where one record stood; what "why did it not find X" is answered from."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What became of one record when a question was answered."""

    FOUND = "found"
    BEHIND_LIMIT = "behind_limit"  # it would be found with a higher limit
    WITHHELD = "withheld"  # it fits, and may not be shown this way
    NO_MATCH = "no_match"  # neither a word nor its meaning fits
    UNDER_MIN_SCORE = "under_min_score"
    NO_EVIDENCE = "no_evidence"  # too few of the question's words, and too far in meaning
    OTHER_PERSON = "other_person"  # the whole question is about another person than the one who said it
    NOT_SEARCHED = "not_searched"  # records of this scope are not searched for this asker


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the best chunk of one record stood."""

    slot: int
    verdict: Verdict
    rank: int | None  # among all that could be shown, from 1
    score: float  # after decay
    parts: Mapping[str, float | int | None]
    weighed: Mapping[str, float]  # what each feature added to the log odds, the heaviest first; empty: not ranked again
    policy: int  # its bits at this moment


@dataclass(frozen=True, slots=True)
class Explained:
    """One question, taken apart."""

    terms: tuple[str, ...]  # as they were looked for
    words: tuple[tuple[int, float], ...]  # slot and BM25, best first
    meaning: tuple[tuple[int, float], ...] | None  # slot and cosine, best first; None: words alone
    best: float  # the best score before decay
    least: float  # what a hit needs
    standing: Standing | None  # of the record that was asked about
