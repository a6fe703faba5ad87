"""Plain schema: a request model as one JSON schema without references, unions or titles.

Some MCP clients drop a whole server for one schema that is not a plain object of named properties.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from pydantic import BaseModel

# Lists of names that a request may hold as entities; the contract knows these.
ENTITY_LISTS = ("people", "orgs", "repos", "files", "customers", "topics")
_ENTITIES = {name: {"type": "array", "items": {"type": "string"}} for name in ENTITY_LISTS}
_TEXT = {"type": "string"}


def plain_schema(shape: type[BaseModel], *, also: Iterable[str] = (), is_strict: bool = False) -> dict[str, Any]:
    """The schema of ``shape``; ``also`` names further texts that are taken, ``is_strict`` says that nothing else is."""
    schema = shape.model_json_schema()
    plain = _plain(schema, schema.get("$defs", {}))
    properties = plain["properties"] | {name: {**_TEXT, "description": "Taken and ignored."} for name in also}
    closed = {"additionalProperties": False} if is_strict else {}
    return {"type": "object", "properties": properties, "required": plain.get("required", []), **closed}


def json_body(shape: type[BaseModel], example: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """For a route that reads its body itself: what /openapi.json says about the body."""
    shown = {} if example is None else {"example": dict(example)}
    media = {"schema": plain_schema(shape), **shown}
    return {"requestBody": {"required": True, "content": {"application/json": media}}}


def query_parameters(shape: type[BaseModel]) -> dict[str, Any]:
    """For a route that reads its query itself: what /openapi.json says about the query."""
    schema = plain_schema(shape)
    return {
        "parameters": [
            {"name": name, "in": "query", "required": name in schema["required"], "schema": each}
            for name, each in schema["properties"].items()
        ]
    }


def _plain(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """A node with its references put in place, "or null" left out, and no titles."""
    if "$ref" in node:
        meant = definitions[node["$ref"].rsplit("/", 1)[-1]]
        words = {"description"}  # of a class, written for those who read the code
        node = _without(meant, words) | _without(node, {"$ref"})
    if "anyOf" in node:
        chosen = next(each for each in node["anyOf"] if each.get("type") != "null")
        return _plain({**chosen, **_without(node, {"anyOf"})}, definitions)
    plain = _without(node, {"title", "$defs", "default", "pattern"})
    if isinstance(plain.get("additionalProperties"), bool):
        del plain["additionalProperties"]
    if "properties" in plain:
        plain["properties"] = {
            name: {"type": "object", "properties": _ENTITIES} if name == "entities" else _plain(each, definitions)
            for name, each in plain["properties"].items()
        }
    if isinstance(plain.get("items"), Mapping):
        plain["items"] = _plain(plain["items"], definitions)
    if isinstance(node.get("default"), str | int | float | bool):
        plain["default"] = node["default"]
    return plain


def _without(node: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name not in names}
