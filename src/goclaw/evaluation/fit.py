"""Fit: the weights of a ranker from judged candidates; a convex problem, solved by Newton's method.

Each right answer stands against all wrong candidates of its question (a softmax), so what counts is the order. The
scale is then laid so that ``min_score`` as it is shipped empties two answerable questions in a hundred, and no more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.evaluation.judged_candidates import Judged
from goclaw.search.ranker import KINDS, MODES, ODDS_AT_MIN_SCORE, Ranker, Weights, lead_of_the_named

STIFFNESS = 0.01  # L2 on weights of standardised features
FEWEST_QUESTIONS = 20  # from fewer nothing is learned
LOST_BY_RELEVANCE = 0.016  # answerable questions whose best candidate falls below min_score 0.35
LOST_BY_ATTRIBUTION = 0.004  # answerable questions whose best candidate is by another person than asked
_STEPS = 40
_ENOUGH = 1e-7

Floats = NDArray[np.floating[Any]]
Slope = tuple[float, Floats, Floats]  # value, gradient, Hessian


@dataclass(frozen=True, slots=True)
class _Task:
    """The candidates of one kind of one question."""

    right: Floats  # candidates x features
    wrong: Floats

    @property
    def is_telling(self) -> bool:
        return len(self.right) > 0 and len(self.wrong) > 0


def fit_ranker(judged: Sequence[Judged]) -> Ranker:
    """Weights for every mode and kind that enough questions speak of."""
    sets: dict[str, dict[str, Weights]] = {}
    for mode in MODES:
        for number, kind in enumerate(KINDS):
            names, tasks = _tasks([each for each in judged if each.mode == mode], number)
            if sum(task.is_telling for task in tasks) >= FEWEST_QUESTIONS:
                sets.setdefault(mode, {})[kind] = _fit(names, tasks)
    return Ranker(sets)


def _tasks(judged: Sequence[Judged], kind: int) -> tuple[list[str], list[_Task]]:
    names = list(judged[0].features) if judged else []
    tasks = []
    for each in judged:
        table = np.stack([each.features[name] for name in names], axis=1)
        is_kind = each.kinds == kind
        tasks.append(_Task(table[is_kind & each.is_gold], table[is_kind & ~each.is_gold]))
    return names, tasks


def _fit(names: Sequence[str], tasks: Sequence[_Task]) -> Weights:
    telling = [task for task in tasks if task.is_telling]
    everything = np.concatenate([part for task in telling for part in (task.right, task.wrong)])
    middle, spread = everything.mean(axis=0), everything.std(axis=0)
    used = spread > 1e-9
    scaled = [
        _Task((task.right[:, used] - middle[used]) / spread[used], (task.wrong[:, used] - middle[used]) / spread[used])
        for task in telling
    ]
    weights = _newton(lambda point: _order_loss(point, scaled), np.zeros(int(used.sum())))
    weights = weights / spread[used]
    chosen = [name for name, is_used in zip(names, used.tolist(), strict=True) if is_used]
    found = {name: float(weight) for name, weight in zip(chosen, weights, strict=True)}
    best = np.array(
        [max((task.right[:, used] @ weights).max(), (task.wrong[:, used] @ weights).max()) for task in telling]
    )
    return Weights(
        bias=ODDS_AT_MIN_SCORE - float(np.quantile(best, LOST_BY_RELEVANCE)),
        of=found,
        attribution=_attribution([_named(task, names, found) for task in telling]),
    )


def _named(task: _Task, names: Sequence[str], weights: Mapping[str, float]) -> float | None:
    """How far the best candidate by the person who is asked about stands before the best by somebody else."""
    table = np.concatenate([task.right, task.wrong])
    return lead_of_the_named(dict(zip(names, table.T, strict=True)), Weights(0.0, weights))


def _attribution(leads: Sequence[float | None]) -> float | None:
    """The lead below which so few answerable questions lie that the others are worth an honest nothing."""
    known = sorted(lead for lead in leads if lead is not None)
    return known[int(len(leads) * LOST_BY_ATTRIBUTION)] if known else None


def _order_loss(point: Floats, tasks: Sequence[_Task]) -> Slope:
    """How far right answers stand behind wrong ones; a question counts once, however many answers it has."""
    value, gradient = 0.0, np.zeros(len(point))
    hessian = np.zeros((len(point), len(point)))
    for task in tasks:
        right, wrong = task.right @ point, task.wrong @ point
        peak = wrong.max()
        shares = np.exp(wrong - peak)
        rivals = peak + np.log(shares.sum())
        shares /= shares.sum()
        middle = shares @ task.wrong
        doubt = 1 / (1 + np.exp(np.clip(right - rivals, -60, 60)))  # that a wrong one comes first
        away = middle - task.right
        value += float(np.logaddexp(0, rivals - right).mean())
        gradient += doubt @ away / len(right)
        spread = (task.wrong * shares[:, None]).T @ task.wrong - np.outer(middle, middle)
        hessian += (doubt.sum() * spread + (away * (doubt * (1 - doubt))[:, None]).T @ away) / len(right)
    count = len(tasks)
    return (
        value / count + STIFFNESS / 2 * float(point @ point),
        gradient / count + STIFFNESS * point,
        hessian / count + STIFFNESS * np.eye(len(point)),
    )


def _newton(loss: Callable[[Floats], Slope], point: Floats) -> Floats:
    """The least point of a convex function; steps are halved until they go down."""
    value, gradient, hessian = loss(point)
    for _ in range(_STEPS):
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-6:
            candidate = point - size * step
            new = loss(candidate)
            if new[0] < value:
                break
            size /= 2
        else:
            return point
        gain, point, (value, gradient, hessian) = value - new[0], candidate, new
        if gain < _ENOUGH:
            return point
    return point
