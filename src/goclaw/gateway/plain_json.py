"""Plain JSON: refuses what JSON can spell and a database cannot keep, wherever in a request it stands."""

import math
from typing import Any

from pydantic_core import PydanticCustomError

MAX_DEPTH = 32
MAX_WHOLE_NUMBER = 2**63  # what every database's integers hold


def check_plain(value: Any, depth: int = 0) -> None:
    """Raise a validation error for a NUL, half a surrogate pair, a number that is none, or nesting without end."""
    if depth > MAX_DEPTH:
        raise PydanticCustomError("too_deep", "nested too deeply")
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            check_plain(key, depth + 1)
            check_plain(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            check_plain(inner, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise PydanticCustomError("not_a_number", "not a finite number")
    elif isinstance(value, int) and abs(value) > MAX_WHOLE_NUMBER:
        raise PydanticCustomError("too_large_a_number", "too large a whole number")


def _check_text(text: str) -> None:
    if "\0" in text:
        raise PydanticCustomError("nul_in_text", "text holds a NUL")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PydanticCustomError("half_a_surrogate_pair", "text holds half a surrogate pair") from None
