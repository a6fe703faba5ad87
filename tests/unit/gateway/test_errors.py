"""The answers that errors of models become."""

import pytest

from goclaw.gateway.errors import answer_for
from goclaw.model.errors import (
    GoclawError,
    ModelBudgetSpent,
    ModelMissing,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnavailable,
)


@pytest.mark.parametrize(
    ("error", "status", "retry_after"),
    [
        (ModelMissing(), 503, None),
        (ModelUnavailable("Down."), 503, None),
        (ModelUnavailable("Asked too often.", retry_after_s=30.4), 503, "30"),
        (ModelUnavailable("Asked too often.", retry_after_s=0.0), 503, "1"),
        (ModelBudgetSpent("Spent.", retry_after_s=3600.0), 503, "3600"),
        (ModelRefused("No.", "Check ai.model.api_key."), 502, None),
        (ModelReplyInvalid("Nonsense."), 502, None),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, GoclawError) else str(each),
)
def test_status_and_time_to_return(error: GoclawError, status: int, retry_after: str | None) -> None:
    answer = answer_for(error, {"type": "http"})
    assert (answer.status_code, answer.headers.get("retry-after")) == (status, retry_after)


def test_a_missing_model_names_the_settings() -> None:
    assert "ai.model.provider" in ModelMissing().hint
    assert str(ModelMissing("Trimming needs a model.", "Set it.")) == "Trimming needs a model. Set it."
