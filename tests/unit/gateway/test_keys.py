"""Keys open exactly what they were made for, and only while they are valid."""

import pytest

from goclaw.bootstrap import Engine
from goclaw.gateway.keys import KeyRequest, KeyRing, hash_of
from goclaw.gateway.people import People, command_line
from goclaw.model.clock import ManualClock
from goclaw.model.errors import Conflict, InvalidInput, NotFound, Unauthenticated
from goclaw.model.principal import ActorKind, Principal, RunKind
from goclaw.storage import audit_log
from tests.fakes.counted_database import CountedDatabase

BY = command_line()
ALICE = KeyRequest(kind=ActorKind.HUMAN, user_id="alice")


@pytest.fixture
def ring(engine: Engine) -> KeyRing:
    People(engine.database, engine.clock).add(BY, "default", "alice", roles=("member",))
    return KeyRing(engine.database, engine.clock)


def test_a_humans_key_opens_that_person_with_the_roles_they_have_now(engine: Engine, ring: KeyRing) -> None:
    made = ring.create(BY, KeyRequest(kind=ActorKind.HUMAN, user_id="alice", project_ids=("apollo",)))
    assert made.secret.startswith(f"gck_{made.key.id}_")

    assert ring.verify(made.secret) == (
        made.key.id,
        Principal("alice", roles=("member",), project_ids=("apollo",), run_kind=RunKind.PERSON),
    )
    People(engine.database, engine.clock).set_roles(BY, "default", "alice", ("admin",))
    assert ring.verify(made.secret)[1].is_admin


def test_a_key_is_checked_with_two_statements_and_a_third_for_projects_it_names(engine: Engine, ring: KeyRing) -> None:
    database = CountedDatabase(engine.database)
    counted = KeyRing(database, engine.clock)
    for projects, reads in (((), 2), (("apollo", "zeus"), 3)):
        secret = ring.create(BY, KeyRequest(kind=ActorKind.HUMAN, user_id="alice", project_ids=projects)).secret
        database.counts.clear()
        counted.verify(secret)
        assert (database.counts["snapshots"], database.counts["reads"]) == (1, reads)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (
            KeyRequest(kind=ActorKind.AGENT, user_id="alice", name="claw"),
            Principal("alice", roles=("member",), run_kind=RunKind.AGENT, agent_id="claw"),
        ),
        (
            KeyRequest(kind=ActorKind.IMPORT, name="crm"),
            Principal(None, roles=(), run_kind=RunKind.IMPORT, agent_id="crm"),
        ),
        (
            KeyRequest(kind=ActorKind.JOB, name="nightly", run_kind=RunKind.WEBHOOK),
            Principal(None, roles=(), run_kind=RunKind.WEBHOOK, agent_id="nightly"),
        ),
    ],
)
def test_each_kind_of_key_opens_its_own_kind_of_run(ring: KeyRing, request_: KeyRequest, expected: Principal) -> None:
    assert ring.verify(ring.create(BY, request_).secret)[1] == expected


@pytest.mark.parametrize(
    "request_",
    [
        KeyRequest(kind=ActorKind.HUMAN),
        KeyRequest(kind=ActorKind.HUMAN, user_id="alice", name="claw"),
        KeyRequest(kind=ActorKind.HUMAN, user_id="alice", run_kind=RunKind.AGENT),
        KeyRequest(kind=ActorKind.AGENT, user_id="alice"),
        KeyRequest(kind=ActorKind.AGENT, name="claw"),
        KeyRequest(kind=ActorKind.AGENT, user_id="alice", name="claw", run_kind=RunKind.PERSON),
        KeyRequest(kind=ActorKind.JOB, name="nightly"),
        KeyRequest(kind=ActorKind.JOB, name="nightly", run_kind=RunKind.PERSON),
        KeyRequest(kind=ActorKind.JOB, user_id="alice", name="nightly", run_kind=RunKind.CRON),
        KeyRequest(kind=ActorKind.IMPORT, user_id="alice", name="crm"),
        KeyRequest(kind=ActorKind.IMPORT, name=" crm"),
    ],
)
def test_a_request_that_makes_no_principal_makes_no_key(ring: KeyRing, request_: KeyRequest) -> None:
    with pytest.raises(InvalidInput):
        ring.create(BY, request_)
    assert not ring.exist()


