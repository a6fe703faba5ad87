"""The review services over an engine of the flow tests, and short ways to look at what they did."""

from dataclasses import dataclass

from goclaw.bootstrap import Engine
from goclaw.lifecycle.inspection import Inspector
from goclaw.lifecycle.propose import Proposer
from goclaw.lifecycle.review import Reviewer
from goclaw.lifecycle.review_queue import ReviewQueue
from goclaw.lifecycle.widen import Widener
from goclaw.storage import audit_log, reviews


@dataclass(frozen=True)
class Desk:
    """All that reviews, on one store."""

    engine: Engine
    reviewer: Reviewer
    proposer: Proposer
    widener: Widener
    queue: ReviewQueue
    inspector: Inspector

    def review(self, who, record, action, **more):
        return self.reviewer.review(who, record.id, action, **more)

    def queued(self, who, *filters, **more):
        return [entry.record.id for entry in self.queue.page(who, *filters, **more).entries]

    def links(self, who, record):
        return {(str(link.relation), link.to_id) for link in self.inspector.inspect(who, record.id).links}

    def events(self, record, workspace="default"):
        """Event types of a record, oldest first, without the write itself."""
        self.engine.database.flush_later()
        with self.engine.database.read() as reader:
            events = audit_log.page(reader, workspace, memory_id=record.id, limit=100)
        return [event.event_type for event in reversed(events) if event.event_type != "memory_written"]

    def rows(self, record):
        with self.engine.database.read() as reader:
            return reviews.of_memory(reader, record.id)


def desk_of(engine):
    """The services as bootstrap wires them."""
    writer = engine.memory._services.writer
    return Desk(engine, Reviewer(writer), Proposer(writer), Widener(writer), ReviewQueue(writer), Inspector(writer))
