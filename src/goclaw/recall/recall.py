"""Recall: find with rules and leave a trace. One read transaction, so that counters, blocks and records agree.

access (which namespaces?) -> search (keyword + vector, min_score, decay, evidence check) -> label -> trace.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.access import Reading, WriteAccess
from goclaw.model.clock import Clock
from goclaw.model.hit import Found, Reason
from goclaw.model.ids import IdMaker
from goclaw.model.namespace import NamespaceState
from goclaw.model.principal import Principal
from goclaw.recall.ask import Ask, Mode
from goclaw.recall.label import label_hits, label_withheld
from goclaw.recall.readable import readable_states
from goclaw.recall.trace import trace_of, write_traces
from goclaw.search import hybrid
from goclaw.search.blocks import BlockCache
from goclaw.search.explanation import Explained
from goclaw.search.hybrid import Ranking
from goclaw.search.query import Query
from goclaw.search.vector_index import VectorIndex, VectorState
from goclaw.settings.settings import Settings
from goclaw.storage import chunks, memories
from goclaw.storage.database import Database, Reader
from goclaw.storage.recall_traces import RecallTrace

Within = Callable[[Reader, list[NamespaceState]], list[NamespaceState]]

_READINGS = {Mode.AUTOMATIC: Reading.RECALL, Mode.EXPLICIT: Reading.SEARCH}
_NOBODY = Found(hits=(), reason=Reason.NO_IDENTITY)


@dataclass(frozen=True, slots=True)
class Recaller:
    """Answers questions."""

    database: Database
    clock: Clock
    ids: IdMaker
    settings: Settings
    write_access: WriteAccess
    blocks: BlockCache
    vectors: VectorIndex

    def answer(self, principal: Principal, ask: Ask, within: Within | None = None) -> Found:
        """What the principal may see that answers the question; an honest, reasoned "nothing" otherwise.

        ``within`` leaves out namespaces of those the principal may read: where others hear the answer. It is given in
        conversations, so the words of such a question are its asker's alone.
        """
        if not principal.is_identified:
            return _NOBODY
        vectors = self.embed(ask)
        with self.database.read() as reader:
            states = readable_states(reader, principal, self.write_access, _READINGS[ask.mode])
            states = within(reader, states) if within else states
            found = self.find(reader, principal, ask, vectors, states)
        trace = trace_of(self.ids.new_id(), principal, ask, found, self.clock.now())
        return self.keep_trace(principal, found, replace(trace, is_private=within is not None))

    def embed(self, ask: Ask) -> TextVectors | None:
        """The question's vectors; a private question is embedded in this process or not at all."""
        return self.vectors.embed_query(ask.text, in_process_only=ask.is_private) if ask.text.strip() else None

    def find(
        self,
        reader: Reader,
        principal: Principal,
        ask: Ask,
        vectors: TextVectors | None,
        states: Sequence[NamespaceState],
    ) -> Found:
        """Rank and label what the namespaces hold; no trace."""
        index = self.vectors.state(reader)
        now = self.clock.now()
        query = _query(ask, vectors, index, now)
        ranking = hybrid.search(reader, self.blocks, states, query, self.options(ask, index.model_no, index.floor))
        slots = [*(row.slot for row in ranking.hits), *(row.slot for row in ranking.withheld)]
        texts = chunks.texts_at(reader, slots)
        wanted = {texts[row.slot].memory_id for row in ranking.hits if row.slot in texts}
        records = memories.get_many(reader, sorted(wanted), [state.id for state in states])
        hits = label_hits(
            principal,
            ranking.hits,
            texts,
            records,
            withheld_bits=ask.withheld_bits,
            now=now,
            pending_days=self.settings.governance.pending_days,
        )
        return Found(
            hits=hits,
            reason=None if hits else ranking.reason or Reason.NO_CANDIDATES,
            notes=self._notes(ranking, index.reason, vectors),
            withheld=label_withheld(ranking.withheld, texts, ask.withheld_bits),
            searched_namespaces=len(states),
        )

    def take_apart(
        self,
        reader: Reader,
        ask: Ask,
        vectors: TextVectors | None,
        states: Sequence[NamespaceState],
        slots: Sequence[int],
    ) -> Explained | None:
        """How :meth:`find` ranks the question, and where the record with these chunks stands; None without words."""
        index = self.vectors.state(reader)
        query = _query(ask, vectors, index, self.clock.now())
        options = self.options(ask, index.model_no, index.floor)
        return hybrid.explain(reader, self.blocks, states, query, options, slots)

    def options(self, ask: Ask, model_no: int | None, floor: float | None) -> hybrid.Options:
        """How to search: the settings, and this question's limit."""
        search = self.settings.memory.search
        return hybrid.Options.of(search, limit=ask.limit or search.max_results, model_no=model_no, model_floor=floor)

    def _notes(self, ranking: Ranking, index_reason: Reason | None, vectors: TextVectors | None) -> tuple[Reason, ...]:
        """What was missing although the answer may be good."""
        notes = []
        if index_reason is not None:
            notes.append(index_reason)
        elif self.vectors.provider is not None and vectors is None and ranking.reason is not Reason.NO_TERMS:
            notes.append(Reason.PROVIDER_DOWN)
        return tuple(notes)

    def keep_trace(self, principal: Principal, found: Found, trace: RecallTrace) -> Found:
        """The answer with its trace, which is queued with those of others.

        Nobody waits for it unless memory.trace.durable is on; then there is no answer where it cannot be written.
        """
        if self.database.read_only:
            return found
        asked = (principal, trace)
        if self.settings.memory.trace.durable:
            self.database.write(lambda unit: write_traces(unit, [asked]))
        else:
            self.database.write_together_later(write_traces, asked)
        return replace(found, trace_id=trace.id)


def _query(ask: Ask, vectors: TextVectors | None, index: VectorState, now: int) -> Query:
    """The question as search takes it; vectors only where they may be compared with the index."""
    usable = vectors if index.model_no is not None else None
    return Query.of(ask.text, vectors=usable, now=now, withheld_bits=ask.withheld_bits)
