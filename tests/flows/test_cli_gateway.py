"""Commands that speak to a gateway: one is started as ``goclaw serve --demo`` and asked by different people."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Done, goclaw, goclaw_running

pytestmark = pytest.mark.process


class Gateway:
    """A running ``goclaw serve --demo``, with everybody's key."""

    def __init__(self, state: Path, banner: Any) -> None:
        self.state = state
        self.banner = banner
        self.keys = {each["user_id"]: each["key"] for each in banner["keys"]}

    def run(self, who: str, *words: str, stdin: str = "") -> Done:
        return goclaw(self.state, *words, stdin=stdin, GOCLAW_URL=self.banner["url"], GOCLAW_KEY=self.keys[who])


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    state = tmp_path_factory.mktemp("served") / "state"
    with goclaw_running(state, "serve", "--demo", "--port", "0") as (process, banner):
        yield Gateway(state, banner)
        assert process.poll() is None


def test_the_team_has_keys_in_files_for_their_owner_alone(gateway: Gateway) -> None:
    assert set(gateway.keys) == {"mara", "jonas", "priya"}
    files = [Path(each["file"]) for each in gateway.banner["keys"]]
    assert gateway.state / "credentials" / "first_admin.key" in files
    for file, key in zip(files, gateway.keys.values(), strict=True):
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.read_text().strip() == key


def test_two_people_ask_the_same_and_are_answered_differently(gateway: Gateway) -> None:
    question = "how should reports look?"
    best = {
        who: gateway.run(who, "memory", "search", question, "--json").document["hits"][0]["record"]
        for who in ("jonas", "priya")
    }
    assert "table" in best["jonas"]["content"]
    assert "sentences" in best["priya"]["content"]
    shown = gateway.run("jonas", "memory", "search", question)
    assert best["jonas"]["content"] in shown.out
    assert best["priya"]["content"] not in shown.out + shown.err


def test_what_was_written_is_found_and_shown(gateway: Gateway) -> None:
    text = "Berth nine floods at spring tide."
    written = gateway.run("priya", "memory", "write", "-", "--tag", "berth", "--json", stdin=text)
    assert written.code == 0
    memory_id = written.document["id"]
    assert written.document["owner_user_id"] == "priya"
    assert "spring tide" in gateway.run("priya", "memory", "show", memory_id).out
    shown = gateway.run("priya", "memory", "show", memory_id, "--json").document
    assert (shown["content"], shown["tags"]) == (text, ["berth"])
    foreign = gateway.run("jonas", "memory", "show", memory_id, "--json")
    assert (foreign.code, foreign.document["code"]) == (1, "not_found")
    found = gateway.run("priya", "memory", "search", "berth nine", "--json").document
    assert found["hits"][0]["record"]["id"] == memory_id


def test_a_refusal_ends_with_1_and_a_hint(gateway: Gateway) -> None:
    refused = gateway.run("jonas", "memory", "write", "Deploy whenever you like.", "--scope", "global")
    assert (refused.code, refused.out) == (1, "")
    assert "Write to personal instead." in refused.err


def test_an_honest_nothing_is_no_failure(gateway: Gateway) -> None:
    found = gateway.run("priya", "memory", "search", "zeppelin xylophone")
    assert found.code == 0
    assert "Nothing found (no_candidates)" in found.out


def test_counts_are_for_everybody_and_the_engine_room_for_administrators(gateway: Gateway) -> None:
    assert "store" not in gateway.run("jonas", "memory", "stats", "--json").document
    assert "store" in gateway.run("mara", "memory", "stats", "--json").document
    assert gateway.run("mara", "memory", "stats").code == 0
    assert gateway.run("jonas", "memory", "jobs", "--json").document["code"] == "access_denied"


def test_reindex_waits_for_its_job_and_jobs_lists_it(gateway: Gateway) -> None:
    done = gateway.run("mara", "memory", "reindex", "--json")
    assert (done.code, done.document["state"]) == (0, "done")
    listed = gateway.run("mara", "memory", "jobs", "--json").document
    assert done.document["id"] in {job["id"] for job in listed}
    assert done.document["id"] in gateway.run("mara", "memory", "jobs").out
    assert gateway.run("mara", "memory", "jobs", "--dead", "--json").document == []
    again = gateway.run("mara", "memory", "jobs", "--retry", done.document["id"], "--json")
    assert (again.code, again.document["code"]) == (1, "conflict")


def test_without_or_with_a_wrong_key_nothing_is_told(gateway: Gateway) -> None:
    without = goclaw(gateway.state, "memory", "stats", "--json", GOCLAW_URL=gateway.banner["url"])
    assert (without.code, without.document["code"]) == (1, "unauthenticated")
    assert "GOCLAW_KEY" in without.document["hint"]
    wrong = goclaw(gateway.state, "memory", "stats", GOCLAW_URL=gateway.banner["url"], GOCLAW_KEY="gck_0_0")
    assert wrong.code == 1


def test_commands_of_the_store_work_beside_the_gateway(gateway: Gateway) -> None:
    assert goclaw(gateway.state, "people", "add", "tomas").code == 0
    made = goclaw(gateway.state, "keys", "create", "--user", "tomas", "--json").document
    answer = goclaw(gateway.state, "memory", "stats", GOCLAW_URL=gateway.banner["url"], GOCLAW_KEY=made["key"])
    assert answer.code == 0, "a new key opens a gateway that was running already"
    assert goclaw(gateway.state, "memory", "check").code == 0


def test_a_taken_port_is_busy(gateway: Gateway, tmp_path: Path) -> None:
    port = gateway.banner["url"].rpartition(":")[2]
    second = goclaw(tmp_path / "second", "serve", "--port", port, "--json")
    assert (second.code, second.document["code"]) == (3, "address_taken")


def test_no_gateway_says_how_to_start_one(tmp_path: Path) -> None:
    alone = goclaw(tmp_path / "state", "memory", "stats", GOCLAW_URL="http://127.0.0.1:9", GOCLAW_KEY="gck_0_0")
    assert alone.code == 1
    assert "goclaw serve" in alone.err
