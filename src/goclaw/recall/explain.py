"""Explain: why a question found what it found, and why it did not find a record that its asker may see."""

from collections.abc import Mapping
from dataclasses import dataclass

from goclaw.model.access import Reading
from goclaw.model.errors import NotFound
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal
from goclaw.recall.ask import Ask
from goclaw.recall.label import why_withheld
from goclaw.recall.readable import readable_states
from goclaw.recall.recall import Recaller
from goclaw.search.explanation import Explained, Verdict
from goclaw.storage import chunks, memories
from goclaw.storage.database import Reader

_NO_WORDS = Explained((), (), None, 0.0, 0.0, None)  # a question without any


@dataclass(frozen=True, slots=True)
class WhyOne:
    """What became of one record."""

    memory_id: str
    verdict: Verdict
    withheld_as: str | None  # pending, stale, ...; where the verdict is "withheld"
    rank: int | None  # among all that could be shown, from 1
    score: float
    score_parts: Mapping[str, float | int | None]
    weighed: Mapping[str, float]  # what each feature added to the log odds, the heaviest first


@dataclass(frozen=True, slots=True)
class Explanation:
    """One question, taken apart; every id in it is of a record that its asker may see."""

    terms: tuple[str, ...]
    namespaces: tuple[Namespace, ...]  # that were searched
    words: tuple[tuple[str, float], ...]  # record and BM25, best first
    meaning: tuple[tuple[str, float], ...] | None  # record and cosine; None: words alone
    best_score: float  # before decay
    least_score: float  # what a hit needs
    record: WhyOne | None  # the one that was asked about


@dataclass(frozen=True, slots=True)
class Explainer:
    """Takes questions apart. It shows no text and leaves no trace: nothing of it may go into a prompt."""

    recaller: Recaller

    def explain(self, principal: Principal, ask: Ask, memory_id: str | None = None) -> Explanation:
        """How the question is ranked, and what became of a record. NotFound for one that may not be seen."""
        recaller = self.recaller
        vectors = recaller.embed(ask)
        with recaller.database.read() as reader:
            searched = readable_states(reader, principal, recaller.write_access, Reading.SEARCH)
            slots: list[int] = []
            if memory_id is not None:
                self._require(reader, principal, memory_id)
                slots = chunks.slots_of_memory(reader, memory_id)
            explained = recaller.take_apart(reader, ask, vectors, searched, slots)
            found = explained or _NO_WORDS
            is_searched = bool({slot >> 32 for slot in slots} & {state.id for state in searched})
            return Explanation(
                terms=found.terms,
                namespaces=tuple(state.namespace for state in searched),
                words=_by_record(reader, found.words),
                meaning=None if found.meaning is None else _by_record(reader, found.meaning),
                best_score=found.best,
                least_score=found.least,
                record=_why(memory_id, ask, found, is_searched) if memory_id else None,
            )

    def _require(self, reader: Reader, principal: Principal, memory_id: str) -> None:
        visible = readable_states(reader, principal, self.recaller.write_access, Reading.MANAGE)
        if memories.get(reader, memory_id, [state.id for state in visible]) is None:
            raise NotFound("There is no such record.", "Or it is not yours to see.")


def _why(memory_id: str, ask: Ask, found: Explained, is_searched: bool) -> WhyOne:
    standing = found.standing
    if standing is None:
        verdict = Verdict.NO_MATCH if is_searched else Verdict.NOT_SEARCHED
        return WhyOne(memory_id, verdict, None, None, 0.0, {}, {})
    withheld = standing.verdict is Verdict.WITHHELD
    return WhyOne(
        memory_id=memory_id,
        verdict=standing.verdict,
        withheld_as=why_withheld(standing.policy & ask.withheld_bits) if withheld else None,
        rank=standing.rank,
        score=standing.score,
        score_parts=standing.parts,
        weighed=standing.weighed,
    )


def _by_record(reader: Reader, ranked: tuple[tuple[int, float], ...]) -> tuple[tuple[str, float], ...]:
    """Records instead of chunks, each at its best place."""
    texts = chunks.texts_at(reader, [slot for slot, _ in ranked])
    found: dict[str, float] = {}
    for slot, value in ranked:
        if slot in texts:
            found.setdefault(texts[slot].memory_id, value)
    return tuple(found.items())
