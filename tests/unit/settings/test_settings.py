"""Keys, defaults and limits of the settings."""

import pytest
from pydantic import ValidationError

from goclaw.settings.describe import describe, describe_key
from goclaw.settings.settings import ChunkSettings, ModelSettings, SearchSettings, Settings, WikijsSite

# engine.md 2.23, line by line.
SPECIFIED = {
    "database.driver": "sqlite",
    "database.path": None,
    "memory.search.provider": "auto",
    "memory.search.model": None,
    "memory.search.min_score": 0.35,
    "memory.search.max_results": 6,
    "memory.search.min_similarity": None,
    "memory.write_access.enabled": True,
    "memory.write_access.roles": ("admin",),
    "memory.write_access.users": (),
    "memory.context_budget_chars": 32_000,
    "memory.consolidate_after_days": 30,
    "memory.graph.backend": "sqlite",
    "memory.graph.path": None,
    "tools.wikijs": (),
    "ai.gemini.api_key": None,
    "memory.search.rrf_k": 60,
    "memory.search.half_life_days": 30,
    "memory.search.decay_floor": 0.4,
    "memory.search.candidate_multiplier": 4,
    "memory.search.mmr": False,
    "memory.chunk.tokens": 400,
    "memory.chunk.overlap": 80,
    "memory.search.fusion": "score",
    "memory.search.rerank": "default",
    "memory.search.ranker": None,
    "memory.max_content_chars": 400_000,
    "memory.trace.durable": False,
    "memory.consolidate_unattended": False,
    "governance.four_eyes": False,
    "governance.pending_days": 90,
    "governance.review_owner": None,
    "governance.guard.large_code": "refuse",
    "governance.guard.transcript": "refuse",
    "governance.guard.data_dump": "refuse",
    "backup.keep_days": 30,
    "memory.cache.max_entries": 50_000,
    "memory.session.max_messages": 200,
    "memory.session.max_context_share": 0.75,
    "memory.session.keep_messages": 20,
    "memory.flush.enabled": True,
    "memory.revision.enabled": True,
    "memory.revision.max_candidates": 3,
    "memory.revision.word_share": 0.4,
    "memory.jobs.workers": 2,
    "memory.jobs.lease_s": 120,
    "memory.group.personal": False,
    "server.host": "127.0.0.1",
    "server.max_body_bytes": 2_097_152,
}


@pytest.mark.parametrize(("key", "default"), SPECIFIED.items())
def test_the_specified_keys_have_the_specified_defaults(key: str, default: object) -> None:
    info = describe_key(key)
    assert info is not None, key
    assert info.default == default


def test_every_setting_is_described_once_in_one_sentence() -> None:
    keys = [info.key for info in describe()]
    assert len(keys) == len(set(keys))
    for info in describe():
        assert info.meaning.endswith("."), info.key


def test_a_setting_described_is_an_attribute_path() -> None:
    settings = Settings()
    for info in describe():
        value: object = settings
        for name in info.key.split("."):
            value = getattr(value, name)
        assert value == info.default, info.key


@pytest.mark.parametrize(("tokens", "overlap"), [(380, 380), (380, 400), (60, 80)])
def test_r017_an_overlap_as_long_as_the_chunk_is_refused(tokens: int, overlap: int) -> None:
    with pytest.raises(ValidationError, match=r"must be smaller than memory\.chunk\.tokens"):
        ChunkSettings(tokens=tokens, overlap=overlap)


def test_an_overlap_just_shorter_than_the_chunk_is_taken() -> None:
    assert ChunkSettings(tokens=380, overlap=379).overlap == 379


def test_a_reply_as_long_as_the_window_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"must be smaller than ai\.model\.window_tokens"):
        ModelSettings(window_tokens=4_096)
    assert ModelSettings(window_tokens=4_096, max_output_tokens=1_024).max_output_tokens == 1_024


@pytest.mark.parametrize(
    "url", ["https://u:p@host/v1", "https://host/v1?key=x", "ftp://host", "host:80", "https://h/#k"]
)
def test_r105_an_address_that_could_carry_a_key_is_refused(url: str) -> None:
    with pytest.raises(ValidationError) as caught:
        SearchSettings(base_url=url)
    assert url not in str(caught.value)


def test_an_address_loses_its_last_slash() -> None:
    assert SearchSettings(base_url="http://127.0.0.1:9/v1/").base_url == "http://127.0.0.1:9/v1"


def test_secrets_do_not_stand_in_the_representation() -> None:
    site = WikijsSite(name="team", url="https://wiki.example", token="canary-value")
    settings = Settings.model_validate(
        {
            "memory": {"search": {"api_key": "canary-value"}},
            "database": {"url": "canary-value"},
            "ai": {"gemini": {"api_key": "canary-value"}, "model": {"api_key": "canary-value"}},
            "tools": {"wikijs": [site]},
        }
    )
    assert "canary" not in f"{settings!r}{settings}"


def test_numbers_that_are_none_are_refused() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValidationError):
            SearchSettings(min_similarity=value)