def test_nobody_gets_a_key_who_is_not_registered_in_that_workspace(ring: KeyRing) -> None:
    for request in (
        KeyRequest(kind=ActorKind.HUMAN, user_id="mallory"),
        KeyRequest(kind=ActorKind.HUMAN, user_id="alice", workspace_id="other"),
    ):
        with pytest.raises(NotFound):
            ring.create(BY, request)
    assert not ring.exist()


def test_only_a_hash_of_a_key_is_stored(ring: KeyRing) -> None:
    made = ring.create(BY, ALICE)
    (stored,) = ring.list("default")
    assert stored.key_hash == hash_of(made.secret)
    assert made.secret.removeprefix(stored.prefix + "_") not in repr(stored)
    assert len(made.secret.rsplit("_", 1)[1]) == 64  # 256 bits


def test_a_rotated_key_opens_with_its_new_secret_only(ring: KeyRing) -> None:
    old = ring.create(BY, ALICE)
    new = ring.rotate(BY, "default", old.key.id)
    assert new.key.id == old.key.id
    assert ring.verify(new.secret)[0] == old.key.id
    with pytest.raises(Unauthenticated):
        ring.verify(old.secret)


def test_a_revoked_key_opens_nothing_and_stays_revoked(ring: KeyRing) -> None:
    made = ring.create(BY, ALICE)
    ring.revoke(BY, "default", made.key.id)
    ring.revoke(BY, "default", made.key.id)
    with pytest.raises(Unauthenticated):
        ring.verify(made.secret)
    with pytest.raises(Conflict):
        ring.rotate(BY, "default", made.key.id)
    assert not ring.exist()


def test_a_key_of_another_workspace_cannot_be_changed(ring: KeyRing) -> None:
    made = ring.create(BY, ALICE)
    for change in (ring.rotate, ring.revoke):
        with pytest.raises(NotFound):
            change(BY, "other", made.key.id)
    assert ring.verify(made.secret)


@pytest.mark.parametrize(
    "wrong", [None, "", "null", "undefined", "0", "gck_", "gck__", "gck_x_y", "\ud83d", "x" * 9999]
)
def test_what_is_no_key_opens_nothing_and_always_says_the_same(ring: KeyRing, wrong: str | None) -> None:
    ring.create(BY, ALICE)
    with pytest.raises(Unauthenticated) as refused:
        ring.verify(wrong)
    assert refused.value.message == "A valid key is needed."


def test_every_change_of_a_key_is_audited_without_its_secret(engine: Engine, ring: KeyRing) -> None:
    made = ring.create(BY, ALICE)
    rotated = ring.rotate(BY, "default", made.key.id)
    ring.revoke(BY, "default", made.key.id)
    with engine.database.read() as reader:
        events = audit_log.page(reader, "default", event_type="access_changed", limit=10)
    what = [event.detail["what"] for event in reversed(events)]
    assert what == ["person_added", "key_created", "key_rotated", "key_revoked"]
    assert {event.actor_id for event in events} == {"job:command-line"}
    for secret in (made.secret, rotated.secret):
        assert secret not in repr(events)
        assert hash_of(secret) not in repr(events)


def test_the_last_use_is_written_down_at_most_once_a_minute(engine: Engine, ring: KeyRing, clock: ManualClock) -> None:
    made = ring.create(BY, ALICE)

    def last_used() -> int | None:
        ring.verify(made.secret)
        engine.database.flush_later()
        return ring.list("default")[0].last_used_at

    first = clock.now()
    assert last_used() == first
    clock.advance(seconds=59)
    assert last_used() == first
    clock.advance(seconds=1)
    assert last_used() == first + 60_000_000
