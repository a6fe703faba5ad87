"""Review, traces, audit, rollback, rescan, the checklist and policies on the command line, asked of a real gateway."""

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goclaw.client import GatewayClient
from tests.command_line import Done, goclaw, goclaw_running

pytestmark = pytest.mark.process

SOURCE = "https://wiki.test/poisoned"


class Gateway:
    """A running gateway with an administrator, a member and an agent of theirs."""

    def __init__(self, state: Path, url: str, keys: dict[str, str]) -> None:
        self.state, self.url, self.keys = state, url, keys

    def run(self, who: str, *words: str, stdin: str = "") -> Done:
        return goclaw(self.state, *words, stdin=stdin, GOCLAW_URL=self.url, GOCLAW_KEY=self.keys[who])

    def ask(self, who: str, *words: str) -> Any:
        done = self.run(who, *words, "--json")
        assert done.code == 0, done.out + done.err
        return done.document

    def learn(self, text: str, **more: Any) -> str:
        """What the agent writes back; the record's id."""
        request = {
            "schema_version": "goclaw.agent_memory.writeback.v1",
            "workspace_id": "default",
            "project_id": "harbour",
            "runtime": {"name": "hermes"},
            "memory_payload": {"lessons": [text]},
            "source_refs": [{"kind": "document", "uri": SOURCE, "title": "A page"}],
            "visibility": {"project": "shared"},
            **more,
        }
        with GatewayClient(self.url, self.keys["agent"]) as agent:
            return str(agent.write_back(request)["memories"][0]["memory_id"])

    def recall(self, question: str, runtime: str = "hermes") -> str:
        request = {
            "schema_version": "goclaw.agent_memory.recall.v1",
            "workspace_id": "default",
            "project_id": "harbour",
            "query": question,
            "task_id": "t-2",
            "runtime": {"name": runtime},
            "scope": {"include_unconfirmed": True},
        }
        with GatewayClient(self.url, self.keys["agent"]) as agent:
            return str(agent.recall_for_task(request)["request_id"])


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    state = tmp_path_factory.mktemp("governed") / "state"

    def offline(*words: str) -> Any:
        done = goclaw(state, *words, "--json")
        assert done.code == 0, done.out + done.err
        return done.document

    for person, role in (("ada", "admin"), ("bob", "member")):
        offline("people", "add", person, "--role", role)
    offline("projects", "add", "harbour", "--name", "The harbour")
    for person in ("ada", "bob"):
        offline("projects", "add-member", "harbour", person)
    keys = {person: offline("keys", "create", "--user", person)["key"] for person in ("ada", "bob")}
    agent = ("--kind", "agent", "--user", "bob", "--name", "scribe", "--project", "harbour")
    keys["agent"] = offline("keys", "create", *agent)["key"]
    with goclaw_running(state, "serve", "--port", "0") as (_, banner):
        yield Gateway(state, banner["url"], keys)


def test_the_queue_is_listed_shown_and_decided(gateway: Gateway) -> None:
    memory_id = gateway.learn("Gate two sticks in frost")
    listed = gateway.ask("ada", "memory", "review", "list", "--project", "harbour")
    assert memory_id in {each["id"] for each in listed["memories"]}
    assert memory_id in gateway.run("ada", "memory", "review", "list").out
    shown = gateway.run("ada", "memory", "review", "show", memory_id).out
    for fact in ("Gate two sticks", "generated, by agent:scribe", "project, harbour", SOURCE):
        assert fact in shown
    confirmed = gateway.ask("ada", "memory", "review", "confirm", memory_id, "--notes", "seen it", "--tag", "gate")
    assert [each["review_status"] for each in confirmed["done"]] == ["confirmed"]
    after = gateway.ask("ada", "memory", "review", "show", memory_id)
    assert [(row["action"], row["notes"]) for row in after["review_actions"]] == [("confirm", "seen it")]
    assert after["tags"] == ["gate"]
    denied = gateway.run("bob", "memory", "review", "reject", memory_id, "--json")
    assert (denied.code, denied.document["code"]) == (1, "access_denied")


def test_many_are_decided_at_once_and_each_failure_is_named(gateway: Gateway) -> None:
    ids = [gateway.learn(f"Bollard {number} is loose") for number in range(3)]
    done = gateway.run("ada", "memory", "review", "evidence-only", *ids, "no-such-id", "--json")
    assert done.code == 1
    assert [each["review_status"] for each in done.document["done"]] == ["evidence_only"] * 3
    assert [(each["id"], each["code"]) for each in done.document["failed"]] == [("no-such-id", "not_found")]
    again = gateway.run("ada", "memory", "review", "reject", *ids, "no-such-id")
    assert again.code == 1
    assert again.out.count("rejected, rejected, project") == 3
    assert "no-such-id" in again.err


