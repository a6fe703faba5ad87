"""Contract recall: what an agent should know for a task, by the published contract (governance.md 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goclaw.governance.conflict import Contradiction
from goclaw.model.access import Reading
from goclaw.model.errors import NotFound
from goclaw.model.hit import Found, Hit, Reason
from goclaw.model.principal import Principal
from goclaw.recall.arrange import arrange
from goclaw.recall.ask import MAX_LIMIT, Ask, Mode
from goclaw.recall.reach import is_at_home, within_reach
from goclaw.recall.readable import readable_states
from goclaw.recall.recall import Recaller
from goclaw.recall.recall_request import RecallRequest, read_recall
from goclaw.recall.trace import trace_of, without_secrets
from goclaw.storage import record_links, record_origins
from goclaw.storage.database import Reader
from goclaw.storage.record_links import Relation
from goclaw.storage.record_origins import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractAnswer:
    """What a recall by contract returns."""

    request_id: str | None  # of the trace; None where traces cannot be written
    hits: tuple[Hit, ...]
    origins: Mapping[str, Origin]  # by memory id, of records that came by write-back
    reason: Reason | None
    notes: tuple[Reason, ...]
    conflicts: tuple[Contradiction, ...]
    is_truncated: bool
    warnings: tuple[str, ...]
    family: str  # of the contract, to be mirrored


@dataclass(frozen=True, slots=True)
class ContractRecaller:
    """Answers recalls by contract."""

    recaller: Recaller

    def recall(self, principal: Principal, request: Mapping[str, Any]) -> ContractAnswer:
        """Raises InvalidInput (shape, limits), and NotFound for a workspace or project that is not the caller's."""
        shape, warnings = read_recall(request)
        if shape.workspace_id != principal.workspace_id:
            raise NotFound("There is no such workspace.", "A key belongs to one workspace.")
        if shape.project_id is not None and shape.project_id not in principal.project_ids:
            raise NotFound("There is no such project.", "Or you are not a member of it.")
        ask = Ask(
            text=shape.query,
            mode=Mode.AUTOMATIC,
            limit=MAX_LIMIT,
            include_unconfirmed=shape.scope.include_unconfirmed,
            include_stale=shape.scope.include_stale,
            is_private=shape.sensitivity.is_private,
        )
        vector = self.recaller.embed(ask)
        now = self.recaller.clock.now()
        with self.recaller.database.read() as reader:
            readable = readable_states(reader, principal, self.recaller.write_access, Reading.RECALL)
            found = self.recaller.find(reader, principal, ask, vector, within_reach(readable, shape))
            linked = _conflicting_pairs(reader, found.hits)
            arranged = arrange(found.hits, shape.limits, shape.entity_terms, linked, now)
            hits = tuple(_at_its_place(hit, shape) for hit in arranged.hits)
            origins = record_origins.get_many(reader, [hit.record.id for hit in hits])
        shown = replace(found, hits=hits, reason=None if hits else found.reason or Reason.NO_CANDIDATES)
        kept = self._keep(principal, ask, shape, shown)
        return ContractAnswer(
            request_id=kept.trace_id,
            hits=hits,
            origins=origins,
            reason=shown.reason,
            notes=shown.notes,
            conflicts=arranged.contradictions,
            is_truncated=arranged.is_truncated,
            warnings=warnings,
            family=shape.family,
        )

    def _keep(self, principal: Principal, ask: Ask, shape: RecallRequest, found: Found) -> Found:
        trace = trace_of(self.recaller.ids.new_id(), principal, ask, found, self.recaller.clock.now())
        asked = shape.model_dump(mode="json", exclude={"query"})  # that is kept once, where forgetting finds it
        request = without_secrets(asked)
        return self.recaller.keep_trace(principal, found, replace(trace, request=request, is_private=ask.is_private))


def _at_its_place(hit: Hit, shape: RecallRequest) -> Hit:
    """The hit with the policy it has for this task: from another project or channel it does not instruct."""
    if is_at_home(hit.record.namespace, shape):
        return hit
    return replace(hit, use_policy=hit.record.policy_for(inside=False))


def _conflicting_pairs(reader: Reader, hits: Sequence[Hit]) -> set[frozenset[str]]:
    """Pairs among the hits that a reviewer linked as conflicting."""
    ids = {hit.record.id for hit in hits}
    links = record_links.of(reader, sorted(ids))
    return {
        frozenset((memory_id, link.to_id))
        for memory_id, found in links.items()
        for link in found
        if link.relation == Relation.CONFLICTS_WITH and link.to_id in ids
    }
