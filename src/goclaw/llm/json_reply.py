"""JSON reply: asks a model for a value of a given shape, checks it, and asks once more where it does not fit."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from goclaw.llm.prompts import JSON_REPAIR, JSON_REPLY, JSON_WAS_CUT, JSON_WAS_EMPTY, JSON_WAS_MISSING
from goclaw.llm.provider import ChatMessage, ChatModel, ChatReply, ChatRequest
from goclaw.model.errors import ModelReplyInvalid

Shape = TypeVar("Shape", bound=BaseModel)

MOST_PLACES = 200  # where JSON may begin in a reply; a longer one is no answer
MOST_PROBLEMS = 10  # named in the second request
_BEGINNING = re.compile(r"[{\[]")


def ask_for(model: ChatModel, request: ChatRequest, shape: type[Shape]) -> Shape:
    """The reply as ``shape``. Code fences and words around the JSON are overlooked.

    A reply that does not fit is sent back once, with what is wrong. Raises ModelReplyInvalid where the second one does
    not fit either or the model refuses, and what ``model.complete`` raises. The error repeats nothing of the reply.
    """
    asked = _ask_for_json(request, shape)
    reply = model.complete(asked)
    value = _read(reply, shape)
    if isinstance(value, shape):
        return value
    repair = ChatMessage("user", JSON_REPAIR.format(problem=value))
    said = (ChatMessage("assistant", reply.message.content),) if reply.message.content.strip() else ()
    value = _read(model.complete(replace(asked, messages=(*asked.messages, *said, repair))), shape)
    if isinstance(value, shape):
        return value
    raise ModelReplyInvalid(f"The model gave no {shape.__name__} when asked for one, and none when asked again.")


def _ask_for_json(request: ChatRequest, shape: type[BaseModel]) -> ChatRequest:
    """The request with the schema, in words too: not every service reads it elsewhere."""
    schema = shape.model_json_schema()
    prompt = JSON_REPLY.format(schema=json.dumps(schema, ensure_ascii=False))
    first, *rest = request.messages or (ChatMessage("user", ""),)
    if first.role == "system":
        messages = (replace(first, content=f"{first.content}\n\n{prompt}"), *rest)
    else:
        messages = (ChatMessage("system", prompt), first, *rest)
    return replace(request, messages=messages, json_schema=request.json_schema or schema)


def _read(reply: ChatReply, shape: type[Shape]) -> Shape | str:
    """The value, or what is wrong in words for the model."""
    if reply.finish_reason == "refusal":
        raise ModelReplyInvalid("The model refuses to answer.")
    text = reply.message.content
    problem, longest = JSON_WAS_MISSING if text.strip() else JSON_WAS_EMPTY, 0
    for candidate in reversed(list(_find_json(text))):  # what a model tries out stands before its answer
        try:
            return shape.model_validate_json(candidate)
        except ValidationError as error:
            if len(candidate) > longest:
                problem, longest = _describe(error), len(candidate)
    return JSON_WAS_CUT if reply.finish_reason == "length" else problem


def _find_json(text: str) -> Iterator[str]:
    """Every outermost object or list in a text, as it stands there."""
    decoder = json.JSONDecoder()
    position = 0
    for _ in range(MOST_PLACES):
        beginning = _BEGINNING.search(text, position)
        if beginning is None:
            return
        try:
            _, position = decoder.raw_decode(text, beginning.start())
        except (ValueError, RecursionError):
            position = beginning.end()
        else:
            yield text[beginning.start() : position]


def _describe(error: ValidationError) -> str:
    """What is wrong, field by field; the values stand in the reply already."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)[:MOST_PROBLEMS]
    return "; ".join(f"{'.'.join(map(str, each['loc'])) or 'the whole'}: {each['msg']}" for each in problems) + "."
