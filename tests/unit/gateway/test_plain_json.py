"""What no database keeps is refused wherever it stands; everything else passes."""

import math
from typing import Any

import pytest
from pydantic_core import PydanticCustomError

from goclaw.gateway.plain_json import MAX_DEPTH, check_plain


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("before\0after", "nul_in_text"),
        ("ok \ud83c tail", "half_a_surrogate_pair"),
        ({"note": {"\ud83c": 1}}, "half_a_surrogate_pair"),
        ({"a": ["b", {"c": "\0"}]}, "nul_in_text"),
        ({"score": math.nan}, "not_a_number"),
        ([math.inf], "not_a_number"),
        (2**63 + 1, "too_large_a_number"),
        (nested(MAX_DEPTH + 1), "too_deep"),
    ],
)
def test_it_is_refused_by_name_and_never_repeated(value: Any, kind: str) -> None:
    with pytest.raises(PydanticCustomError) as refused:
        check_plain(value)
    assert refused.value.type == kind


def test_everything_else_passes() -> None:
    check_plain({"text": "naïve 🎈 日本", "n": [1, -2.5, True, None, 2**63], "deep": nested(MAX_DEPTH - 1)})
