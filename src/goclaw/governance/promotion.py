"""Promotion: the first state of a new record, by who writes it and how; the table of governance.md 2, line by line.

Three paths lead up to instruction and no fourth exists: a human's own hand, a trusted import, a policy made by a human
(seed 2, core rule). Nothing here reads the text; what the detectors and :mod:`goclaw.governance.impact` said comes in
as facts. Line 1 (refused by the guard) never gets here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from goclaw.model.access import WriteWay
from goclaw.model.namespace import Namespace
from goclaw.model.principal import Principal, RunKind
from goclaw.model.provenance import Provenance
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import Scope
from goclaw.model.visibility import Visibility

TAINTED = "tainted"
UNSOURCED = "unsourced"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteContext:
    """Everything that decides a first state; facts of the authenticated principal and of the engine, never of a body.

    ``claimed`` and ``requires_review`` are the exceptions: a write-back may ask, and is granted what it has a right to.
    """

    principal: Principal
    namespace: Namespace
    way: WriteWay = WriteWay.MEMORY_WRITE
    may_write: bool = True  # model/access.py allowed this principal this namespace by this way
    is_write_back: bool = False  # governance.md 4; memory.write is none and never carries a claim
    is_listed: bool = False  # memory.write_access lists the principal
    is_trusted_source: bool = False  # on the trusted-import list, or promoted by a policy, for this project
    claimed: Provenance | None = None  # provenance.default_status of a write-back; None: nothing claimed
    requires_review: bool = True  # of a write-back; other writes do not ask
    has_source_refs: bool = False
    is_untainted_turn: bool = False  # it comes from a person's own turn that no outside text has entered
    is_tainted: bool = False  # tool output or other outside text has entered what it comes from
    is_high_impact: bool = False  # governance/impact.py
    four_eyes: bool = False  # governance.four_eyes: nobody confirms what they write themselves
    flags: tuple[str, ...] = ()  # of governance/write_guard.py, and rejected_before

    @property
    def is_own_hand(self) -> bool:
        """A human typed it. What is extracted from their messages, or called by a model for them, is not."""
        return self.principal.is_own_hand and self.way in (WriteWay.MEMORY_WRITE, WriteWay.PREFIX)

    @property
    def is_own_personal(self) -> bool:
        """It goes into the personal memory of the person who writes."""
        owner = self.namespace.owner_user_id
        return self.namespace.visibility is Visibility.PERSONAL and owner == self.principal.person_id

    @property
    def comes_from_outside(self) -> bool:
        """Tainted by outside input, among it all that webhooks and unlisted imports bring."""
        outside = self.principal.run_kind is RunKind.WEBHOOK
        unlisted = self.principal.run_kind is RunKind.IMPORT and not self.is_trusted_source
        return self.is_tainted or outside or unlisted

    @property
    def speaks_for_the_team(self) -> bool:
        """Own hand of a reviewer, an administrator or somebody memory.write_access lists, where they may write."""
        trusted = self.principal.is_reviewer or self.principal.is_admin or self.is_listed
        return self.is_own_hand and trusted and self.may_write


@dataclass(frozen=True, slots=True)
class FirstState:
    """What a new record starts as."""

    provenance: Provenance
    review_status: ReviewStatus
    flags: tuple[str, ...]
    line: int  # of the table in governance.md 2 that decided


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: when it fits, and what it gives."""

    number: int
    fits: Callable[[WriteContext], bool]
    provenance: Callable[[WriteContext], Provenance]
    review: ReviewStatus


def _is_held(write: WriteContext) -> bool:
    holding = set(write.flags) - ({UNSOURCED} if write.is_own_hand else set())
    return bool(holding) or write.comes_from_outside


def _asks_for_review(write: WriteContext) -> bool:
    return write.is_write_back and write.requires_review


def _is_word_of_a_human(write: WriteContext) -> bool:
    if write.is_write_back:
        owner_speaks = write.is_own_hand and write.is_own_personal
        return write.claimed is Provenance.USER_CONFIRMED and (write.speaks_for_the_team or owner_speaks)
    shared = (Scope.AGENT_NOTES, Scope.GLOBAL, Scope.AGENT_CONFIG)
    return write.speaks_for_the_team and write.namespace.scope in shared


