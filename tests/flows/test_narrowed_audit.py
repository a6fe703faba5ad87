"""What was narrowed is not gone: who could read it once is told nothing of it any more, not by the audit log either."""

from goclaw import Principal

ADMIN = Principal("root", roles=("admin",))
RITA = Principal("rita", roles=("reviewer",))
SAM = Principal("sam", roles=("reviewer",))


def test_the_audit_log_says_nothing_of_a_record_that_became_somebodys_own(memory):
    record = memory.write(ADMIN, "The safe is behind the picture.", scope="agent_notes")
    assert record.id in str(memory.audit(SAM).events)
    memory.review(RITA, record.id, "restrict_scope", visibility="personal")
    assert record.id not in str(memory.audit(SAM).events)
    assert record.id not in str(memory.export_audit(SAM))
    assert record.id in str(memory.audit(ADMIN).events)  # whose it is now


def test_of_a_record_that_is_gone_the_place_it_had_decides(memory):
    record = memory.write(ADMIN, "The safe is behind the picture.", scope="agent_notes")
    memory.forget(ADMIN, record.id)
    events = [each.event_type for each in memory.audit(SAM, memory_id=record.id).events]
    assert events == ["memory_forgotten", "memory_written"]
