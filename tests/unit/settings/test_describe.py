"""The commented config.yaml of a first start."""

import re

import pytest
import yaml

from goclaw.settings.describe import describe, template, write_value
from goclaw.settings.settings import Settings


def test_the_template_changes_nothing() -> None:
    def leaves(tree: object) -> list[object]:
        return [leaf for each in tree.values() for leaf in leaves(each)] if isinstance(tree, dict) else [tree]

    assert set(leaves(yaml.safe_load(template()))) == {None}


def test_the_template_with_every_comment_sign_taken_away_is_the_defaults() -> None:
    uncommented = re.sub(r"^( *)#(?=\w+:)", r"\1", template(), flags=re.MULTILINE)
    tree = yaml.safe_load(uncommented)
    assert Settings.model_validate(tree) == Settings()


def test_every_setting_stands_in_the_template_with_its_meaning() -> None:
    text = template()
    for info in describe():
        name = info.key.rpartition(".")[2]
        assert f"# {info.meaning} ({info.type})\n" in text
        assert re.search(rf"^ *#{name}:", text, flags=re.MULTILINE), info.key


@pytest.mark.parametrize(
    ("key", "type_name"),
    [
        ("memory.search.min_score", "number"),
        ("memory.search.min_similarity", "number"),
        ("memory.search.dims", "whole number"),
        ("memory.search.mmr", "yes or no"),
        ("memory.search.base_url", "text"),
        ("memory.search.fusion", "score | rrf"),
        ("memory.write_access.roles", "list"),
    ],
)
def test_types_are_named_for_people(key: str, type_name: str) -> None:
    assert next(info for info in describe() if info.key == key).type == type_name


@pytest.mark.parametrize(
    ("value", "text"), [(None, ""), (True, "true"), (False, "false"), (("a", "b"), "[a, b]"), (0.35, "0.35")]
)
def test_values_are_written_as_yaml(value: object, text: str) -> None:
    assert write_value(value) == text
