"""Opens the model that the settings name; the only file that imports the clients of model services."""

import importlib.util

from goclaw.llm.budget import TokenBudget
from goclaw.llm.guarded import GuardedModel, Guards
from goclaw.llm.late_system import takes_late_system
from goclaw.llm.provider import ChatModel, ModelTraits
from goclaw.llm.service_errors import ServiceSettings
from goclaw.llm.usage import ModelUsage
from goclaw.model.circuit import CircuitBreaker
from goclaw.model.clock import Clock
from goclaw.model.errors import ModelUnavailable, SettingsError
from goclaw.settings.settings import AiSettings, Settings

OPENAI_URL = "https://api.openai.com/v1"
GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta/openai"
ANTHROPIC_URL = "https://api.anthropic.com"
OPENAI_LIMIT_FIELD = "max_completion_tokens"  # its newer models refuse the name that all others know
GEMINI_WINDOW_TOKENS = 128_000  # of background work; less than any of Gemini's models takes
GEMINI_SETTINGS = ServiceSettings("ai.gemini.api_key", "ai.gemini.model", None)
CHAT, BACKGROUND = "chat", "background"
ANTHROPIC_LIBRARY = "anthropic"


def choose_model(
    settings: Settings, clock: Clock, usage: ModelUsage | None = None, budget: TokenBudget | None = None
) -> ChatModel | None:
    """The model of the default agent, with secrets already filled in; None = nothing that needs a model works.

    ``usage`` and ``budget`` are shared by the models of a process. Opens no connection. Raises SettingsError where a
    setting that the provider needs is missing.
    """
    return _open(settings.ai, clock, usage or ModelUsage(), budget or new_budget(settings, clock), CHAT)


def choose_background_model(
    settings: Settings, clock: Clock, usage: ModelUsage | None = None, budget: TokenBudget | None = None
) -> ChatModel | None:
    """The model of jobs: Gemini where ``ai.gemini`` has a key, else the default agent's own; as the other function."""
    ai, usage, budget = settings.ai, usage or ModelUsage(), budget or new_budget(settings, clock)
    if not ai.gemini.api_key:
        return _open(ai, clock, usage, budget, BACKGROUND)
    traits = _traits(ai, ai.gemini.model, GEMINI_WINDOW_TOKENS)
    model = _open_compatible(traits, GEMINI_URL, ai.gemini.api_key, GEMINI_SETTINGS)
    return _guard(model, ai, clock, usage, budget, BACKGROUND)


def new_budget(settings: Settings, clock: Clock) -> TokenBudget:
    """The budget that the settings give this process."""
    return TokenBudget(clock, settings.ai.model.max_tokens_per_day)


def _open(ai: AiSettings, clock: Clock, usage: ModelUsage, budget: TokenBudget, purpose: str) -> ChatModel | None:
    chosen = ai.model
    match chosen.provider:
        case "none":
            return None
        case "openai":
            key, name = _require(chosen.api_key, "api_key", "openai"), _require(chosen.name, "name", "openai")
            url = chosen.base_url or OPENAI_URL
            model = _open_compatible(_traits(ai, name), url, key, ServiceSettings(), OPENAI_LIMIT_FIELD)
        case "openai_compatible":
            url = _require(chosen.base_url, "base_url", "openai_compatible")
            name = _require(chosen.name, "name", "openai_compatible")
            model = _open_compatible(_traits(ai, name), url, chosen.api_key, ServiceSettings())
        case "gemini":
            key = chosen.api_key or _require(ai.gemini.api_key, "api_key", "gemini", "ai.gemini.")
            name, url = chosen.name or ai.gemini.model, chosen.base_url or GEMINI_URL
            keys = ServiceSettings(
                "ai.model.api_key" if chosen.api_key else GEMINI_SETTINGS.api_key,
                "ai.model.name" if chosen.name else GEMINI_SETTINGS.name,
            )
            model = _open_compatible(_traits(ai, name), url, key, keys)
        case "anthropic":
            key, name = _require(chosen.api_key, "api_key", "anthropic"), _require(chosen.name, "name", "anthropic")
            model = _open_anthropic(_traits(ai, name), chosen.base_url or ANTHROPIC_URL, key)
    return _guard(model, ai, clock, usage, budget, purpose)


def _require(value: str | None, field: str, provider: str, section: str = "ai.model.") -> str:
    if not value:
        key = f"{section}{field}"
        raise SettingsError(f"The model provider {provider} needs the setting {key}.", f"Set {key}.")
    return value


def _traits(ai: AiSettings, name: str, window_tokens: int | None = None) -> ModelTraits:
    return ModelTraits(
        name=name,
        window_tokens=window_tokens or ai.model.window_tokens,
        max_output_tokens=ai.model.max_output_tokens,
        timeout_s=ai.model.timeout_s,
        takes_late_system=takes_late_system(name, ai.late_system_models),
    )


def _open_compatible(
    traits: ModelTraits, url: str, key: str | None, settings: ServiceSettings, limit_field: str = "max_tokens"
) -> ChatModel:
    from goclaw.llm.openai_compatible import OpenAiCompatibleModel

    return OpenAiCompatibleModel(traits, base_url=url, api_key=key, settings=settings, limit_field=limit_field)


def _open_anthropic(traits: ModelTraits, url: str, key: str) -> ChatModel:
    if importlib.util.find_spec(ANTHROPIC_LIBRARY) is None:
        raise SettingsError(
            "The client for Anthropic's models is not installed.",
            "pip install 'goclaw[anthropic]', or set ai.model.provider to another one.",
        )
    from goclaw.llm.anthropic_model import AnthropicModel

    return AnthropicModel(traits, base_url=url, api_key=key)


def _guard(
    model: ChatModel, ai: AiSettings, clock: Clock, usage: ModelUsage, budget: TokenBudget, purpose: str
) -> ChatModel:
    circuit = CircuitBreaker(clock, "model service", ModelUnavailable)
    return GuardedModel(model, Guards(circuit, budget, usage, purpose, ai.model.timeout_s))
