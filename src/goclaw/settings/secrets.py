"""The vault: passwords and keys in credentials/secrets.enc, sealed with AES-256-GCM; settings name them ${secret:NAME}.

The vault's key is a file of random bytes beside it (vault.key, mode 0600, made at first use) or comes from a passphrase
through Argon2id. File format: one line of JSON that says which (and the salt), then a 12-byte nonce and the sealed JSON
of name → value; the line is authenticated too. No error ever repeats a value.
"""

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from goclaw.model.errors import InvalidInput, SecretsError
from goclaw.settings.paths import StatePaths, make_folder
from goclaw.settings.private_file import write_private_file

REFERENCE = re.compile(r"\$\{secret:([^{}]*)\}")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
KEY_BYTES = 32  # AES-256
NONCE_BYTES = 12
SALT_BYTES = 16
# RFC 9106, section 4, the second recommended choice: 64 MiB, three passes, four lanes.
PASSES, MEMORY_KIB, LANES = 3, 64 * 1024, 4


@dataclass(frozen=True, slots=True)
class Seal:
    """How the file is locked: the first line of the vault, readable without a key."""

    locked_by: str  # key_file or passphrase
    salt: bytes  # of the passphrase; empty for a key file

    def line(self) -> bytes:
        """The line as it stands in the file, without its end."""
        fields = {"goclaw_vault": 1, "locked_by": self.locked_by, "salt": self.salt.hex()}
        return json.dumps(fields, separators=(",", ":")).encode()

    @classmethod
    def read(cls, line: bytes) -> "Seal":
        """The line read back; SecretsError where it is not ours."""
        try:
            fields = json.loads(line)
            seal = cls(fields["locked_by"], bytes.fromhex(fields["salt"]))
        except (ValueError, KeyError, TypeError):
            seal = None
        if seal is None or seal.line() != line:
            raise _damaged()
        return seal


class Vault:
    """Secrets of one state directory; safe to use from several threads and processes at once."""

    def __init__(self, paths: StatePaths, passphrase: str | None) -> None:
        self._paths = paths
        self._passphrase = passphrase
        self._key_of_salt: dict[bytes, bytes] = {}  # deriving a key takes a tenth of a second

    @classmethod
    def open(cls, paths: StatePaths, passphrase: str | None = None) -> "Vault":
        """The vault of these paths. Nothing is read or made before the first use."""
        return cls(paths, passphrase or None)

    def get(self, name: str) -> str:
        """The value of a secret; SecretsError when there is none of that name."""
        secrets = self._read()
        if name not in secrets:
            raise SecretsError(f"The vault has no secret {name!r}.", f"Put it there: goclaw secrets set {name}")
        return secrets[name]

    def names(self) -> list[str]:
        """The names of all secrets, sorted."""
        return sorted(self._read())

    def set(self, name: str, value: str) -> None:
        """Store or replace a secret; it is on the disk when this returns."""
        if not NAME.fullmatch(name):
            raise InvalidInput("A secret's name has letters, digits and _ . - and begins with a letter.")
        if not value:
            raise InvalidInput(f"The secret {name} is empty.", "To take it away: goclaw secrets rm")
        with self._lock():
            self._write({**self._read(), name: value})

    def remove(self, name: str) -> bool:
        """Take a secret away; False when there was none of that name."""
        with self._lock():
            secrets = self._read()
            if name not in secrets:
                return False
            del secrets[name]
            self._write(secrets)
            return True

    def _read(self) -> dict[str, str]:
        sealed = _read_bytes(self._paths.secrets)
        if sealed is None:
            return {}
        line, _, rest = sealed.partition(b"\n")
        key = self._key(Seal.read(line), may_make=False)
        try:
            opened = AESGCM(key).decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], line)
        except (InvalidTag, ValueError):
            opened = None
        if opened is None:
            raise _damaged()
        secrets: dict[str, str] = json.loads(opened)
        return secrets

    def _write(self, secrets: Mapping[str, str]) -> None:
        seal = Seal("passphrase", os.urandom(SALT_BYTES)) if self._passphrase else Seal("key_file", b"")
        nonce = os.urandom(NONCE_BYTES)
        sealed = AESGCM(self._key(seal, may_make=True)).encrypt(nonce, json.dumps(secrets).encode(), seal.line())
        write_private_file(self._paths.secrets, b"%s\n%s%s" % (seal.line(), nonce, sealed))

    def _key(self, seal: Seal, *, may_make: bool) -> bytes:
        if seal.locked_by == "key_file":
            if self._passphrase:
                raise SecretsError("The vault is locked by its key file.", "Unset GOCLAW_VAULT_PASSPHRASE.")
            return _read_key_file(self._paths.vault_key, may_make=may_make)
        if not self._passphrase:
            raise SecretsError("The vault is locked by a passphrase.", "Give it in GOCLAW_VAULT_PASSPHRASE.")
        if seal.salt not in self._key_of_salt:
            self._key_of_salt[seal.salt] = hash_secret_raw(
                self._passphrase.encode(), seal.salt, PASSES, MEMORY_KIB, LANES, KEY_BYTES, Type.ID
            )
        return self._key_of_salt[seal.salt]

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """One writer at a time on this machine, so that no process overwrites what another just stored."""
        with (make_folder(self._paths.locks) / "secrets.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # given back when the file closes, also by a crash
            yield


def find_references(value: object) -> list[str]:
    """The names of secrets that a value, or any value inside it, refers to."""
    if isinstance(value, str):
        return REFERENCE.findall(value)
    if isinstance(value, Mapping):
        return [name for each in value.values() for name in find_references(each)]
    if isinstance(value, tuple | list):
        return [name for each in value for name in find_references(each)]
    return []


def fill_references(value: Any, vault: Vault) -> Any:
    """The same value with every ``${secret:NAME}`` in it replaced by the vault's text."""
    if isinstance(value, str):
        return REFERENCE.sub(lambda match: vault.get(match[1]), value)
    if isinstance(value, Mapping):
        return {key: fill_references(each, vault) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return tuple(fill_references(each, vault) for each in value)
    return value


def _read_key_file(path: Path, *, may_make: bool) -> bytes:
    if may_make and not path.exists():
        write_private_file(path, os.urandom(KEY_BYTES), keep_existing=True)
    key = _read_bytes(path)
    if key is None or len(key) != KEY_BYTES:
        state = "missing" if key is None else "damaged"
        raise SecretsError(f"The key file of the vault is {state}.", f"Bring {path.name} back from a backup.")
    if path.stat().st_mode & 0o077:
        raise SecretsError("The key file of the vault can be read by others.", f"Run chmod 600 on {path.name}.")
    return key


def _read_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError:
        pass
    raise SecretsError(f"{path.name} cannot be read.", "Check its owner and permissions.")


def _damaged() -> SecretsError:
    return SecretsError(
        "The vault cannot be opened: its key is wrong or the file is damaged.",
        "Use the passphrase or key file it was made with, or bring the folder credentials back from a backup.",
    )
