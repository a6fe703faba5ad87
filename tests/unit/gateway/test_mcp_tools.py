"""Tool schemas that every client can read, and arguments that are refused by name and never repeated."""

import re

import pytest

from goclaw.bootstrap import Engine
from goclaw.gateway.mcp_tools import TOOLS, Tool
from goclaw.model.errors import InvalidInput
from goclaw.model.principal import Principal

ALICE = Principal("alice")
BY_NAME = {tool.name: tool for tool in TOOLS}


def words_in(schema: object) -> set[str]:
    """Every key of a schema, at any depth."""
    if isinstance(schema, dict):
        return set(schema).union(*(words_in(value) for value in schema.values()))
    if isinstance(schema, list):
        return set().union(*(words_in(value) for value in schema))
    return set()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_r108_the_schema_is_a_plain_object_with_named_properties(tool: Tool) -> None:
    schema = tool.input_schema
    assert schema["type"] == "object"
    assert schema["properties"]
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"])
    assert not words_in(schema) & {"anyOf", "oneOf", "allOf", "$ref", "$defs"}
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool.name)
    assert tool.description
    for name, each in schema["properties"].items():
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
        assert each["type"] in ("string", "integer", "boolean", "array")
        assert each["description"]


def test_there_are_the_four_tools_of_our_own() -> None:
    assert list(BY_NAME) == ["memory_write", "memory_search", "memory_context", "memory_propose"]


def test_r108_the_same_rule_holds_at_run_time(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match=r"user_id \(extra_forbidden\)"):
        BY_NAME["memory_search"].call(engine.memory, ALICE, {"query": "tea", "user_id": "bob"})


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "query"),
        ({"query": 7}, "query"),
        ({"query": "tea", "limit": 0}, "limit"),
        ({"query": "tea", "limit": 201}, "limit"),
        ({"query": "tea", "limit": "5"}, "limit"),
        ({"query": "tea", "limit": True}, "limit"),
        ({"query": "ca\0nary"}, "arguments"),
        ({"query": "canary \ud83c"}, "arguments"),
        ({"query": "tea", "canary 4711 \ud83c": 1}, "arguments"),
    ],
)
def test_a_wrong_argument_is_named_and_not_repeated(engine: Engine, arguments: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        BY_NAME["memory_search"].call(engine.memory, ALICE, arguments)
    assert f"{field} (" in str(refused.value)
    assert "canary" not in str(refused.value)


def test_a_written_memory_is_found(engine: Engine) -> None:
    written = BY_NAME["memory_write"].call(
        engine.memory,
        ALICE,
        {
            "content": "Prefers green tea",
            "scope": "personal",
            "kind": "preference",
            "source_uris": ["https://example.test/1"],
            "occurred_at": "2026-03-01T12:00:00Z",
        },
    )
    assert (written["owner_user_id"], written["kind"], written["domain"]) == ("alice", "preference", None)
    assert written["source_refs"][0]["uri"] == "https://example.test/1"
    assert written["occurred_at"] == "2026-03-01T12:00:00+00:00"

    found = BY_NAME["memory_search"].call(engine.memory, ALICE, {"query": "green tea"})
    assert [hit["record"]["id"] for hit in found["hits"]] == [written["id"]]
    nobodys = BY_NAME["memory_search"].call(engine.memory, Principal("bob"), {"query": "green tea"})
    assert nobodys["hits"] == []


def test_a_date_that_is_none_is_refused(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="occurred_at"):
        BY_NAME["memory_write"].call(
            engine.memory, ALICE, {"content": "x y", "scope": "personal", "occurred_at": "yesterday"}
        )
