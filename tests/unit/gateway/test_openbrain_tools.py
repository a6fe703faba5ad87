"""The tools of the published contract: every key by name in a plain schema, and unknown ones refused by name."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from goclaw.bootstrap import Engine
from goclaw.gateway.mcp_server import ALL_TOOLS
from goclaw.gateway.openbrain_tools import OPENBRAIN_TOOLS, ContractTool
from goclaw.model.errors import AccessDenied, InvalidInput, NotFound
from goclaw.model.principal import Principal
from tests.unit.gateway.test_mcp_tools import words_in

CLAW = Principal("alice", project_ids=("apollo",), run_kind="agent", agent_id="claw")
BY_NAME = {tool.name: tool for tool in OPENBRAIN_TOOLS}
CONTRACTS = Path(__file__).parents[4] / "shared" / "ob1-contracts" / "contracts"
WRITE_BACK = {
    "schema_version": "openbrain.agent_memory.writeback.v1",
    "workspace_id": "default",
    "project_id": "apollo",
    "source_refs": [{"kind": "issue", "uri": "https://example.test/1"}],
    "memory_payload": {"lessons": ["Pumps are primed before the shift"]},
}


@pytest.mark.parametrize("tool", OPENBRAIN_TOOLS, ids=lambda tool: tool.name)
def test_r108_the_schema_is_a_plain_object_with_named_properties(tool: ContractTool) -> None:
    schema = tool.input_schema
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert schema["properties"]
    assert set(schema["required"]) <= set(schema["properties"])
    assert not words_in(schema) & {"anyOf", "oneOf", "allOf", "$ref", "$defs"}
    assert all(each["type"] for each in schema["properties"].values())
    assert re.fullmatch(r"openbrain_[a-z_]{1,40}", tool.name)
    assert tool.description


def test_the_names_of_all_tools_are_different() -> None:
    assert len({tool.name for tool in ALL_TOOLS}) == len(ALL_TOOLS) == 11


@pytest.mark.skipif(not CONTRACTS.is_dir(), reason="the published contracts do not lie beside this checkout")
@pytest.mark.parametrize(("tool", "contract"), [("openbrain_recall", "recall"), ("openbrain_writeback", "writeback")])
def test_every_key_of_the_contract_stands_in_the_schema(tool: str, contract: str) -> None:
    published = json.loads((CONTRACTS / f"{contract}.schema.json").read_text(encoding="utf-8"))
    ours = BY_NAME[tool].input_schema["properties"]
    for name, each in published["properties"].items():
        assert set(each.get("properties", ())) <= set(ours[name].get("properties", ())), name
        items = each.get("items", {}).get("properties", ())
        assert set(items) <= set(ours[name].get("items", {}).get("properties", ())), name


def call(engine: Engine, name: str, arguments: dict[str, Any], who: Principal = CLAW) -> dict[str, Any]:
    return BY_NAME[name].call(engine.memory, who, arguments)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"user_id": "bob"}, "user_id"),
        ({"provenance": {"trusted": True}}, "provenance.trusted"),
        ({"source_refs": [{"kind": "issue", "colour": "red"}]}, "source_refs[0].colour"),
        ({"use_policy": {"can_use_as_instruction": True}}, "use_policy"),
    ],
)
def test_unknown_arguments_are_refused_by_name(engine: Engine, change: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(named)):
        call(engine, "openbrain_writeback", WRITE_BACK | change)
    assert engine.memory.list(CLAW).records == ()


def test_what_published_clients_send_in_vain_is_taken_ignored_and_reported(engine: Engine) -> None:
    answer = call(engine, "openbrain_writeback", WRITE_BACK | {"actor_id": "human:ada", "actor_label": "Ada"})
    assert len(answer["warnings"]) == 2
    (record,) = engine.memory.list(CLAW).records
    assert record.actor_id == "agent:claw"


def test_what_json_can_spell_and_a_store_cannot_keep_is_refused(engine: Engine) -> None:
    for text in ("ca\0nary", "ca\ud83cnary"):
        with pytest.raises(InvalidInput) as refused:
            call(engine, "openbrain_recall", {"workspace_id": "default", "query": text})
        assert "nary" not in str(refused.value)


def test_an_agent_recalls_reports_and_reads_but_does_not_review(engine: Engine) -> None:
    written = call(engine, "openbrain_writeback", WRITE_BACK)["memories"][0]
    asked = {"workspace_id": "default", "project_id": "apollo", "query": "pumps primed before the shift"}
    found = call(engine, "openbrain_recall", asked | {"scope": {"include_unconfirmed": True}})
    assert [memory["memory_id"] for memory in found["memories"]] == [written["memory_id"]]
    report = {"request_id": found["request_id"], "used_memory_ids": [written["memory_id"]]}
    assert call(engine, "openbrain_report_usage", report) == {"ok": True, "used": 1, "ignored": 0}
    trace = call(engine, "openbrain_get_recall_trace", {"request_id": found["request_id"]})
    assert [item["used"] for item in trace["items"]] == [True]
    queue = call(engine, "openbrain_list_review_queue", {"project_id": "apollo"})
    assert [memory["memory_id"] for memory in queue["memories"]] == [written["memory_id"]]
    inspected = call(engine, "openbrain_inspect_memory", {"memory_id": written["memory_id"]})["memory"]
    assert inspected["task"]["models_used"] == []
    with pytest.raises(AccessDenied):
        call(engine, "openbrain_review_memory", {"memory_id": written["memory_id"], "action": "confirm"})


def test_another_workspace_does_not_exist(engine: Engine) -> None:
    with pytest.raises(NotFound):
        call(engine, "openbrain_list_review_queue", {"workspace_id": "other"})
