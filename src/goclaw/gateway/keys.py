"""Keys: what a program shows to say whose it is. Made here, shown once, stored as a hash, checked at every request.

A key is ``gck_<id>_<secret>`` with 256 random bits of secret. Nobody can guess or enumerate that many, so one round of
sha256 protects it as well as a slow password hash would, and a request does not pay for one. Roles are not part of a
key: they are the person's at the moment of use.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from goclaw.governance.audit import EventType, event
from goclaw.model.clock import MINUTE, Clock
from goclaw.model.errors import Conflict, InvalidInput, NotFound, Unauthenticated
from goclaw.model.principal import ActorKind, Principal, RunKind, canonical_id
from goclaw.storage import audit_log, principals, projects, standing
from goclaw.storage.database import Database, Reader, Unit
from goclaw.storage.principals import Key

KEY_MARK = "gck"
ID_BYTES = 8
SECRET_BYTES = 32
MAX_KEY_CHARS = 200  # anything longer is no key of ours and is not even hashed

# Which runs a kind of key opens (architecture.md 3); the first is the one meant where none is named.
RUN_KINDS: dict[ActorKind, tuple[RunKind, ...]] = {
    ActorKind.HUMAN: (RunKind.PERSON,),
    ActorKind.AGENT: (RunKind.AGENT,),
    ActorKind.IMPORT: (RunKind.IMPORT,),
    ActorKind.JOB: (RunKind.SOP, RunKind.CRON, RunKind.WEBHOOK),
}


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key just made. ``secret`` is the whole key, and this is the only time it is known."""

    key: Key
    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRequest:
    """Whose key is to be made, and what it opens."""

    kind: ActorKind
    workspace_id: str = "default"
    user_id: str | None = None  # human: the person; agent: the person it acts for
    name: str | None = None  # of the agent, import or job
    run_kind: RunKind | None = None  # of a job: sop, cron or webhook
    project_ids: tuple[str, ...] = ()
    channel_ids: tuple[str, ...] = ()


class KeyRing:
    """Makes, lists, changes and checks the keys of a store. Usable from any number of threads."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._last_marked: dict[str, int] = {}  # key id -> when its use was last written down

    def create(self, by: Principal, request: KeyRequest) -> NewKey:
        """Make a key for a principal of ``by``'s choice.

        Raises InvalidInput where the request does not make a principal, NotFound where the person is not registered.
        """
        run_kind = _checked(request)
        key_id = secrets.token_hex(ID_BYTES)
        secret = _secret_for(key_id)
        key = Key(
            id=key_id,
            kind=request.kind,
            key_hash=hash_of(secret),
            prefix=_prefix(key_id),
            workspace_id=request.workspace_id,
            user_id=request.user_id,
            agent_id=request.name,
            run_kind=run_kind,
            project_ids=request.project_ids,
            channel_ids=request.channel_ids,
            created_at=self._clock.now(),
        )
        _principal(key, (), key.project_ids, key.channel_ids)  # raises where a name is not in its plain form
        self._database.write(lambda unit: self._add(unit, by, key))
        return NewKey(key, secret)

    def list(self, workspace_id: str) -> Sequence[Key]:
        """All keys of a workspace, oldest first, revoked ones too."""
        with self._database.read() as reader:
            return principals.list_keys(reader, workspace_id)

    def exist(self) -> bool:
        """Whether any key opens this store; revoked ones do not."""
        with self._database.read() as reader:
            return principals.has_valid_key(reader)

    def rotate(self, by: Principal, workspace_id: str, key_id: str) -> NewKey:
        """Give a key a new secret; the old one opens nothing from now on. Its id stays."""
        secret = _secret_for(key_id)
        return NewKey(self._database.write(lambda unit: self._rotate(unit, by, workspace_id, key_id, secret)), secret)

    def revoke(self, by: Principal, workspace_id: str, key_id: str) -> None:
        """Make a key open nothing, for ever. Revoking twice is no error."""
        self._database.write(lambda unit: self._revoke(unit, by, workspace_id, key_id))

    def verify(self, secret: str | None) -> tuple[str, Principal]:
        """The id of the key and the principal it opens, with the roles its person has now.

        Raises Unauthenticated, always with the same words, whatever is wrong.
        """
        if secret is None or not _looks_like_key(secret):
            raise refusal()
        key_hash = hash_of(secret)
        with self._database.read() as reader:
            key = principals.find_key(reader, key_hash)
            # Databases compare texts in their own way and time, so the last word is ours.
            if key is None or not hmac.compare_digest(key.key_hash, key_hash) or key.revoked_at is not None:
                raise refusal()
            principal = _opened(reader, key)
        self._mark_used(key)
        return key.id, principal

    def _add(self, unit: Unit, by: Principal, key: Key) -> None:
        if key.user_id is not None and principals.find_person(unit, key.workspace_id, key.user_id) is None:
            raise NotFound("There is no such person in this workspace.", "Add them first: goclaw people add.")
        principals.add_key(unit, key)
        self._audit(unit, by, key, "key_created")

    def _rotate(self, unit: Unit, by: Principal, workspace_id: str, key_id: str, secret: str) -> Key:
        key = _find(unit, workspace_id, key_id)
        if key.revoked_at is not None:
            raise Conflict("A revoked key stays revoked.", "Make a new one: goclaw keys create.")
        principals.rotate_key(unit, workspace_id, key_id, hash_of(secret), key.prefix)
        self._audit(unit, by, key, "key_rotated")
        return replace(key, key_hash=hash_of(secret), last_used_at=None)

    def _revoke(self, unit: Unit, by: Principal, workspace_id: str, key_id: str) -> None:
        key = _find(unit, workspace_id, key_id)
        if principals.revoke_key(unit, workspace_id, key_id, self._clock.now()):
            self._audit(unit, by, key, "key_revoked")

    def _audit(self, unit: Unit, by: Principal, key: Key, what: str) -> None:
        detail = {"what": what, "key": key.id, "kind": str(key.kind), "workspace": key.workspace_id}
        audit_log.append(unit, event(by, EventType.ACCESS_CHANGED, self._clock.now(), detail=detail))

    def _mark_used(self, key: Key) -> None:
        """Write down that a key was used, at most once a minute, and let nobody wait for it."""
        now = self._clock.now()
        last = max(key.last_used_at or 0, self._last_marked.get(key.id, 0))
        if self._database.read_only or 0 <= now - last < MINUTE:
            return
        self._last_marked[key.id] = now
        self._database.write_later(lambda unit: principals.note_key_use(unit, key.id, now))


def refusal() -> Unauthenticated:
    """The one answer to everybody without a valid key; it gives nothing away."""
    return Unauthenticated("A valid key is needed.", "Send it as x-brain-key or Authorization: Bearer.")


def hash_of(secret: str) -> str:
    """What is stored of a key."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _secret_for(key_id: str) -> str:
    return f"{_prefix(key_id)}_{secrets.token_hex(SECRET_BYTES)}"


