"""Services that speak OpenAI's protocol: good answers, bad ones, slow ones, and what never leaks."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from openai import OpenAIError

from goclaw.embedding.batches import EmbeddingFailure, embed_each
from goclaw.embedding.guarded import GuardedProvider
from goclaw.embedding.openai_compatible import OpenAiCompatibleProvider
from goclaw.embedding.provider import BadVectors
from goclaw.embedding.token_vectors import TextVectors
from goclaw.model.circuit import CircuitBreaker
from goclaw.model.clock import ManualClock
from goclaw.model.errors import ProviderError, ProviderRefusal
from tests.fakes.openai_server import Answer, OpenAiServer, too_many, vector_of

CANARY = "xq-" + "FAKE-canary-0001"
WAIT_S = 20.0  # longer than any answer here takes


@pytest.fixture
def server() -> Iterator[OpenAiServer]:
    with OpenAiServer(dims=8) as running:
        yield running


@pytest.fixture
def open_provider(server: OpenAiServer) -> Iterator[Callable[..., OpenAiCompatibleProvider]]:
    opened: list[OpenAiCompatibleProvider] = []

    def open_one(model: str = "fake-a", dims: int | None = None, base_url: str = "") -> OpenAiCompatibleProvider:
        provider = OpenAiCompatibleProvider(
            provider="openai_compatible", base_url=base_url or server.url, model=model, api_key=CANARY, dims=dims
        )
        opened.append(provider)
        return provider

    yield open_one
    for provider in opened:
        provider.close()


@pytest.fixture
def provider(open_provider: Callable[..., OpenAiCompatibleProvider]) -> OpenAiCompatibleProvider:
    return open_provider()


def vectors_in(outcomes: Sequence[object]) -> np.ndarray:
    return np.array([outcome.vector for outcome in outcomes if isinstance(outcome, TextVectors)])


def expected(*texts: str, dims: int = 8) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    vectors = np.array([vector_of(text, dims) for text in texts])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def failure_of(provider: OpenAiCompatibleProvider, *texts: str, timeout_s: float = WAIT_S) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        provider.embed(texts or ("a", "b"), "document", timeout_s)
    return caught.value


def test_texts_become_unit_vectors_in_their_order(server: OpenAiServer, provider: OpenAiCompatibleProvider) -> None:
    vectors = provider.embed(["a", "b", "c"], "document", WAIT_S)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected("a", "b", "c"), atol=1e-6)
    [request] = server.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {CANARY}"
    assert request.body == {"input": ["a", "b", "c"], "model": "fake-a", "encoding_format": "float"}


def test_no_texts_ask_nobody(server: OpenAiServer, provider: OpenAiCompatibleProvider) -> None:
    assert provider.embed([], "document", WAIT_S).shape == (0, 0)
    assert server.requests == []


def test_r028_rows_are_joined_by_index_not_by_position(
    server: OpenAiServer, provider: OpenAiCompatibleProvider
) -> None:
    server.script = [Answer(order=(2, 0, 1))]
    np.testing.assert_allclose(provider.embed(["a", "b", "c"], "document", WAIT_S), expected("a", "b", "c"), atol=1e-6)


def test_r028_a_zero_index_that_is_left_out_is_zero(server: OpenAiServer, provider: OpenAiCompatibleProvider) -> None:
    items = [{"index": 1, "embedding": [0, 1]}, {"embedding": [1, 0]}]
    server.script = [Answer(body=json.dumps({"data": items}))]
    np.testing.assert_array_equal(provider.embed(["a", "b"], "document", WAIT_S), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    "answer",
    [
        Answer(rows={1: "[NaN, 1, 1, 1, 1, 1, 1, 1]"}),
        Answer(rows={1: "[0, 0, 0, 0, 0, 0, 0, 0]"}),
        Answer(rows={1: "null"}),
        Answer(rows={1: "[1e999, 1, 1, 1, 1, 1, 1, 1]"}),
        Answer(rows={1: "[]"}),
        Answer(rows={1: "[1, 2]"}),
        Answer(drop=(1,)),
        Answer(order=(0, 0)),
        Answer(body='{"data": [{"index": 0, "embedding": [1, 0'),
        Answer(body=""),
        Answer(body="[]"),
        Answer(body='{"data": null}'),
        Answer(body='{"data": ["a", "b"]}'),
        Answer(body='{"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]}'),
        Answer(body='{"data": [{"index": 0, "embedding": [1, 0]}, {"index": 5, "embedding": [0, 1]}]}'),
        Answer(body="<html>a proxy's page</html>"),
        Answer(body="[" * 100_000),
    ],
    ids=lambda answer: str(answer.body)[:60] if answer.body is not None else str(answer.rows or answer.order),
)
def test_r027_bad_answers_are_rejected_and_may_be_tried_again(
    server: OpenAiServer, provider: OpenAiCompatibleProvider, answer: Answer
) -> None:
    server.script = [answer]
    error = failure_of(provider)
    assert isinstance(error, BadVectors)
    assert not error.final
    np.testing.assert_allclose(provider.embed(["a"], "document", WAIT_S), expected("a"), atol=1e-6)


def test_r027_an_endless_answer_is_cut_off(
    server: OpenAiServer, provider: OpenAiCompatibleProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goclaw.embedding.openai_compatible.BYTES_PER_TEXT", 1000)
    server.script = [Answer(body="x" * 50_000)]
    assert "far too much" in str(failure_of(provider, "a"))


def test_r025_vectors_of_another_length_than_before_are_rejected(
    server: OpenAiServer, provider: OpenAiCompatibleProvider
) -> None:
    assert provider.identity.dims == 0
    provider.embed(["a"], "document", WAIT_S)
    assert provider.identity.dims == 8
    server.script = [Answer(dims=12)]
    assert "12 numbers where 8 were expected" in str(failure_of(provider, "a"))


def test_r026_identity_tells_models_addresses_and_lengths_apart(
    open_provider: Callable[..., OpenAiCompatibleProvider],
) -> None:
    same = open_provider("fake-a", 16).identity
    assert same.is_same_as(open_provider("fake-a", 16).identity)
    for other in (
        open_provider("fake-c", 16),
        open_provider("fake-a", 12),
        open_provider("fake-a", 16, "http://127.0.0.1:1/v1"),
    ):
        assert not same.is_same_as(other.identity)


def test_the_wanted_length_is_asked_for(
    server: OpenAiServer, open_provider: Callable[..., OpenAiCompatibleProvider]
) -> None:
    provider = open_provider(dims=4)
    assert provider.embed(["a"], "document", WAIT_S).shape == (1, 4)
    assert server.requests[0].body["dimensions"] == 4


def test_geminis_model_comes_with_the_seeds_floor(open_provider: Callable[..., OpenAiCompatibleProvider]) -> None:
    gemini = open_provider("gemini-embedding-001")
    assert (gemini.min_similarity_floor, gemini.identity.dims) == (0.62, 3072)
    assert open_provider("fake-a").min_similarity_floor is None


def test_r029_only_the_refused_text_fails(open_provider: Callable[..., OpenAiCompatibleProvider]) -> None:
    with OpenAiServer(refuses=lambda text: text == "b") as server:
        outcomes = embed_each(open_provider(base_url=server.url), ["a", "b", "c"], "document", WAIT_S)
    assert isinstance(outcomes[1], EmbeddingFailure)
    assert outcomes[1].final
    assert "HTTP 400" in outcomes[1].reason
    np.testing.assert_allclose(vectors_in([outcomes[0], outcomes[2]]), expected("a", "c"), atol=1e-6)


@pytest.mark.parametrize(
    ("answer", "retry_after_s"),
    [
        (too_many("30"), 30.0),
        (too_many("2.5"), 2.5),
        (too_many("-3"), 0.0),
        (too_many("soon"), None),
        (Answer(429, body="{}"), None),
        (Answer(429, body='{"error": {"details": [{"retryDelay": "34.5s"}]}}'), 34.5),
        (Answer(503, {"Retry-After": "7"}), 7.0),
        (Answer(500), None),
    ],
)
def test_r030_what_the_service_asks_to_wait_is_passed_on_and_the_client_does_not_retry(
    server: OpenAiServer, provider: OpenAiCompatibleProvider, answer: Answer, retry_after_s: float | None
) -> None:
    server.script = [answer]
    error = failure_of(provider)
    assert (error.retry_after_s, error.final) == (retry_after_s, False)
    assert not isinstance(error, ProviderRefusal)
    assert len(server.requests) == 1


def test_r030_a_date_to_wait_for_is_measured_against_the_services_own_clock(
    server: OpenAiServer, provider: OpenAiCompatibleProvider
) -> None:
    server.script = [
        Answer(429, {"Retry-After": "Wed, 21 Oct 2015 07:28:40 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"})
    ]
    assert failure_of(provider).retry_after_s == 40.0


def test_r030_with_a_fake_clock_it_waits_each_time_and_then_succeeds(
    server: OpenAiServer, provider: OpenAiCompatibleProvider
) -> None:
    clock = ManualClock(0)
    guarded = GuardedProvider(provider, CircuitBreaker(clock))
    server.script = [too_many("30"), too_many("30")]
    for asked in (1, 2):
        assert isinstance(embed_each(guarded, ["a"], "document", WAIT_S)[0], EmbeddingFailure)
        clock.advance(seconds=29)
        [early] = embed_each(guarded, ["another job"], "document", WAIT_S)
        assert isinstance(early, EmbeddingFailure)
        assert early.retry_after_s == 1.0
        assert len(server.requests) == asked
        clock.advance(seconds=1)
    np.testing.assert_allclose(vectors_in(embed_each(guarded, ["a"], "document", WAIT_S)), expected("a"), atol=1e-6)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_input_is_final(server: OpenAiServer, provider: OpenAiCompatibleProvider, status: int) -> None:
    server.script = [Answer(status, body="{}")]
    assert failure_of(provider).final


@pytest.mark.parametrize(
    "answer",
    [
        Answer(401),
        Answer(402),
        Answer(403),
        Answer(404),
        Answer(400, body='[{"error": {"message": "API key not valid. Please pass a valid API key."}}]'),
        Answer(429, body='{"error": {"code": "insufficient_quota"}}'),
    ],
    ids=str,
)
def test_a_wrong_key_model_or_used_up_quota_is_no_fault_of_the_text(
    server: OpenAiServer, provider: OpenAiCompatibleProvider, answer: Answer
) -> None:
    server.script = [answer]
    error = failure_of(provider)
    assert isinstance(error, ProviderRefusal)
    assert not error.final


@pytest.mark.parametrize("answer", [Answer(delay_s=30), Answer(drip_s=0.02)], ids=["silent", "dripping"])
def test_a_slow_service_is_left_in_time(
    server: OpenAiServer, provider: OpenAiCompatibleProvider, answer: Answer
) -> None:
    server.script = [answer]
    error = failure_of(provider, timeout_s=0.15)
    assert "in time" in str(error)
    assert not error.final


def test_a_service_that_is_not_there_is_named(open_provider: Callable[..., OpenAiCompatibleProvider]) -> None:
    with OpenAiServer() as gone:
        url = gone.url
    error = failure_of(open_provider(base_url=url))
    assert "cannot be reached" in str(error)
    assert not error.final


def test_r105_any_other_error_of_the_client_is_not_passed_on(
    provider: OpenAiCompatibleProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise OpenAIError(CANARY)

    monkeypatch.setattr(provider, "_fetch", fail)
    error = failure_of(provider)
    assert CANARY not in repr(error)
    assert error.__context__ is None


def test_half_a_surrogate_pair_is_no_reason_to_fail(server: OpenAiServer, provider: OpenAiCompatibleProvider) -> None:
    provider.embed(["a\ud800b"], "document", WAIT_S)
    assert server.requests[0].texts == ["a?b"]


def test_variables_made_for_other_programs_are_not_sent(
    server: OpenAiServer,
    open_provider: Callable[..., OpenAiCompatibleProvider],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "made-for-others")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: made-for-others")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    open_provider().embed(["a"], "document", WAIT_S)
    assert "made-for-others" not in str(server.requests[0].headers)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(500, body=f'{{"error": {{"message": "{CANARY} a secret text"}}}}'),
        Answer(400, body=f'{{"error": {{"message": "{CANARY} a secret text"}}}}'),
        Answer(401, body=f'{{"error": {{"message": "Incorrect API key provided: {CANARY}"}}}}'),
        Answer(429, {"Retry-After": CANARY}, body=f"{CANARY} a secret text"),
        Answer(body=f'{{"data": "{CANARY} a secret text"}}'),
        Answer(delay_s=30),
        Answer(),
    ],
    ids=["500", "400", "401", "429", "nonsense", "slow", "good"],
)
def test_r105_no_key_and_no_text_in_errors_and_logs(
    server: OpenAiServer,
    provider: OpenAiCompatibleProvider,
    caplog: pytest.LogCaptureFixture,
    answer: Answer,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [answer]
    seen = repr(provider) + str(provider.identity)
    if answer != Answer():
        error = failure_of(provider, "a secret text", timeout_s=0.2 if answer.delay_s else WAIT_S)
        assert error.__context__ is None
        seen += repr(error) + str(vars(error)) + error.hint
    else:
        provider.embed(["a secret text"], "query", WAIT_S)
    seen += caplog.text + "".join(str(vars(record)) for record in caplog.records)
    assert "httpx2" in seen or answer.delay_s  # the logs are really read
    assert CANARY not in seen
    assert "secret text" not in seen
