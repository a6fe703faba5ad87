"""Hybrid: one ranking out of words and meaning, over the namespaces it is given; it knows no principal.

keyword + vector -> fusion -> min_score -> decay -> evidence check -> best chunk per memory -> limit (engine.md 2.3).
Every step is computed over all rows or over a fixed number of the best, so that the order does not depend on how many
hits are asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.model.hit import Reason
from goclaw.model.namespace import NamespaceState
from goclaw.search import fusion
from goclaw.search.blocks import BlockCache
from goclaw.search.decay import decay
from goclaw.search.evidence_check import has_evidence
from goclaw.search.keyword import KeywordScores, score_keywords
from goclaw.search.query import Query
from goclaw.search.vector import RESCORED, VectorScores, rescore, score_vectors
from goclaw.search.view import Rows, View, best_rows
from goclaw.settings.settings import SearchSettings
from goclaw.storage.database import Reader

POOL = 200  # memories that age may put into another order; as many as anybody may ask for
FEWEST_CANDIDATES, MOST_CANDIDATES = 24, 200
MOST_WITHHELD = 20
SMALLEST_SCORE = 1e-9
SINGLE_HIT_SHARE = 0.6  # of min_score, for hits behind the best (decision y)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to search; the settings of ``memory.search`` and what the index says of its model."""

    limit: int  # hits wanted, 1-200
    model_no: int | None  # whose vectors may be compared; None: none
    model_floor: float | None  # cosine above nearly all unrelated pairs of this model, where it was measured
    min_score: float
    min_similarity: float | None  # None: model_floor decides; negative: no evidence check
    by_score: bool  # False: reciprocal rank fusion
    rrf_k: int
    candidates: int  # per list
    half_life_days: float
    decay_floor: float

    @classmethod
    def of(cls, settings: SearchSettings, *, limit: int, model_no: int | None, model_floor: float | None) -> "Options":
        """The settings, with this question's limit."""
        wanted = settings.max_results * settings.candidate_multiplier
        return cls(
            limit=limit,
            model_no=model_no,
            model_floor=model_floor,
            min_score=settings.min_score,
            min_similarity=settings.min_similarity,
            by_score=settings.fusion == "score",
            rrf_k=settings.rrf_k,
            candidates=min(max(wanted, FEWEST_CANDIDATES), MOST_CANDIDATES),
            half_life_days=settings.half_life_days,
            decay_floor=settings.decay_floor,
        )

    @property
    def evidence_floor(self) -> float | None:
        """The cosine that counts as evidence."""
        return self.model_floor if self.min_similarity is None else self.min_similarity


@dataclass(frozen=True, slots=True)
class Ranked:
    """One memory that was found, by its best chunk."""

    slot: int  # of the chunk, as stored
    memory_first_slot: int  # of the memory's first chunk: the same for all its chunks
    score: float  # 0-1, after decay
    parts: Mapping[str, float | int | None]  # why it stands where it stands


@dataclass(frozen=True, slots=True)
class WithheldRow:
    """A chunk that would have ranked and may not be shown this way."""

    slot: int
    policy: int  # its bits at this moment


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer of search, best first."""

    hits: tuple[Ranked, ...]
    reason: Reason | None = None  # why there are no hits
    withheld: tuple[WithheldRow, ...] = ()


def search(
    reader: Reader, cache: BlockCache, states: Sequence[NamespaceState], query: Query, options: Options
) -> Ranking:
    """Rank the rows of the namespaces. ``states`` must come from ``reader``'s own snapshot."""
    if not query.terms:
        return Ranking((), Reason.NO_TERMS)
    model_no = options.model_no if query.vector is not None else None
    view = View(cache.current(reader, states, model_no), query.now, query.withheld_bits)
    keyword = score_keywords(view, query.terms)
    vectors = None
    if query.vector is not None and model_no is not None:
        vectors = score_vectors(view, query.vector)
        nearest = best_rows(vectors.cosines, view.allowed, RESCORED)
        worded = best_rows(keyword.bm25, view.allowed, options.candidates)
        rows = np.union1d(nearest, worded)
        rescore(vectors, rows, query.vector, view, reader, cache.source, model_no)
    return _Ranker(view, keyword, vectors, options).rank()


