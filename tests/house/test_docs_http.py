"""The pages on HTTP and MCP name every route and every tool, and none that does not exist."""

import re
from pathlib import Path

import pytest

from goclaw.bootstrap import open_engine
from goclaw.gateway.app import create_app
from goclaw.gateway.mcp_server import ALL_TOOLS
from tests.running_gateway import KEYWORDS_ONLY

DOCS = Path(__file__).parents[2] / "docs"
ROUTE = re.compile(r"^\| `([A-Z]+ /[^`]*)`", re.MULTILINE)
TOOL = re.compile(r"^\| `(\w+)`", re.MULTILINE)


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    engine = open_engine(tmp_path_factory.mktemp("state"), KEYWORDS_ONLY)
    paths = create_app(engine).openapi()["paths"]
    engine.memory.close()
    return {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}


def test_every_route_is_documented_and_every_documented_route_exists(routes: set[str]) -> None:
    documented = ROUTE.findall((DOCS / "http.md").read_text())
    assert set(documented) == routes
    assert len(documented) == len(routes)


def test_every_tool_and_argument_is_documented_and_every_documented_tool_exists() -> None:
    page = (DOCS / "mcp.md").read_text()
    assert TOOL.findall(page) == [tool.name for tool in ALL_TOOLS]
    for tool in ALL_TOOLS:
        line = next(line for line in page.splitlines() if line.startswith(f"| `{tool.name}`"))
        for argument in tool.input_schema["properties"]:
            assert f"`{argument}`" in line, (tool.name, argument)
