"""The sample: every record of it is stored, by whom it says, over two weeks, with the trust its writer has."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import goclaw
from goclaw.cli.fill_sample import PRINCIPALS, fill_sample, first_day
from goclaw.cli.sample import AGENT, DAYS, JOB, PEOPLE, RECORDS, REPLACEMENTS
from goclaw.model.clock import DAY, ManualClock, to_us
from goclaw.model.provenance import Provenance
from goclaw.model.record import MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.tags import CRITICAL

NOW = 1_790_000_000_000_000


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[goclaw.Memory]:
    folder: Path = tmp_path_factory.mktemp("sample")
    clock = ManualClock(first_day(NOW))
    settings = {"memory.search.provider": "none", "memory.jobs.workers": 0}
    with goclaw.open_memory(folder, settings, clock=clock) as memory:
        assert fill_sample(memory, clock, first_day(NOW)) == len(RECORDS) + len(REPLACEMENTS)
        yield memory


def _all(memory: goclaw.Memory) -> dict[str, MemoryRecord]:
    """Everything that anybody of the team may see, by id."""
    pages = [memory.list(PRINCIPALS[person.user_id], limit=200) for person in PEOPLE]
    return {record.id: record for page in pages for record in page.records}


def test_every_record_is_stored_once(memory: goclaw.Memory) -> None:
    assert len(RECORDS) >= 38
    assert len(_all(memory)) == len(RECORDS)


def test_the_records_are_spread_over_the_two_weeks(memory: goclaw.Memory) -> None:
    moments = sorted(record.created_at for record in _all(memory).values())
    assert moments[-1] - moments[0] > timedelta(days=DAYS - 2)
    assert to_us(moments[-1]) < NOW < to_us(moments[0]) + (DAYS + 2) * DAY


def test_what_the_administrator_said_may_instruct_and_what_agents_and_jobs_said_may_not(memory: goclaw.Memory) -> None:
    by_actor: dict[str, list[MemoryRecord]] = {}
    for record in _all(memory).values():
        if record.scope != "personal":
            by_actor.setdefault(record.actor_id, []).append(record)
    assert {record.review_status for record in by_actor["human:mara"]} == {ReviewStatus.CONFIRMED}
    for actor in (f"agent:{AGENT}", f"job:{JOB}"):
        assert {record.provenance for record in by_actor[actor]} == {Provenance.GENERATED}
        assert {record.review_status for record in by_actor[actor]} == {ReviewStatus.PENDING}


def test_a_critical_constraint_of_the_administrator_is_found_by_everybody(memory: goclaw.Memory) -> None:
    for person in PEOPLE:
        best = memory.recall(PRINCIPALS[person.user_id], "may we deploy on Fridays?").hits[0]
        assert CRITICAL in best.record.tags
        assert best.use_policy.can_use_as_instruction


@pytest.mark.parametrize("asker", ["mara", "jonas", "priya"])
def test_each_person_finds_only_their_own_preference(memory: goclaw.Memory, asker: str) -> None:
    found = memory.search(PRINCIPALS[asker], "how should reports look?", limit=50)
    assert found.hits
    assert {hit.record.owner_user_id for hit in found.hits if hit.record.scope == "personal"} == {asker}


def test_the_project_is_seen_by_its_members_alone(memory: goclaw.Memory) -> None:
    question = "how long does the booking service keep a seat?"
    assert "8 minutes" in memory.recall(PRINCIPALS["jonas"], question).hits[0].record.content
    outside = memory.search(PRINCIPALS["priya"], question, limit=50)
    assert all(hit.record.project_id is None for hit in outside.hits)


def test_a_replaced_fact_says_the_new_thing(memory: goclaw.Memory) -> None:
    best = memory.recall(PRINCIPALS["priya"], "where is the staging database?").hits[0].record
    assert best.content == REPLACEMENTS[0].text
    assert best.version == 2
