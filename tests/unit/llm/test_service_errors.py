"""What an HTTP status means for us."""

import pytest

from goclaw.llm.service_errors import ServiceSettings, explain_status
from goclaw.model.errors import ModelRefused, ModelUnavailable, ProviderError


@pytest.mark.parametrize(
    ("status", "body", "kind", "final"),
    [
        (400, "", ModelRefused, True),
        (400, "API key not valid", ModelRefused, False),
        (400, "credit balance is too low", ModelRefused, False),
        (401, "", ModelRefused, False),
        (403, "", ModelRefused, False),
        (403, "your input was flagged", ModelRefused, True),
        (404, "", ModelRefused, False),
        (408, "", ModelUnavailable, False),
        (413, "", ModelRefused, True),
        (422, "", ModelRefused, True),
        (429, "", ModelUnavailable, False),
        (429, "insufficient_quota", ModelRefused, False),
        (500, "", ModelUnavailable, False),
        (500, "insufficient_quota", ModelUnavailable, False),
        (529, "", ModelUnavailable, False),
        (302, "", ModelUnavailable, False),
    ],
)
def test_each_status_has_a_kind(status: int, body: str, kind: type[ProviderError], final: bool) -> None:
    error = explain_status(status, {}, body, ServiceSettings())
    assert (type(error), error.final) == (kind, final)
    assert not body or body not in str(error)


def test_hints_name_the_settings_of_the_service() -> None:
    assert "ai.model.api_key, ai.model.name, ai.model.base_url" in str(explain_status(401, {}, "", ServiceSettings()))
    gemini = ServiceSettings("ai.gemini.api_key", "ai.gemini.model", None)
    assert "Check ai.gemini.api_key, ai.gemini.model." in str(explain_status(401, {}, "", gemini))