def _prefix(key_id: str) -> str:
    return f"{KEY_MARK}_{key_id}"


def _looks_like_key(secret: str) -> bool:
    return secret.startswith(f"{KEY_MARK}_") and len(secret) <= MAX_KEY_CHARS


def _find(reader: Reader, workspace_id: str, key_id: str) -> Key:
    for key in principals.list_keys(reader, workspace_id):
        if key.id == key_id:
            return key
    raise NotFound("There is no such key.", "See goclaw keys list.")


def _opened(reader: Reader, key: Key) -> Principal:
    """Whom the key opens now; a key whose person was removed opens nothing.

    Roles are the person's. Projects and channels are the person's, or those it names for itself; a project it names
    that has a list of members opens only while the person is on it.
    """
    if key.user_id is None:
        return _principal(key, (), key.project_ids, key.channel_ids)
    person = standing.of_person(reader, key.workspace_id, key.user_id)
    if person is None:
        raise refusal()
    named = [each for each in key.project_ids if each not in person.project_ids]
    closed = projects.existing(reader, key.workspace_id, named) if named else ()
    project_ids = tuple(each for each in key.project_ids or person.project_ids if each not in closed)
    return _principal(key, person.roles, project_ids, key.channel_ids or person.channel_ids)


def _principal(
    key: Key, roles: tuple[str, ...], project_ids: tuple[str, ...], channel_ids: tuple[str, ...]
) -> Principal:
    return _checked_principal(
        key.user_id, roles, key.workspace_id, tuple(project_ids), tuple(channel_ids), key.run_kind, key.agent_id
    )


# The same few principals ask all the time, and checking a name means looking at each of its letters.
_checked_principal = lru_cache(maxsize=1024)(Principal)


def _checked(request: KeyRequest) -> RunKind:
    """The run kind the key opens; InvalidInput where the parts do not make a principal."""
    kind = request.kind
    if kind in (ActorKind.HUMAN, ActorKind.AGENT) and request.user_id is None:
        raise InvalidInput(f"A key of kind {kind} belongs to a person.", "Name the user.")
    if kind in (ActorKind.IMPORT, ActorKind.JOB) and request.user_id is not None:
        raise InvalidInput(f"A key of kind {kind} belongs to no person.", "Give it a name instead of a user.")
    if kind is ActorKind.HUMAN and request.name is not None:
        raise InvalidInput("A human's key has no name of its own.", "Leave the name out.")
    if kind is not ActorKind.HUMAN and request.name is None:
        raise InvalidInput(f"A key of kind {kind} needs a name.", "Name the agent, import or job.")
    if request.name is not None:
        canonical_id(request.name, "name")
    allowed = RUN_KINDS[kind]
    if request.run_kind is None and len(allowed) > 1:
        raise InvalidInput("A job's key opens one kind of run.", f"Use one of: {', '.join(allowed)}.")
    run_kind = request.run_kind or allowed[0]
    if run_kind not in allowed:
        raise InvalidInput(f"A key of kind {kind} does not open {run_kind} runs.", f"Use: {', '.join(allowed)}.")
    return run_kind
