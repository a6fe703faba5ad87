"""Whatever comes over the wire, the gateway answers with a reason, never with a crash, and never without end."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from goclaw.client import GatewayClient
from goclaw.model.errors import InvalidInput, RateLimited
from tests.running_gateway import Gateway, running_gateway

RECORDS = "/api/memory/records"
JSON = {"content-type": "application/json"}
LIMIT = 4096


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state"), {"server.max_body_bytes": LIMIT}) as running:
        yield running


@pytest.fixture
def alice(gateway: Gateway) -> Iterator[GatewayClient]:
    with gateway.client(gateway.team.alice) as client:
        yield client


def post(gateway: Gateway, path: str, raw: str | bytes) -> tuple[int, str]:
    with gateway.http(gateway.team.alice) as http:
        answer = http.post(path, content=raw, headers=JSON)
    return answer.status_code, answer.text


@pytest.mark.parametrize("limit", [-1, 0, 201, 1_000_000, "5; drop table", "5", 2.5, True, 1e400, 9223372036854775808])
def test_r115_a_limit_outside_its_range_is_refused(gateway: Gateway, limit: Any) -> None:
    for path in ("/api/memory/search", "/api/memory/recall"):
        status, text = post(gateway, path, json.dumps({"query": "tea", "limit": limit}))
        assert status == 422
        assert "limit" in text or "body" in text
        assert "drop" not in text


@pytest.mark.parametrize("field", ["min_score", "offset", "filter"])
def test_r115_a_parameter_that_does_not_exist_is_refused_by_name(gateway: Gateway, field: str) -> None:
    status, text = post(gateway, "/api/memory/search", f'{{"query": "tea", "{field}": NaN}}')
    assert status == 422
    assert "NaN" not in text
    status, text = post(gateway, "/api/memory/search", f'{{"query": "tea", "{field}": 1}}')
    assert status == 422
    assert field in text


@pytest.mark.parametrize(
    "params",
    [
        {"limit": "0"},
        {"limit": "201"},
        {"limit": "many"},
        {"limit": "9223372036854775808"},
        {"offset": "1"},
        {"scope": "cellar"},
        {"lifecycle": "?"},
        {"tag": "a\0b"},
    ],
    ids=str,
)
def test_r115_a_list_takes_what_is_documented_and_nothing_else(gateway: Gateway, params: dict[str, str]) -> None:
    with gateway.http(gateway.team.alice) as http:
        assert http.get(RECORDS, params=params).status_code == 422


@pytest.mark.parametrize("cursor", ["", "x", "AAAA", "W10=", "WyJ4IiwxXQ==", "é", "W251bGwsbnVsbF0="])
def test_r115_a_cursor_that_is_not_ours_is_refused(gateway: Gateway, cursor: str) -> None:
    with gateway.http(gateway.team.alice) as http:
        assert http.get(RECORDS, params={"cursor": cursor}).status_code == 400


@pytest.mark.parametrize(
    "raw",
    [
        '{"content": "ok \\ud83c tail", "scope": "personal"}',
        '{"content": "x y", "scope": "personal", "metadata": {"deep": [{"\\udc00": 1}]}}',
        '{"content": "x y", "scope": "personal", "tags": ["\\ud83c"]}',
        '{"content": "x y", "scope": "personal", "\\ud83c": 1}',
    ],
)
def test_r098_half_a_surrogate_pair_is_refused(gateway: Gateway, raw: str) -> None:
    assert post(gateway, RECORDS, raw)[0] == 422
    assert post(gateway, "/api/memory/search", '{"query": "\\ud83c"}')[0] == 422


def test_r098_a_whole_pair_is_a_character(alice: GatewayClient) -> None:
    assert alice.write("balloon 🎈 tail", scope="personal")["content"] == "balloon 🎈 tail"


def test_r097_a_nul_is_refused(gateway: Gateway) -> None:
    for raw in (
        '{"content": "before\\u0000after", "scope": "personal"}',
        '{"content": "x y", "scope": "personal", "metadata": {"k\\u0000": 1}}',
        '{"content": "x y", "scope": "personal", "source_refs": [{"kind": "a\\u0000b"}]}',
    ):
        status, text = post(gateway, RECORDS, raw)
        assert status == 422
        assert "\0" not in text


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b'{"query": "x", "query": ',
        b"[" * 2000 + b"]" * 2000,
        b'{"query": ' + b"9" * 3000 + b"}",
        b'{"query": {"a": ' + b"[" * 1000 + b"]" * 1000 + b"}}",
    ],
    ids=lambda raw: str(raw[:12]),
)
def test_a_body_that_is_no_request_is_refused(gateway: Gateway, raw: bytes) -> None:
    for path in ("/api/memory/search", RECORDS, "/api/memory/schema-notes"):
        assert post(gateway, path, raw)[0] in (400, 422)
    assert post(gateway, "/mcp", raw)[0] in (400, 406)


def test_a_body_of_another_type_is_refused(gateway: Gateway) -> None:
    with gateway.http(gateway.team.alice) as http:
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            answer = http.post("/api/memory/search", content=b'{"query": "x"}', headers={"content-type": kind})
            assert answer.status_code == 422


def test_a_body_above_the_limit_is_refused_announced_or_not(gateway: Gateway) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(LIMIT // 1024 + 2):
            yield b"x" * 1024

    with gateway.http(gateway.team.alice) as http:
        announced = http.post(RECORDS, content=b"x" * (LIMIT + 1), headers=JSON)
        chunked = http.post(RECORDS, content=pieces(), headers=JSON)
        mcp = http.post("/mcp", content=b"x" * (LIMIT + 1), headers=JSON)
        assert [answer.status_code for answer in (announced, chunked, mcp)] == [413, 413, 413]
        assert announced.json()["code"] == "too_large"
        assert http.get(RECORDS).status_code == 200


def test_a_text_within_the_limit_arrives_whole(alice: GatewayClient) -> None:
    text = "word " * ((LIMIT - 200) // 5)
    assert alice.write(text, scope="personal")["content"] == text


@pytest.mark.parametrize("memory_id", ["x", "0", "null", "' OR 1=1 --", "\u0000", "a" * 3000, "é", "%00"])
def test_an_id_of_any_form_is_an_unknown_one(gateway: Gateway, memory_id: str) -> None:
    with gateway.http(gateway.team.alice) as http:
        for method, body in (("GET", None), ("PATCH", {"content": "x y"}), ("DELETE", None)):
            answer = http.request(method, f"{RECORDS}/{quote(memory_id, safe='')}", json=body)
            assert answer.status_code == 404


def test_another_method_says_so(gateway: Gateway) -> None:
    with gateway.http(gateway.team.alice) as http:
        answer = http.put(RECORDS, json={})
        assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
        assert http.get("/api/memory/nothing").json()["code"] == "not_found"


def test_too_many_requests_with_one_key_wait_while_others_go_on(tmp_path: Path) -> None:
    with running_gateway(tmp_path, {"server.rate_limit_per_minute": 3}) as gateway:
        with gateway.client(gateway.team.alice) as alice:
            for _ in range(3):
                alice.list()
            with pytest.raises(RateLimited) as refused:
                alice.list()
            assert 1 <= refused.value.retry_after_s <= 20
        with gateway.client(gateway.team.bob) as bob, pytest.raises(InvalidInput):
            bob.write("", scope="personal")
        with gateway.http() as http:
            assert [http.get("/healthz").status_code for _ in range(5)] == [200] * 5
            assert [http.get(RECORDS).status_code for _ in range(5)] == [401] * 5
