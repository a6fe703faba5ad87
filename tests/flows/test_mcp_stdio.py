"""The stdio server speaks JSON-RPC on stdout and nothing else, whatever libraries print."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from goclaw.bootstrap import open_engine
from goclaw.gateway.mcp_server import ALL_TOOLS
from goclaw.model.principal import Principal
from tests.running_gateway import KEYWORDS_ONLY

# A program as `goclaw mcp` is one, that moreover loads a library which prints, and prints itself while it serves.
PROGRAM = f"""
import sys
print("a library prints at import", file=sys.stderr)
from goclaw.bootstrap import open_engine
from goclaw.gateway.mcp_server import serve_stdio
from goclaw.memory import Memory
from goclaw.model.principal import Principal

search = Memory.search
def noisy(*args, **kwargs):
    print("a library prints while it works")
    return search(*args, **kwargs)
Memory.search = noisy

engine = open_engine(sys.argv[1], {dict(KEYWORDS_ONLY)!r})
try:
    serve_stdio(engine, Principal("alice"))
finally:
    engine.memory.close()
"""

pytestmark = pytest.mark.process


def server(state_dir: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-c", PROGRAM, str(state_dir)],
        env={**os.environ, "PYTHONWARNINGS": "always", "DEBUG": "1"},
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_writes_and_finds_over_stdio(tmp_path: Path, mode: Any) -> None:
    async def work() -> tuple[dict[str, Any], dict[str, Any]]:
        async with Client(server(tmp_path), mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in ALL_TOOLS]
            written = await client.call_tool("memory_write", {"content": "Likes brass bands", "scope": "personal"})
            found = await client.call_tool("memory_search", {"query": "brass bands"})
        assert written.structured_content is not None
        assert found.structured_content is not None
        return written.structured_content, found.structured_content

    written, found = anyio.run(work)
    assert written["owner_user_id"] == "alice"
    assert [hit["record"]["id"] for hit in found["hits"]] == [written["id"]]
    engine = open_engine(tmp_path, KEYWORDS_ONLY)
    assert engine.memory.get(Principal("alice"), written["id"]) is not None
    engine.memory.close()


def test_r109_every_line_on_stdout_is_a_message_of_the_protocol(tmp_path: Path) -> None:
    said = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "memory_search", "arguments": {"query": "brass"}},
        },
    ]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "always", "DEBUG": "1"},
    ) as process:
        assert process.stdin
        assert process.stdout
        lines = []
        for message in said:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            if "id" in message:
                lines.append(process.stdout.readline())
        rest, log = process.communicate(timeout=60)
    answers = [json.loads(line) for line in [*lines, *rest.splitlines()]]
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert all(answer["jsonrpc"] == "2.0" and "result" in answer for answer in answers)
    assert "a library prints while it works" in log
    assert process.returncode == 0
