"""Small shapes: scopes, visibility, namespaces, sources, tags, ids, clock, errors, records."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from goclaw.model import errors
from goclaw.model.clock import DAY, SECOND, ManualClock, SystemClock, from_us, to_us
from goclaw.model.ids import IdMaker, chunk_id, new_id, sha256_hex
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.namespace import ORGANIZATION, Namespace
from goclaw.model.principal import ActorKind
from goclaw.model.provenance import CLAIMABLE, INSTRUCTION_GRADE, TRUST_ORDER, Provenance, SourceRef
from goclaw.model.record import Kind, MemoryRecord
from goclaw.model.review import ReviewStatus
from goclaw.model.scope import EVERGREEN_SCOPES, SYSTEM_SCOPES, WRITABLE_SCOPES, Scope
from goclaw.model.tags import MAX_TAGS, normalise_tags
from goclaw.model.visibility import Visibility

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_the_seven_scopes():
    assert [*WRITABLE_SCOPES, *SYSTEM_SCOPES] == list(Scope)
    assert WRITABLE_SCOPES == ("personal", "agent_notes", "global", "agent_config")
    assert {"agent_config", "wiki", "wikijs", "db_cache"} == EVERGREEN_SCOPES


def test_visibility_grows_outwards():
    assert [level.width for level in Visibility] == [0, 1, 2, 3, 4]
    assert Visibility.PROJECT.is_wider_than(Visibility.CHANNEL)
    assert not Visibility.PERSONAL.is_wider_than(Visibility.PERSONAL)


@pytest.mark.parametrize(("namespace", "visibility"), [
    (Namespace("w", Scope.PERSONAL, "alice"),                     Visibility.PERSONAL),
    (Namespace("w", Scope.AGENT_NOTES, "", "apollo", "c1"),       Visibility.CHANNEL),
    (Namespace("w", Scope.AGENT_NOTES, "", "apollo"),             Visibility.PROJECT),
    (Namespace("w", Scope.GLOBAL),                                Visibility.WORKSPACE),
    (Namespace(ORGANIZATION, Scope.AGENT_NOTES),                  Visibility.ORGANIZATION),
])  # fmt: skip
def test_visibility_is_read_off_the_namespace(namespace, visibility):
    assert namespace.visibility is visibility


def test_the_seven_provenance_statuses():
    assert set(TRUST_ORDER) == set(Provenance)
    assert {"user_confirmed", "imported"} == INSTRUCTION_GRADE
    assert set(Provenance) - CLAIMABLE == {"superseded", "disputed"}
    assert Provenance.OBSERVED.status == "observed"


def test_a_source_reference_comes_from_its_fields():
    issue = SourceRef.of({"kind": "issue", "uri": "https://example.org/1"})
    assert issue == SourceRef("issue", "https://example.org/1")
    assert SourceRef.of(issue) is issue
    assert issue.as_dict() == {"kind": "issue", "uri": "https://example.org/1", "title": None, "timestamp": None}


@pytest.mark.parametrize("fields", [{}, {"uri": "x"}, {"kind": ""}, {"kind": "issue", "url": "x"}])
def test_a_source_reference_says_what_is_missing(fields):
    with pytest.raises(errors.InvalidInput, match="kind"):
        SourceRef.of(fields)


def test_tags_are_distinct_lower_case_words():
    assert normalise_tags(["Apollo", "apollo", "on  call", "\uff21"]) == ("apollo", "on-call", "a")


@pytest.mark.parametrize(
    "tags", ["apollo", [""], [" "], ["x" * 65], ["a\u200bb"], [f"t{i}" for i in range(MAX_TAGS + 1)]]
)
def test_tags_that_cannot_be_used(tags):
    with pytest.raises(errors.InvalidInput):
        normalise_tags(tags)


def test_ids_are_uuid_version_seven_and_only_grow():
    clock = ManualClock(NOON)
    maker = IdMaker(clock)
    ids = [*(maker.new_id() for _ in range(5000)), *maker.new_ids(5000)]
    clock.advance(days=-1)
    ids.append(maker.new_id())
    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", i) for i in ids)
    assert int(ids[0].replace("-", "")[:12], 16) == to_us(NOON) // 1000
    assert new_id() < new_id()


def test_a_chunk_keeps_its_id_while_its_text_stays():
    assert chunk_id("m", 0, sha256_hex("a")) == chunk_id("m", 0, sha256_hex("a"))
    assert len({chunk_id("m", 0, "h"), chunk_id("m", 1, "h"), chunk_id("n", 0, "h"), chunk_id("m", 0, "i")}) == 4


def test_time_is_utc_microseconds():
    moment = datetime(2026, 3, 1, 13, 0, 0, 5, tzinfo=timezone(timedelta(hours=1)))
    assert from_us(to_us(moment)) == moment
    assert to_us(datetime(2026, 3, 1, 12)) == to_us(NOON)  # without a zone: UTC, never the server's
    assert from_us(to_us(datetime(1969, 12, 31, 23, 59, 59, 5, tzinfo=UTC))).year == 1969


def test_a_manual_clock_moves_when_it_is_told():
    clock = ManualClock(to_us(NOON))
    clock.advance(days=1, hours=1, seconds=1)
    assert clock.now() == to_us(NOON) + DAY + 3601 * SECOND
    clock.set(NOON)
    assert clock.now() == to_us(NOON)
    clock.set(5)
    assert clock.now() == 5


def test_the_system_clock_is_in_this_century():
    assert 2020 < from_us(SystemClock().now()).year < 2100


def test_errors_say_what_to_do():
    assert str(errors.AccessDenied("No.", "Write to personal.")) == "No. Write to personal."
    assert str(errors.NotFound("No.")) == "No."
    unsafe = errors.UnsafeContent([errors.UnsafeFinding("api_key", "content"), errors.UnsafeFinding("api_key", "tags")])
    assert unsafe.message == "Unsafe memory blocked: api_key."
    assert len(unsafe.findings) == 2
    assert errors.ProviderError("Busy.", retry_after_s=3).retry_after_s == 3
    assert errors.RateLimited("Slow down.", retry_after_s=2).retry_after_s == 2


def record(**fields):
    defaults = {
        "id": new_id(),
        "namespace": Namespace("w", Scope.AGENT_NOTES, "", "apollo"),
        "kind": Kind.FACT,
        "content": "text",
        "content_hash": "0",
        "lifecycle": Lifecycle.ACTIVE,
        "provenance": Provenance.USER_CONFIRMED,
        "review_status": ReviewStatus.CONFIRMED,
        "actor_id": "human:alice",
        "actor_kind": ActorKind.HUMAN,
        "created_at": NOON,
        "updated_at": NOON,
        "version": 1,
    }
    return MemoryRecord(**(defaults | fields))


def test_a_record_reads_its_place_off_its_namespace():
    shared = record()
    assert (shared.scope, shared.workspace_id, shared.project_id) == ("agent_notes", "w", "apollo")
    assert (shared.owner_user_id, shared.channel_id, shared.visibility) == (None, None, "project")
    mine = record(namespace=Namespace("w", Scope.PERSONAL, "alice"))
    assert mine.owner_user_id == "alice"


def test_a_record_computes_its_policy():
    assert record().use_policy.can_use_as_instruction
    assert not record().policy_for(inside=False).can_use_as_instruction
    assert not record(tags=("unverified",)).use_policy.can_use_as_instruction


def test_critical_records_and_configuration_do_not_fade():
    assert not record().is_evergreen
    assert record(tags=("critical",)).is_evergreen
    assert record(namespace=Namespace("w", Scope.AGENT_CONFIG)).is_evergreen
