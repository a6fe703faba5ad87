"""Nobody reads, changes or even notices what is not theirs, whatever they send and whoever they say they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from goclaw.gateway.people import command_line
from goclaw.storage import audit_log
from tests.running_gateway import Gateway, running_gateway

RECORDS = "/api/memory/records"
UNKNOWN = "0198c0de-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state")) as running:
        yield running


@dataclass(frozen=True)
class Ids:
    """Records that lie in different places."""

    alices: str  # alice's own
    bobs: str
    project: str  # written by alice into project apollo
    team: str  # the administrator's, for the workspace
    strangers: str  # of alice in the other workspace


@pytest.fixture(scope="module")
def ids(gateway: Gateway) -> Ids:
    def write(key: str, content: str, scope: str, **fields: Any) -> str:
        with gateway.client(key) as client:
            return str(client.write(content, scope=scope, **fields)["id"])

    team = gateway.team
    return Ids(
        alices=write(team.alice, "my dentist is Sunrise-A", "personal"),
        bobs=write(team.bob, "my dentist is Moonlight-B", "personal"),
        project=write(team.alice, "Apollo uses the old crane", "agent_notes", project_id="apollo"),
        team=write(team.admin, "Deploys go out on Tuesdays", "agent_notes"),
        strangers=write(team.stranger, "my dentist is Elsewhere-C", "personal"),
    )


@pytest.fixture(scope="module")
def clinics(gateway: Gateway) -> dict[str, str]:
    """Whose clinic -> the id of that record."""
    texts = {"alice": "my clinic is Sunrise-A", "bob": "my clinic is Moonlight-B", "stranger": "my clinic is C"}
    found = {}
    for who, text in texts.items():
        with gateway.client(getattr(gateway.team, who)) as client:
            found[who] = str(client.write(text, scope="personal")["id"])
    return found


def operations(gateway: Gateway) -> list[tuple[str, str, bool]]:
    """Method, path and whether a key is needed, for everything the gateway says it does, and /mcp."""
    with gateway.http() as http:
        paths = http.get("/openapi.json").json()["paths"]
    found = [(method.upper(), path) for path, methods in paths.items() for method in methods]
    open_paths = {"/healthz", "/readyz", "/metrics"}
    return [(method, path, path not in open_paths) for method, path in [*found, ("POST", "/mcp"), ("GET", "/mcp")]]


def send(http: httpx2.Client, method: str, path: str, memory_id: str) -> httpx2.Response:
    """The operation with a body that would do."""
    bodies = {
        f"POST {RECORDS}": {"content": "matrix", "scope": "personal"},
        f"PATCH {RECORDS}/{{memory_id}}": {"tags": ["matrix"]},
        "POST /api/memory/search": {"query": "clinic"},
        "POST /api/memory/recall": {"query": "clinic"},
        "POST /api/memory/schema-notes": {"datasource": "d", "table": "t", "text": "x"},
    }
    body = bodies.get(f"{method} {path}")
    names = dict.fromkeys(("memory_id", "job_id", "policy_id", "request_id", "session_id"), memory_id)
    return http.request(method, path.format(**names), json=body)


# Who, record, status of GET, PATCH and DELETE. Nobody here deletes what the next line needs: only refusals are listed
# for DELETE. 404: it does not exist for them; 403: they see it and may not change it.
MATRIX = [
    ("alice", "alices", 200, 200, None),
    ("alice", "bobs", 404, 404, 404),
    ("alice", "project", 200, 200, None),
    ("alice", "team", 200, 403, 403),
    ("alice", "strangers", 404, 404, 404),
    ("bob", "alices", 404, 404, 404),
    ("bob", "bobs", 200, 200, None),
    ("bob", "project", 200, 200, None),
    ("bob", "team", 200, 403, 403),
    ("bob", "strangers", 404, 404, 404),
    ("admin", "alices", 404, 404, 404),
    ("admin", "bobs", 404, 404, 404),
    ("admin", "team", 200, 200, None),
    ("admin", "strangers", 404, 404, 404),
    ("agent", "alices", 200, 200, None),
    ("agent", "bobs", 404, 404, 404),
    ("agent", "team", 200, 403, 403),
    ("job", "alices", 404, 404, 404),
    ("job", "bobs", 404, 404, 404),
    ("job", "team", 200, 403, 403),
    ("importer", "alices", 404, 404, 404),
    ("importer", "team", 200, 403, 403),
    ("stranger", "alices", 404, 404, 404),
    ("stranger", "project", 404, 404, 404),
    ("stranger", "team", 404, 404, 404),
    ("stranger", "strangers", 200, 200, None),
    ("revoked", "alices", 401, 401, 401),
    ("revoked", "team", 401, 401, 401),
]


@pytest.mark.parametrize(("who", "what", "read", "change", "delete"), MATRIX)
def test_r064_route_by_role_by_id(
    gateway: Gateway, ids: Ids, who: str, what: str, read: int, change: int, delete: int | None
) -> None:
    path = f"{RECORDS}/{getattr(ids, what)}"
    with gateway.http(getattr(gateway.team, who)) as http:
        assert http.get(path).status_code == read
        assert http.patch(path, json={"tags": ["seen"]}).status_code == change
        if delete is not None:
            assert http.delete(path).status_code == delete


def test_r064_a_foreign_id_answers_like_an_unknown_one(gateway: Gateway, ids: Ids) -> None:
    requests = [("GET", None), ("PATCH", {"content": "mine now"}), ("DELETE", None)]
    with gateway.client(gateway.team.alice) as alice:
        before = alice.get(ids.alices)
    for who in ("bob", "admin", "job", "importer", "stranger"):
        with gateway.http(getattr(gateway.team, who)) as http:
            for method, body in requests:
                foreign = http.request(method, f"{RECORDS}/{ids.alices}", json=body)
                unknown = http.request(method, f"{RECORDS}/{UNKNOWN}", json=body)
                assert without_id(foreign) == without_id(unknown)
                assert foreign.status_code == 404
    with gateway.client(gateway.team.alice) as alice:
        assert alice.get(ids.alices) == before


def test_r064_jobs_answer_the_same_for_any_id(gateway: Gateway) -> None:
    with gateway.client(gateway.team.admin) as admin:
        job_id = admin.reindex()
    for who in ("alice", "agent", "job", "stranger"):
        with gateway.http(getattr(gateway.team, who)) as http:
            for method, path in (("GET", "/api/memory/jobs/{}"), ("POST", "/api/memory/jobs/{}/retry")):
                known = http.request(method, path.format(job_id))
                unknown = http.request(method, path.format(UNKNOWN))
                assert without_id(known) == without_id(unknown)
                assert known.status_code == 403


def without_id(answer: httpx2.Response) -> tuple[int, dict[str, Any], list[str]]:
    """Everything of an answer that could give something away."""
    body = answer.json()
    assert body.pop("request_id") == answer.headers["x-request-id"]
    return answer.status_code, body, sorted(set(answer.headers) - {"date"})


@pytest.mark.parametrize(
    ("who", "whose"),
    [("alice", "alice"), ("agent", "alice"), ("bob", "bob"), ("admin", None), ("stranger", "stranger")],
)
def test_r058_a_search_shows_and_counts_only_ones_own(
    gateway: Gateway, clinics: dict[str, str], who: str, whose: str | None
) -> None:
    expected = {clinics[whose]} if whose else set()
    with gateway.client(getattr(gateway.team, who)) as client:
        for found in (client.search("clinic", limit=200), client.recall("clinic", limit=200)):
            assert {hit["record"]["id"] for hit in found["hits"]} == expected
            assert found["withheld"] == []
        listed = {record["id"] for record in client.list(scope="personal", limit=200)["records"]}
        assert listed & set(clinics.values()) == expected


def test_r058_scores_do_not_differ_by_what_others_keep(gateway: Gateway, clinics: dict[str, str]) -> None:
    with gateway.client(gateway.team.alice) as alice, gateway.client(gateway.team.bob) as bob:
        (before,) = alice.search("clinic")["hits"]
        others = [bob.write(f"the clinic of number {n}", scope="personal")["id"] for n in range(30)]
        (after,) = alice.search("clinic")["hits"]
        assert after["score_parts"].keys() == before["score_parts"].keys()
        assert after["score"] == pytest.approx(before["score"], rel=1e-6)  # it is a moment older
        for memory_id in others:
            bob.forget(memory_id)


@pytest.mark.parametrize("who", ["job", "importer"])
def test_r058_runs_without_a_person_see_nobodys_own(gateway: Gateway, clinics: dict[str, str], who: str) -> None:
    with gateway.client(getattr(gateway.team, who)) as client:
        assert client.search("clinic")["hits"] == []
        assert client.list(scope="personal")["records"] == []
        assert client.stats()["namespaces"] <= 2


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-brain-key": ""},
        {"x-brain-key": "null"},
        {"x-brain-key": "undefined"},
        {"x-brain-key": "0"},
        {"x-brain-key": "gck_0011223344556677_" + "0" * 64},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer null"},
        {"authorization": "Basic YWRhOmFkYQ=="},
        {"x-user-id": "ada"},
    ],
    ids=str,
)
def test_r062_without_a_valid_key_everything_is_401(gateway: Gateway, ids: Ids, headers: dict[str, str]) -> None:
    before = people_and_records(gateway)
    with gateway.http() as http:
        http.headers.update(headers)
        for method, path, needs_key in operations(gateway):
            answer = send(http, method, path, ids.alices)
            if needs_key:
                assert answer.status_code == 401, (method, path)
                assert set(answer.json()) == {"error", "code", "hint", "request_id"}
                assert answer.headers["www-authenticate"] == "Bearer"
        assert http.get("/there/is/no/such/route").status_code == 401
    assert people_and_records(gateway) == before


def test_r062_a_revoked_key_opens_nothing(gateway: Gateway, ids: Ids) -> None:
    with gateway.http(gateway.team.revoked) as http:
        for method, path, needs_key in operations(gateway):
            if needs_key:
                assert send(http, method, path, ids.alices).status_code == 401, (method, path)


def people_and_records(gateway: Gateway) -> tuple[int, int]:
    with gateway.client(gateway.team.admin) as admin:
        return len(gateway.team.people.list("default")), len(admin.list(limit=200)["records"])


@pytest.mark.parametrize("way", ["x-brain-key", "bearer", "query"])
def test_a_key_may_be_shown_in_three_ways(gateway: Gateway, way: str) -> None:
    key = gateway.team.alice
    with gateway.http() as http:
        headers = {"x-brain-key": {"x-brain-key": key}, "bearer": {"authorization": f"Bearer {key}"}}.get(way, {})
        params = {"limit": "1", **({"key": key} if way == "query" else {})}
        assert http.get(RECORDS, headers=headers, params=params).status_code == 200


def test_two_keys_that_differ_say_nothing_about_who_asks(gateway: Gateway) -> None:
    with gateway.http(gateway.team.alice) as http:
        bearer = {"authorization": f"Bearer {gateway.team.bob}"}
        assert http.get(RECORDS, headers=bearer).status_code == 401
        assert http.get(RECORDS, params={"key": gateway.team.bob}).status_code == 401
        assert http.get(RECORDS, headers={"authorization": f"Bearer {gateway.team.alice}"}).status_code == 200


def mismatches(gateway: Gateway) -> int:
    with gateway.engine.database.read() as reader:
        events = audit_log.page(reader, "default", event_type="memory_refused", actor_id="human:bob", limit=500)
    return sum(event.detail.get("why") == "identity_mismatch" for event in events)


@pytest.mark.parametrize(
    "header", ["X-User-Id", "X-Forwarded-User", "X-Remote-User", "X-Auth-Request-User", "Remote-User"]
)
def test_r063_a_header_that_names_another_user_is_refused_and_audited(gateway: Gateway, header: str) -> None:
    before = mismatches(gateway)
    with gateway.http(gateway.team.bob) as http:
        body = {"content": "written as alice", "scope": "personal"}
        assert http.post(RECORDS, json=body, headers={header: "alice"}).status_code == 403
        assert http.post("/api/memory/search", json={"query": "clinic"}, headers={header: "alice"}).status_code == 403
        assert http.post("/mcp", json={}, headers={header: "alice"}).status_code == 403
        assert http.get(RECORDS, headers={header: "bob"}).status_code == 200
    assert mismatches(gateway) == before + 3


def test_r063_a_body_that_names_another_user_is_refused_and_audited_on_every_route(gateway: Gateway, ids: Ids) -> None:
    bodies = [
        ("POST", RECORDS, {"content": "written as alice", "scope": "personal"}),
        ("PATCH", f"{RECORDS}/{ids.bobs}", {"tags": ["x"]}),
        ("POST", "/api/memory/search", {"query": "clinic"}),
        ("POST", "/api/memory/recall", {"query": "clinic"}),
        ("POST", "/api/memory/schema-notes", {"datasource": "d", "table": "t", "text": "x"}),
        ("POST", "/api/memory/reindex", {}),
    ]
    before = mismatches(gateway)
    with gateway.http(gateway.team.bob) as http:
        for method, path, body in bodies:
            assert http.request(method, path, json={**body, "user_id": "alice"}).status_code == 403, path
            assert http.request(method, path, json={**body, "workspace_id": "other"}).status_code == 404, path
        assert http.get(RECORDS, params={"user_id": "alice"}).status_code == 403
        assert http.get("/api/memory/jobs", params={"user_id": "alice"}).status_code == 403
    assert mismatches(gateway) == before + 2 * len(bodies) + 2
    with gateway.client(gateway.team.alice) as alice:
        assert "written as alice" not in str(alice.list(limit=200))


def test_r063_what_agrees_with_the_key_is_taken_and_changes_nothing(gateway: Gateway) -> None:
    with gateway.http(gateway.team.bob) as http:
        body = {"content": "bob himself", "scope": "personal", "user_id": "bob", "workspace_id": "default"}
        written = http.post(RECORDS, json=body)
        assert (written.status_code, written.json()["owner_user_id"]) == (201, "bob")
        http.delete(f"{RECORDS}/{written.json()['id']}")


@pytest.mark.parametrize(
    "field", ["owner_user_id", "actor_id", "provenance", "use_policy", "review_status", "run_kind"]
)
def test_r063_what_only_the_engine_says_is_no_field_of_a_request(gateway: Gateway, field: str) -> None:
    with gateway.http(gateway.team.bob) as http:
        answer = http.post(RECORDS, json={"content": "x y", "scope": "personal", field: "canary"})
    assert answer.status_code == 422
    assert field in answer.json()["error"]
    assert "canary" not in answer.text


@pytest.mark.parametrize("who", ["bob", "admin"])
@pytest.mark.parametrize("path", [RECORDS, f"{RECORDS}/", f"{RECORDS}?scope=personal", f"{RECORDS}//"])
def test_r036_deleting_without_an_id_deletes_nothing(gateway: Gateway, ids: Ids, who: str, path: str) -> None:
    with gateway.http(getattr(gateway.team, who)) as http:
        before = http.get(RECORDS).json()
        for body in (None, {}, {"user_id": "alice"}):
            assert http.request("DELETE", path, json=body).status_code in (400, 404, 405)
        assert http.get(RECORDS).json() == before
    with gateway.http(gateway.team.alice) as http:
        assert http.get(f"{RECORDS}/{ids.alices}").status_code == 200


def test_a_person_whose_roles_were_taken_loses_them_at_once(gateway: Gateway) -> None:
    team = gateway.team
    with gateway.client(team.admin) as client:
        assert "store" in client.stats()
        team.people.set_roles(command_line(), "default", "ada", ("member",))
        assert "store" not in client.stats()
        team.people.set_roles(command_line(), "default", "ada", ("admin",))
