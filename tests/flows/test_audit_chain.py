"""The chain over the audit log: what was changed, taken out or put in is found; forgetting breaks nothing."""

import pytest
from sqlalchemy import text

from goclaw.governance.audit import EventType, event
from goclaw.governance.audit_chain import seal_all, verify
from goclaw.storage import audit_log
from goclaw.storage.statement import Statement
from tests.flows.people import ALICE, CRON, RITA


@pytest.fixture
def sealed(engine):
    for number in range(12):
        engine.memory.write(ALICE, f"note {number}", scope="personal")
    assert seal_all(engine.database) == 12
    return engine


def check(engine, workspace="default"):
    with engine.database.read() as reader:
        return verify(reader, workspace)


def spoil(engine, sql):
    engine.database.write(lambda unit: unit.run(Statement(text(sql))))


def test_an_untouched_log_fits_its_chain(sealed):
    found = check(sealed)
    assert (found.sealed, found.unsealed, found.problem) == (12, 0, None)


def test_what_came_since_is_counted_and_sealed_next(sealed):
    sealed.memory.write(ALICE, "one more", scope="personal")
    assert (check(sealed).sealed, check(sealed).unsealed) == (12, 1)
    assert seal_all(sealed.database) == 1
    assert check(sealed).sealed == 13
    assert seal_all(sealed.database) == 0


@pytest.mark.parametrize(("sql", "problem"), [
    ("UPDATE audit_log SET actor_id = 'human:mallory' WHERE id = (SELECT event_id FROM audit_seals WHERE seq = 5)",
     "row_changed"),
    ("UPDATE audit_log SET at = at + 1 WHERE id = (SELECT event_id FROM audit_seals WHERE seq = 5)", "row_changed"),
    ("DELETE FROM audit_log WHERE id = (SELECT event_id FROM audit_seals WHERE seq = 5)", "row_missing"),
    ("UPDATE audit_seals SET chain = '00' WHERE seq = 5", "chain_broken"),
    ("UPDATE audit_seals SET digest = '00' WHERE seq = 5", "row_changed"),
])  # fmt: skip
def test_one_change_is_found_and_located(sealed, sql, problem):
    spoil(sealed, sql)
    found = check(sealed)
    assert (found.problem, found.broken_at, found.sealed) == (problem, 5, 4)
    assert found.broken_event_id


def test_a_row_and_its_seal_taken_out_together_leave_a_gap(sealed):
    spoil(sealed, "DELETE FROM audit_log WHERE id = (SELECT event_id FROM audit_seals WHERE seq = 5)")
    spoil(sealed, "DELETE FROM audit_seals WHERE seq = 5")
    assert check(sealed).problem == "chain_broken"


def test_forgetting_a_memory_breaks_nothing(sealed):
    record = sealed.memory.list(ALICE).records[0]
    sealed.memory.forget(ALICE, record.id)
    seal_all(sealed.database)
    found = check(sealed)
    assert (found.sealed, found.problem) == (13, None)


def test_each_workspace_has_a_chain_of_its_own(engine):
    from goclaw import Principal

    engine.memory.write(ALICE, "here", scope="personal")
    engine.memory.write(Principal("zoe", workspace_id="there"), "there", scope="personal")
    seal_all(engine.database)
    assert (check(engine, "default").sealed, check(engine, "there").sealed) == (1, 1)


def test_the_rows_hold_no_text(engine):
    engine.memory.write(CRON, "the marmalade is in the cellar", scope="agent_notes")
    engine.memory.recall(RITA, "marmalade cellar")
    events = engine.memory.audit(RITA).events
    assert len(events) >= 2
    assert "marmalade" not in str(events)


def test_a_row_put_in_is_found(sealed):
    spoil(
        sealed,
        "INSERT INTO audit_log (id, event_type, workspace_id, actor_kind, actor_id, at)"
        " VALUES ('forged', 'memory_confirmed', 'default', 'human', 'human:rita', 1)",
    )
    found = check(sealed)
    assert (found.problem, found.broken_at, found.broken_event_id, found.sealed) == ("row_added", None, "forged", 12)


@pytest.mark.parametrize("column", ["actor_id", "detail"])
@pytest.mark.parametrize("mask", [0x01, 0x20, 0x80, 0xFF])
def test_one_flipped_byte_is_found_and_located(engine, column, mask):
    """Whatever it makes of the text: other words, no JSON, or no text at all."""
    for number in range(12):
        row = event(ALICE, EventType.MEMORY_REFUSED, number, detail={"why": "unsafe_content", "count": number})
        engine.database.write(lambda unit, row=row: audit_log.append(unit, row))
    seal_all(engine.database)
    seventh = "WHERE id = (SELECT event_id FROM audit_seals WHERE seq = 7)"
    with engine.database.read() as reader:
        (written,) = reader.one(Statement(text(f"SELECT {column} FROM audit_log {seventh}")))
    spoilt = bytearray(written.encode())
    spoilt[len(spoilt) // 2] ^= mask
    spoil(engine, f"UPDATE audit_log SET {column} = CAST(x'{spoilt.hex()}' AS TEXT) {seventh}")
    found = check(engine)
    assert (found.problem, found.broken_at, found.sealed) == ("row_changed", 7, 6)
