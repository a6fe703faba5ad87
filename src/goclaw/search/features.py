"""Features: what the second ranking weighs of each candidate, as plain numbers that mean the same in every store.

Words, meaning, who speaks and what kind of answer is asked for; each for the chunk itself, and the strongest also for
what was said before and after it and for its session. Nothing is scaled by the other candidates of the same question.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.search.conversations import Conversations
from goclaw.search.keyword import K1, KeywordScores, idf_of, rows_with_any
from goclaw.search.query import Query
from goclaw.search.vector import VectorScores
from goclaw.search.view import Rows, View, distinct
from goclaw.text.structure import Trait

_WINDOW_B = 0.1  # texts of three turns differ a little more in length by what they say

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known when features are counted."""

    view: View
    query: Query
    keyword: KeywordScores
    vectors: VectorScores | None
    candidates: Rows  # ascending
    conversations: Conversations
    nearest: Floats | None  # of late_interaction.py: words of the question x candidates
    has_words: NDArray[np.bool_] | None  # candidates with vectors of words


def features(evidence: Evidence) -> dict[str, Floats]:
    """Name to one number a candidate."""
    found = _Counting(evidence)
    return {**found.words(), **found.speakers(), **found.fitting(), **found.meaning()}


class _Counting:
    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._rows = evidence.candidates
        talks = evidence.conversations
        self._utterance = talks.utterances(self._rows)
        self._before = talks.before[self._utterance]
        self._after = talks.after[self._utterance]
        view = evidence.view
        self._traits = view.column(self._rows, "traits")
        before_rows = talks.first_rows(self._before)
        self._follows_question = self._has(Trait.ASKS, view.column(before_rows, "traits"))

    def words(self) -> dict[str, Floats]:
        evidence, talks = self._evidence, self._evidence.conversations
        text = _Window.of(evidence, talks.last_rows(self._before), talks.first_rows(self._after))
        everything = np.ones(len(evidence.query.terms.hashes))
        subject = np.array([term not in evidence.query.asks.talk for term in evidence.keyword.numbers], float)
        plain, pointed = text.scores(everything), text.scores(subject)
        with_assistant = self._is_with_assistant()
        chosen = {name: np.where(with_assistant, pointed[name], plain[name]) for name in plain}
        strength = evidence.keyword.bm25 / max(evidence.keyword.idf_sum, 1e-9)
        return {
            **chosen,
            **text.kinds(evidence.query.asks.kinds),
            **self._around("bm25", strength, also_before=True),
            "log_length": np.log1p(evidence.view.column(self._rows, "lengths")),
        }

    def speakers(self) -> dict[str, Floats]:
        evidence = self._evidence
        speakers = evidence.view.column(self._rows, "speakers")
        present = distinct(evidence.view.column(evidence.conversations.members, "speakers"))
        named = present[np.isin(present, np.array(evidence.query.terms.hashes, np.uint32)) & (present > 0)]
        is_one = len(named) == 1
        of_named = (speakers == named[0]) if is_one else np.zeros(len(speakers), np.bool_)
        of_other = (speakers > 0) & ~of_named if is_one else np.zeros(len(speakers), np.bool_)
        about_you = evidence.query.asks.is_about_you
        from_user = self._has(Trait.FROM_USER)
        return {
            "named_speaker": of_named.astype(float),
            "other_speaker": of_other.astype(float),
            "user": from_user * (not about_you),
            "user_though_assistant_asked": from_user * about_you,
            "assistant_asked": self._has(Trait.FROM_ASSISTANT) * about_you,
        }

    def fitting(self) -> dict[str, Floats]:
        wants = self._evidence.query.asks.wants
        asked = {
            name: self._has(trait) * bool(wants & trait)
            for name, trait in (
                ("tells_when", Trait.TELLS_WHEN),
                ("tells_how_many", Trait.TELLS_HOW_MANY),
                ("tells_where", Trait.TELLS_WHERE),
                ("names_a_title", Trait.NAMES_A_TITLE),
            )
        }
        return {
            **asked,
            "ends_asking": self._has(Trait.ENDS_ASKING),
            "first_person": self._has(Trait.FIRST_PERSON),
            "standing": self._has(Trait.STANDING) * self._has(Trait.FROM_USER),
            "follows_question": self._follows_question,
        }

    def meaning(self) -> dict[str, Floats]:
        evidence = self._evidence
        if evidence.vectors is None:
            return {}
        cosines = evidence.vectors.cosines
        own = cosines[self._rows].astype(float)
        nearest, known = evidence.nearest, evidence.has_words
        if nearest is None or known is None:
            nearest, known = np.zeros((1, len(own)), np.float32), np.zeros(len(own), np.bool_)
        maxsim = nearest.mean(axis=0).astype(float)
        closeness = cosines.astype(float)
        closeness[self._rows[known]] = maxsim[known]
        window, answered = self._windows(nearest)
        return {
            "cosine": own,
            "maxsim": maxsim,
            "cosine_without_words": own * ~known,
            "without_words": (~known).astype(float),
            **self._around("cosine", cosines),
            **self._around("maxsim", closeness),
            "window_maxsim": window,
            "answered_maxsim": (answered - maxsim) * self._follows_question,
        }

    def _windows(self, nearest: Floats) -> tuple[Floats, Floats]:
        """Mean over the question's words of the nearest word in: before, itself, after; and: before, itself."""
        present = distinct(self._utterance)
        place = np.searchsorted(present, self._utterance)
        best = np.zeros((len(nearest), len(present) + 1), np.float32)  # the last one: nothing
        order = np.argsort(place, kind="stable")
        firsts = np.flatnonzero(np.diff(place[order], prepend=-1))
        best[:, :-1] = np.maximum.reduceat(nearest[:, order], firsts, axis=1)
        own = best[:, place]
        before, after = (best[:, _find(present, other)] for other in (self._before, self._after))
        answered = np.maximum(own, before)
        return np.maximum(answered, after).mean(axis=0), answered.mean(axis=0)

    def _around(self, name: str, values: Floats, *, also_before: bool = False) -> dict[str, Floats]:
        """A value of all rows, for the question before a candidate, what comes after it, and its session."""
        talks = self._evidence.conversations
        best = talks.best(values)
        before = np.where(self._before >= 0, best[self._before], 0)
        found = {
            f"{name}_of_question": before * self._follows_question,
            f"{name}_after": np.where(self._after >= 0, best[self._after], 0),
            f"{name}_of_session": talks.best_of_session(best)[self._utterance],
        }
        return found | ({f"{name}_before": before * (1 - self._follows_question)} if also_before else {})

    def _has(self, trait: Trait, traits: NDArray[np.uint16] | None = None) -> Floats:
        found = self._traits if traits is None else traits
        holds: Floats = ((found & np.uint16(trait)) != 0).astype(float)
        return holds

    def _is_with_assistant(self) -> NDArray[np.bool_]:
        is_one: NDArray[np.bool_] = (self._traits & np.uint16(Trait.FROM_USER | Trait.FROM_ASSISTANT)) != 0
        return is_one


