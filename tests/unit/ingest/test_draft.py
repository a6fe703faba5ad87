"""What a caller says becomes a draft, or an error that names the field."""

from datetime import UTC, datetime

import pytest

from goclaw.ingest.draft import MAX_LABEL_CHARS, draft_of
from goclaw.model.clock import to_us
from goclaw.model.errors import InvalidInput
from goclaw.model.provenance import SourceRef


def draft(content="Prefers metric units", **fields):
    return draft_of(content, **({"scope": "personal", "max_content_chars": 1000} | fields))


def test_everything_is_taken_in_its_plain_form():
    made = draft(
        kind="preference",
        tags=["Units", "units"],
        domain=" cooking ",
        source_refs=[{"kind": "message", "uri": "chat:1"}, SourceRef("message", "chat:1")],
        external_ref="D1:3",
        session_id="s1",
        turn=3,
        speaker="Alice",
        occurred_at=datetime(2026, 3, 1, 12),
    )
    assert (made.scope, made.kind, made.tags, made.domain) == ("personal", "preference", ("units",), "cooking")
    assert made.source_refs == (SourceRef("message", "chat:1"),)
    assert (made.external_ref, made.session_id, made.turn, made.speaker) == ("D1:3", "s1", 3, "Alice")
    assert made.occurred_at == to_us(datetime(2026, 3, 1, 12, tzinfo=UTC))


def test_the_text_itself_is_kept_to_the_letter():
    assert draft("  two  blanks\r\n").content == "  two  blanks\r\n"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"content": "   "}, "nothing to remember"),
        ({"content": None}, "nothing to remember"),
        ({"content": "x" * 1001}, "1,001"),
        ({"scope": "wiki"}, "personal"),
        ({"scope": "team"}, "agent_notes"),
        ({"kind": "gossip"}, "preference"),
        ({"visibility": "world"}, "workspace"),
        ({"tags": ["superseded"]}, "goclaw itself"),
        ({"tags": "apollo"}, "list"),
        ({"turn": -1}, "turn"),
        ({"turn": True}, "turn"),
        ({"turn": 2**31}, "turn"),
        ({"occurred_at": "2026-03-01"}, "occurred_at"),
        ({"speaker": "x" * (MAX_LABEL_CHARS + 1)}, "speaker"),
        ({"project_id": " apollo"}, "project_id"),
        ({"source_refs": [{"uri": "x"}]}, "kind"),
        ({"source_refs": [{"kind": "issue", "uri": f"#{n}"} for n in range(51)]}, "50"),
    ],
)
def test_what_cannot_be_used_is_named(fields, says):
    content = fields.pop("content", "text")
    with pytest.raises(InvalidInput) as refused:
        draft(content, **fields)
    assert says in str(refused.value)


def test_an_empty_label_is_none():
    assert draft(speaker="  ").speaker is None
