"""Service errors: what a failure of a model service means for us. Nothing the service says is passed on.

It may echo the conversation or the key (R105).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from goclaw.model.errors import ModelRefused, ModelUnavailable, ProviderError
from goclaw.model.retry_after import read_retry_after

REFUSALS = (401, 402, 403, 404)
LATER = (408, 409, 425, 429)
KEY_COMPLAINT = re.compile(r"api[ _]key", re.IGNORECASE)  # Gemini answers 400 to a wrong key
FLAGGED = re.compile(r"moderation|flagged|content[ _](?:filter|policy)|safety", re.IGNORECASE)
QUOTA_USED_UP = re.compile(r"insufficient_quota|billing_hard_limit|credit balance is too low", re.IGNORECASE)
# A wrong key costs nothing to try, and whoever mends it, or fetches the model, should not wait for long.
REFUSAL_PAUSE_S = 60.0


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The keys of the settings that steer a service, for hints."""

    api_key: str = "ai.model.api_key"
    name: str = "ai.model.name"
    base_url: str | None = "ai.model.base_url"

    @property
    def hint(self) -> str:
        """What to look at where the service refuses us."""
        return f"Check {', '.join(key for key in (self.api_key, self.name, self.base_url) if key)}."


def explain_status(status: int, headers: Mapping[str, str], body: str, settings: ServiceSettings) -> ProviderError:
    """The error that an HTTP status stands for."""
    retry_after_s = read_retry_after(headers, body)
    if QUOTA_USED_UP.search(body) and status in (400, 402, 403, 429):
        return ModelRefused("The quota of the model service is used up.", retry_after_s=retry_after_s)
    if status == 403 and FLAGGED.search(body):  # about this text: the next one is another
        return ModelRefused("The model service refuses this request (HTTP 403).", final=True)
    if status in REFUSALS or (status == 400 and KEY_COMPLAINT.search(body)):
        message, pause_s = f"The model service refuses us (HTTP {status}).", retry_after_s or REFUSAL_PAUSE_S
        return ModelRefused(message, settings.hint, retry_after_s=pause_s)
    if status == 429:
        return ModelUnavailable("The model service is asked too often (HTTP 429).", retry_after_s=retry_after_s)
    if 400 <= status < 500 and status not in LATER:
        hint = "It may be longer than the model's window, or the model takes no tools."
        return ModelRefused(f"The model service refuses this request (HTTP {status}).", hint, final=True)
    return ModelUnavailable(f"The model service failed (HTTP {status}).", retry_after_s=retry_after_s)


def did_not_answer_in_time() -> ModelUnavailable:
    """The error for a service that is too slow."""
    return ModelUnavailable("The model service did not answer in time.", "ai.model.timeout_s is the longest wait.")


def cannot_be_reached(settings: ServiceSettings) -> ModelUnavailable:
    """The error for a service that nobody finds, or that hangs up."""
    hint = f"Check {settings.base_url}." if settings.base_url else ""
    return ModelUnavailable("The model service cannot be reached.", hint)


def broke_off() -> ModelUnavailable:
    """The error for a failure that the service reports in the middle of its answer."""
    return ModelUnavailable("The model service broke off its answer.")


def cannot_be_used() -> ModelUnavailable:
    """The error for a failure of the client that has no name of its own."""
    return ModelUnavailable("The model service cannot be used.")
