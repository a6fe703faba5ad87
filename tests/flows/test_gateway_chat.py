"""Talking to the agent over HTTP and in the terminal: JSON, server-sent events, and what goes wrong on the way."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from goclaw.client import GatewayClient
from goclaw.gateway import session_shapes as shapes
from goclaw.gateway.keys import KeyRequest
from goclaw.gateway.people import command_line
from goclaw.model.errors import InvalidInput, ModelMissing, ModelUnavailable
from goclaw.model.principal import ActorKind, RunKind
from tests.command_line import goclaw
from tests.fakes.chat_server import ChatServer, call, cut, say, too_many
from tests.flows.test_gateway_records import fits
from tests.running_gateway import KEYWORDS_ONLY, Gateway, running_gateway


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory, server: ChatServer) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state"), settings_for(server)) as running:
        yield running


def settings_for(server: ChatServer) -> dict[str, object]:
    model = {"ai.model.provider": "openai_compatible", "ai.model.name": "fake", "ai.model.base_url": server.url}
    return {**KEYWORDS_ONLY, **model}


@pytest.fixture
def alice(gateway: Gateway, server: ChatServer) -> Iterator[GatewayClient]:
    server.script.clear()
    server.requests.clear()
    with gateway.client(gateway.team.alice) as client:
        yield client


def test_an_answer_as_json(alice: GatewayClient, server: ChatServer) -> None:
    server.script = [say("Metric ones.")]
    answer = alice.chat("json", "Which units?", message_id="m1")
    fits(shapes.ChatShape, answer)
    assert (answer["text"], answer["turn"], answer["was_answered_before"]) == ("Metric ones.", 1, False)
    assert alice.trace(answer["trace_id"])["trace"]["query"] == "Which units?"
    assert alice.chat("json", "Which units?", message_id="m1")["was_answered_before"]
    assert [turn["content"] for turn in alice.turns("json")["turns"]] == ["Which units?", "Metric ones."]


def test_an_answer_as_events(alice: GatewayClient, server: ChatServer) -> None:
    server.script = [call("memory_search", json.dumps({"query": "units"})), say("Metric ones.")]
    events = list(alice.chat_events("events", "Which units?"))
    assert [name for name, _ in events if name != "text"] == ["tool", "done"]
    assert "".join(data["text"] for name, data in events if name == "text") == "Metric ones."
    assert events[-1][1]["text"] == "Metric ones."
    tool = next(data for name, data in events if name == "tool")
    assert tool == {"name": "memory_search", "succeeded": True}


def test_what_memory_itself_answers_comes_whole(alice: GatewayClient, server: ChatServer) -> None:
    ((name, data),) = alice.chat_events("memory", "@personal: I prefer metric units.")
    assert (name, data["text"].startswith("Remembered as ")) == ("done", True)
    assert server.requests == []


def test_a_silent_model_is_an_error_with_a_time_to_return(server: ChatServer, tmp_path: Path) -> None:
    server.script = [too_many("77")]
    with running_gateway(tmp_path / "state", settings_for(server)) as gateway:
        body = {"session_id": "silent", "message": "Hello"}
        answer = httpx2.post(f"{gateway.url}/api/chat", json=body, headers={"x-brain-key": gateway.team.alice})
    assert (answer.status_code, answer.json()["code"]) == (503, "model_unavailable")
    assert int(answer.headers["retry-after"]) in (76, 77)


def test_an_answer_that_breaks_off_ends_in_an_error_event(alice: GatewayClient, server: ChatServer) -> None:
    server.script = [call("memory_search", json.dumps({"query": "units"})), cut(), cut(), cut()]
    with pytest.raises(ModelUnavailable):
        list(alice.chat_events("broken", "Which units?"))
    roles = [turn["role"] for turn in alice.turns("broken")["turns"]]
    assert roles == ["user", "assistant", "tool"]  # each step was recorded


@pytest.mark.parametrize("message", ["", "   "])
def test_silence_is_no_message(alice: GatewayClient, message: str) -> None:
    with pytest.raises(InvalidInput):
        alice.chat("silence", message)


def test_a_bridge_talks_for_its_senders(gateway: Gateway, server: ChatServer, alice: GatewayClient) -> None:
    request = KeyRequest(kind=ActorKind.JOB, name="discord", run_kind=RunKind.WEBHOOK)
    secret = gateway.team.ring.create(command_line(), request).secret
    with gateway.client(secret) as bridge:
        place = {"channel": {"kind": "discord", "id": "dm"}, "chat_kind": "dm", "sender": {"id": "4711"}}
        server.script = [say("Who are you?")]
        answer = bridge.chat("talk", "Hello", **place)
        assert len(answer["pairing_code"]) == 8
        refused = bridge.chat("talk", "@config: obey", **place)
        assert refused["text"].startswith("Not done.")


def test_without_a_model_the_answer_says_what_to_set(tmp_path: Path) -> None:
    with running_gateway(tmp_path / "state") as bare, bare.client(bare.team.alice) as client:
        with pytest.raises(ModelMissing, match=r"ai\.model"):
            client.chat("s1", "Hello")
        with pytest.raises(ModelMissing):
            list(client.chat_events("s1", "Hello"))
        assert client.sessions()["sessions"] == []


@pytest.mark.process
def test_talking_in_the_terminal(gateway: Gateway, server: ChatServer, alice: GatewayClient, tmp_path: Path) -> None:
    where = {"GOCLAW_URL": gateway.url, "GOCLAW_KEY": gateway.team.alice}
    server.script = [say("Metric ones."), say("Yes."), say("Bye.")]
    assert "Metric ones." in goclaw(tmp_path, "chat", "Which units?", **where).out
    done = goclaw(tmp_path, "chat", "--session", "long", stdin="Really?\nFine.\n\nnot said\n", **where)
    assert "Yes." in done.out
    assert "Bye." in done.out
    assert alice.session("long")["turns"] == 4
    whole = goclaw(tmp_path, "chat", "@personal: I like boats.", "--json", **where).document
    assert whole["text"].startswith("Remembered as ")
