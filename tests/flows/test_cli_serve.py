"""Starting and stopping: serve, worker, mcp and demo as processes."""

import time
from pathlib import Path

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client

import goclaw as library
from goclaw.client import GatewayClient
from tests.command_line import DEADLINE_S, GOCLAW, environment, goclaw, goclaw_running

pytestmark = pytest.mark.process
ALICE = library.Principal("alice")
KEYWORDS = {"memory.search.provider": "none", "memory.jobs.workers": 0}


def test_a_new_store_gets_its_first_administrator_once(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with goclaw_running(state, "serve", "--port", "0") as (process, banner):
        (first,) = banner["keys"]
        stats = goclaw(state, "memory", "stats", "--json", GOCLAW_URL=banner["url"], GOCLAW_KEY=first["key"])
        assert "store" in stats.document, "the first key is an administrator's"
        assert stats.document["records"] == 0, "no sample without --demo"
    assert process.returncode == 0
    with goclaw_running(state, "serve", "--port", "0") as (_, banner):
        assert banner["keys"] == []
        assert _is_ready(banner["url"])
    assert (state / "credentials" / "first_admin.key").read_text().strip() == first["key"]


def _is_ready(url: str) -> bool:
    with GatewayClient(url, None) as client:
        return client.is_ready()


def test_the_sample_never_goes_into_a_store_with_records(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with library.open_memory(state, KEYWORDS) as memory:
        memory.write(ALICE, "Mine alone.", scope="personal")
    with goclaw_running(state, "serve", "--demo", "--port", "0", "--no-worker") as (_, banner):
        assert [key["user_id"] for key in banner["keys"]] == ["admin"]
        assert _is_ready(banner["url"])
    with library.open_memory(state, KEYWORDS) as memory:
        assert len(memory.list(ALICE).records) == 1
        assert memory.list(library.Principal("mara", roles=("admin",))).records == ()


def test_a_worker_gives_vectors_to_what_others_wrote(tmp_path: Path) -> None:
    state = tmp_path / "state"
    hashing = {"memory.search.provider": "hashing", "memory.jobs.workers": 0}
    with library.open_memory(state, hashing) as memory:
        memory.write(ALICE, "The pier is closed on Monday.", scope="personal")
        with goclaw_running(state, "worker", "--threads", "1", GOCLAW_MEMORY__SEARCH__PROVIDER="hashing") as (_, told):
            assert told["threads"] == 1
            deadline = time.monotonic() + DEADLINE_S
            while memory.search(ALICE, "closed pier").hits[0].score_parts["cosine"] is None:
                assert time.monotonic() < deadline
                time.sleep(0.05)


def test_mcp_speaks_as_the_owner_of_its_key(tmp_path: Path) -> None:
    state = tmp_path / "state"
    goclaw(state, "people", "add", "alice")
    key = goclaw(state, "keys", "create", "--user", "alice", "--json").document["key"]
    server = StdioServerParameters(command=str(GOCLAW), args=["mcp"], env=environment(state, GOCLAW_KEY=key))

    async def talk() -> None:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            assert {tool.name for tool in (await session.list_tools()).tools} >= {"memory_write", "memory_search"}
            arguments = {"content": "The pier is closed on Monday.", "scope": "personal"}
            written = await session.call_tool("memory_write", arguments)
            assert not written.is_error, written

    anyio.run(talk)
    with library.open_memory(state, KEYWORDS) as memory:
        (record,) = memory.list(ALICE).records
        assert record.owner_user_id == "alice"


def test_mcp_without_a_key_is_refused(tmp_path: Path) -> None:
    for variables in ({}, {"GOCLAW_KEY": "gck_0_0"}):
        done = goclaw(tmp_path / "state", "mcp", **variables)
        assert (done.code, done.out) == (1, "")
        assert "key" in done.err


@pytest.mark.parametrize("provider", ["none", "hashing"])
def test_the_demo_ends_by_itself_and_keeps_nothing(tmp_path: Path, provider: str) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    variables = {"GOCLAW_MEMORY__SEARCH__PROVIDER": provider, "TMPDIR": str(folder)}
    done = goclaw(tmp_path / "state", "demo", "--json", **variables)
    assert done.code == 0
    steps = done.document
    assert [step["step"] for step in steps].count("refused") == 2
    assert all(step["hint"] for step in steps if step["step"] == "refused")
    taken_apart = steps[-1]
    assert taken_apart["hits"][0]["may_instruct"]
    assert {"keyword", "decay", "fused"} <= set(taken_apart["hits"][0]["score_parts"])
    assert {each["why"] for each in taken_apart["withheld"]} == {"pending"}
    assert not (tmp_path / "state").exists()
    assert list(folder.iterdir()) == []


def test_the_demo_reads_well(tmp_path: Path) -> None:
    done = goclaw(tmp_path / "state", "demo")
    assert done.code == 0
    assert "Search goes by words alone" in done.out
    assert "Refused: " in done.out
    assert "Hint: " in done.out
    assert "Withheld (pending)" in done.out
    assert "Xk9!" not in done.out + done.err, "the password of the refusal is never shown"
