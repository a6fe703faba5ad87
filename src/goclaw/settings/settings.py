"""Every setting: its key, type, default and meaning (engine.md 2.23); the docs and config.yaml are made from this file.

A dotted key such as ``memory.search.min_score`` is the path of attributes from :class:`Settings`. Values come from
``goclaw.settings.load``; nothing here reads a file or the environment.
"""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

Share = Annotated[float, Field(ge=0, le=1)]
GuardAnswer = Literal["refuse", "flag", "allow"]


def _must_not_carry_a_key(url: str) -> str:
    """Addresses are shown and hashed; a key in one would be seen (R105)."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("needs an address that begins with http:// or https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("must not carry a key, a user or a query; put the key into the setting made for it")
    return url.rstrip("/")


Address = Annotated[str, AfterValidator(_must_not_carry_a_key)]


def _secret(meaning: str) -> Any:
    """A text that is never shown: a value, or a reference ``${secret:NAME}`` into the vault."""
    return Field(default=None, repr=False, description=meaning, json_schema_extra={"secret": True})


class Section(BaseModel):
    """A group of settings; unknown names in it are errors, and error messages never repeat a value."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False, validate_default=True
    )


class DatabaseSettings(Section):
    """Which database holds the memory."""

    driver: Literal["sqlite", "postgres", "mysql", "clickhouse"] = Field(
        default="sqlite", description="Database behind the store; sqlite needs no server."
    )
    path: str | None = Field(
        default=None, description="SQLite file; relative to the state directory, gc_state.sqlite in it when unset."
    )
    url: str | None = _secret("Address of a database server, with user and password; not for sqlite.")


class SearchSettings(Section):
    """How memory is found."""

    provider: Literal["auto", "none", "local", "hashing", "openai", "gemini", "openai_compatible"] = Field(
        default="auto",
        description="Who embeds texts: auto = the local model where it is installed, else keywords only.",
    )
    model: str | None = Field(
        default=None, description="Name of the embedding model; the provider's usual one when unset."
    )
    base_url: Address | None = Field(default=None, description="Address of an OpenAI-compatible embedding service.")
    api_key: str | None = _secret("Key for the embedding service.")
    dims: int | None = Field(
        default=None,
        ge=2,
        le=8192,
        description="Ask the service for vectors of this length; its own length when unset.",
    )
    timeout_s: float = Field(
        default=60.0, gt=0, le=3600, description="Longest wait for one batch of the embedding service."
    )
    query_timeout_s: float = Field(
        default=3.0, gt=0, le=60, description="Longest wait for a question's embedding before keywords answer alone."
    )
    threads: int = Field(default=2, ge=1, le=64, description="Threads of the local model.")
    min_score: Share = Field(default=0.35, description="Least fused score (0-1) of an answer; 0 switches the cut off.")
    max_results: int = Field(
        default=6, ge=1, le=200, description="Most hits of one search, where the caller names no limit."
    )
    min_similarity: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="Cosine that counts as evidence; the model's own when unset, negative = off.",
    )
    fusion: Literal["score", "rrf"] = Field(default="score", description="How keyword and vector lists become one.")
    rerank: Literal["default", "none"] = Field(
        default="default", description="Whether the best candidates are ranked again by what was said around them."
    )
    ranker: str | None = Field(
        default=None,
        description="JSON file with weights for ranking again, made by goclaw eval train; the shipped ones when unset.",
    )
    rrf_k: int = Field(default=60, ge=1, le=1000, description="Constant k of reciprocal rank fusion.")
    half_life_days: float = Field(
        default=30.0, ge=0, description="Age at which a record's time weight is halved; 0 = off."
    )
    decay_floor: Share = Field(default=0.4, description="Time weight that no age falls below.")
    candidate_multiplier: int = Field(
        default=4, ge=1, le=50, description="Candidates per list for each result asked for."
    )
    mmr: bool = Field(default=False, description="Prefer hits that differ from each other.")
    cache_mb: int = Field(default=256, ge=1, description="Memory for the search blocks of loaded namespaces.")


