"""Fit: the weights of a ranker from judged candidates; a convex problem, solved by Newton's method.

Each right answer stands against all wrong candidates of its question (a softmax), so what counts is the order. Then one
line through the whole of it turns the result into log odds, so that scores of different questions mean the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.evaluation.judged_candidates import Judged
from goclaw.search.ranker import KINDS, MODES, Ranker, Weights

STIFFNESS = 0.01  # L2 on weights of standardised features
FEWEST_QUESTIONS = 20  # from fewer nothing is learned
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
    slope, bias = _calibrate(weights, used, telling)
    chosen = [name for name, is_used in zip(names, used.tolist(), strict=True) if is_used]
    return Weights(bias, {name: float(slope * weight) for name, weight in zip(chosen, weights, strict=True)})


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


def _calibrate(weights: Floats, used: NDArray[np.bool_], tasks: Sequence[_Task]) -> tuple[float, float]:
    """Slope and bias that make ``slope * order + bias`` the log odds of being right."""
    right = np.concatenate([task.right[:, used] @ weights for task in tasks])
    wrong = np.concatenate([task.wrong[:, used] @ weights for task in tasks])
    values = np.concatenate([right, wrong])
    labels = np.concatenate([np.ones(len(right)), np.zeros(len(wrong))])
    middle, spread = float(values.mean()), float(values.std()) or 1.0
    table = np.stack([(values - middle) / spread, np.ones(len(values))], axis=1)

    def loss(point: Floats) -> Slope:
        odds = table @ point
        chance = 1 / (1 + np.exp(-np.clip(odds, -60, 60)))
        curve = chance * (1 - chance)
        value = float((np.logaddexp(0, odds) - labels * odds).mean())
        gradient = table.T @ (chance - labels) / len(labels)
        return value, gradient, (table * curve[:, None]).T @ table / len(labels) + 1e-9 * np.eye(2)

    slope, bias = _newton(loss, np.array([1.0, 0.0])).tolist()
    return slope / spread, bias - slope * middle / spread


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
