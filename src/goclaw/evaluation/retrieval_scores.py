"""Retrieval scores: how well a ranking finds the judged items, per question and averaged.

recall@k  share of the gold items among the first k     any@k  at least one of them is
ndcg@10   binary gains, discounted by rank              mrr    1 / rank of the first gold item within the first 100
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

KS = (1, 3, 5, 10, 20)
DEPTH = 100  # how many places of a ranking are looked at


def score_ranking(ranked: Sequence[str], gold: Iterable[str]) -> dict[str, float]:
    """The scores of one ranking; ``gold`` is not empty, ``ranked`` holds each item once."""
    wanted = set(gold)
    ranks = [rank for rank, item in enumerate(ranked[:DEPTH], start=1) if item in wanted]
    scores = {f"recall@{k}": sum(rank <= k for rank in ranks) / len(wanted) for k in KS}
    scores |= {f"any@{k}": float(any(rank <= k for rank in ranks)) for k in KS}
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= 10)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), 10) + 1))
    scores["ndcg@10"] = gain / ideal
    scores["mrr"] = 1 / ranks[0] if ranks else 0.0
    return scores


def unique(items: Iterable[str]) -> list[str]:
    """Each item once, where it stood first: how turns become sessions."""
    return list(dict.fromkeys(items))


@dataclass(slots=True)
class Averages:
    """Means over questions, overall and per category."""

    _rows: dict[str, list[dict[str, float]]] = field(default_factory=dict)

    def add(self, category: str, scores: dict[str, float]) -> None:
        for name in ("all", category):
            self._rows.setdefault(name, []).append(scores)

    def means(self) -> dict[str, dict[str, float]]:
        """``{category: {score: mean, "questions": n}}``, ``all`` first."""
        return {
            category: {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]} | {"questions": len(rows)}
            for category, rows in self._rows.items()
        }
