"""Principal: who is asking. It comes from the session or the key, never from a model or a request body."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from goclaw.model.errors import InvalidInput


class RunKind(StrEnum):
    """What kind of run speaks: a person, an agent for a person, an import, or an autonomous job."""

    PERSON = "person"
    AGENT = "agent"
    IMPORT = "import"
    SOP = "sop"
    CRON = "cron"
    WEBHOOK = "webhook"


JOB_RUNS = frozenset({RunKind.SOP, RunKind.CRON, RunKind.WEBHOOK})

ADMIN = "admin"
REVIEWER = "reviewer"
MEMBER = "member"


class ActorKind(StrEnum):
    """Who did it, as the audit log and reviews say it."""

    HUMAN = "human"
    AGENT = "agent"
    IMPORT = "import"
    JOB = "job"


_ACTOR_KINDS = {
    RunKind.PERSON: ActorKind.HUMAN,
    RunKind.AGENT: ActorKind.AGENT,
    RunKind.IMPORT: ActorKind.IMPORT,
    RunKind.SOP: ActorKind.JOB,
    RunKind.CRON: ActorKind.JOB,
    RunKind.WEBHOOK: ActorKind.JOB,
}

MAX_ID_CHARS = 200


def canonical_id(value: str, what: str) -> str:
    """The id itself, or an error: ids that differ only in blanks, width or invisible signs would be two people for
    the store and one for everybody else, so they are refused (case counts)."""
    if not isinstance(value, str):
        raise InvalidInput(f"{what} is no text.", "Use a string.")
    clean = unicodedata.normalize("NFKC", value).strip()
    printable = all(unicodedata.category(char)[0] != "C" for char in clean)
    if not clean or clean != value or not printable or len(value) > MAX_ID_CHARS:
        raise InvalidInput(
            f"{what} is not in its plain form.",
            f"Use 1-{MAX_ID_CHARS} visible characters, without blanks around them or full-width forms.",
        )
    return value


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks, and what they belong to.

    The Python face trusts it: the program that embeds goclaw has authenticated it. ``user_id=None`` with
    ``run_kind="person"`` is the unknown identity, which has no rights. An agent has an ``agent_id`` and the
    ``user_id`` of the person it acts for; a job has no ``user_id``.
    """

    user_id: str | None
    roles: tuple[str, ...] = (MEMBER,)
    workspace_id: str = "default"
    project_ids: tuple[str, ...] = ()
    channel_ids: tuple[str, ...] = ()
    run_kind: RunKind = RunKind.PERSON
    agent_id: str | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "run_kind", RunKind(self.run_kind))
        except ValueError:
            raise InvalidInput("The run kind is not known.", f"Use one of: {', '.join(RunKind)}.") from None
        for name in ("roles", "project_ids", "channel_ids"):
            object.__setattr__(self, name, _names(getattr(self, name), name))
        for name in ("user_id", "agent_id", "workspace_id"):
            value = getattr(self, name)
            if value is not None or name == "workspace_id":
                canonical_id(value, name)
        if self.workspace_id == "*":
            raise InvalidInput("The workspace * stands for the organization.", "Use the name of a workspace.")

    @property
    def is_identified(self) -> bool:
        """Whether anybody is known to be asking; without it there are no rights at all."""
        return self.is_job or self.run_kind is RunKind.IMPORT or self.user_id is not None

    @property
    def is_job(self) -> bool:
        """An autonomous run (SOP, cron, webhook): it acts for nobody and never touches personal memory."""
        return self.run_kind in JOB_RUNS

    @property
    def is_bound_to_workspace(self) -> bool:
        """A job or import that is bound to no project: it serves the whole workspace (governance.md 3)."""
        return (self.is_job or self.run_kind is RunKind.IMPORT) and not self.project_ids

    @property
    def is_own_hand(self) -> bool:
        """An authenticated human, not a model that acts for one."""
        return self.run_kind is RunKind.PERSON and self.user_id is not None

    @property
    def is_admin(self) -> bool:
        return ADMIN in self.roles

    @property
    def may_administer(self) -> bool:
        """An administrator by own hand; an agent that acts for one administers nothing."""
        return self.is_own_hand and self.is_admin

    @property
    def is_reviewer(self) -> bool:
        """A human who may decide the workspace's reviews."""
        return self.is_own_hand and (REVIEWER in self.roles or self.is_admin)

    @property
    def person_id(self) -> str | None:
        """The person whose personal memory this principal may touch, or None: jobs and imports have none."""
        return self.user_id if self.run_kind in (RunKind.PERSON, RunKind.AGENT) else None

    @property
    def own_agent_id(self) -> str | None:
        """The agent that asks, or None: the ``agent_id`` of a job or an import is a name of its own."""
        return self.agent_id if self.run_kind is RunKind.AGENT else None

    @property
    def actor_kind(self) -> ActorKind:
        return _ACTOR_KINDS[self.run_kind]

    @property
    def actor_id(self) -> str:
        """``human:<user>``, ``agent:<agent>``, ``import:<name>`` or ``job:<name>``."""
        name = self.user_id if self.run_kind is RunKind.PERSON else self.agent_id or self.user_id or str(self.run_kind)
        return f"{self.actor_kind}:{name or 'unknown'}"

    @property
    def claimant(self) -> str:
        """Whose idempotency keys these are. Agents of many people may share a name, and do not share keys."""
        return f"{self.actor_id} for {self.user_id}" if self.run_kind is RunKind.AGENT else self.actor_id


def _names(values: Iterable[str], what: str) -> tuple[str, ...]:
    if isinstance(values, str):
        raise InvalidInput(f"{what} is a list of names.", f"Write ({values!r},) instead of {values!r}.")
    return tuple(dict.fromkeys(canonical_id(value, what) for value in values))
