"""Output: JSON on stdout, remarks on stderr, exit codes by kind of error."""

import json
from datetime import UTC, datetime

import pytest

from goclaw.cli.output import emit, fail, moment, note, say, show_table
from goclaw.model.errors import (
    AccessDenied,
    AddressTaken,
    GatewayUnreachable,
    GoclawError,
    RateLimited,
    StoreBusy,
    StoreFull,
)

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (AccessDenied("no"), 1),
        (GatewayUnreachable("no"), 1),
        (StoreFull("no"), 1),
        (StoreBusy("no"), 3),
        (RateLimited("no"), 3),
        (AddressTaken("no"), 3),
    ],
)
def test_the_exit_code_says_whether_another_try_may_help(error: GoclawError, code: int) -> None:
    assert fail(error, as_json=False) == code


def test_an_error_is_a_message_and_a_hint_on_stderr(capsys: Captured) -> None:
    fail(AccessDenied("Not you.", "Ask Mara."), as_json=False)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["Error: Not you.", "Ask Mara."]


def test_with_json_an_error_is_a_document_as_well(capsys: Captured) -> None:
    fail(AccessDenied("Not you.", "Ask Mara."), as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert document == {"error": "Not you.", "code": "access_denied", "hint": "Ask Mara."}


def test_a_document_is_one_line_with_times_and_lists_as_json_knows_them(capsys: Captured) -> None:
    emit({"at": datetime(2026, 4, 12, 9, 30, tzinfo=UTC), "roles": ("admin",), "name": "Zoë"})
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "Zoë" in out
    assert json.loads(out) == {"at": "2026-04-12T09:30:00+00:00", "roles": ["admin"], "name": "Zoë"}


def test_square_brackets_of_a_memory_are_shown_and_never_read_as_markup(capsys: Captured) -> None:
    say("[red]the pier[/red] [bold")
    note("[link=x]")
    out, err = capsys.readouterr()
    assert (out, err) == ("[red]the pier[/red] [bold\n", "[link=x]\n")


def test_a_table_shows_brackets_too_and_a_dash_for_nothing(capsys: Captured) -> None:
    show_table(("a", "b"), [("[x]", None)], "none")
    assert capsys.readouterr().out.split() == ["a", "b", "[x]", "-"]


def test_an_empty_table_says_so(capsys: Captured) -> None:
    show_table(("a",), [], "Nobody yet.")
    assert capsys.readouterr().out == "Nobody yet.\n"


def test_stored_times_are_read_as_utc() -> None:
    assert moment(None) is None
    assert moment(1_000_000) == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
