"""What was sent is never said again: not in an error, a log line, a figure or a table."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from goclaw.memory import Memory
from tests.running_gateway import Gateway, running_gateway

RECORDS = "/api/memory/records"
UNKNOWN = "0198c0de-0000-7000-8000-000000000000"
# Put together at run time, so that no file holds what looks like a live key.
CANARY = "xq-" + "FAKE-canary-0001"
TOKEN = "gh" + "p_" + "FAKE0000000000000000000000000000abcd"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state")) as running:
        yield running


def everything_on_disk(gateway: Gateway) -> bytes:
    gateway.engine.database.flush_later()
    folder: Path = gateway.engine.loaded.paths.state_dir
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_r105_no_failure_repeats_what_was_sent(gateway: Gateway, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    key = gateway.team.alice
    said = []
    with capture_logs() as lines, gateway.http() as http:
        good = {"x-brain-key": key}
        for answer in (
            http.get(RECORDS, headers={"authorization": f"Bearer {CANARY}"}),
            http.get(RECORDS, headers={"x-brain-key": f"gck_{CANARY}"}),
            http.get(RECORDS, params={"key": CANARY}),
            http.get(RECORDS, params={"key": key, "scope": CANARY}),
            http.get(RECORDS, params={"key": key, f"{CANARY}?": CANARY}),
            http.get(RECORDS, headers=good, params={"cursor": CANARY}),
            http.get(f"/api/{CANARY}", headers=good),
            http.get(f"{RECORDS}/{CANARY}", headers=good),
            http.request(CANARY.replace("-", ""), RECORDS, headers=good),
            http.post(RECORDS, headers=good, json={"content": CANARY, "scope": CANARY}),
            http.post(RECORDS, headers=good, json={"content": [CANARY], "scope": "personal", f"{CANARY}?": 1}),
            http.post(RECORDS, headers=good, json={"content": CANARY, "scope": "global"}),
            http.post(RECORDS, headers=good, content=CANARY.encode()),
            http.post(RECORDS, headers={**good, "content-type": "application/json"}, content=CANARY.encode()),
            http.post(RECORDS, headers={**good, "x-user-id": CANARY}, json={"content": "x", "scope": "personal"}),
            http.patch(f"{RECORDS}/{UNKNOWN}", headers={**good, "if-match": CANARY}, json={"content": CANARY}),
            http.post("/mcp", headers=good, json={"method": CANARY}),
        ):
            assert 400 <= answer.status_code < 500
            said.append(answer.text)
            said.append(str(dict(answer.headers)))
        said.append(http.get("/metrics").text)
    assert lines
    # The two clients are this test's own; uvicorn's lines reach nobody but pytest (see test_serve.py).
    not_ours = ("httpx2", "httpcore2", "uvicorn.access")
    said += [str(lines), *(each.getMessage() for each in caplog.records if not each.name.startswith(not_ours))]
    assert [text for text in said if "canary" in text or "FAKE" in text or key in text] == []
    assert CANARY.encode() not in everything_on_disk(gateway)


def test_r105_a_line_of_the_log_holds_no_query_and_no_key(gateway: Gateway) -> None:
    with capture_logs() as lines, gateway.http() as http:
        http.get(RECORDS, params={"key": gateway.team.alice, "tag": "secretive"})
        deadline = time.monotonic() + 10
        while not lines and time.monotonic() < deadline:  # the line is written after the answer has gone out
            time.sleep(0.01)
    (line,) = lines
    assert set(line) == {
        "event", "log_level", "request_id", "method", "route", "status", "milliseconds", "key",
    }  # fmt: skip
    assert (line["route"], line["status"]) == (RECORDS, 200)
    assert "secretive" not in str(line)
    assert gateway.team.alice not in str(line)
    assert line["key"] in gateway.team.alice  # its id only


@pytest.mark.parametrize(
    "fields",
    [
        {"content": f"the token is {TOKEN}"},
        {"content": "x y", "domain": TOKEN},
        {"content": "x y", "tags": [TOKEN]},
        {"content": "x y", "metadata": {"note": f"use {TOKEN}"}},
        {"content": "x y", "source_refs": [{"kind": "link", "uri": f"https://example.test/?t={TOKEN}"}]},
        {"content": "x y", "external_ref": TOKEN},
        {"content": "x y", "speaker": TOKEN},
    ],
    ids=lambda fields: list(fields)[-1],
)
def test_r107_a_secret_in_any_field_is_refused_and_kept_nowhere(gateway: Gateway, fields: dict[str, Any]) -> None:
    with capture_logs() as lines, gateway.http(gateway.team.alice) as http:
        answer = http.post(RECORDS, json={"scope": "personal", **fields}, headers={"idempotency-key": "r107"})
        assert (answer.status_code, answer.json()["code"]) in ((422, "unsafe_content"), (409, "conflict"))
        again = http.post(RECORDS, json={"scope": "personal", **fields})
        assert (again.status_code, again.json()["code"]) == (422, "unsafe_content")
        assert again.json()["details"]["findings"][0]["field"].startswith(list(fields)[-1])
    for text in (answer.text, again.text, str(lines)):
        assert TOKEN.lower() not in text.lower()
    assert TOKEN.encode().lower() not in everything_on_disk(gateway).lower()


def test_r116_an_internal_error_tells_its_request_id_and_nothing_else(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: Any, **__: Any) -> Any:
        raise RuntimeError(f"SELECT {CANARY} FROM memories in sqlalchemy at /home/somebody")

    for name in ("write", "get", "list", "update", "forget", "search", "recall", "write_schema_note", "stats"):
        monkeypatch.setattr(Memory, name, break_down)
    monkeypatch.setattr(Memory, "jobs", property(break_down))
    requests: list[tuple[str, str, Any]] = [
        ("POST", RECORDS, {"content": "x y", "scope": "personal"}),
        ("GET", RECORDS, None),
        ("GET", f"{RECORDS}/{UNKNOWN}", None),
        ("PATCH", f"{RECORDS}/{UNKNOWN}", {"content": "x y"}),
        ("DELETE", f"{RECORDS}/{UNKNOWN}", None),
        ("POST", "/api/memory/search", {"query": "x"}),
        ("POST", "/api/memory/recall", {"query": "x"}),
        ("POST", "/api/memory/schema-notes", {"datasource": "d", "table": "t", "text": "x"}),
        ("GET", "/api/memory/stats", None),
        ("POST", "/api/memory/reindex", None),
        ("GET", "/api/memory/jobs", None),
        ("GET", f"/api/memory/jobs/{UNKNOWN}", None),
        ("POST", f"/api/memory/jobs/{UNKNOWN}/retry", None),
        ("GET", "/readyz", None),
    ]
    with capture_logs() as lines, gateway.http(gateway.team.admin) as http:
        for method, path, body in requests:
            answer = http.request(method, path, json=body)
            assert answer.status_code == 500, path
            assert answer.json() == {
                "error": "Something went wrong inside goclaw.",
                "code": "internal",
                "hint": "Look for the request id in the log.",
                "request_id": answer.headers["x-request-id"],
            }
            crash = next(line for line in lines if line["event"] == "crash")
            assert crash["request_id"] == answer.headers["x-request-id"]
            assert crash["kind"] == "RuntimeError"
            lines.clear()
    assert "canary" not in str(lines)
