"""Vector: how near each row's meaning is to the question's; all rows by int8, the best again by float32."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goclaw.search.blocks import RowSource
from goclaw.search.int8_vectors import Int8Query, read_floats
from goclaw.search.view import Rows, View, joined
from goclaw.storage.database import Reader

RESCORED = 40  # best rows by int8 that are scored exactly; the best 10 are then the right ones (storage.md 4)


@dataclass(frozen=True, slots=True)
class VectorScores:
    """Cosines over all rows of the view; 0 where a vector is missing."""

    cosines: NDArray[np.float32]
    known: NDArray[np.bool_]  # rows that have a vector


def score_vectors(view: View, query: NDArray[np.float32]) -> VectorScores:
    """The approximate cosine of every row, deleted ones included (they are masked with the others)."""
    asked = Int8Query.of(query)
    cosines, known = [], []
    for block in view.blocks:
        if block.vectors is None or block.vectors.dims != len(query):
            cosines.append(np.zeros(block.row_count, np.float32))
            known.append(np.zeros(block.row_count, np.bool_))
        else:
            cosines.append(block.vectors.cosines(asked))
            known.append(block.vectors.scales > 0)
    return VectorScores(joined(cosines, np.float32), joined(known, np.bool_))


def rescore(
    scores: VectorScores,
    rows: Rows,
    query: NDArray[np.float32],
    view: View,
    reader: Reader,
    source: RowSource,
    model_no: int,
) -> None:
    """Put the exact cosines of some rows, from the stored vectors, in the place of the approximate ones."""
    rows = rows[scores.known[rows]]
    row_of = dict(zip(view.slots(rows).tolist(), rows.tolist(), strict=True))
    stored = source.vectors_at(reader, model_no, list(row_of)) if row_of else {}
    if stored:
        exact = read_floats(list(stored.values()), len(query)) @ query
        scores.cosines[[row_of[slot] for slot in stored]] = exact