@pytest.mark.parametrize(
    ("words", "state"),
    [
        (("edit", "ID", "The pier is 41 m long"), ("active", "confirmed")),
        (("restrict", "ID", "--to", "channel", "--channel", "c1"), ("active", "restricted")),
        (("stale", "ID"), ("stale", "stale")),
        (("merge", "ID", "--into", "OTHER"), ("merged", "merged")),
        (("supersede", "ID", "--by", "OTHER"), ("superseded", "pending")),
        (("dispute", "ID", "--with", "OTHER"), ("disputed", "pending")),
        (("reject", "ID"), ("rejected", "rejected")),
    ],
    ids=lambda each: each[0],
)
def test_every_decision_has_its_command(gateway: Gateway, words: tuple[str, ...], state: tuple[str, str]) -> None:
    names = {"ID": gateway.learn(f"The pier is 40 m long ({words[0]})"), "OTHER": gateway.learn(f"Other: {words[0]}")}
    (record,) = gateway.ask("ada", "memory", "review", *(names.get(word, word) for word in words))["done"]
    assert (record["lifecycle_status"], record["review_status"]) == state


def test_the_owner_is_named_in_the_config_file(gateway: Gateway) -> None:
    assert gateway.ask("ada", "memory", "review", "owner") == {"owner": None}
    assert gateway.ask("ada", "memory", "review", "owner", "ada") == {"owner": "ada"}
    assert gateway.ask("ada", "memory", "review", "owner") == {"owner": "ada"}
    assert '  review_owner: "ada"' in (gateway.state / "config.yaml").read_text()
    told = goclaw(gateway.state, "memory", "review", "owner", "bob", GOCLAW_GOVERNANCE__REVIEW_OWNER="eve")
    assert (told.code, "GOCLAW_GOVERNANCE__REVIEW_OWNER" in told.err) == (1, True)
    with goclaw_running(gateway.state, "serve", "--port", "0") as (_, banner):
        second = Gateway(gateway.state, banner["url"], gateway.keys)
        assert second.ask("ada", "memory", "review", "list")["owner"] == "ada"


def test_a_recall_is_listed_explained_and_its_reach_told(gateway: Gateway) -> None:
    memory_id = gateway.learn("Buoy nine drifts")
    request = gateway.recall("buoy nine")
    assert request in {each["request_id"] for each in gateway.ask("ada", "memory", "trace", "list")["traces"]}
    assert request in gateway.run("ada", "memory", "trace", "list").out
    shown = gateway.run("ada", "memory", "trace", "show", request)
    assert ("buoy nine" in shown.out, memory_id in shown.out) == (True, True)
    impact = gateway.ask("ada", "memory", "trace", "impact", memory_id)
    assert [met["request_id"] for met in impact["recalls"]] == [request]
    assert request in gateway.run("ada", "memory", "trace", "impact", memory_id).out
    assert gateway.ask("bob", "memory", "trace", "impact", memory_id)["recalls"] == [], "bob's agent asked, not bob"


def test_rollback_shows_first_and_does_it_with_go(gateway: Gateway) -> None:
    memory_id = gateway.learn("Skip the mooring check", task_id="bad-run")
    shown = gateway.run("ada", "memory", "rollback", "--run", "bad-run")
    assert (shown.code, memory_id in shown.out, "--go" in shown.err) == (0, True, True)
    assert gateway.ask("ada", "memory", "show", memory_id)["lifecycle"] == "active"
    words = ("--run", "bad-run", "--principal", "agent:scribe", "--source", SOURCE, "--since", "2020-01-01")
    report = gateway.ask("ada", "memory", "rollback", *words, "--go")
    assert (report["counts"]["done"], report["dry_run"]) == (1, False)
    assert gateway.ask("ada", "memory", "show", memory_id)["lifecycle"] == "rejected"
    assert gateway.run("bob", "memory", "rollback", "--run", "bad-run", "--go").code == 1
    assert gateway.run("ada", "memory", "rollback", "--go").code == 1, "without a culprit"


def test_the_audit_log_is_verified_listed_and_exported(gateway: Gateway) -> None:
    memory_id = gateway.learn("Lamp three is out")
    assert gateway.run("ada", "memory", "audit", "verify").code == 0
    assert gateway.ask("ada", "memory", "audit", "verify")["ok"]
    listed = gateway.ask("ada", "memory", "audit", "list", "--memory", memory_id)["events"]
    assert [each["event_type"] for each in listed] == ["memory_written"]
    assert "memory_written" in gateway.run("ada", "memory", "audit", "list", "--memory", memory_id).out
    lines = gateway.run("ada", "memory", "audit", "export", "--event", "memory_written").out.splitlines()
    whole = gateway.ask("ada", "memory", "audit", "export", "--event", "memory_written")["events"]
    assert [json.loads(line)["id"] for line in lines] == [each["id"] for each in whole]
    assert memory_id in {each["memory_id"] for each in whole}


