"""Statistics: how much there is, of what the asker may read; administrators also see the engine's own figures."""

from dataclasses import asdict, dataclass
from typing import Any

from goclaw.model.access import Reading, WriteAccess
from goclaw.model.principal import Principal
from goclaw.recall.readable import readable_states
from goclaw.search.blocks import BlockCache
from goclaw.search.vector_index import VectorIndex
from goclaw.storage import jobs, pending_vectors, stats
from goclaw.storage.database import Database


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts things. A count never includes what its asker may not read."""

    database: Database
    write_access: WriteAccess
    blocks: BlockCache
    vectors: VectorIndex

    def of(self, principal: Principal) -> dict[str, Any]:
        """Records by scope and lifecycle, chunks; for an administrator the store's vectors, jobs, blocks and bytes."""
        with self.database.read() as reader:
            states = readable_states(reader, principal, self.write_access, Reading.MANAGE)
            counts = stats.counts(reader, [state.id for state in states])
            figures: dict[str, Any] = {"namespaces": len(states), **counts}
            if principal.may_administer:
                index = self.vectors.state(reader)
                figures["store"] = {
                    "bytes": self.database.size_bytes(),
                    "jobs": {str(kind): asdict(depth) for kind, depth in jobs.depths(reader).items()},
                    "vectors": {
                        "searched": index.model_no is not None,
                        "paused_because": index.reason,
                        "pending": pending_vectors.count(reader),
                        "refused": pending_vectors.count_refused(reader),
                    },
                    "blocks": self.blocks.figures(),
                }
        return figures