def _is_confirmed_by_its_writer(write: WriteContext) -> bool:
    """Line 4 confirms at birth what its writer says; with four eyes another person does that, in the review."""
    return _is_word_of_a_human(write) and not write.four_eyes


def _is_trusted_import(write: WriteContext) -> bool:
    return write.is_trusted_source and write.claimed is Provenance.IMPORTED


def _is_for_oneself(write: WriteContext) -> bool:
    return write.is_own_hand and write.is_own_personal


def _is_learned_from_own_turn(write: WriteContext) -> bool:
    from_turn = write.is_untainted_turn and not write.is_write_back and not write.is_own_hand
    in_their_reach = write.principal.person_id is not None and write.may_write
    return from_turn and in_their_reach and not write.is_high_impact


def _is_sourced_observation(write: WriteContext) -> bool:
    by_agent = write.principal.run_kind is RunKind.AGENT and write.is_write_back
    return by_agent and write.claimed is Provenance.OBSERVED and write.has_source_refs and not write.is_high_impact


def _as_claimed(write: WriteContext) -> Provenance:
    """As claimed where allowed, else generated. A person who claims nothing has observed: a person is no agent.

    With four eyes nothing is confirmed by a person before another one has seen it.
    """
    if write.claimed is Provenance.USER_CONFIRMED and may_claim(write) and write.four_eyes:
        return Provenance.OBSERVED
    if write.claimed is not None:
        return write.claimed if may_claim(write) else Provenance.GENERATED
    return Provenance.OBSERVED if write.is_own_hand else Provenance.GENERATED


def _below(write: WriteContext) -> Provenance:
    """Line 2: as the line below that would fit; own hand: observed."""
    if write.is_own_hand and may_claim(write):
        return Provenance.OBSERVED
    return _first_fit(write, _LINES[1:]).provenance(write)


def _always(provenance: Provenance) -> Callable[[WriteContext], Provenance]:
    return lambda write: provenance


_LINES: tuple[Line, ...] = (
    Line(2, _is_held, _below, ReviewStatus.PENDING),
    Line(3, _asks_for_review, _as_claimed, ReviewStatus.PENDING),
    Line(4, _is_confirmed_by_its_writer, _always(Provenance.USER_CONFIRMED), ReviewStatus.CONFIRMED),
    Line(5, _is_trusted_import, _always(Provenance.IMPORTED), ReviewStatus.CONFIRMED),
    # governance.md 1: a claim without the right is stored as generated, pending, flagged, before the lines that are
    # kind to a writer's own memory; it may not come out better than silence would.
    Line(9, lambda write: not may_claim(write), _always(Provenance.GENERATED), ReviewStatus.PENDING),
    Line(6, _is_for_oneself, _always(Provenance.OBSERVED), ReviewStatus.EVIDENCE_ONLY),
    Line(7, _is_learned_from_own_turn, _always(Provenance.OBSERVED), ReviewStatus.EVIDENCE_ONLY),
    Line(8, _is_sourced_observation, _always(Provenance.OBSERVED), ReviewStatus.EVIDENCE_ONLY),
    Line(9, lambda write: True, _as_claimed, ReviewStatus.PENDING),
)


def may_claim(write: WriteContext) -> bool:
    """Whether the writer has a right to the provenance it claims; without a claim there is nothing to deny."""
    if write.claimed is None:
        return True
    if write.claimed is Provenance.USER_CONFIRMED:
        return _is_word_of_a_human(write)
    if write.claimed is Provenance.IMPORTED:
        return _is_trusted_import(write)
    return True


def first_state(write: WriteContext) -> FirstState:
    """Provenance, review status and flags of a new record: the first line of the table that fits wins."""
    line = _first_fit(write, _LINES)
    flags = list(write.flags)
    if write.comes_from_outside:
        flags.append(TAINTED)
    if not may_claim(write):
        flags.append(f"claimed_{write.claimed}")
    return FirstState(line.provenance(write), line.review, tuple(dict.fromkeys(flags)), line.number)


def _first_fit(write: WriteContext, lines: tuple[Line, ...]) -> Line:
    return next(line for line in lines if line.fits(write))
