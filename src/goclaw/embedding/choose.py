"""Opens the embedding provider that the settings name; the only file that imports one of them."""

import importlib.util

from goclaw.embedding.guarded import GuardedProvider
from goclaw.embedding.provider import EmbeddingProvider
from goclaw.model.circuit import CircuitBreaker
from goclaw.model.clock import Clock
from goclaw.model.errors import SettingsError
from goclaw.settings.settings import SearchSettings, Settings

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "text-embedding-3-small"
GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta/openai"
GEMINI_MODEL = "gemini-embedding-001"
GEMINI_BATCH = 100  # texts of one call that Google takes
LOCAL_LIBRARIES = ("onnxruntime", "tokenizers")


def choose_provider(settings: Settings, clock: Clock) -> EmbeddingProvider | None:
    """The provider in force, with secrets already filled in; None = search by keywords alone.

    Opens no connection and reads no model. Raises SettingsError where a setting that the provider needs is missing.
    """
    search = settings.memory.search
    match search.provider:
        case "none":
            return None
        case "auto":
            return _open_local(search.threads)
        case "local":
            return _require_local(search.threads)
        case "hashing":
            return _open_hashing(search)
        case "openai":
            key = _require(search.api_key, "memory.search.api_key", "openai")
            return _open_service(search, clock, search.base_url or OPENAI_URL, search.model or OPENAI_MODEL, key)
        case "gemini":
            key = _require(search.api_key or settings.ai.gemini.api_key, "ai.gemini.api_key", "gemini")
            return _open_service(
                search, clock, search.base_url or GEMINI_URL, search.model or GEMINI_MODEL, key, GEMINI_BATCH
            )
        case "openai_compatible":
            url = _require(search.base_url, "memory.search.base_url", "openai_compatible")
            model = _require(search.model, "memory.search.model", "openai_compatible")
            return _open_service(search, clock, url, model, search.api_key)


def _require(value: str | None, key: str, provider: str) -> str:
    if not value:
        raise SettingsError(f"The embedding provider {provider} needs the setting {key}.", f"Set {key}.")
    return value


def _require_local(threads: int) -> EmbeddingProvider:
    provider = _open_local(threads)
    if provider is None:
        raise SettingsError(
            "The local embedding model is not installed.",
            "pip install 'goclaw[local]', or set memory.search.provider to auto or none.",
        )
    return provider


def _open_local(threads: int) -> EmbeddingProvider | None:
    if any(importlib.util.find_spec(name) is None for name in LOCAL_LIBRARIES):
        return None
    from goclaw.embedding.local import LocalProvider, find_model_folder

    folder = find_model_folder()
    return LocalProvider(folder, threads) if folder else None


def _open_hashing(search: SearchSettings) -> EmbeddingProvider:
    from goclaw.embedding.hashing import DIMS, MODEL, HashingProvider

    return HashingProvider(search.model or MODEL, search.dims or DIMS)


def _open_service(
    search: SearchSettings, clock: Clock, base_url: str, model: str, api_key: str | None, batch: int = 2048
) -> EmbeddingProvider:
    from goclaw.embedding.openai_compatible import OpenAiCompatibleProvider

    provider = OpenAiCompatibleProvider(
        provider=search.provider,
        base_url=base_url,
        model=model,
        api_key=api_key,
        dims=search.dims,
        max_batch_items=batch,
    )
    return GuardedProvider(provider, CircuitBreaker(clock))
