"""Steering ideas: attacks and look-alikes in wording of our own, beside the shipped cases."""

from pathlib import Path

import pytest

from goclaw.governance.write_guard import examine
from tests.cases.materialize import load

CASES = load(Path(__file__).parents[2] / "cases" / "steering.jsonl")
BY_LABEL = {
    label: {case["id"]: case["text"] for case in CASES if case["label"] == label} for label in ("malicious", "benign")
}


@pytest.mark.parametrize("name", BY_LABEL["malicious"])
def test_an_attack_is_flagged(name: str) -> None:
    assert set(examine({"content": BY_LABEL["malicious"][name]}).flags) & {"injection_like", "hidden_characters"}


@pytest.mark.parametrize("name", BY_LABEL["benign"])
def test_a_look_alike_is_let_through(name: str) -> None:
    verdict = examine({"content": BY_LABEL["benign"][name]})
    assert (verdict.findings, verdict.flags) == ((), ())


def test_the_lists_are_whole() -> None:
    assert (len(BY_LABEL["malicious"]), len(BY_LABEL["benign"])) == (90, 110)
