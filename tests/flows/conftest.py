"""Real stores in a temporary state directory; the hashing provider stands for a model where meaning is not at stake."""

from datetime import UTC, datetime

import pytest

from goclaw.bootstrap import open_engine
from goclaw.model.clock import ManualClock

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
KEYWORDS = {"memory.search.provider": "none"}
HASHING = {"memory.search.provider": "hashing", "memory.jobs.workers": 0}


@pytest.fixture
def clock():
    return ManualClock(START)


@pytest.fixture
def open_store(tmp_path, clock):
    """Opens engines on one state directory, and closes them all at the end."""
    opened = []

    def open_it(settings=KEYWORDS, **more):
        engine = open_engine(tmp_path / "state", settings, clock=clock, **({"workers": 0} | more))
        opened.append(engine)
        return engine

    yield open_it
    for engine in opened:
        engine.memory.close()


@pytest.fixture
def engine(open_store):
    return open_store()


@pytest.fixture
def memory(engine):
    return engine.memory
