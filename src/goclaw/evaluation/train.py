"""Train: fits a ranker on judged conversations and writes it as a file that ``memory.search.ranker`` can name.

Beside the figures of what it was fitted on stand those of leaving out: for each conversation those of a ranker fitted
on all others. Only these say what to expect of conversations that it has not seen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goclaw.evaluation.dataset import Conversation
from goclaw.evaluation.fit import fit_ranker
from goclaw.evaluation.judged_candidates import Judged, judge
from goclaw.evaluation.ways import OPEN_GUARD, RANKING_ONLY
from goclaw.model.errors import InvalidInput
from goclaw.search.ranker import MODES, Ranker, as_json
from goclaw.settings.private_file import write_private_file

CUTS = (5, 10)


@dataclass(frozen=True, slots=True)
class Line:
    """Recall of one data set in one mode."""

    dataset: str
    mode: str
    questions: int
    fitted: Mapping[int, float]  # by cut: of the ranker that is written, on what it was fitted on
    left_out: Mapping[int, float] | None  # by cut: of rankers that had not seen the conversation; None: a single one

    def as_row(self) -> tuple[object, ...]:
        """For a table."""
        unseen = self.left_out or {}
        figures = [*(self.fitted[cut] for cut in CUTS), *(unseen.get(cut) for cut in CUTS)]
        shown = [None if figure is None else f"{figure:.3f}" for figure in figures]
        return (self.dataset, self.mode, self.questions, *shown)


@dataclass(frozen=True, slots=True)
class Trained:
    """A ranker, and how good it is."""

    ranker: Ranker
    lines: Sequence[Line]


def train(
    conversations: Sequence[Conversation],
    settings: Mapping[str, object],
    advance: Callable[[int], None] = lambda steps: None,
) -> Trained:
    """Fit on all conversations, each looked at in a fresh store of its own. Raises InvalidInput: they are too few."""
    judged = [judge(each, {**OPEN_GUARD, **RANKING_ONLY, **settings}, advance) for each in conversations]
    ranker = fit_ranker([one for each in judged for one in each])
    if not ranker.sets:
        raise InvalidInput("There are too few judged questions to learn from.", "Twenty of a kind are the least.")
    return Trained(ranker, list(_lines(conversations, judged, ranker)))


def write_ranker(trained: Trained, conversations: Sequence[Conversation], path: Path) -> None:
    """The file, whole or not at all."""
    datasets = {each.dataset: 0 for each in conversations}
    for each in conversations:
        datasets[each.dataset] += 1
    fitted_on = ", ".join(f"{name} ({count} conversations)" for name, count in datasets.items())
    write_private_file(path, as_json(trained.ranker, fitted_on).encode())


def _lines(conversations: Sequence[Conversation], judged: Sequence[list[Judged]], ranker: Ranker) -> Sequence[Line]:
    without = [
        fit_ranker([one for other in judged if other is not each for one in other]) if len(judged) > 1 else None
        for each in judged
    ]
    lines = []
    for dataset in dict.fromkeys(each.dataset for each in conversations):
        places = [place for place, each in enumerate(conversations) if each.dataset == dataset]
        for mode in MODES:
            asked = [(one, without[place]) for place in places for one in judged[place] if one.mode == mode]
            pairs = [(one, other) for one, other in asked if one.gold_count]  # what has no answer has no recall
            if pairs:
                left_out = [(one, other) for one, other in pairs if other is not None]
                lines.append(
                    Line(
                        dataset,
                        mode,
                        len(pairs),
                        _recall([(one, ranker) for one, _ in pairs]),
                        _recall(left_out) if left_out else None,
                    )
                )
    return lines


def _recall(pairs: Sequence[tuple[Judged, Ranker]]) -> Mapping[int, float]:
    found: dict[int, list[float]] = {cut: [] for cut in CUTS}
    for judged, ranker in pairs:
        scores = ranker.scores(judged.features, judged.kinds, judged.first)
        in_order = judged.is_gold[np.argsort(-scores, kind="stable")]
        for cut in CUTS:
            found[cut].append(float(in_order[:cut].sum()) / judged.gold_count)
    return {cut: float(np.mean(values)) for cut, values in found.items()}
