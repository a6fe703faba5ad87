"""Records for a context: those that may be injected, as lines, each shown once and within a section's own cap."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from goclaw.context.line import hit_line, record_line, verbatim
from goclaw.context.section import Entry
from goclaw.model.access import is_inside
from goclaw.model.freshness import settle
from goclaw.model.hit import Hit
from goclaw.model.namespace import NamespaceState
from goclaw.model.principal import Principal
from goclaw.model.record import MemoryRecord
from goclaw.model.use_policy import UsePolicy
from goclaw.storage import memories
from goclaw.storage.database import Reader
from goclaw.storage.memories import RecordFilter

MOST_READ = 1_000  # of one kind; beyond it the oldest are not looked at
PORTION = 50  # read at a time, where few are likely to be shown
MOST_PASSED_OVER = 20  # records that are larger than the room that is left
SHORTEST_LINE = 80  # the head of a line alone takes more


@dataclass(slots=True)
class Shelf:
    """What one context reads and shows. A record stands in the first section that takes it (engine.md 1 k)."""

    reader: Reader
    principal: Principal
    now: int  # microseconds since 1970
    pending_days: int
    shown: set[str] = field(default_factory=set)  # ids

    def newest(
        self, states: Sequence[NamespaceState], filters: RecordFilter, limit: int = MOST_READ
    ) -> list[MemoryRecord]:
        """Records of the namespaces as they are now, newest first."""
        found = memories.page(self.reader, [state.id for state in states], filters=filters, limit=limit)
        return [settle(record, self.now, self.pending_days) for record in found]

    def walk(self, states: Sequence[NamespaceState], filters: RecordFilter) -> Iterator[MemoryRecord]:
        """The same, read a few at a time, for sections that take only as many as they have room for."""
        before = None
        for _ in range(MOST_READ // PORTION):
            found = memories.page(
                self.reader, [state.id for state in states], filters=filters, before=before, limit=PORTION
            )
            yield from (settle(record, self.now, self.pending_days) for record in found)
            if len(found) < PORTION:
                return
            before = (found[-1].created_at, found[-1].id)

    def by_ids(self, memory_ids: Sequence[str], states: Sequence[NamespaceState]) -> list[MemoryRecord]:
        """These records as they are now, newest first; those that are gone are left out."""
        found = memories.get_many(self.reader, memory_ids, [state.id for state in states]).values()
        settled = [settle(record, self.now, self.pending_days) for record in found]
        return sorted(settled, key=lambda record: (record.created_at, record.id), reverse=True)

    def policy(self, record: MemoryRecord) -> UsePolicy:
        """What the record may do here."""
        return record.policy_for(inside=is_inside(self.principal, record.namespace))

    def may_inject(self, record: MemoryRecord) -> bool:
        """Whether it may go into a prompt by itself, as evidence at least."""
        policy = self.policy(record)
        return policy.can_use_as_evidence and not policy.do_not_inject_automatically

    def instructions(self, records: Iterable[MemoryRecord], max_chars: int | None = None) -> tuple[Entry, ...]:
        """Those that may instruct, as they were written."""
        kept = [record for record in records if self.policy(record).can_use_as_instruction and self._take(record)]
        return tuple(Entry(verbatim(record, max_chars), record) for record in kept)

    def evidence(self, records: Iterable[MemoryRecord], room: int, most: int | None = None) -> tuple[Entry, ...]:
        """Whole records in their order, as lines of at most ``room`` characters in all.

        One that is larger than what is left is passed over, not cut, so that smaller ones behind it still come; not
        many are, since what is far behind is no longer recent.
        """
        entries: list[Entry] = []
        passed_over = 0
        for record in records:
            if room < SHORTEST_LINE or len(entries) == most or passed_over > MOST_PASSED_OVER:
                break
            if record.id in self.shown or not self.may_inject(record):
                continue
            line = record_line(record, self.policy(record))
            if len(line) + 1 > room:
                passed_over += 1
                continue
            room -= len(line) + 1
            self.shown.add(record.id)
            entries.append(Entry(line, record))
        return tuple(entries)

    def found(self, hits: Iterable[Hit], most: int) -> tuple[Entry, ...]:
        """The best hits that are not shown yet, as lines."""
        entries: list[Entry] = []
        for hit in hits:
            if len(entries) < most and self.may_inject(hit.record) and self._take(hit.record):
                entries.append(Entry(hit_line(hit), hit.record, hit))
        return tuple(entries)

    def _take(self, record: MemoryRecord) -> bool:
        if record.id in self.shown:
            return False
        self.shown.add(record.id)
        return True
