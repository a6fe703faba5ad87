"""Hybrid: one ranking out of words and meaning, over the namespaces it is given; it knows no principal.

keyword + vector -> fusion -> min_score -> decay -> evidence check -> best chunk per memory -> limit (engine.md 2.3).
Every step is computed over all rows or over a fixed number of the best, so that the order does not depend on how many
hits are asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goclaw.model.hit import Reason
from goclaw.model.namespace import NamespaceState
from goclaw.search import fusion
from goclaw.search.blocks import BlockCache
from goclaw.search.decay import decay
from goclaw.search.evidence_check import has_evidence
from goclaw.search.explanation import Explained, Standing, Verdict
from goclaw.search.keyword import KeywordScores, score_keywords
from goclaw.search.query import Query
from goclaw.search.ranker import DEFAULT, Ranker, load_ranker
from goclaw.search.rerank import Examined, Examiner, rescored
from goclaw.search.vector import RESCORED, VectorScores, rescore, score_vectors
from goclaw.search.view import Candidates, Rows, View, best_rows, distinct
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
    ranker: Ranker | None  # ranks the best candidates again; None: the first ranking stands

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
            ranker=_ranker(settings),
        )

    @property
    def list_depth(self) -> int:
        """How many rows the keyword list and the vector list have."""
        return self.candidates if self.by_score else MOST_CANDIDATES

    @property
    def checks_evidence(self) -> bool:
        """Whether an answer needs evidence (decision y)."""
        return self.min_similarity is None or self.min_similarity >= 0

    @property
    def evidence_floor(self) -> float | None:
        """The cosine that counts as evidence."""
        return self.model_floor if self.min_similarity is None else self.min_similarity


def _ranker(settings: SearchSettings) -> Ranker | None:
    """Ranks are never weighed again: ``fusion: rrf`` is what its name says."""
    if settings.rerank == "none" or settings.fusion == "rrf":
        return None
    return load_ranker(Path(settings.ranker) if settings.ranker else DEFAULT)


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
    return _score(reader, cache, states, query, options).rank()


def explain(
    reader: Reader,
    cache: BlockCache,
    states: Sequence[NamespaceState],
    query: Query,
    options: Options,
    slots: Sequence[int] = (),
) -> Explained | None:
    """How the question is ranked, and where the record with these chunks stands; None for one without words."""
    return _score(reader, cache, states, query, options).explain(query.terms.words, slots) if query.terms else None


@dataclass(frozen=True, slots=True)
class ExaminedMemories:
    """The candidates of a question: what a ranker is fitted on. Parallel arrays."""

    examined: Examined
    first: NDArray[np.floating[Any]]  # scores of the first ranking
    memories: NDArray[np.int64]  # slot of the first chunk of each one's memory


def examine(
    reader: Reader, cache: BlockCache, states: Sequence[NamespaceState], query: Query, options: Options
) -> ExaminedMemories | None:
    """What the second ranking would weigh; None where there is no candidate."""
    if not query.terms:
        return None
    ranker = _score(reader, cache, states, query, replace(options, ranker=None))
    examined = ranker.examine()
    if examined is None:
        return None
    rows = examined.rows
    return ExaminedMemories(examined, ranker.first[rows], ranker.view.describe(rows).memories)


def _score(
    reader: Reader, cache: BlockCache, states: Sequence[NamespaceState], query: Query, options: Options
) -> "_Ranker":
    model_no = options.model_no if query.vector is not None else None
    view = View(cache.current(reader, states, model_no), query.now, query.withheld_bits)
    keyword = score_keywords(view, query.terms)
    worded = best_rows(keyword.bm25, view.allowed, options.list_depth)
    vectors: VectorScores | None = None
    nearest: Rows | None = None
    if query.vector is not None and model_no is not None:
        vectors = score_vectors(view, query.vector)
        nearest = best_rows(vectors.cosines, view.allowed, max(RESCORED, options.list_depth))
        rescore(vectors, nearest, query.vector, view, reader, cache.source, model_no)
    examiner = Examiner(reader, cache.source, model_no, view, query, keyword, vectors)
    return _Ranker(view, options, keyword, worded, vectors, nearest, examiner)


class _Choice(NamedTuple):
    row: int
    slot: int
    memory: int  # slot of its first chunk
    score: float  # after decay
    weight: float  # the decay


class _Ranker:
    """One question being answered from the scores of all rows."""

    def __init__(
        self,
        view: View,
        options: Options,
        keyword: KeywordScores,
        worded: Rows,  # the best by words
        vectors: VectorScores | None,
        nearest: Rows | None,  # the best by meaning
        examiner: Examiner,
    ) -> None:
        self.view = view
        self._options = options
        self._keyword = keyword
        self._vectors = vectors
        masked = view.alive & ~view.allowed
        self._masked = masked if masked.any() else None
        self._strength = fusion.keyword_strength(keyword)
        self._worded = self._in_order(worded, keyword.bm25)
        self._nearest = None if vectors is None or nearest is None else self._in_order(nearest, vectors.cosines)
        self.first = self._fuse_scores() if options.by_score else self._fuse_ranks()
        self._examiner = examiner
        self._is_by_another = False
        self._examined: Examined | None = None
        self._scores = self.first if options.ranker is None else self._rescore(options.ranker)

    def examine(self) -> Examined | None:
        """The candidates of the first ranking with all that is known of them."""
        masked = np.empty(0, np.intp) if self._masked is None else best_rows(self.first, self._masked, MOST_WITHHELD)
        return self._examiner.examine(self.first, masked[:MOST_WITHHELD])

    def explain(self, terms: tuple[str, ...], slots: Sequence[int]) -> Explained:
        best = float(self._scores.max(initial=0, where=self.view.allowed))
        nearest = self._nearest
        return Explained(
            terms=terms,
            words=self._listed(self._worded, self._keyword.bm25),
            meaning=None if nearest is None or self._vectors is None else self._listed(nearest, self._vectors.cosines),
            best=best,
            least=self._least_score(best),
            standing=self._standing(self.view.rows_of(slots), self._least_score(best)) if slots else None,
        )

    def _listed(self, rows: Rows, scores: NDArray[np.floating[Any]]) -> tuple[tuple[int, float], ...]:
        ascending = np.sort(rows)
        slot_of = dict(zip(ascending.tolist(), self.view.slots(ascending).tolist(), strict=True))
        return tuple((slot_of[row], float(scores[row])) for row in rows.tolist() if scores[row] > 0)

    def _standing(self, rows: Rows, least: float) -> Standing | None:
        """Of the best living row among some."""
        rows = rows[rows >= 0]
        rows = rows[self.view.alive[rows]]
        if not len(rows):
            return None
        row = int(rows[np.argmax(self._scores[rows])])
        evident = (self._scores >= least) & self._has_evidence()
        shown = self._choose(evident & self.view.allowed, POOL, POOL)
        memory = int(self.view.describe(np.array([row])).memories[0])
        rank = next((place for place, one in enumerate(shown, 1) if one.memory == memory), None)
        found = self.view.describe(np.array([row]))
        weight = self._decay(found)[0]
        return Standing(
            slot=int(found.slots[0]),
            verdict=self._verdict(row, least, bool(evident[row]), rank),
            rank=rank,
            score=float(self._scores[row] * weight),
            parts={**self._parts(row), "decay": float(weight)},
            weighed=self._weighed(row),
            policy=int(self.view.policies[row]),
        )

    def _verdict(self, row: int, least: float, is_evident: bool, rank: int | None) -> Verdict:
        if self._scores[row] < SMALLEST_SCORE:
            return Verdict.NO_MATCH
        if not self.view.allowed[row]:
            return Verdict.WITHHELD
        if self._is_by_another:
            return Verdict.OTHER_PERSON
        if self._scores[row] < least:
            return Verdict.UNDER_MIN_SCORE
        if not is_evident:
            return Verdict.NO_EVIDENCE
        return Verdict.FOUND if rank is not None and rank <= self._options.limit else Verdict.BEHIND_LIMIT

    def _weighed(self, row: int) -> Mapping[str, float]:
        if self._options.ranker is None or self._examined is None:
            return {}
        return self._options.ranker.contributions(
            self._examined.features, self._examined.kinds, self._examined.rows, row
        )

    def rank(self) -> Ranking:
        if self._is_by_another:
            return Ranking((), Reason.OTHER_PERSON)
        allowed = self.view.allowed
        best = float(self._scores.max(initial=0, where=allowed))
        fitting = self._scores >= self._least_score(best)
        evident = fitting & self._has_evidence()
        hits = self._hits(evident & allowed)
        withheld = self._withheld(evident, hits)
        reason = None if hits else self._why_empty(best, bool((fitting & allowed).any()), withheld)
        return Ranking(hits, reason, withheld)

    def _rescore(self, ranker: Ranker) -> fusion.Fused:
        examined = self._examined = self.examine()
        if examined is None:
            return self.first
        allowed = self.view.allowed[examined.rows]
        said = {name: values[allowed] for name, values in examined.features.items()}
        self._is_by_another = self._options.checks_evidence and ranker.is_by_another(said, examined.kinds[allowed])
        return rescored(self.first, examined, ranker)

    def _fuse_scores(self) -> fusion.Fused:
        if self._vectors is None:
            return self._strength
        near = fusion.vector_strength(self._vectors.cosines, self._options.model_floor)
        return fusion.fuse_scores(self._strength, self._keyword.rows, near, self._vectors.known)

    def _fuse_ranks(self) -> fusion.Fused:
        lists = [self._with_masked(self._keyword.bm25, self._worded)]
        if self._vectors is not None and self._nearest is not None:
            lists.append(self._with_masked(self._vectors.cosines, self._nearest))
        return fusion.fuse_ranks(lists, self.view.row_count, k=self._options.rrf_k, depth=self._options.candidates)

    def _in_order(self, rows: Rows, scores: NDArray[np.floating[Any]]) -> Rows:
        """One list, best first; ties go by slot, which is the order of rows within a namespace."""
        order = np.lexsort((self.view.slots(rows), -scores[rows]))
        return rows[order][: self._options.list_depth]

    def _with_masked(self, scores: NDArray[np.floating[Any]], ranked: Rows) -> fusion.RankedList:
        """A list with its ranks, and masked rows at the ranks they would have had; these move nobody."""
        ranks = np.arange(1, len(ranked) + 1)
        if self._masked is None:
            return ranked, ranks
        masked = best_rows(scores, self._masked, MOST_WITHHELD)
        above = np.searchsorted(-scores[ranked], -scores[masked], side="left")
        return np.concatenate([ranked, masked]), np.concatenate([ranks, above + 1])

    def _least_score(self, best: float) -> float:
        """The fused score a hit needs (decision y); a score of 0 is never a hit."""
        options = self._options
        is_answer = options.by_score and best >= options.min_score
        return max(options.min_score * (SINGLE_HIT_SHARE if is_answer else 1), SMALLEST_SCORE)

    def _has_evidence(self) -> NDArray[np.bool_]:
        cosines = self._vectors.cosines if self._vectors else None
        keyword = self._keyword
        return has_evidence(keyword.evidence, keyword.words, cosines, self._options.evidence_floor)

    def _choose(self, among: NDArray[np.bool_], pool: int, count: int) -> list[_Choice]:
        """The best rows of a pool after decay, one a memory: by score, then the newer, then the slot."""
        found = self._pool(among, pool)
        weights = self._decay(found)
        scores = self._scores[found.rows] * weights
        order = np.lexsort((found.slots, -found.updated_at, -scores)).tolist()
        best_of: dict[int, _Choice] = {}
        for at in order:
            memory = int(found.memories[at])
            if memory not in best_of:
                best_of[memory] = _Choice(
                    int(found.rows[at]), int(found.slots[at]), memory, float(scores[at]), float(weights[at])
                )
                if len(best_of) == count:
                    break
        return list(best_of.values())

    def _decay(self, found: Candidates) -> NDArray[np.float64]:
        return decay(
            found.updated_at,
            self.view.now,
            found.is_evergreen,
            half_life_days=self._options.half_life_days,
            floor=self._options.decay_floor,
        )

    def _pool(self, among: NDArray[np.bool_], count: int) -> Candidates:
        """The best rows, enough of them for ``count`` memories where there are so many."""
        wanted = count
        while True:
            rows = best_rows(self._scores, among, wanted)
            found = self.view.describe(rows)
            if len(rows) < wanted or len(distinct(found.memories)) >= count:
                return found
            wanted *= 4

    def _hits(self, among: NDArray[np.bool_]) -> tuple[Ranked, ...]:
        keyword_ranks = {row: rank for rank, row in enumerate(self._worded.tolist(), 1)}
        nearest = [] if self._nearest is None else self._nearest.tolist()
        vector_ranks = {row: rank for rank, row in enumerate(nearest, 1)}
        return tuple(
            Ranked(
                slot=one.slot,
                memory_first_slot=one.memory,
                score=one.score,
                parts={
                    **self._parts(one.row),
                    "keyword_rank": keyword_ranks.get(one.row),
                    "vector_rank": vector_ranks.get(one.row),
                    "decay": one.weight,
                },
            )
            for one in self._choose(among, POOL, self._options.limit)
        )

    def _parts(self, row: int) -> dict[str, float | int | None]:
        keyword, vectors = self._keyword, self._vectors
        matched = int(keyword.matched[row])
        return {
            "fused": float(self.first[row]),
            "relevance": float(self._scores[row]) if self._options.ranker else None,
            "keyword": float(self._strength[row]),
            "bm25": float(keyword.bm25[row]),
            "matched_terms": matched,
            "term_share": float(keyword.evidence[row]) / keyword.words if keyword.words else 0.0,
            "cosine": float(vectors.cosines[row]) if vectors is not None and vectors.known[row] else None,
        }

    def _withheld(self, evident: NDArray[np.bool_], hits: Sequence[Ranked]) -> tuple[WithheldRow, ...]:
        """Masked rows that would have been among the hits, one a memory, best first."""
        if self._masked is None:
            return ()
        least = hits[-1].score if len(hits) >= self._options.limit else 0.0
        chosen = self._choose(evident & self._masked, MOST_WITHHELD, MOST_WITHHELD)
        return tuple(WithheldRow(one.slot, int(self.view.policies[one.row])) for one in chosen if one.score >= least)

    def _why_empty(self, best: float, any_fits: bool, withheld: Sequence[WithheldRow]) -> Reason:
        if withheld:
            return Reason.WITHHELD
        if best <= 0:
            return Reason.NO_CANDIDATES
        return Reason.NO_EVIDENCE if any_fits else Reason.UNDER_MIN_SCORE
