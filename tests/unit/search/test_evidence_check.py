"""The evidence check: near enough in meaning, or half of the words."""

import numpy as np
import pytest

from goclaw.search.evidence_check import has_evidence


@pytest.mark.parametrize(
    ("matched", "terms", "cosine", "floor", "kept"),
    [
        (1, 2, None, None, True),
        (1, 3, None, None, False),
        (2, 3, None, None, True),
        (0, 3, 0.99, None, False),  # no floor: meaning alone never passes
        (0, 3, 0.61, 0.62, False),
        (0, 3, 0.62, 0.62, True),
        (0, 3, 0.0, 0.0, True),
        (0, 3, -0.1, 0.0, False),
        (0, 3, -0.9, -1.0, True),  # negative: off
        (0, 3, None, 0.62, False),  # keywords only
    ],
)
def test_a_row_is_kept(matched: int, terms: int, cosine: float | None, floor: float | None, kept: bool) -> None:
    cosines = None if cosine is None else np.array([cosine], np.float32)
    floor = None if floor is None else float(np.float32(floor))
    assert has_evidence(np.array([matched]), terms, cosines, floor).tolist() == [kept]
