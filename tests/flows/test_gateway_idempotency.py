"""A write that is sent again is done once."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from tests.running_gateway import Gateway, running_gateway

BODY = {"content": "The ferry leaves at nine", "scope": "personal"}
PATH = "/api/memory/records"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state")) as running:
        yield running


def cut_after_the_body(gateway: Gateway, key: str, body: dict[str, str]) -> None:
    """Send a whole request and hang up without reading the answer."""
    raw = json.dumps(body).encode()
    address = urlsplit(gateway.url)
    assert address.hostname
    head = (
        f"POST {PATH} HTTP/1.1\r\nhost: x\r\nx-brain-key: {gateway.team.alice}\r\nidempotency-key: {key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(raw)}\r\n\r\n"
    )
    with socket.create_connection((address.hostname, address.port or 80)) as line:
        line.sendall(head.encode() + raw)


def test_r110_a_write_whose_line_was_cut_and_is_retried_leaves_one_record(gateway: Gateway) -> None:
    cut_after_the_body(gateway, "K", BODY)
    with gateway.http(gateway.team.alice) as http:
        answers = [http.post(PATH, json=BODY, headers={"idempotency-key": "K"}) for _ in range(3)]
        records = http.get(PATH).json()["records"]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert [record["content"] for record in records] == [BODY["content"]]


def test_it_answers_with_the_record_as_it_is_now_even_after_a_change(gateway: Gateway) -> None:
    with gateway.client(gateway.team.bob) as bob:
        first = bob.write("Tea is at four", scope="personal", idempotency_key="T")
        bob.update(first["id"], content="Tea is at five")
        again = bob.write("Tea is at four", scope="personal", idempotency_key="T")
        assert (again["id"], again["content"]) == (first["id"], "Tea is at five")
        assert len(bob.list()["records"]) == 1


def test_another_request_with_the_same_key_is_refused(gateway: Gateway) -> None:
    with gateway.http(gateway.team.alice) as http:
        headers = {"idempotency-key": "once"}
        assert http.post(PATH, json={"content": "first", "scope": "personal"}, headers=headers).status_code == 201
        other = http.post(PATH, json={"content": "second", "scope": "personal"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


def test_a_key_belongs_to_one_principal(gateway: Gateway) -> None:
    ids = set()
    for key in (gateway.team.admin, gateway.team.alice, gateway.team.agent, gateway.team.stranger):
        with gateway.client(key) as client:
            ids.add(client.write("The same words", scope="personal", idempotency_key="shared")["id"])
    assert len(ids) == 3  # alice and her agent write the same thing into the same place


def test_what_was_forgotten_is_not_made_again(gateway: Gateway) -> None:
    with gateway.http(gateway.team.alice) as http:
        headers, body = {"idempotency-key": "gone"}, {"content": "to be forgotten", "scope": "personal"}
        memory_id = http.post(PATH, json=body, headers=headers).json()["id"]
        assert http.delete(f"{PATH}/{memory_id}").status_code == 200
        assert http.post(PATH, json=body, headers=headers).status_code == 409
        assert http.get(f"{PATH}/{memory_id}").status_code == 404


def test_a_refused_write_may_be_tried_again(gateway: Gateway) -> None:
    with gateway.http(gateway.team.alice) as http:
        headers, body = {"idempotency-key": "denied"}, {"content": "for all", "scope": "global"}
        assert [http.post(PATH, json=body, headers=headers).status_code for _ in range(2)] == [403, 403]


def test_many_at_once_make_one_record(gateway: Gateway) -> None:
    body = {"content": "Sent eight times at once", "scope": "personal"}

    def send(_: int) -> str:
        with gateway.http(gateway.team.admin) as http:
            return str(http.post(PATH, json=body, headers={"idempotency-key": "storm"}).json()["id"])

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(send, range(8)))) == 1


@pytest.mark.parametrize("key", ["", "k" * 201])
def test_a_key_has_a_length(gateway: Gateway, key: str) -> None:
    with gateway.http(gateway.team.alice) as http:
        assert http.post(PATH, json=BODY, headers={"idempotency-key": key}).status_code == 422
