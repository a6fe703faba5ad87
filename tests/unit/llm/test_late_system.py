"""Who takes a system message after the person's."""

import pytest

from goclaw.llm.late_system import takes_late_system
from goclaw.settings.settings import Settings

DEFAULTS = Settings().ai.late_system_models


@pytest.mark.parametrize(
    "name",
    [
        "claude-sonnet-5-5",
        "claude-sonnet-5-5-20260901",
        "claude-sonnet-5.5",
        "Sonnet 5.5",
        "Claude Opus 5.5",
        "anthropic/claude-haiku-5.5",
        "openrouter/anthropic/claude-opus-5",
        "us.anthropic.claude-opus-4-8-v1:0",
        "claude-opus-5@20260101",
        "claude-fable-5-2",
        "claude-mythos-preview",
    ],
)
def test_names_that_begin_like_one_of_the_list(name: str) -> None:
    assert takes_late_system(name, DEFAULTS)


@pytest.mark.parametrize(
    "name",
    [
        "claude-sonnet-5",
        "claude-sonnet-4-6",
        "claude-opus-4-7",
        "claude-opus-50",
        "claude-haiku-4-5",
        "claude-opus-4-20250514",
        "my-claude",
        "gpt-5",
        "llama-3.3-70b",
        "claude",
        "",
        "/",
    ],
)
def test_names_that_do_not(name: str) -> None:
    assert not takes_late_system(name, DEFAULTS)


def test_a_whole_family_can_be_named_and_nothing_names_nobody() -> None:
    assert takes_late_system("claude-sonnet-4-6", ["Claude"])
    assert takes_late_system("openai/gpt-7-mini", ["gpt"])
    assert not takes_late_system("claude-sonnet-5-5", ["", "-"])
    assert not takes_late_system("claude-sonnet-5-5", [])