@dataclass(frozen=True, slots=True)
class _Window:
    """Candidates with the rows right before and after them, and how often each term stands there."""

    evidence: Evidence
    rows: tuple[Rows, Rows, Rows]  # own, before, after; -1 for none
    places: tuple[Rows, Rows, Rows]  # of the same in ``counts``; the last row there is nothing
    counts: Floats  # rows x terms
    lengths: Floats  # of the rows

    @classmethod
    def of(cls, evidence: Evidence, before: Rows, after: Rows) -> "_Window":
        present = distinct(np.concatenate([evidence.candidates, before[before >= 0], after[after >= 0]]))
        place_of = np.full(evidence.view.row_count + 1, len(present), np.intp)  # the last entry answers for -1
        place_of[present] = np.arange(len(present))
        keyword = evidence.keyword
        counts = np.zeros((len(present) + 1, len(keyword.numbers)))
        among = place_of[keyword.found.rows] < len(present)
        counts[place_of[keyword.found.rows[among]], keyword.found.which[among]] = keyword.found.counts[among]
        lengths = np.append(evidence.view.column(present, "lengths"), 0).astype(float)
        rows = (evidence.candidates, before, after)
        return cls(evidence, rows, (place_of[rows[0]], place_of[before], place_of[after]), counts, lengths)

    def scores(self, weights: Floats) -> dict[str, Floats]:
        """BM25 and coverage of the chunk alone and with its neighbours, as shares of the question's whole weight."""
        keyword = self.evidence.keyword
        idf = keyword.idf * weights
        whole = max(float((keyword.whole_idf * weights).sum()), 1e-9)
        own, before, after = self.places
        with_neighbours = self.counts[own] + self.counts[before] + self.counts[after]
        nothing = len(self.lengths) - 1
        parts = 1 + (before < nothing) + (after < nothing)
        lengths = (self.lengths[own] + self.lengths[before] + self.lengths[after]) / parts
        b = min(1.0, keyword.b + _WINDOW_B)
        return {
            "bm25": self._bm25(self.counts[own], self.lengths[own], keyword.b) @ idf / whole,
            "window_bm25": self._bm25(with_neighbours, lengths, b) @ idf / whole,
            "coverage": (self.counts[own] > 0) @ idf / whole,
            "window_coverage": (with_neighbours > 0) @ idf / whole,
        }

    def _bm25(self, counts: Floats, lengths: Floats, b: float) -> Floats:
        saturation = K1 * (1 - b + b * lengths / self.evidence.keyword.average)
        found: Floats = counts * (K1 + 1) / (counts + saturation[:, None])
        return found

    def kinds(self, kinds: tuple[frozenset[int], ...]) -> dict[str, Floats]:
        """Whether things of the kinds that are asked for stand in the chunk, or in it or its neighbours."""
        view, (own, before, after) = self.evidence.view, self.rows
        alone, window = np.zeros(len(own)), np.zeros(len(own))
        for things in kinds:
            holds = np.append(rows_with_any(view, things), False)  # the last entry answers for -1
            weight = float(idf_of(np.array([np.count_nonzero(holds)]), max(view.alive_count, 1))[0])
            alone += weight * holds[own]
            window += weight * (holds[own] | holds[before] | holds[after])
        whole = max(self.evidence.keyword.idf_sum, 1e-9)
        return {"kinds": alone / whole, "window_kinds": window / whole}


def _find(ascending: NDArray[np.intp], wanted: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where each wanted number stands; the length for those that are not there."""
    at = np.searchsorted(ascending, wanted)
    is_there = at < len(ascending)
    is_there[is_there] = ascending[at[is_there]] == wanted[is_there]
    return np.where(is_there, at, len(ascending))
