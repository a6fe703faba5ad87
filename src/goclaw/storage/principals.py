"""Principals: the people of a workspace and the keys that open the gateway. Only hashes of keys are stored."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import bindparam, select

from goclaw.model.principal import RunKind
from goclaw.storage.database import Reader, Row, Unit
from goclaw.storage.schema import KEYS, PEOPLE
from goclaw.storage.statement import InsertOrKeep, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who may have keys, and agents that act for them."""

    workspace_id: str
    user_id: str
    display_name: str
    roles: tuple[str, ...]
    created_at: int  # microseconds since 1970
    language: str | None = None  # the one they want to be answered in; None: as they write


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key of a principal. Its roles are the person's at the moment of use, so they are not stored here."""

    id: str
    kind: str  # human, agent, import, job
    key_hash: str
    prefix: str  # its first characters, to recognise it by
    workspace_id: str
    run_kind: RunKind
    created_at: int
    user_id: str | None = None
    agent_id: str | None = None
    project_ids: tuple[str, ...] = ()
    channel_ids: tuple[str, ...] = ()
    revoked_at: int | None = None
    last_used_at: int | None = None


_P = PEOPLE.c
_K = KEYS.c

_ADD_PERSON = Statement(InsertOrKeep(PEOPLE))
_PEOPLE = Statement(select(PEOPLE).where(_P.workspace_id == bindparam("workspace")).order_by(_P.user_id))
_PERSON = Statement(select(PEOPLE).where(_P.workspace_id == bindparam("workspace"), _P.user_id == bindparam("user")))
_SET_ROLES = Statement(
    PEOPLE.update()
    .where(_P.workspace_id == bindparam("workspace"), _P.user_id == bindparam("user"))
    .values(roles=bindparam("new_roles")),
    *("workspace", "user", "new_roles"),
)
_SET_LANGUAGE = Statement(
    PEOPLE.update()
    .where(_P.workspace_id == bindparam("workspace"), _P.user_id == bindparam("user"))
    .values(language=bindparam("new_language")),
    *("workspace", "user", "new_language"),
)
_ADD_KEY = Statement(KEYS.insert())
_KEYS = Statement(select(KEYS).where(_K.workspace_id == bindparam("workspace")).order_by(_K.created_at, _K.id))
_KEY_BY_HASH = Statement(select(KEYS).where(_K.key_hash == bindparam("hash")))
_ANY_VALID_KEY = Statement(select(_K.id).where(_K.revoked_at.is_(None)).limit(1))
_ROTATE = Statement(
    KEYS.update()
    .where(_K.workspace_id == bindparam("workspace"), _K.id == bindparam("which"), _K.revoked_at.is_(None))
    .values(key_hash=bindparam("new_hash"), prefix=bindparam("new_prefix"), last_used_at=None),
    *("workspace", "which", "new_hash", "new_prefix"),
)
_REVOKE = Statement(
    KEYS.update()
    .where(_K.workspace_id == bindparam("workspace"), _K.id == bindparam("which"), _K.revoked_at.is_(None))
    .values(revoked_at=bindparam("moment")),
    *("workspace", "which", "moment"),
)
_NOTE_USE = Statement(
    KEYS.update().where(_K.id == bindparam("which")).values(last_used_at=bindparam("moment")), *("which", "moment")
)


def add_person(unit: Unit, person: Person) -> bool:
    """Register somebody; False where the workspace knows the user id already."""
    row = (
        person.workspace_id,
        person.user_id,
        person.display_name,
        json.dumps(person.roles, ensure_ascii=False),
        person.created_at,
        person.language,
    )
    return unit.run(_ADD_PERSON, row) > 0


def list_people(reader: Reader, workspace_id: str) -> list[Person]:
    """The workspace's people, by user id."""
    return [_person(row) for row in reader.all(_PEOPLE, (workspace_id,))]


def find_person(reader: Reader, workspace_id: str, user_id: str) -> Person | None:
    row = reader.one(_PERSON, (workspace_id, user_id))
    return None if row is None else _person(row)


def set_roles(unit: Unit, workspace_id: str, user_id: str, roles: Sequence[str]) -> bool:
    """Give somebody these roles and no others; False where nobody is registered under the id."""
    return unit.run(_SET_ROLES, (workspace_id, user_id, json.dumps(list(roles), ensure_ascii=False))) > 0


def set_language(unit: Unit, workspace_id: str, user_id: str, language: str | None) -> bool:
    """Answer somebody in this language from now on; False where nobody is registered under the id."""
    return unit.run(_SET_LANGUAGE, (workspace_id, user_id, language)) > 0


def add_key(unit: Unit, key: Key) -> None:
    """Store a key."""
    row = (
        key.id,
        key.kind,
        key.key_hash,
        key.prefix,
        key.workspace_id,
        key.user_id,
        key.agent_id,
        key.run_kind.value,
        json.dumps(key.project_ids, ensure_ascii=False),
        json.dumps(key.channel_ids, ensure_ascii=False),
        key.created_at,
        key.revoked_at,
        key.last_used_at,
    )
    unit.run(_ADD_KEY, row)


def list_keys(reader: Reader, workspace_id: str) -> list[Key]:
    """The workspace's keys, oldest first, revoked ones included."""
    return [_key(row) for row in reader.all(_KEYS, (workspace_id,))]


def find_key(reader: Reader, key_hash: str) -> Key | None:
    """The key with this hash, in whatever workspace, revoked or not; None where there is none."""
    row = reader.one(_KEY_BY_HASH, (key_hash,))
    return None if row is None else _key(row)


def has_valid_key(reader: Reader) -> bool:
    """Whether any key of any workspace opens this store."""
    return reader.one(_ANY_VALID_KEY) is not None


def rotate_key(unit: Unit, workspace_id: str, key_id: str, key_hash: str, prefix: str) -> bool:
    """Replace a key's secret, so that the old one no longer opens; False where there is no such valid key."""
    return unit.run(_ROTATE, (workspace_id, key_id, key_hash, prefix)) > 0


def revoke_key(unit: Unit, workspace_id: str, key_id: str, now: int) -> bool:
    """End a key; False where there is no such valid key."""
    return unit.run(_REVOKE, (workspace_id, key_id, now)) > 0


def note_key_use(unit: Unit, key_id: str, now: int) -> None:
    """Remember when a key was last used."""
    unit.run(_NOTE_USE, (key_id, now))


def _person(row: Row) -> Person:
    workspace_id, user_id, display_name, roles, created_at, language = row
    return Person(
        workspace_id=workspace_id,
        user_id=user_id,
        display_name=display_name,
        roles=tuple(json.loads(roles)),
        created_at=created_at,
        language=language,
    )


@lru_cache(maxsize=1024)
def _key(row: Row) -> Key:
    (key_id, kind, key_hash, prefix, workspace_id, user_id, agent_id, run_kind, projects, channels, *moments) = row
    created_at, revoked_at, last_used_at = moments
    return Key(
        id=key_id,
        kind=kind,
        key_hash=key_hash,
        prefix=prefix,
        workspace_id=workspace_id,
        user_id=user_id,
        agent_id=agent_id,
        run_kind=RunKind(run_kind),
        project_ids=tuple(json.loads(projects)),
        channel_ids=tuple(json.loads(channels)),
        created_at=created_at,
        revoked_at=revoked_at,
        last_used_at=last_used_at,
    )
