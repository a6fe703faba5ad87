"""The audit log of organization memory, for administrators by own hand; and every export leaves a row of its own."""

import pytest
from sqlalchemy import text

from goclaw.governance.audit_chain import seal_all
from goclaw.model.errors import AccessDenied
from goclaw.model.principal import Principal
from goclaw.storage.statement import Statement
from tests.flows.people import ADA, ADAS_AGENT, ALICE, ALICES_AGENT, CRON, IMPORT, RITA, STRANGER
from tests.running_gateway import running_gateway

CHIEF = Principal("cleo", roles=("admin",), workspace_id="elsewhere")  # of another workspace


@pytest.fixture
def badge(memory):
    memory.write(ALICE, "my own note", scope="personal")
    return memory.write(ADA, "Badges are worn", scope="agent_notes", visibility="organization")


@pytest.mark.parametrize("who", [ADA, CHIEF], ids=["ada", "cleo"])
def test_an_administrator_of_any_workspace_reads_and_verifies_it(engine, memory, badge, who):
    rows = memory.audit(who, organization=True).events
    assert [(row.event_type, row.memory_id, row.actor_id) for row in rows] == [
        ("memory_written", badge.id, "human:ada")
    ]
    seal_all(engine.database)
    found = memory.verify_audit(who, organization=True)
    assert (found.workspace_id, found.sealed, found.problem) == ("*", 1, None)
    engine.database.write(
        lambda unit: unit.run(Statement(text("UPDATE audit_log SET actor_id = 'human:eve' WHERE workspace_id = '*'")))
    )
    assert memory.verify_audit(who, organization=True).problem == "row_changed"
    assert memory.verify_audit(ADA).problem is None


@pytest.mark.parametrize("who", [ALICE, RITA, ADAS_AGENT, ALICES_AGENT, CRON, IMPORT, STRANGER])
def test_nobody_else_does(memory, badge, who):
    with pytest.raises(AccessDenied):
        memory.audit(who, organization=True)
    with pytest.raises(AccessDenied):
        memory.export_audit(who, organization=True)
    with pytest.raises(AccessDenied):
        memory.verify_audit(who, organization=True)
    assert badge.id not in {row.memory_id for row in memory.audit(who).events}
    assert [row.event_type for row in memory.audit(ADA, organization=True).events] == ["memory_written"]


def test_an_export_says_in_the_log_who_took_how_many(memory, badge):
    assert [row.memory_id for row in memory.export_audit(ADA, organization=True)] == [badge.id]
    taken = memory.audit(ADA, organization=True, event_type="exported").events
    assert [(row.actor_id, dict(row.detail)) for row in taken] == [("human:ada", {"what": "audit", "rows": 1})]
    own = memory.export_audit(ALICE)
    assert {row.actor_id for row in own} == {"human:alice"}
    (taken,) = memory.audit(RITA, event_type="exported").events
    assert (taken.actor_id, dict(taken.detail)) == ("human:alice", {"what": "audit", "rows": len(own)})


def test_an_export_has_every_row_of_many_pages(memory):
    for number in range(205):
        memory.write(ALICE, f"note {number}", scope="personal")
    assert len(memory.export_audit(ALICE, event_type="memory_written")) == 205


def test_over_http_it_is_the_same(tmp_path):
    with running_gateway(tmp_path) as gateway:
        with gateway.client(gateway.team.admin) as admin:
            made = gateway.engine.memory.write(ADA, "Badges are worn", scope="agent_notes", visibility="organization")
            assert [row["memory_id"] for row in admin.audit(organization=True)["events"]] == [made.id]
            assert [row["memory_id"] for row in admin.export_audit(organization=True)] == [made.id]
            assert admin.verify_audit(organization=True)["ok"]
            (taken,) = admin.audit(organization=True, event_type="exported")["events"]
            assert (taken["actor_id"], taken["payload"]["rows"]) == ("human:ada", 1)
        with gateway.client(gateway.team.alice) as alice:
            for ask in (alice.audit, alice.export_audit, alice.verify_audit):
                with pytest.raises(AccessDenied):
                    ask(organization=True)
