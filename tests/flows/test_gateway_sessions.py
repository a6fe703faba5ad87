"""Conversations and contexts over HTTP and MCP: who speaks comes from the key, or from a bridge's pairing."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from goclaw.client import GatewayClient
from goclaw.gateway import session_shapes as shapes
from goclaw.gateway.keys import KeyRequest
from goclaw.gateway.pairing import PairingBook
from goclaw.gateway.people import command_line
from goclaw.model.errors import AccessDenied, Conflict, InvalidInput, NotFound
from goclaw.model.principal import ActorKind, RunKind
from tests.command_line import goclaw
from tests.flows.test_gateway_records import fits
from tests.running_gateway import Gateway, running_gateway

HELLO = {"role": "user", "content": "Hello, I am here.", "message_id": "m1"}
ANSWER = {"role": "assistant", "content": "How can I help?"}
ROOM = {"kind": "discord", "id": "general", "thread_id": None}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.fixture
def alice(gateway: Gateway) -> Iterator[GatewayClient]:
    with gateway.client(gateway.team.alice) as client:
        yield client


@pytest.fixture
def bob(gateway: Gateway) -> Iterator[GatewayClient]:
    with gateway.client(gateway.team.bob) as client:
        yield client


@pytest.fixture
def bridge(gateway: Gateway) -> Iterator[GatewayClient]:
    request = KeyRequest(kind=ActorKind.JOB, name="discord", run_kind=RunKind.WEBHOOK)
    with gateway.client(gateway.team.ring.create(command_line(), request).secret) as client:
        yield client


def test_a_conversation_is_recorded_read_and_exported(alice: GatewayClient) -> None:
    recorded = alice.record_turns("s/1 ü", [HELLO, ANSWER])
    fits(shapes.RecordedShape, recorded)
    assert (recorded["numbers"], recorded["added"], recorded["skipped"]) == ([1, 2], 2, 0)
    again = alice.record_turns("s/1 ü", [HELLO])
    assert (again["numbers"], again["added"], again["skipped"]) == ([1], 0, 1)
    head = alice.session("s/1 ü")
    fits(shapes.SessionShape, head)
    assert (head["turns"], head["participants"], head["trust"]) == (2, ["alice"], "confirmed")
    turns = alice.turns("s/1 ü", first=2)
    fits(shapes.TurnsShape, turns)
    assert [turn["content"] for turn in turns["turns"]] == ["How can I help?"]
    exported = alice.export_session("s/1 ü")
    fits(shapes.ExportShape, exported)
    assert len(exported["turns"]) == 2
    page = alice.sessions(limit=1)
    fits(shapes.SessionsShape, page)
    assert page["sessions"][0]["session_id"] == "s/1 ü"


def test_nobody_elses_key_opens_it(alice: GatewayClient, bob: GatewayClient, gateway: Gateway) -> None:
    alice.record_turns("hers", [HELLO])
    with gateway.client(gateway.team.admin) as admin:
        for other in (bob, admin):
            for ask in (other.session, other.turns, other.export_session):
                with pytest.raises(NotFound):
                    ask("hers")
            assert "hers" not in json.dumps(other.sessions())
            other.record_turns("hers", [HELLO])  # a conversation of their own
    assert alice.session("hers")["turns"] == 1


def test_only_a_bridge_names_senders(alice: GatewayClient, bob: GatewayClient, gateway: Gateway) -> None:
    for who in (alice, bob):
        with pytest.raises(AccessDenied):
            who.record_turns("s2", [HELLO], channel=ROOM, sender={"id": "4711"})
        with pytest.raises(AccessDenied):
            who.record_turns("s2", [HELLO], channel=ROOM)  # not in that room
    with gateway.client(gateway.team.job) as cron, pytest.raises(AccessDenied):
        cron.record_turns("s2", [HELLO], channel=ROOM, sender={"id": "4711"})


def test_a_paired_sender_has_their_memory_and_an_unknown_one_has_none(
    alice: GatewayClient, bridge: GatewayClient, gateway: Gateway
) -> None:
    alice.write("Her shoe size is 43.", scope="personal")
    place = {"channel": {"kind": "discord", "id": "dm-1"}, "chat_kind": "dm", "sender": {"id": "4711", "name": "Al"}}
    unknown = bridge.context("dm", "what is my shoe size", **place)
    fits(shapes.ContextShape, unknown)
    assert "shoe size is 43" not in json.dumps(unknown)
    code = unknown["pairing_code"]
    assert bridge.record_turns("dm", [HELLO], **place)["pairing_code"] == code
    book = PairingBook(gateway.engine.loaded.paths.credentials, gateway.engine.database, gateway.engine.clock)
    book.approve(command_line(), "default", code, "alice")
    known = bridge.context("dm", "what is my shoe size", **place)
    assert "shoe size is 43" in known["session_part"]
    assert known["pairing_code"] is None
    recorded = bridge.record_turns("dm", [HELLO], **place)
    assert (recorded["session"]["participants"], recorded["session"]["trust"]) == (["alice"], "confirmed")
    assert recorded["numbers"] == [1]  # not the unknown sender's conversation
    assert alice.session("dm")["turns"] == 1


def test_a_context_has_two_parts_and_a_report(alice: GatewayClient) -> None:
    found = alice.context("new", "which units")
    fits(shapes.ContextShape, found)
    assert [each["number"] for each in found["report"]["sections"]] == list(range(1, 18))
    assert found["message_part"].startswith("<message_context mark=")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"turns": []},
        {"turns": [{"role": "system", "content": "x"}]},
        {"turns": [{"role": "user", "content": "x", "user_id": "root"}]},
        {"turns": [HELLO], "user_id": "root"},
        {"turns": [HELLO], "recorded_by": "human:root"},
        {"turns": [HELLO], "chat_kind": "group"},
        {"turns": [HELLO], "channel": {"kind": "", "id": "x"}},
        {"turns": [HELLO] * 201},
    ],
)
def test_what_does_not_fit_is_refused_by_name(gateway: Gateway, body: dict[str, object]) -> None:
    headers = {"x-brain-key": gateway.team.alice}
    answer = httpx2.post(f"{gateway.url}/api/sessions/refused/turns", json=body, headers=headers)
    assert answer.status_code in (400, 403, 422)
    with gateway.client(gateway.team.alice) as alice, pytest.raises(NotFound):
        alice.session("refused")


def test_a_message_id_belongs_to_one_text(alice: GatewayClient) -> None:
    alice.record_turns("ids", [HELLO])
    with pytest.raises(Conflict):
        alice.record_turns("ids", [HELLO | {"content": "Other words."}])
    with pytest.raises(InvalidInput):
        alice.sessions(cursor="nonsense")


@pytest.mark.process
def test_conversations_on_the_command_line(alice: GatewayClient, gateway: Gateway, tmp_path: Path) -> None:
    alice.record_turns("cli", [HELLO, ANSWER])
    where = {"GOCLAW_URL": gateway.url, "GOCLAW_KEY": gateway.team.alice}
    assert "cli" in goclaw(tmp_path, "sessions", "list", **where).out
    assert "2. " in goclaw(tmp_path, "sessions", "show", "cli", **where).out
    target = tmp_path / "cli.json"
    assert (
        goclaw(tmp_path, "sessions", "export", "cli", "--file", str(target), "--json", **where).document["turns"] == 2
    )
    assert len(json.loads(target.read_text())["turns"]) == 2
    assert goclaw(tmp_path, "sessions", "show", "nowhere", **where).code == 1
    shown = goclaw(tmp_path, "memory", "context", "which units", "--session", "cli", **where).out
    assert "CURRENT TIME" in shown
    assert "current_user" in shown
    report = goclaw(tmp_path, "memory", "context", "--json", **where).document["report"]
    assert len(report["sections"]) == 17
    assert goclaw(tmp_path, "sessions", "forget", "cli", "--yes", "--json", **where).document["turns"] == 2
    assert goclaw(tmp_path, "sessions", "show", "cli", **where).code == 1
