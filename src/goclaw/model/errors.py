"""Every error a caller can meet: what went wrong, and what to do about it.

Messages never carry stored text, secrets, paths or SQL; :attr:`GoclawError.hint` says what would work. ``status`` is
the HTTP status the gateway answers with; ``code`` is the stable word programs can switch on.
"""

from collections.abc import Sequence
from dataclasses import dataclass


class GoclawError(Exception):
    """The root of all errors of this library."""

    code = "error"
    status = 500

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InvalidInput(GoclawError):
    """The request cannot be understood or is outside its limits; nothing was changed."""

    code = "invalid_input"
    status = 400


class Unauthenticated(GoclawError):
    """Nobody is known to be asking."""

    code = "unauthenticated"
    status = 401


class AccessDenied(GoclawError):
    """The principal is known and may not do this; the hint names what it may do instead."""

    code = "access_denied"
    status = 403


class NotFound(GoclawError):
    """No such thing, or none this principal may know about; the two cannot be told apart."""

    code = "not_found"
    status = 404


class Conflict(GoclawError):
    """The thing is not in a state that allows this."""

    code = "conflict"
    status = 409


class VersionConflict(Conflict):
    """Somebody changed the record since it was read; read it again and repeat."""

    code = "version_conflict"


@dataclass(frozen=True, slots=True)
class UnsafeFinding:
    """Why a text was refused, without the text."""

    reason: str  # private_key, api_key, credential_like_string, large_code_block, raw_transcript_like, ...
    field: str  # where it was found: content, tags, source_refs[0].uri, ...


class UnsafeContent(GoclawError):
    """The write guard refused the text; nothing was stored and the text appears nowhere."""

    code = "unsafe_content"
    status = 422

    def __init__(self, findings: Sequence[UnsafeFinding]) -> None:
        reasons = ", ".join(dict.fromkeys(finding.reason for finding in findings))
        super().__init__(
            f"Unsafe memory blocked: {reasons}.",
            "Store a summary and a link to the source instead; never secrets, transcripts or raw dumps.",
        )
        self.findings = tuple(findings)


class UnknownItems(GoclawError):
    """A report names items that do not belong to it; the whole report is refused and nothing is booked."""

    code = "unknown_items"
    status = 422

    def __init__(self, unknown: int) -> None:
        super().__init__(f"{unknown} of the named memories were not returned by this recall.", "Nothing was booked.")
        self.unknown = unknown


class SettingsError(GoclawError):
    """A setting is unknown or has a wrong value."""

    code = "settings"
    status = 500


class SecretsError(GoclawError):
    """The secrets vault is missing, locked or damaged."""

    code = "secrets"
    status = 500


class StoreError(GoclawError):
    """The database cannot do what was asked."""

    code = "store"
    status = 503


class StoreBusy(StoreError):
    """Another process holds the store longer than we are willing to wait."""

    code = "store_busy"


class StoreReadOnly(StoreError):
    """The state directory cannot be written."""

    code = "store_read_only"


class StoreFull(StoreError):
    """The disk is full; what was acknowledged before is safe."""

    code = "store_full"


class StoreDamaged(StoreError):
    """The database file is damaged."""

    code = "store_damaged"


class SchemaTooNew(StoreError):
    """A newer goclaw wrote this store; this one will not touch it."""

    code = "schema_too_new"


class ProviderError(GoclawError):
    """A model service did not answer as it should."""

    code = "provider"
    status = 502

    def __init__(
        self, message: str, hint: str = "", *, retry_after_s: float | None = None, final: bool = False
    ) -> None:
        super().__init__(message, hint)
        self.retry_after_s = retry_after_s  # what the service asked for, if it did
        self.final = final  # the same request can never succeed


class ProviderRefusal(ProviderError):
    """The service refuses everything we ask (key, quota, unknown model), whatever the text."""

    code = "provider_refusal"


class ModelMissing(ProviderError):
    """This needs a model and none is configured; everything else works without one."""

    code = "model_missing"
    status = 503

    def __init__(self, message: str = "This needs a model, and none is configured.", hint: str = "") -> None:
        wanted = "Set ai.model.provider, ai.model.name and, where the service wants a key, ai.model.api_key."
        super().__init__(message, hint or wanted)


class ModelUnavailable(ProviderError):
    """The model service is silent, down, overloaded or rests after failures; later it may answer."""

    code = "model_unavailable"
    status = 503


class ModelRefused(ProviderRefusal):
    """The model service refuses our key, quota or model, or (``final``) this one request."""

    code = "model_refused"


class ModelReplyInvalid(ProviderError):
    """The model answered, and the answer is not what was asked for."""

    code = "model_reply_invalid"


class ModelBudgetSpent(ProviderError):
    """The tokens of the day are used up; ``retry_after_s`` says when the next day begins."""

    code = "model_budget_spent"
    status = 503


class RateLimited(GoclawError):
    """Too many requests with this key."""

    code = "rate_limited"
    status = 429

    def __init__(self, message: str, hint: str = "", *, retry_after_s: float = 1.0) -> None:
        super().__init__(message, hint)
        self.retry_after_s = retry_after_s


class GatewayUnreachable(GoclawError):
    """No gateway answers at the address."""

    code = "gateway_unreachable"
    status = 503


class AddressTaken(GoclawError):
    """Another program listens where the gateway should."""

    code = "address_taken"
    status = 503
