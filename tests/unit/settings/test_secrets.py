"""The vault: sealed, durable, shared by processes, and silent about values."""

import multiprocessing
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from goclaw.model.errors import InvalidInput, SecretsError
from goclaw.settings.paths import StatePaths
from goclaw.settings.secrets import Vault, fill_references, find_references

CANARY = "canary-value"


@pytest.fixture
def paths(tmp_path: Path) -> StatePaths:
    return StatePaths(tmp_path)


def store(paths: StatePaths, prefix: str) -> None:
    for number in range(5):
        Vault.open(paths).set(f"{prefix}{number}", "x")


def test_a_secret_comes_back_and_stands_nowhere_in_the_files(paths: StatePaths) -> None:
    Vault.open(paths).set("EMBED_KEY", CANARY)
    Vault.open(paths).set("OTHER", "y")
    vault = Vault.open(paths)
    assert vault.get("EMBED_KEY") == CANARY
    assert vault.names() == ["EMBED_KEY", "OTHER"]
    for file in paths.credentials.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600
        assert CANARY.encode() not in file.read_bytes()
        assert b"EMBED_KEY" not in file.read_bytes()


def test_a_secret_can_be_replaced_and_removed(paths: StatePaths) -> None:
    vault = Vault.open(paths)
    vault.set("A", "1")
    vault.set("A", "2")
    assert vault.get("A") == vault.get("A") == "2"
    assert vault.remove("A") is True
    assert vault.remove("A") is False
    assert vault.names() == []


def test_looking_into_an_empty_vault_makes_nothing(paths: StatePaths) -> None:
    assert Vault.open(paths).names() == []
    with pytest.raises(SecretsError, match="goclaw secrets set NOPE"):
        Vault.open(paths).get("NOPE")
    assert list(paths.state_dir.iterdir()) == []


def test_a_passphrase_opens_what_it_closed_and_nothing_else_does(paths: StatePaths) -> None:
    Vault.open(paths, "right").set("A", CANARY)
    assert not paths.vault_key.exists()
    vault = Vault.open(paths, "right")
    assert [vault.get("A"), vault.get("A")] == [CANARY, CANARY]
    for passphrase, hint in (("wrong", "key is wrong"), (None, "GOCLAW_VAULT_PASSPHRASE")):
        with pytest.raises(SecretsError, match=hint):
            Vault.open(paths, passphrase).get("A")
    with pytest.raises(SecretsError):
        Vault.open(paths, "wrong").set("B", "would replace everything")
    assert Vault.open(paths, "right").names() == ["A"]


def test_a_vault_with_a_key_file_does_not_open_by_passphrase(paths: StatePaths) -> None:
    Vault.open(paths).set("A", CANARY)
    with pytest.raises(SecretsError, match="Unset GOCLAW_VAULT_PASSPHRASE"):
        Vault.open(paths, "any").get("A")


def cut(sealed: bytes) -> bytes:
    return sealed[:-1]


def cut_short(sealed: bytes) -> bytes:
    return sealed.partition(b"\n")[0] + b"\nabc"


def flip_last(sealed: bytes) -> bytes:
    return sealed[:-1] + bytes([sealed[-1] ^ 1])


def change_line(sealed: bytes) -> bytes:
    return sealed.replace(b'"salt":""', b'"salt":"00"', 1)


def other_file(_: bytes) -> bytes:
    return b"hello"


def empty(_: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("damage", [cut, cut_short, flip_last, change_line, other_file, empty])
def test_a_damaged_vault_is_named_and_kept(paths: StatePaths, damage: Callable[[bytes], bytes]) -> None:
    Vault.open(paths).set("A", CANARY)
    damaged = damage(paths.secrets.read_bytes())
    paths.secrets.write_bytes(damaged)
    with pytest.raises(SecretsError) as caught:
        Vault.open(paths).get("A")
    assert "credentials" in caught.value.hint
    assert CANARY not in str(caught.value)
    assert caught.value.__context__ is None
    with pytest.raises(SecretsError):
        Vault.open(paths).set("B", "1")
    assert paths.secrets.read_bytes() == damaged


def test_a_vault_that_cannot_be_read_is_named(paths: StatePaths) -> None:
    paths.secrets.mkdir(parents=True)
    with pytest.raises(SecretsError, match=r"secrets\.enc cannot be read"):
        Vault.open(paths).names()


def test_a_lost_or_damaged_or_open_key_file_is_named(paths: StatePaths) -> None:
    Vault.open(paths).set("A", "1")
    key = paths.vault_key.read_bytes()
    paths.vault_key.chmod(0o644)
    with pytest.raises(SecretsError, match="chmod 600"):
        Vault.open(paths).get("A")
    paths.vault_key.chmod(0o600)
    paths.vault_key.write_bytes(key[:5])
    with pytest.raises(SecretsError, match="damaged"):
        Vault.open(paths).get("A")
    paths.vault_key.unlink()
    with pytest.raises(SecretsError, match="missing"):
        Vault.open(paths).set("B", "1")
    assert not paths.vault_key.exists()


@pytest.mark.parametrize("name", ["", "1A", "A B", "A}", "A\n", "x" * 65])
def test_a_wrong_name_is_refused(paths: StatePaths, name: str) -> None:
    with pytest.raises(InvalidInput):
        Vault.open(paths).set(name, "x")


def test_an_empty_value_is_refused(paths: StatePaths) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        Vault.open(paths).set("A", "")


def test_threads_that_write_at_once_lose_nothing(paths: StatePaths) -> None:
    threads = [threading.Thread(target=store, args=(paths, f"t{number}_")) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Vault.open(paths).names()) == 20


@pytest.mark.process
def test_processes_that_write_at_once_lose_nothing(paths: StatePaths) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=store, args=(paths, f"p{number}_")) for number in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert len(Vault.open(paths).names()) == 10


def test_references_are_found_and_filled_at_any_depth(paths: StatePaths) -> None:
    vault = Vault.open(paths)
    vault.set("A", "1")
    vault.set("B", "${secret:A}")
    tree = {"x": "a${secret:A}b${secret:B}", "y": [{"z": "${secret:A}"}], "n": 3}
    assert find_references(tree) == ["A", "B", "A"]
    # A secret's own text is never looked through again.
    assert fill_references(tree, vault) == {"x": "a1b${secret:A}", "y": ({"z": "1"},), "n": 3}
    assert find_references("${SECRET:A} $secret:A") == []
