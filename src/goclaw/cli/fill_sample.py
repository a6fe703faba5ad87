"""Fill: tells a memory the sample, day by day, each record by whoever wrote it, through the public face alone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from goclaw.cli.sample import (
    AGENT,
    AGENT_OF,
    DAYS,
    JOB,
    PEOPLE,
    PROJECT,
    RECORDS,
    REPLACEMENTS,
    SamplePerson,
    SampleRecord,
    SampleReplacement,
)
from goclaw.memory import Memory
from goclaw.model.clock import ManualClock, from_us
from goclaw.model.principal import Principal, RunKind

FIRST_HOUR = 9


def principal_of(person: SamplePerson) -> Principal:
    """The person as the engine knows them."""
    return Principal(person.user_id, roles=person.roles, project_ids=person.project_ids)


PRINCIPALS = {person.user_id: principal_of(person) for person in PEOPLE}
PRINCIPALS[AGENT] = Principal(AGENT_OF, project_ids=(PROJECT,), run_kind=RunKind.AGENT, agent_id=AGENT)
PRINCIPALS[JOB] = Principal(None, roles=(), run_kind=RunKind.CRON, agent_id=JOB)


def first_day(now: int) -> datetime:
    """The morning on which the two weeks began that end at ``now`` (microseconds)."""
    today = from_us(now).replace(hour=FIRST_HOUR, minute=0, second=0, microsecond=0)
    return today - timedelta(days=DAYS)


def fill_sample(
    memory: Memory, clock: ManualClock, begin: datetime, advance: Callable[[str], None] = lambda text: None
) -> int:
    """Tell ``memory`` the two weeks that begin at ``begin``; how many things were told. ``clock`` is the memory's own.

    ``advance`` hears of each.
    """
    ids: dict[str, tuple[str, int]] = {}  # name -> id and version
    everything: tuple[SampleRecord | SampleReplacement, ...] = (*RECORDS, *REPLACEMENTS)
    told = sorted(everything, key=lambda each: each.day)
    for number, each in enumerate(told):
        clock.set(begin.astimezone(UTC) + timedelta(days=each.day, minutes=7 * number))
        if isinstance(each, SampleRecord):
            _write(memory, each, ids)
        else:
            _replace(memory, each, ids)
        advance(each.text)
    clock.set(begin + timedelta(days=DAYS))
    return len(told)


def _write(memory: Memory, sample: SampleRecord, ids: dict[str, tuple[str, int]]) -> None:
    record = memory.write(
        PRINCIPALS[sample.by],
        sample.text,
        scope=sample.scope,
        kind=sample.kind,
        tags=sample.tags,
        domain=sample.domain,
        project_id=PROJECT if sample.is_of_project else None,
        source_refs=[{"kind": "note", "uri": f"sample://{sample.source}"}] if sample.source else [],
        external_ref=f"sample:{sample.name}" if sample.name else None,
    )
    if sample.name:
        ids[sample.name] = record.id, record.version


def _replace(memory: Memory, sample: SampleReplacement, ids: dict[str, tuple[str, int]]) -> None:
    memory_id, version = ids[sample.name]
    memory.update(PRINCIPALS[sample.by], memory_id, content=sample.text, expected_version=version)
