"""Every governance case passes through each of the three ways in."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases.run_governance_cases import run_case
from tests.governance.adapters import System, mcp, python_api, rest

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases" / "governance.jsonl").read_text(encoding="utf-8").splitlines()
    if line.strip()
]


def test_there_are_cases_for_every_step() -> None:
    assert len(CASES) == 50
    assert {step["op"] for case in CASES for step in case["steps"]} >= {
        "writeback",
        "recall",
        "search",
        "usage",
        "list_review",
        "inspect",
        "review",
        "trace",
        "audit",
        "clock",
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.parametrize("way", [python_api, rest, mcp], ids=lambda way: way.__name__)
def test_case(way: Any, case: dict[str, Any]) -> None:
    opened: list[System] = []

    def fresh() -> System:
        opened.append(way())
        return opened[-1]

    try:
        assert run_case(case, fresh) == []
    finally:
        for system in opened:
            system.close()
