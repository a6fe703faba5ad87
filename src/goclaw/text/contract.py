"""Contract: reading a request of the published agent-memory contract: known fields checked, unknown ones reported."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from goclaw.model.errors import InvalidInput

Shape = TypeVar("Shape", bound="ContractShape")


class ContractShape(BaseModel):
    """Part of a request. Unknown keys are taken and reported, because published clients send some."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True, str_strip_whitespace=False)


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
        yield f"{path}{name}"
    for name in type(shape).model_fields:
        value = getattr(shape, name)
        parts = value if isinstance(value, list | tuple) else [value]
        for number, part in enumerate(parts):
            if isinstance(part, BaseModel):
                place = f"{path}{name}[{number}]." if part is not value else f"{path}{name}."
                yield from unknown_keys(part, place)


def _path(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location) or "request"
