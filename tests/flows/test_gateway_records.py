"""A team works through the gateway over a real socket: write, read, change, find, forget, administrate."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import BaseModel

from goclaw.client import GatewayClient
from goclaw.gateway import shapes
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, NotFound, UnsafeContent, VersionConflict
from tests.running_gateway import Gateway, running_gateway


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.fixture
def alice(gateway: Gateway) -> Iterator[GatewayClient]:
    with gateway.client(gateway.team.alice) as client:
        yield client


@pytest.fixture
def admin(gateway: Gateway) -> Iterator[GatewayClient]:
    with gateway.client(gateway.team.admin) as client:
        yield client


def fits(shape: type[BaseModel], answer: object) -> None:
    """The answer has the documented shape, and nothing is added, lost or changed by reading it as such."""
    read = shape.model_validate(answer)
    assert set(read.model_dump()) == set(answer)  # type: ignore[call-overload]


def test_a_record_comes_back_as_it_was_written(alice: GatewayClient) -> None:
    written = alice.write(
        "Prefers metric units",
        scope="personal",
        kind="preference",
        tags=["Units"],
        domain="style",
        source_refs=[{"kind": "message", "uri": "https://example.test/m/1"}],
        external_ref="D1:3",
        session_id="s1",
        turn=3,
        speaker="Alice",
        occurred_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        metadata={"mood": "calm", "n": [1, None]},
    )
    fits(shapes.RecordShape, written)
    assert alice.get(written["id"]) == written
    expected = {
        "workspace_id": "default",
        "scope": "personal",
        "visibility": "personal",
        "owner_user_id": "alice",
        "tags": ["units"],
        "turn": 3,
        "metadata": {"mood": "calm", "n": [1, None]},
        "occurred_at": "2026-01-02T03:04:00+00:00",
        "actor_id": "human:alice",
        "version": 1,
    }
    assert {name: written[name] for name in expected} == expected


def test_a_list_comes_in_pages_and_with_filters(alice: GatewayClient) -> None:
    ids = [alice.write(f"Paged note {n}", scope="personal", session_id="paged", turn=n)["id"] for n in range(5)]
    alice.write("Another session", scope="personal", session_id="other")
    seen, cursor = [], None
    while True:
        page = alice.list(session_id="paged", limit=2, cursor=cursor)
        fits(shapes.PageShape, page)
        assert len(page["records"]) <= 2
        seen += [record["id"] for record in page["records"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == ids[::-1]
    assert alice.list(session_id="paged", kind="fact")["records"] == []


def test_a_change_needs_the_version_that_was_read(gateway: Gateway, alice: GatewayClient) -> None:
    written = alice.write("The pump is blue", scope="personal")
    changed = alice.update(written["id"], content="The pump is green", expected_version=1)
    assert (changed["content"], changed["version"]) == ("The pump is green", 2)
    with pytest.raises(VersionConflict):
        alice.update(written["id"], content="The pump is red", expected_version=1)
    path = f"/api/memory/records/{written['id']}"
    with gateway.http(gateway.team.alice) as http:
        read = http.get(path)
        assert read.headers["etag"] == '"2"'
        stale = http.patch(path, json={"content": "red"}, headers={"if-match": '"1"'})
        assert (stale.status_code, stale.json()["code"]) == (409, "version_conflict")
        for nonsense in ('"x"', "*", '""'):
            assert http.patch(path, json={"content": "red"}, headers={"if-match": nonsense}).status_code == 400
        both = {"content": "red", "expected_version": 1}
        assert http.patch(path, json=both, headers={"if-match": '"2"'}).status_code == 400
        fresh = http.patch(path, json={"content": "The pump is red"}, headers={"if-match": '"2"'})
        assert (fresh.status_code, fresh.headers["etag"]) == (200, '"3"')


def test_search_and_recall_say_why_a_hit_stands_there(alice: GatewayClient) -> None:
    written = alice.write("The harbour crane lifts forty tons", scope="personal")
    searched, recalled = alice.search("harbour crane"), alice.recall("harbour crane", limit=200)
    for found, shape in ((searched, shapes.SearchShape), (recalled, shapes.FoundShape)):
        fits(shape, found)
        hit = found["hits"][0]
        fits(shapes.HitShape, hit)
        assert hit["record"]["id"] == written["id"]
        assert hit["marks"] == []
        assert 0 < hit["score"] <= 1
        assert found["reason"] is None
        assert found["trace_id"]
    assert searched["explanation"] is None
    explained = alice.search("harbour crane", explain=True)["explanation"]
    fits(shapes.ExplanationShape, explained)
    assert explained["words"][0]["memory_id"] == written["id"]
    told = alice.why(written["id"], "zeppelin")
    fits(shapes.WhyShape, told)
    assert told["verdict"] == "no_match"
    nothing = alice.search("zeppelin maintenance")
    assert nothing["hits"] == []
    assert nothing["reason"]


def test_what_waits_for_review_is_found_marked_and_not_recalled(gateway: Gateway, alice: GatewayClient) -> None:
    with gateway.client(gateway.team.agent) as agent:
        written = agent.write("The quarry gate opens at dawn", scope="agent_notes", project_id="apollo")
    assert written["review_status"] == "pending"
    assert written["use_policy"]["can_use_as_instruction"] is False
    (hit,) = alice.search("quarry gate")["hits"]
    assert hit["marks"] == ["pending"]
    recalled = alice.recall("quarry gate")
    assert recalled["hits"] == []
    assert {"memory_id": written["id"], "why": "pending"} in recalled["withheld"]
    assert alice.recall("quarry gate", include_unconfirmed=True)["hits"]


def test_a_forgotten_record_is_gone_and_has_a_receipt(alice: GatewayClient) -> None:
    written = alice.write("The lighthouse keeper is called Odd", scope="personal")
    receipt = alice.forget(written["id"])
    fits(shapes.ReceiptShape, receipt)
    assert receipt["removed"]["memories"] == 1
    with pytest.raises(NotFound):
        alice.get(written["id"])
    with pytest.raises(NotFound):
        alice.forget(written["id"])
    assert alice.search("lighthouse keeper")["hits"] == []


def test_a_schema_note_is_found_and_never_recalled(
    gateway: Gateway, admin: GatewayClient, alice: GatewayClient
) -> None:
    first = admin.write_schema_note("shop", "orders", "One row an order")
    second = admin.write_schema_note("shop", "orders", "One row an order; total is in cents")
    assert (second["id"], second["version"]) == (first["id"], 2)
    assert alice.search("orders total cents")["hits"]
    assert alice.recall("orders total cents")["hits"] == []
    with pytest.raises(AccessDenied):
        alice.write_schema_note("shop", "orders", "nonsense")


def test_refusals_say_what_would_work(alice: GatewayClient) -> None:
    with pytest.raises(AccessDenied) as denied:
        alice.write("Everybody shall know", scope="global")
    assert "personal" in denied.value.hint
    with pytest.raises(InvalidInput):
        alice.write("x", scope="cellar")
    with pytest.raises(UnsafeContent) as unsafe:
        alice.write("-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA" * 8, scope="personal")
    assert unsafe.value.findings[0].field == "content"


def test_an_administrator_sees_jobs_and_rebuilds_the_index(admin: GatewayClient, alice: GatewayClient) -> None:
    job_id = admin.reindex()
    with pytest.raises(Conflict):
        admin.reindex()
    job = admin.job(job_id)
    fits(shapes.JobShape, job)
    assert (job["kind"], job["state"]) == ("reindex", "queued")
    assert job_id in [each["id"] for each in admin.jobs(kind="reindex", state="queued")]
    with pytest.raises(Conflict):
        admin.retry_job(job_id)
    for refused in (alice.reindex, alice.jobs, lambda: alice.job(job_id), lambda: alice.retry_job(job_id)):
        with pytest.raises(AccessDenied):
            refused()


def test_stats_count_what_the_asker_may_read(gateway: Gateway, admin: GatewayClient) -> None:
    with gateway.client(gateway.team.bob) as bob:
        before = bob.stats()
        with gateway.client(gateway.team.alice) as alice:
            alice.write("Nobody else counts this", scope="personal")
        assert bob.stats() == before
        assert "store" not in before
    assert admin.stats()["store"]["bytes"] > 0


def test_health_and_figures_need_no_key_here(gateway: Gateway, alice: GatewayClient) -> None:
    assert alice.is_ready()
    with gateway.http() as http:
        assert http.get("/healthz").json() == {"status": "ok"}
        assert http.get("/readyz").json() == {"status": "ready"}
        figures = http.get("/metrics")
    assert figures.status_code == 200
    assert 'goclaw_http_requests_total{method="GET",route="/healthz",status="200"}' in figures.text
    assert "# TYPE goclaw_jobs gauge" in figures.text


def test_through_a_proxy_figures_need_an_administrators_key(gateway: Gateway) -> None:
    forwarded = {"x-forwarded-for": "192.0.2.1"}
    for key, status in ((None, 401), (gateway.team.alice, 403), (gateway.team.agent, 403), (gateway.team.admin, 200)):
        with gateway.http(key) as http:
            assert http.get("/metrics", headers=forwarded).status_code == status


def test_a_store_that_is_closed_is_not_ready(tmp_path: Path) -> None:
    with running_gateway(tmp_path) as gateway:
        gateway.engine.memory.close()
        with gateway.http() as http:
            assert http.get("/readyz").status_code == 503
            assert http.get("/healthz").status_code == 200


def test_the_openapi_page_names_every_route_with_words_and_examples(gateway: Gateway) -> None:
    with gateway.http() as http:
        page = http.get("/openapi.json").json()
    operations = [one for path in page["paths"].values() for one in path.values()]
    assert len(operations) == 52
    for operation in operations:
        assert operation["summary"]
        assert operation["description"]
        assert operation["tags"]
    for name in ("WriteRequest", "PatchRequest", "SearchRequest", "RecallRequest", "SchemaNoteRequest", "ChatRequest"):
        assert page["components"]["schemas"][name]["examples"]
        assert page["components"]["schemas"][name]["additionalProperties"] is False
    assert set(page["components"]["securitySchemes"]) == {"key", "bearer"}
