"""A key is bound to its first request, on every engine; and a store knows whether anybody has a key at all."""

from goclaw.model.principal import RunKind
from goclaw.storage import idempotency_keys, principals
from goclaw.storage.database import Database
from goclaw.storage.idempotency_keys import Claim
from goclaw.storage.principals import Key

ALICE = ("default", "human:alice", "K")


def test_a_key_belongs_to_the_first_request_that_shows_it(store: Database) -> None:
    assert store.write(lambda unit: idempotency_keys.claim(unit, *ALICE, "hash-1", 10)) == Claim("hash-1", None)
    assert store.write(lambda unit: idempotency_keys.claim(unit, *ALICE, "hash-2", 20)) == Claim("hash-1", None)
    store.write(lambda unit: idempotency_keys.answer(unit, *ALICE, ["m1", "m2"]))
    with store.read() as reader:
        assert idempotency_keys.find(reader, *ALICE) == Claim("hash-1", ("m1", "m2"))


def test_the_same_key_of_another_or_elsewhere_is_another_key(store: Database) -> None:
    others = [("default", "human:bob", "K"), ("other", "human:alice", "K"), ("default", "human:alice", "k")]
    store.write(lambda unit: idempotency_keys.claim(unit, *ALICE, "hash-1", 10))
    store.write(lambda unit: idempotency_keys.answer(unit, *ALICE, ["m1", "m2"]))
    with store.read() as reader:
        assert [idempotency_keys.find(reader, *other) for other in others] == [None, None, None]


def test_old_keys_go_and_newer_ones_stay(store: Database) -> None:
    newer = (*ALICE[:2], "newer")
    store.write(lambda unit: idempotency_keys.claim(unit, *ALICE, "hash-1", 10))
    store.write(lambda unit: idempotency_keys.claim(unit, *newer, "hash-2", 11))
    assert store.write(lambda unit: idempotency_keys.delete_before(unit, 11)) == 1
    with store.read() as reader:
        assert idempotency_keys.find(reader, *ALICE) is None
        assert idempotency_keys.find(reader, *newer) is not None


def test_a_store_knows_whether_any_key_opens_it(store: Database) -> None:
    def has_valid_key() -> bool:
        with store.read() as reader:
            return principals.has_valid_key(reader)

    key = Key(
        id="k1",
        kind="import",
        key_hash="hash",
        prefix="gck_k1",
        workspace_id="elsewhere",
        run_kind=RunKind.IMPORT,
        created_at=1,
    )
    assert not has_valid_key()
    store.write(lambda unit: principals.add_key(unit, key))
    assert has_valid_key()
    store.write(lambda unit: principals.revoke_key(unit, "elsewhere", "k1", 2))
    assert not has_valid_key()
