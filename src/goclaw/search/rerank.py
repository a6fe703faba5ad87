"""Rerank: the best of the first ranking, and what was said around them, scored again by all that is known of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.search.blocks import RowSource
from goclaw.search.conversations import Conversations
from goclaw.search.features import Evidence, features
from goclaw.search.keyword import KeywordScores
from goclaw.search.late_interaction import nearest_words
from goclaw.search.query import Query
from goclaw.search.ranker import ALONE, BETWEEN_PEOPLE, KINDS, WITH_ASSISTANT, Ranker
from goclaw.search.vector import VectorScores
from goclaw.search.view import Rows, View, best_rows, distinct
from goclaw.storage.database import Reader
from goclaw.text.structure import Trait

POOL_ROWS = 160  # best rows of the first ranking: 200 find hardly more, 100 lose three answers in a hundred
AROUND = 40  # of them, whose neighbours take part although they may share no word with the question
_MOST_TIES = 2 * POOL_ROWS

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Examined:
    """Candidates and what is known of them."""

    rows: Rows  # ascending
    kinds: NDArray[np.intp]  # of each: index in ranker.KINDS
    features: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Examiner:
    """Counts the features of the best candidates of one question."""

    reader: Reader
    source: RowSource
    model_no: int | None
    view: View
    query: Query
    keyword: KeywordScores
    vectors: VectorScores | None

    def examine(self, first: Floats, masked: Rows) -> Examined | None:
        """The candidates by the scores of the first ranking, with ``masked`` rows beside them; None without any."""
        pool = self._pool(first)
        if not len(pool) and not len(masked):
            return None
        asked = distinct(np.concatenate([pool, masked]))
        talks = Conversations.around(self.view, asked)
        rows = distinct(np.concatenate([asked, self._around(talks, pool, first)]))
        nearest, known = self._nearest_words(rows)
        evidence = Evidence(self.view, self.query, self.keyword, self.vectors, rows, talks, nearest, known)
        return Examined(rows, kinds_of(self.view, rows), features(evidence))

    def _pool(self, first: Floats) -> Rows:
        rows = best_rows(first, self.view.allowed, POOL_ROWS)
        if len(rows) > _MOST_TIES:  # a thousand equal texts: the first of them
            rows = np.sort(rows[np.lexsort((rows, -first[rows]))[:POOL_ROWS]])
        return rows

    def _around(self, talks: Conversations, pool: Rows, first: Floats) -> Rows:
        best = pool[np.lexsort((pool, -first[pool]))[:AROUND]]
        utterances = talks.utterances(best)
        neighbours = np.concatenate([talks.before[utterances], talks.after[utterances]])
        rows = np.concatenate([talks.first_rows(neighbours), talks.last_rows(neighbours)])
        return rows[rows >= 0]

    def _nearest_words(self, rows: Rows) -> tuple[Floats | None, NDArray[np.bool_] | None]:
        if self.query.words is None or self.model_no is None:
            return None, None
        place_of = {slot: place for place, slot in enumerate(self.view.slots(rows).tolist())}
        stored = self.source.words_at(self.reader, self.model_no, list(place_of))
        return nearest_words(self.query.words, {place_of[slot]: raw for slot, raw in stored.items()}, len(rows))


def kinds_of(view: View, rows: Rows) -> NDArray[np.intp]:
    """What each row is part of, as an index in ranker.KINDS."""
    with_assistant = view.column(rows, "traits") & np.uint16(Trait.FROM_USER | Trait.FROM_ASSISTANT)
    in_session = view.column(rows, "sessions")
    between_people = np.where(in_session > 0, KINDS.index(BETWEEN_PEOPLE), KINDS.index(ALONE))
    return np.where((in_session > 0) & (with_assistant > 0), KINDS.index(WITH_ASSISTANT), between_people)


def rescored(first: Floats, examined: Examined, ranker: Ranker) -> Floats:
    """Scores of all rows: the candidates by the ranker, everything else behind them in the first ranking's order."""
    if not ranker.weighs(examined.features, examined.kinds):
        return first
    scores = ranker.scores(examined.features, examined.kinds, first[examined.rows])
    found = np.asarray(first * float(scores.min(initial=1.0)), np.float64)
    found[examined.rows] = scores
    return found
