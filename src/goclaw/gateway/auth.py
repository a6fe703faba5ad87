"""Auth: from a key to a principal, before a request reaches any route. Identity comes from the key and nowhere else.

Every path needs a key but the few in ``OPEN_PATHS``. A header that names another user than the key's is refused and
audited: behind it stands either a proxy that believes it decides who asks, or somebody who tries.
"""

import ipaddress
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode

from anyio.to_thread import run_sync
from starlette.types import ASGIApp, Receive, Scope, Send

from goclaw.gateway.errors import answer_for
from goclaw.gateway.identity import IdentityCheck
from goclaw.gateway.keys import KeyRing, refusal
from goclaw.model.errors import AccessDenied, GoclawError

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/openapi.json"})
METRICS_PATH = "/metrics"

_FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip"})
_USER_HEADERS = frozenset(
    {
        b"x-user-id",
        b"x-user",
        b"x-forwarded-user",
        b"x-remote-user",
        b"remote-user",
        b"x-auth-request-user",
        b"x-authenticated-user",
    }
)

Headers = Iterable[tuple[bytes, bytes]]


class KeyAuth:
    """Lets a request pass with a valid key only, and leaves its principal in the request's state."""

    def __init__(self, app: ASGIApp, keys: KeyRing, identity: IdentityCheck, *, store_is_near: bool) -> None:
        """``store_is_near``: the store answers from this process, sooner than another thread could be asked to wait."""
        self._app = app
        self._keys = keys
        self._identity = identity
        self._store_is_near = store_is_near

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            presented = _take_keys(scope)
            if not _is_open(scope, presented):
                try:
                    await self._admit(scope, presented)
                except GoclawError as error:
                    await answer_for(error, scope)(scope, receive, send)
                    return
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope, presented: set[str]) -> None:
        """Leave key id and principal in the request's state, or raise."""
        if len(presented) != 1:
            raise refusal()  # none, or several that differ: who asks is not clear
        (secret,) = presented
        verified = self._keys.verify(secret) if self._store_is_near else await run_sync(self._keys.verify, secret)
        scope["state"]["key_id"], principal = verified
        for name, value in scope["headers"]:
            if name in _USER_HEADERS:
                where = f"header.{name.decode()}"
                await run_sync(self._identity.check_user, principal, value.decode("latin-1"), where)
        if scope["path"] == METRICS_PATH and not principal.may_administer:
            raise AccessDenied("Metrics are for administrators.", "Use a key of theirs, or ask from the same machine.")
        scope["state"]["principal"] = principal


def _take_keys(scope: Scope) -> set[str]:
    """The keys a request shows. One in the query string is taken out of it, so that nothing behind can log it."""
    found = {value.decode("latin-1") for name, value in scope["headers"] if name == b"x-brain-key"}
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            found.add(token.strip() if scheme.lower() == "bearer" else "")
    if b"key=" in scope.get("query_string", b""):
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        found |= {value for name, value in pairs if name == "key"}
        scope["query_string"] = urlencode([pair for pair in pairs if pair[0] != "key"]).encode()
    return found


def _is_open(scope: Scope, presented: set[str]) -> bool:
    if scope["path"] == METRICS_PATH:
        return not presented and _is_local(scope)
    return scope["path"] in OPEN_PATHS


def _is_local(scope: Scope) -> bool:
    """Whether the request comes from this machine itself, and not through a proxy on it."""
    if any(name in _FORWARDED for name, _ in scope["headers"]) or not scope.get("client"):
        return False
    try:
        return ipaddress.ip_address(scope["client"][0]).is_loopback
    except ValueError:
        return False
