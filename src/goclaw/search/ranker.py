"""Ranker: from a candidate's features to how likely it answers, by weights in a JSON file.

There is one set of weights for turns between people, one for turns with an assistant, and one for what stands alone,
each with and without an embedding model. Where the file names no set, the score of the first ranking stays.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.model.errors import SettingsError

VERSION = 1
DEFAULT = Path(__file__).with_name("ranker.json")
BETWEEN_PEOPLE, WITH_ASSISTANT, ALONE = "between_people", "with_assistant", "alone"
KINDS = (BETWEEN_PEOPLE, WITH_ASSISTANT, ALONE)
MODES = ("with_model", "words_only")
_ROOT = 1 / 3  # one right answer among a few dozen is the score 0.35, one among two is 0.8
ODDS_AT_MIN_SCORE = math.log(0.35**3 / (1 - 0.35**3))  # where the shipped memory.search.min_score lies
_WHO = ("named_speaker", "other_speaker")

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Weights:
    """A weight for each feature by name, and what is added: together the log odds that a candidate answers."""

    bias: float
    of: Mapping[str, float]
    attribution: float | None = None  # least lead of the person who is asked about; see lead_of_the_named

    def odds(self, features: Mapping[str, Floats]) -> Floats:
        """The log odds of each candidate; features without a weight count nothing."""
        count = len(next(iter(features.values())))
        total = np.full(count, self.bias)
        for name, weight in self.of.items():
            if name in features:
                total += weight * features[name]
        return total


@dataclass(frozen=True, slots=True)
class Ranker:
    """All sets of weights: ``sets[mode][kind]``."""

    sets: Mapping[str, Mapping[str, Weights]]

    def scores(self, features: Mapping[str, Floats], kinds: NDArray[np.intp], first: Floats) -> Floats:
        """Scores from 0 to 1; ``kinds`` are indexes in KINDS, ``first`` the scores of the first ranking."""
        found = np.array(first, np.float64)
        sets = self._sets_for(features)
        for number, kind in enumerate(KINDS):
            if kind in sets and (kinds == number).any():
                found[kinds == number] = score_of(sets[kind].odds(features))[kinds == number]
        return found

    def is_by_another(self, features: Mapping[str, Floats], kinds: NDArray[np.intp]) -> bool:
        """Whether the question names one person, and what would answer it was said by another one."""
        weights = self._sets_for(features).get(BETWEEN_PEOPLE)
        between_people = kinds == KINDS.index(BETWEEN_PEOPLE)
        if weights is None or weights.attribution is None or not between_people.any():
            return False
        lead = lead_of_the_named({name: values[between_people] for name, values in features.items()}, weights)
        return lead is not None and lead < weights.attribution

    def contributions(
        self, features: Mapping[str, Floats], kinds: NDArray[np.intp], rows: NDArray[np.intp], row: int
    ) -> Mapping[str, float]:
        """What each feature of one row adds to its log odds, the heaviest first; empty where it has no weights."""
        places = np.flatnonzero(rows == row)
        weights = self._sets_for(features).get(KINDS[kinds[places[0]]]) if len(places) else None
        if weights is None:
            return {}
        added = {name: weight * float(features[name][places[0]]) for name, weight in weights.of.items()}
        return dict(sorted(added.items(), key=lambda each: -abs(each[1])))

    def weighs(self, features: Mapping[str, Floats], kinds: NDArray[np.intp]) -> bool:
        """Whether there are weights for any of the candidates."""
        sets = self._sets_for(features)
        return any(KINDS[number] in sets for number in np.unique(kinds).tolist())

    def _sets_for(self, features: Mapping[str, Floats]) -> Mapping[str, Weights]:
        return self.sets.get(MODES[0] if "cosine" in features else MODES[1], {})


def lead_of_the_named(features: Mapping[str, Floats], weights: Weights) -> float | None:
    """By how much the best candidate of the one person named stands before the best of anybody else, in log odds.

    Who spoke weighs nothing here. None where nobody, or nobody else, is among the candidates.
    """
    if not all(name in features for name in _WHO):
        return None
    named, other = (features[name] > 0 for name in _WHO)
    if not named.any() or not other.any():
        return None
    said = Weights(0.0, {name: weight for name, weight in weights.of.items() if name not in _WHO}).odds(features)
    return float(said[named].max() - said[other].max())


def score_of(odds: Floats) -> Floats:
    """Log odds as a score from 0 to 1: the cube root of the probability."""
    found: Floats = (1 / (1 + np.exp(-np.clip(odds, -60, 60)))) ** _ROOT
    return found


@lru_cache(maxsize=8)
def load_ranker(path: Path) -> Ranker:
    """The weights in a file as :func:`as_json` writes it. Raises SettingsError where it cannot be used."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["version"] != VERSION:
            raise ValueError(f"version {raw['version']} is not {VERSION}")
        return Ranker(
            {
                mode: {kind: _weights(one) for kind, one in sets.items() if kind in KINDS}
                for mode, sets in raw["sets"].items()
                if mode in MODES
            }
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(
            f"The ranker {path.name} cannot be read ({type(error).__name__}).",
            "Make one with goclaw eval train, or leave memory.search.ranker unset.",
        ) from error


def as_json(ranker: Ranker, fitted_on: str) -> str:
    """The file's text; ``fitted_on`` says from which data the figures come."""
    sets = {
        mode: {
            kind: {
                "bias": round(one.bias, 4),
                "attribution": None if one.attribution is None else round(one.attribution, 4),
                "weights": {name: round(weight, 4) for name, weight in one.of.items()},
            }
            for kind, one in kinds.items()
        }
        for mode, kinds in ranker.sets.items()
    }
    return json.dumps({"version": VERSION, "fitted_on": fitted_on, "sets": sets}, indent=1) + "\n"


def _weights(raw: Mapping[str, Any]) -> Weights:
    of = {str(name): float(weight) for name, weight in raw["weights"].items()}
    if not all(np.isfinite([float(raw["bias"]), *of.values()])):
        raise ValueError("a weight is not a number")
    attribution = raw.get("attribution")
    return Weights(float(raw["bias"]), of, None if attribution is None else float(attribution))
