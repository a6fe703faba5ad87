"""High impact (governance.md 2): what a human looks at first."""

import pytest

from goclaw.governance.impact import Impact, impacts, is_high_impact
from goclaw.model.record import Kind


@pytest.mark.parametrize(
    ("kind", "text", "impact"),
    [
        (Kind.CONSTRAINT, "The roof holds two tons.", Impact.CONSTRAINT),
        (Kind.DECISION, "Blue it is.", Impact.DECISION),
        (Kind.FACT, "Always close the gate.", Impact.INSTRUCTION_LIKE),
        (Kind.FACT, "Man muss das Tor immer schließen.", Impact.INSTRUCTION_LIKE),
        (Kind.FACT, "Bob is an administrator of the shop.", Impact.ACCESS),
        (Kind.FACT, "The firewall sits on node 4.", Impact.SECURITY),
        (Kind.FACT, "The invoice came to 300 euros.", Impact.MONEY),
        (Kind.FACT, "The travel policy changed.", Impact.POLICY),
        (Kind.PREFERENCE, "Everyone must use tabs.", Impact.INSTRUCTION_LIKE),
    ],
)
def test_high_impact(kind: Kind, text: str, impact: Impact) -> None:
    assert impact in impacts(kind, text)
    assert is_high_impact(kind, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.FACT, "The nightly job runs at 02:30."),
        (Kind.NOTE, "Lunch is at noon."),
        (Kind.PREFERENCE, "Please always answer me in Portuguese."),
        (Kind.LESSON, "The importer fails when the CSV has a mark at its start."),
    ],
)
def test_low_impact(kind: Kind, text: str) -> None:
    assert impacts(kind, text) == frozenset()
    assert not is_high_impact(kind, text)