class _Ranker:
    """One question being answered from the scores of all rows."""

    def __init__(self, view: View, keyword: KeywordScores, vectors: VectorScores | None, options: Options) -> None:
        self._view = view
        self._keyword = keyword
        self._vectors = vectors
        self._options = options
        self._masked = view.alive & ~view.allowed
        self._strength = fusion.keyword_strength(keyword)
        self._keyword_list = self._list(keyword.bm25)
        self._vector_list = self._list(vectors.cosines) if vectors else None
        self._fused = self._fuse_scores() if options.by_score else self._fuse_ranks()

    def rank(self) -> Ranking:
        allowed = self._view.allowed
        best = float(self._fused.max(initial=0, where=allowed))
        fitting = self._fused >= self._least_score(best)
        evident = fitting & self._has_evidence()
        hits = self._hits(best_memories(self._view, self._fused, evident & allowed, POOL))
        withheld = self._withheld(evident & self._masked, hits)
        if hits:
            return Ranking(hits, withheld=withheld)
        return Ranking((), self._why_empty(best, bool((fitting & allowed).any()), withheld), withheld=withheld)

    def _fuse_scores(self) -> NDArray[np.float64]:
        near = fusion.vector_strength(self._vectors.cosines, self._options.model_floor) if self._vectors else None
        return fusion.fuse_scores(self._strength, near, self._vectors)

    def _fuse_ranks(self) -> NDArray[np.float64]:
        lists = [self._with_masked(self._keyword.bm25, self._keyword_list)]
        if self._vectors is not None and self._vector_list is not None:
            lists.append(self._with_masked(self._vectors.cosines, self._vector_list))
        return fusion.fuse_ranks(lists, self._view.row_count, k=self._options.rrf_k, depth=self._options.candidates)

    def _list(self, scores: NDArray[np.floating[Any]]) -> Rows:
        """The best rows of one list in their order; ties go by slot."""
        depth = self._options.candidates if self._options.by_score else MOST_CANDIDATES
        rows = best_rows(scores, self._view.allowed, depth)
        return rows[np.lexsort((self._view.slots(rows), -scores[rows]))]

    def _with_masked(self, scores: NDArray[np.floating[Any]], ranked: Rows) -> fusion.RankedList:
        """A list with its ranks, and masked rows at the ranks they would have had; these move nobody."""
        masked = best_rows(scores, self._masked, MOST_WITHHELD)
        above = np.searchsorted(-scores[ranked], -scores[masked], side="left")
        return np.concatenate([ranked, masked]), np.concatenate([np.arange(1, len(ranked) + 1), above + 1])

    def _least_score(self, best: float) -> float:
        """The fused score a hit needs (decision y); a score of 0 is never a hit."""
        options = self._options
        is_answer = options.by_score and best >= options.min_score
        return max(options.min_score * (SINGLE_HIT_SHARE if is_answer else 1), SMALLEST_SCORE)

    def _has_evidence(self) -> NDArray[np.bool_]:
        cosines = self._vectors.cosines if self._vectors else None
        keyword = self._keyword
        return has_evidence(keyword.matched, keyword.term_count, cosines, self._options.evidence_floor)

    def _decayed(self, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores after decay, and the decay."""
        weights = decay(
            self._view.updated_at(rows),
            self._view.now,
            self._view.is_evergreen(rows),
            half_life_days=self._options.half_life_days,
            floor=self._options.decay_floor,
        )
        return self._fused[rows] * weights, weights

    def _hits(self, rows: Rows) -> tuple[Ranked, ...]:
        """The best of a pool, one chunk a memory: by score, then the newer, then the slot."""
        scores, weights = self._decayed(rows)
        slots, memories = self._view.slots(rows), self._view.memories(rows)
        order = np.lexsort((slots, -self._view.updated_at(rows), -scores))
        _, firsts = np.unique(memories[order], return_index=True)
        chosen = order[np.sort(firsts)][: self._options.limit]
        return tuple(
            Ranked(int(slots[at]), int(memories[at]), float(scores[at]), self._parts(int(rows[at]), float(weights[at])))
            for at in chosen
        )

    def _parts(self, row: int, weight: float) -> dict[str, float | int | None]:
        keyword, vectors = self._keyword, self._vectors
        has_vector = vectors is not None and bool(vectors.known[row])
        matched = int(keyword.matched[row])
        return {
            "fused": float(self._fused[row]),
            "decay": weight,
            "keyword": float(self._strength[row]),
            "bm25": float(keyword.bm25[row]),
            "keyword_rank": _place(self._keyword_list, row),
            "matched_terms": matched,
            "term_share": matched / keyword.term_count,
            "cosine": float(vectors.cosines[row]) if vectors is not None and has_vector else None,
            "vector_rank": _place(self._vector_list, row),
        }

    def _withheld(self, among: NDArray[np.bool_], hits: Sequence[Ranked]) -> tuple[WithheldRow, ...]:
        """Masked rows that would have been among the hits, one a memory, best first."""
        rows = best_memories(self._view, self._fused, among, MOST_WITHHELD)
        scores, _ = self._decayed(rows)
        if len(hits) >= self._options.limit:
            rows, scores = rows[scores >= hits[-1].score], scores[scores >= hits[-1].score]
        slots = self._view.slots(rows)
        order = np.lexsort((slots, -scores))
        _, firsts = np.unique(self._view.memories(rows)[order], return_index=True)
        chosen = order[np.sort(firsts)][:MOST_WITHHELD]
        return tuple(WithheldRow(int(slots[at]), int(self._view.policies[rows[at]])) for at in chosen)

    def _why_empty(self, best: float, any_fits: bool, withheld: Sequence[WithheldRow]) -> Reason:
        if withheld:
            return Reason.WITHHELD
        if best <= 0:
            return Reason.NO_CANDIDATES
        return Reason.NO_EVIDENCE if any_fits else Reason.UNDER_MIN_SCORE


def best_memories(view: View, scores: NDArray[np.float64], among: NDArray[np.bool_], count: int) -> Rows:
    """The best rows that belong to at least ``count`` memories, where there are so many; in the order of rows."""
    wanted = count
    while True:
        rows = best_rows(scores, among, wanted)
        if len(rows) < wanted or len(np.unique(view.memories(rows))) >= count:
            return rows
        wanted *= 4


def _place(ranked: Rows | None, row: int) -> int | None:
    """The rank of a row in a list, from 1; None where it is not in it."""
    places = [] if ranked is None else np.flatnonzero(ranked == row).tolist()
    return places[0] + 1 if places else None
