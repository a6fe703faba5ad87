"""A real engine for the gateway's own parts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from goclaw.bootstrap import Engine, open_engine
from goclaw.model.clock import ManualClock
from tests.running_gateway import KEYWORDS_ONLY

NOON = 1_767_268_800_000_000  # 2026-01-01T12:00:00Z


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def engine(tmp_path: Path, clock: ManualClock) -> Iterator[Engine]:
    opened = open_engine(tmp_path, KEYWORDS_ONLY, clock=clock)
    yield opened
    opened.memory.close()
