"""Contract: reading a request of the published agent-memory contract: known fields checked, unknown ones reported."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator

from goclaw.model.errors import InvalidInput

Shape = TypeVar("Shape", bound="ContractShape")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class ContractShape(BaseModel):
    """Part of a request. Published clients send keys that nobody knows, which are reported, and null for nothing."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True, str_strip_whitespace=False)

    @model_validator(mode="before")
    @classmethod
    def _null_is_nothing(cls, request: Any) -> Any:
        """A key that may be left out may be null as well."""
        if not isinstance(request, Mapping):
            return request
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {name: value for name, value in request.items() if value is not None or name not in optional}


def one_of(*words: str) -> AfterValidator:
    """A field that takes one of these words."""

    def check(value: str) -> str:
        if value not in words:
            raise ValueError(f"is none of {', '.join(words)}")
        return value

    return AfterValidator(check)


def read_request(kind: type[Shape], request: Mapping[str, Any]) -> Shape:
    """The request as a shape, or InvalidInput that names each wrong field and never repeats its value."""
    try:
        return kind.model_validate(dict(request))
    except ValidationError as error:
        problems = [f"{_path(each['loc'])}: {each['msg']}" for each in error.errors(include_input=False)[:5]]
        raise InvalidInput("The request does not fit the contract.", "; ".join(problems)) from None


def unknown_keys(shape: BaseModel, path: str = "") -> Iterator[str]:
    """Dotted names of everything that the contract does not know."""
    for name in shape.model_extra or {}:
        yield f"{path}{_shown(name)}"
    for name in type(shape).model_fields:
        value = getattr(shape, name)
        parts = value if isinstance(value, list | tuple) else [value]
        for number, part in enumerate(parts):
            if isinstance(part, BaseModel):
                place = f"{path}{name}[{number}]." if part is not value else f"{path}{name}."
                yield from unknown_keys(part, place)


def _path(location: tuple[int | str, ...]) -> str:
    return ".".join(_shown(part) for part in location) or "request"


def _shown(part: int | str) -> str:
    """A part of a path; what could be anything else than a name is not repeated."""
    return str(part) if isinstance(part, int) or _PLAIN_NAME.fullmatch(part) else "?"
