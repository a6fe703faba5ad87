"""Weights in a file, and what they make of features."""

import json
from pathlib import Path

import numpy as np
import pytest

from goclaw.model.errors import SettingsError
from goclaw.search.features import features
from goclaw.search.ranker import (
    DEFAULT,
    KINDS,
    MODES,
    ODDS_AT_MIN_SCORE,
    Ranker,
    Weights,
    as_json,
    load_ranker,
    score_of,
)

PEOPLE, ALONE = KINDS.index("between_people"), KINDS.index("alone")
RANKER = Ranker({"words_only": {"between_people": Weights(-1.0, {"bm25": 2.0, "named_speaker": 5.0}, -0.5)}})


def values(**columns: list[float]) -> dict[str, np.ndarray]:
    return {name: np.array(column, float) for name, column in columns.items()}


def test_kinds_without_weights_keep_the_first_score() -> None:
    scores = RANKER.scores(values(bm25=[1, 1]), np.array([PEOPLE, ALONE]), np.array([0.2, 0.3]))
    assert scores.tolist() == [pytest.approx(float(score_of(np.array(1.0)))), 0.3]
    assert RANKER.weighs(values(bm25=[1]), np.array([PEOPLE]))
    assert not RANKER.weighs(values(bm25=[1]), np.array([ALONE]))
    assert not RANKER.weighs(values(bm25=[1], cosine=[1]), np.array([PEOPLE]))  # those of the other mode


def test_the_shipped_threshold_is_where_the_scale_says() -> None:
    assert float(score_of(np.array(ODDS_AT_MIN_SCORE))) == pytest.approx(0.35)
    assert score_of(np.array([-1e9, 1e9])).tolist() == [pytest.approx(0, abs=1e-8), 1]


def test_who_said_it_does_not_weigh_in_whether_they_said_it() -> None:
    said = values(bm25=[1.0, 1.3], named_speaker=[1, 0], other_speaker=[0, 1])
    kinds = np.array([PEOPLE, PEOPLE])
    assert RANKER.is_by_another(said, kinds)  # 2.0 against 2.6, without the five of the named one
    assert not RANKER.is_by_another({**said, "bm25": np.array([1.0, 1.2])}, kinds)
    assert not RANKER.is_by_another({**said, "named_speaker": np.zeros(2)}, kinds)
    assert not RANKER.is_by_another(said, np.array([ALONE, ALONE]))


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(as_json(RANKER, "something"))
    assert load_ranker(tmp_path / "mine.json") == RANKER


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"version": 2, "sets": {}}',
        '{"version": 1}',
        '{"version": 1, "sets": {"words_only": {"alone": {"bias": "x", "weights": {}}}}}',
        '{"version": 1, "sets": {"words_only": {"alone": {"bias": NaN, "weights": {}}}}}',
        '{"version": 1, "sets": {"words_only": {"alone": {"bias": 0, "weights": {"bm25": null}}}}}',
    ],
)
def test_a_file_that_cannot_be_used_says_so(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"bad\.json"):
        load_ranker(file)
    with pytest.raises(SettingsError, match=r"none\.json"):
        load_ranker(tmp_path / "none.json")


def test_the_shipped_weights_are_of_features_that_exist() -> None:
    raw = json.loads(DEFAULT.read_text())
    shipped = load_ranker(DEFAULT)
    assert set(raw["sets"]) == set(MODES)
    names = {name for sets in shipped.sets.values() for one in sets.values() for name in one.of}
    source = Path(features.__code__.co_filename).read_text()
    for name in names:
        stem = name.removesuffix("_of_question").removesuffix("_of_session").removesuffix("_after")
        assert f'"{name}"' in source or f'"{stem.removesuffix("_before")}"' in source, name