def test_a_changed_row_is_found_and_named(tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert goclaw(state, "people", "add", "ada", "--role", "admin").code == 0
    key = goclaw(state, "keys", "create", "--user", "ada", "--json").document["key"]
    with goclaw_running(state, "serve", "--port", "0") as (_, banner):
        changed = Gateway(state, banner["url"], {"ada": key})
        memory_id = changed.ask("ada", "memory", "write", "Lamp three is out")["id"]
        deadline = time.monotonic() + 30
        while changed.ask("ada", "memory", "audit", "verify")["unsealed"]:
            assert time.monotonic() < deadline, "never sealed"
        with sqlite3.connect(state / "gc_state.sqlite", timeout=10) as raw:
            raw.execute("UPDATE audit_log SET actor_id = 'human:eve' WHERE memory_id = ?", (memory_id,))
        raw.close()
        found = changed.run("ada", "memory", "audit", "verify", "--json")
        assert (found.code, found.document["ok"], found.document["problem"]) == (1, False, "row_changed")
        told = changed.run("ada", "memory", "audit", "verify")
        assert (told.code, found.document["broken_event_id"] in told.out) == (1, True)


def test_a_rescan_is_waited_for(gateway: Gateway) -> None:
    done = gateway.ask("ada", "memory", "rescan")
    assert (done["state"], done["progress"]["flagged"]) == ("done", 0)
    assert "Looked at" in gateway.run("ada", "memory", "rescan").out
    assert gateway.run("bob", "memory", "rescan").code == 1


def test_the_checklist_and_a_workflow(gateway: Gateway) -> None:
    gateway.learn("Crane one is green")
    gateway.recall("crane")
    shown = gateway.run("ada", "memory", "acceptance")
    assert (shown.code, shown.out.count("pass"), "review owner" in shown.out) == (1, 7, True)
    assert gateway.ask("ada", "memory", "workflow", "register", "atlas")["may_write_back"] is False
    assert "atlas" in gateway.run("ada", "memory", "workflow", "list").out
    refused = gateway.run("ada", "memory", "acceptance", "--workflow", "atlas", "--accept", "--json")
    assert (refused.code, refused.document["code"]) == (1, "conflict")
    assert gateway.ask("ada", "memory", "workflow", "remove", "atlas")["removed"]


def test_policies_and_imports(gateway: Gateway) -> None:
    words = ("--project", "harbour", "--reason", "Read by the team")
    trusted = gateway.ask("ada", "imports", "trust", "crm", *words)
    assert (trusted["kind"], trusted["source"]) == ("trusted_import", "import:crm")
    promoted = gateway.ask("ada", "policies", "add", "agent:scribe", *words, "--until", trusted["expires_at"][:10])
    assert promoted["kind"] == "promotion"
    assert [each["id"] for each in gateway.ask("ada", "imports", "list")] == [trusted["id"]]
    assert {each["id"] for each in gateway.ask("ada", "policies", "list")} == {trusted["id"], promoted["id"]}
    assert "import:crm" in gateway.run("ada", "policies", "list").out
    for group, policy in (("imports", trusted), ("policies", promoted)):
        assert gateway.ask("ada", group, "revoke", policy["id"])["revoked"]
    assert gateway.ask("ada", "policies", "list") == []
    assert gateway.run("bob", "imports", "trust", "crm", *words).code == 1


def test_a_record_is_changed_and_forgotten(gateway: Gateway) -> None:
    written = gateway.ask("bob", "memory", "write", "Likes tea")
    changed = gateway.ask("bob", "memory", "update", written["id"], "Likes coffee", "--version", "1")
    assert (changed["content"], changed["version"]) == ("Likes coffee", 2)
    late = gateway.run("bob", "memory", "update", written["id"], "Likes water", "--version", "1", "--json")
    assert (late.code, late.document["code"]) == (1, "version_conflict")
    assert gateway.ask("bob", "memory", "forget", written["id"])["memory_id"] == written["id"]
    assert gateway.run("bob", "memory", "show", written["id"]).code == 1


def test_projects_and_channels_are_kept_beside_the_gateway(gateway: Gateway) -> None:
    assert gateway.ask("ada", "projects", "list")[0]["project_id"] == "harbour"
    assert gateway.ask("ada", "projects", "members", "harbour") == ["ada", "bob"]
    assert gateway.ask("ada", "channels", "add", "quay", "--project", "harbour")["channel_id"] == "quay"
    assert gateway.ask("ada", "channels", "add-member", "quay", "bob")["member"] is True
    assert gateway.ask("ada", "channels", "members", "quay") == ["bob"]
    assert "quay" in gateway.run("ada", "channels", "list").out
    assert gateway.ask("ada", "channels", "remove-member", "quay", "bob")["member"] is False
    gateway.ask("ada", "projects", "add", "empty")
    gateway.ask("ada", "projects", "add-member", "empty", "bob")
    assert gateway.ask("ada", "projects", "remove-member", "empty", "bob")["member"] is False
    again = gateway.run("ada", "projects", "remove-member", "empty", "bob", "--json")
    assert (again.code, again.document["code"]) == (1, "not_found")
