"""The index text: a record is found by its names, not only by its words."""

from datetime import UTC, datetime

from goclaw.model.clock import to_us
from goclaw.text.index_text import searchable_text


def test_a_bare_chunk_is_its_own_index_text() -> None:
    assert searchable_text("Prefers metric units") == "Prefers metric units"


def test_names_date_and_speaker_come_first() -> None:
    text = searchable_text(
        "we moved to Lisbon",
        tags=("travel", "critical", "unverified", "superseded"),
        domain="people",
        speaker="Alice",
        occurred_at_us=to_us(datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        source_titles=("Team diary", ""),
    )
    assert text == "Team diary · people · travel\n[8 May 2023] Alice: we moved to Lisbon"