class ChunkSettings(Section):
    """How texts are cut for search; one token is four characters."""

    tokens: int = Field(default=400, ge=16, le=8000, description="Length of a chunk.")
    overlap: int = Field(
        default=80, ge=0, description="How much of a chunk the next one repeats; less than its length."
    )

    @field_validator("overlap")
    @classmethod
    def _overlap_must_be_shorter(cls, overlap: int, info: ValidationInfo) -> int:
        tokens = info.data.get("tokens")
        if tokens is not None and overlap >= tokens:
            raise ValueError(f"must be smaller than memory.chunk.tokens ({tokens}), else chunks never advance")
        return overlap


class WriteAccessSettings(Section):
    """Who besides administrators writes shared scopes."""

    enabled: bool = Field(default=True, description="Whether the roles and users listed here may write shared scopes.")
    roles: tuple[str, ...] = Field(default=("admin",), description="Roles that may.")
    users: tuple[str, ...] = Field(default=(), description="Users that may.")


class GraphSettings(Section):
    """Where the copy of entities and relations for graph search lies."""

    backend: Literal["sqlite", "postgres"] = Field(default="sqlite", description="Database of the graph copy.")
    path: str | None = Field(
        default=None,
        description="SQLite file of the graph copy; relative to the state directory, kg.sqlite in it when unset.",
    )


class TraceSettings(Section):
    """What recall leaves behind."""

    durable: bool = Field(default=False, description="Wait until the trace of a recall is on disk before answering.")


class EmbeddingCacheSettings(Section):
    """Vectors kept so that the same text is not embedded twice."""

    max_entries: int = Field(default=50_000, ge=0, description="Cached vectors; the oldest go first.")


class SessionSettings(Section):
    """When a conversation is trimmed."""

    max_messages: int = Field(default=200, ge=2, description="Messages after which a session is trimmed.")
    max_context_share: float = Field(
        default=0.75, gt=0, le=1, description="Share of the model's window after which a session is trimmed."
    )
    keep_messages: int = Field(default=20, ge=1, description="Newest messages that trimming leaves in place.")


class FlushSettings(Section):
    """Saving what matters before a session is trimmed."""

    enabled: bool = Field(default=True, description="Ask the agent to save what matters before its session is trimmed.")


class RevisionSettings(Section):
    """Replacing older beliefs by newer ones."""

    enabled: bool = Field(default=True, description="Look for older records that a new one replaces.")
    max_candidates: int = Field(default=3, ge=1, le=20, description="Older records looked at for each new one.")
    word_share: Share = Field(default=0.4, description="Share of the new record's words an older one must hold.")


class JobSettings(Section):
    """Work in the background."""

    workers: int = Field(default=2, ge=0, le=64, description="Worker threads of this process; 0 = none.")
    lease_s: int = Field(
        default=120, ge=5, le=86_400, description="After this silence of a worker its job is taken over."
    )


class GroupSettings(Section):
    """Rooms with more than one person."""

    personal: bool = Field(
        default=False, description="Offer a speaker's personal records in a shared room, to that speaker."
    )


class MemorySettings(Section):
    """The memory engine."""

    search: SearchSettings = SearchSettings()
    chunk: ChunkSettings = ChunkSettings()
    write_access: WriteAccessSettings = WriteAccessSettings()
    context_budget_chars: int = Field(default=32_000, ge=0, description="Memory given to the model per turn; 0 = none.")
    consolidate_after_days: int = Field(default=30, ge=1, description="Age at which notes are merged by night.")
    consolidate_unattended: bool = Field(default=False, description="Merge notes without a person's confirmation.")
    max_content_chars: int = Field(default=400_000, ge=100, le=4_000_000, description="Longest text of one record.")
    graph: GraphSettings = GraphSettings()
    trace: TraceSettings = TraceSettings()
    cache: EmbeddingCacheSettings = EmbeddingCacheSettings()
    session: SessionSettings = SessionSettings()
    flush: FlushSettings = FlushSettings()
    revision: RevisionSettings = RevisionSettings()
    jobs: JobSettings = JobSettings()
    group: GroupSettings = GroupSettings()


class GuardSettings(Section):
    """What the write guard does with texts that do not belong into memory; secrets are always refused."""

    large_code: GuardAnswer = Field(default="refuse", description="A large block of code: refuse, flag or allow.")
    transcript: GuardAnswer = Field(default="refuse", description="A raw transcript: refuse, flag or allow.")
    data_dump: GuardAnswer = Field(default="refuse", description="A dump of data: refuse, flag or allow.")


