"""Which model the settings open."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from goclaw.llm import choose
from goclaw.llm.anthropic_model import AnthropicModel
from goclaw.llm.choose import choose_background_model, choose_model, new_budget
from goclaw.llm.guarded import GuardedModel
from goclaw.llm.openai_compatible import OpenAiCompatibleModel
from goclaw.llm.provider import ChatModel
from goclaw.llm.usage import ModelUsage
from goclaw.model.clock import ManualClock
from goclaw.model.errors import ModelBudgetSpent, ModelRefused, SettingsError
from goclaw.settings.settings import Settings
from tests.fakes import chat_server as fake
from tests.fakes.chat_server import ChatServer
from tests.unit.llm.conftest import CANARY, asks

Choose = Callable[..., ChatModel | None]
PROVIDERS: list[dict[str, Any]] = [
    {"provider": "openai", "name": "m", "api_key": "k"},
    {"provider": "openai_compatible", "name": "m", "base_url": "http://127.0.0.1:1/v1"},
    {"provider": "gemini", "name": "m", "api_key": "k"},
    {"provider": "anthropic", "name": "m", "api_key": "k"},
]


def settings(gemini_key: str | None = None, **model: Any) -> Settings:
    return Settings.model_validate({"ai": {"model": model, "gemini": {"api_key": gemini_key}}})


@contextmanager
def chosen(by: Choose = choose_model, gemini_key: str | None = None, **model: Any) -> Iterator[GuardedModel]:
    opened = by(settings(gemini_key, **model), ManualClock(0))
    assert isinstance(opened, GuardedModel)
    yield opened
    opened.close()


@pytest.mark.parametrize("by", [choose_model, choose_background_model])
def test_nothing_is_chosen_by_default(by: Choose) -> None:
    assert by(Settings(), ManualClock(0)) is None


@pytest.mark.parametrize("by", [choose_model, choose_background_model])
@pytest.mark.parametrize("model", PROVIDERS, ids=lambda model: str(model["provider"]))
def test_each_provider_has_its_client_behind_a_guard(by: Choose, model: dict[str, Any]) -> None:
    with chosen(by, **model, window_tokens=9_000) as opened:
        kind = AnthropicModel if model["provider"] == "anthropic" else OpenAiCompatibleModel
        assert isinstance(opened._model, kind)
        assert (opened.name, opened.window_tokens) == ("m", 9_000)


def test_services_have_their_usual_addresses() -> None:
    addresses = []
    for model in PROVIDERS:
        with chosen(**model) as opened:
            client = opened._model._client  # type: ignore[attr-defined]
            addresses.append(str(client.base_url).rstrip("/"))
    assert addresses == [choose.OPENAI_URL, "http://127.0.0.1:1/v1", choose.GEMINI_URL, choose.ANTHROPIC_URL]


def test_background_work_goes_to_gemini_where_it_has_a_key() -> None:
    with chosen(choose_background_model, gemini_key="k", **PROVIDERS[0]) as opened:
        assert opened.name == "gemini-flash-latest"
    with chosen(choose_background_model, gemini_key="k") as opened:
        assert opened.name == "gemini-flash-latest"
    assert choose_model(settings(gemini_key="k"), ManualClock(0)) is None


def test_gemini_as_the_agents_model_has_key_and_name_of_its_own_section() -> None:
    with chosen(gemini_key="k", provider="gemini") as opened:
        assert opened.name == "gemini-flash-latest"


@pytest.mark.parametrize(
    ("model", "missing"),
    [
        ({"provider": "openai", "name": "m"}, "ai.model.api_key"),
        ({"provider": "openai", "api_key": "k"}, "ai.model.name"),
        ({"provider": "openai_compatible", "name": "m"}, "ai.model.base_url"),
        ({"provider": "openai_compatible", "base_url": "http://127.0.0.1:1"}, "ai.model.name"),
        ({"provider": "gemini"}, "ai.gemini.api_key"),
        ({"provider": "anthropic", "name": "m"}, "ai.model.api_key"),
        ({"provider": "anthropic", "api_key": "k"}, "ai.model.name"),
    ],
)
def test_a_missing_setting_is_named(model: dict[str, str], missing: str) -> None:
    with pytest.raises(SettingsError, match=missing):
        choose_model(settings(**model), ManualClock(0))


def test_a_missing_client_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "ANTHROPIC_LIBRARY", "no_such_package_anywhere")
    with pytest.raises(SettingsError, match=r"goclaw\[anthropic\]"):
        choose_model(settings(**PROVIDERS[3]), ManualClock(0))


def test_the_list_of_the_settings_says_who_takes_a_late_system_message() -> None:
    for name, takes in (("claude-sonnet-5-5", True), ("claude-sonnet-4-6", False)):
        with chosen(provider="anthropic", name=name, api_key="k") as opened:
            assert opened.takes_late_system is takes


def test_openai_gets_the_longest_reply_under_its_own_name(server: ChatServer) -> None:
    for provider in ("openai", "openai_compatible"):
        with chosen(provider=provider, name="m", api_key=CANARY, base_url=server.url, max_output_tokens=9) as opened:
            opened.complete(asks("x"))
    openai, other = (request.body for request in server.requests)
    assert openai["max_completion_tokens"] == other["max_tokens"] == 9


def test_models_of_a_process_share_figures_and_budget(server: ChatServer) -> None:
    clock, usage = ManualClock(0), ModelUsage()
    one = settings(provider="openai_compatible", name="m", base_url=server.url, max_tokens_per_day=20)
    budget = new_budget(one, clock)
    models = [by(one, clock, usage, budget) for by in (choose_model, choose_background_model)]
    for model in models:
        assert model is not None
        model.complete(asks("x"))
    for model in models:
        assert model is not None
        with pytest.raises(ModelBudgetSpent):
            model.complete(asks("x"))
        model.close()
    assert [(each.purpose, each.calls) for each in usage.figures()] == [("chat", 1), ("background", 1)]
    assert budget.spent_today == 30


def test_hints_name_the_settings_that_were_used(server: ChatServer) -> None:
    for model, named in (({"api_key": "k", "name": "m"}, "ai.model.api_key, ai.model.name"), ({}, "ai.gemini.api_key")):
        server.script = [fake.fail(401)]
        with (
            chosen(gemini_key="k", provider="gemini", base_url=server.url, **model) as opened,
            pytest.raises(ModelRefused, match=named),
        ):
            opened.complete(asks("x"))


def test_nobody_loads_a_client_that_is_not_used() -> None:
    program = "import sys, goclaw.bootstrap; print({'openai', 'anthropic'} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"
