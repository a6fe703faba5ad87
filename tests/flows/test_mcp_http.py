"""Agents use the memory through MCP over HTTP, with the SDK's own client."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from goclaw.gateway.mcp_server import ALL_TOOLS
from tests.running_gateway import Gateway, running_gateway

Result = TypeVar("Result")
MODES = ["auto", "legacy"]  # the newest protocol, and the handshake of older clients


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running_gateway(tmp_path_factory.mktemp("state")) as running:
        yield running


def with_client(
    gateway: Gateway, key: str, mode: Any, work: Callable[[Client], Awaitable[Result]], **headers: str
) -> Result:
    async def run() -> Result:
        async with httpx2.AsyncClient(headers={"x-brain-key": key, **headers}) as http:
            transport = streamable_http_client(f"{gateway.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await work(client)

    return anyio.run(run)


@pytest.mark.parametrize("mode", MODES)
def test_the_tools_are_listed_with_plain_schemas(gateway: Gateway, mode: str) -> None:
    async def names(client: Client) -> dict[str, Any]:
        return {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}

    schemas = with_client(gateway, gateway.team.alice, mode, names)
    assert list(schemas) == [tool.name for tool in ALL_TOOLS]
    assert all(schema["additionalProperties"] is False for schema in schemas.values())


@pytest.mark.parametrize("mode", MODES)
def test_what_one_writes_only_the_same_person_finds(gateway: Gateway, mode: str) -> None:
    word = f"marmalade{mode}"

    async def write(client: Client) -> dict[str, Any]:
        answer = await client.call_tool("memory_write", {"content": f"Likes {word} on toast", "scope": "personal"})
        assert not answer.is_error
        assert answer.structured_content
        return answer.structured_content

    async def search(client: Client) -> list[str]:
        answer = await client.call_tool("memory_search", {"query": word})
        assert answer.structured_content is not None
        return [hit["record"]["id"] for hit in answer.structured_content["hits"]]

    team = gateway.team
    written = with_client(gateway, team.alice, mode, write)
    assert (written["owner_user_id"], written["actor_id"]) == ("alice", "human:alice")
    assert with_client(gateway, team.alice, mode, search) == [written["id"]]
    assert with_client(gateway, team.agent, mode, search) == [written["id"]]
    for other in (team.bob, team.admin, team.stranger, team.job, team.importer):
        assert with_client(gateway, other, mode, search) == []


def test_an_agents_write_is_its_own_and_never_an_instruction(gateway: Gateway) -> None:
    async def write(client: Client) -> dict[str, Any]:
        answer = await client.call_tool("memory_write", {"content": "Alice likes brass bands", "scope": "personal"})
        assert answer.structured_content is not None
        return answer.structured_content

    written = with_client(gateway, gateway.team.agent, "auto", write)
    assert (written["actor_id"], written["on_behalf_of"]) == ("agent:claw", "alice")
    assert written["use_policy"]["can_use_as_instruction"] is False


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "word"),
    [
        ("memory_search", {"query": "x", "user_id": "alice"}, "invalid_input", "user_id"),
        ("memory_search", {}, "invalid_input", "query"),
        ("memory_write", {"content": "canary", "scope": "cellar"}, "invalid_input", "scope"),
        ("memory_write", {"content": "canary", "scope": "global"}, "access_denied", "personal"),
        ("memory_write", {"content": "canary", "scope": ["canary"]}, "invalid_input", "scope"),
    ],
)
def test_a_refusal_says_what_would_work_and_repeats_nothing(
    gateway: Gateway, tool: str, arguments: dict[str, Any], code: str, word: str
) -> None:
    async def call(client: Client) -> tuple[bool | None, str]:
        answer = await client.call_tool(tool, arguments)
        return answer.is_error, answer.content[0].text  # type: ignore[union-attr]

    is_error, text = with_client(gateway, gateway.team.bob, "auto", call)
    assert is_error
    assert f'"code": "{code}"' in text
    assert word in text
    assert "canary" not in text


def test_a_tool_that_does_not_exist_is_an_error_of_the_protocol(gateway: Gateway) -> None:
    async def call(client: Client) -> None:
        with pytest.raises(MCPError, match="memory_write"):
            await client.call_tool("memory_drop", {})

    with_client(gateway, gateway.team.bob, "auto", call)


@pytest.mark.parametrize("mode", MODES)
def test_without_a_valid_key_there_is_no_session(gateway: Gateway, mode: str) -> None:
    async def list_tools(client: Client) -> None:
        await client.list_tools()

    for key in ("null", gateway.team.revoked):
        with pytest.raises(BaseException) as refused:
            with_client(gateway, key, mode, list_tools)
        assert not isinstance(refused.value, AssertionError)
    # Nothing of the kind happens with a good one, so it was the key.
    with_client(gateway, gateway.team.alice, mode, list_tools)


@pytest.mark.parametrize("body", [b"{}", b"[]", b"canary", b'{"jsonrpc": "2.0", "method": ["canary"]}'])
def test_what_is_no_message_is_refused_and_not_repeated(gateway: Gateway, body: bytes) -> None:
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    with gateway.http(gateway.team.alice) as http:
        answer = http.post("/mcp", content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32600
    assert "canary" not in answer.text