class GovernanceSettings(Section):
    """Review by people."""

    four_eyes: bool = Field(
        default=False, description="Nobody confirms what they wrote themselves, not by writing it either."
    )
    pending_days: int = Field(default=90, ge=1, description="Days after which an unreviewed record expires.")
    review_owner: str | None = Field(default=None, description="User who is told about waiting reviews.")
    guard: GuardSettings = GuardSettings()


class BackupSettings(Section):
    """Copies made before something is destroyed."""

    keep_days: int = Field(default=30, ge=1, description="Days a backup is kept.")


class ServerSettings(Section):
    """The gateway."""

    host: str = Field(default="127.0.0.1", description="Address to listen on; another than loopback needs a key.")
    port: int = Field(default=8787, ge=0, le=65_535, description="Port to listen on; 0 = any free one.")
    max_body_bytes: int = Field(default=2 * 1024 * 1024, ge=1024, description="Largest request body.")
    rate_limit_per_minute: int = Field(default=600, ge=0, description="Requests a minute for each key; 0 = no limit.")


class LogSettings(Section):
    """What the gateway and its workers write about their work; never contents or secrets."""

    level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Least weight of a line.")
    format: Literal["text", "json"] = Field(default="text", description="Lines for people or for programs.")


class WikijsSite(Section):
    """One Wiki.js to mirror."""

    name: str = Field(description="Short name, the first part of its pages' slugs.")
    url: Address = Field(description="Address of the wiki.")
    token: str | None = _secret("API token with read scopes.")


class ToolSettings(Section):
    """Outside tools."""

    wikijs: tuple[WikijsSite, ...] = Field(
        default=(), description="Wiki.js sites to mirror: a list of name, url, token."
    )


class GeminiSettings(Section):
    """Google's models."""

    api_key: str | None = _secret("Key for Gemini: background work goes there, and embeddings where asked for.")
    model: str = Field(default="gemini-flash-latest", description="Name of Gemini's model for background work.")


class ModelSettings(Section):
    """The model that agents speak with."""

    provider: Literal["none", "openai", "openai_compatible", "anthropic", "gemini"] = Field(
        default="none", description="Whose model agents use; none = everything that needs a model says so."
    )
    name: str | None = Field(default=None, description="Name of the model, as its service spells it.")
    base_url: Address | None = Field(
        default=None, description="Address of the service; the provider's own when unset, needed by openai_compatible."
    )
    api_key: str | None = _secret("Key for the model service.")
    window_tokens: int = Field(
        default=128_000, ge=1_000, le=100_000_000, description="Tokens that fit into one request and its reply."
    )
    max_output_tokens: int = Field(default=4_096, ge=1, le=10_000_000, description="Longest reply, in tokens.")
    timeout_s: float = Field(default=120.0, gt=0, le=3600, description="Longest wait for one reply, retries included.")
    max_tokens_per_day: int = Field(
        default=0, ge=0, description="Tokens this process may spend in a day (UTC), background work too; 0 = no limit."
    )

    @field_validator("max_output_tokens")
    @classmethod
    def _reply_must_fit_into_the_window(cls, longest: int, info: ValidationInfo) -> int:
        window = info.data.get("window_tokens")
        if window is not None and longest >= window:
            raise ValueError(f"must be smaller than ai.model.window_tokens ({window}), else no question fits")
        return longest


class AiSettings(Section):
    """Model services."""

    model: ModelSettings = ModelSettings()
    late_system_models: tuple[str, ...] = Field(
        default=(
            "claude-sonnet-5-5",
            "claude-opus-5-5",
            "claude-haiku-5-5",
            "claude-opus-5",
            "claude-opus-4-8",
            "claude-fable",
            "claude-mythos",
        ),
        description="Models that take a system message after the person's; beginnings of names, signs between ignored.",
    )
    gemini: GeminiSettings = GeminiSettings()


class Settings(Section):
    """All settings in force."""

    database: DatabaseSettings = DatabaseSettings()
    memory: MemorySettings = MemorySettings()
    governance: GovernanceSettings = GovernanceSettings()
    backup: BackupSettings = BackupSettings()
    server: ServerSettings = ServerSettings()
    log: LogSettings = LogSettings()
    tools: ToolSettings = ToolSettings()
    ai: AiSettings = AiSettings()
