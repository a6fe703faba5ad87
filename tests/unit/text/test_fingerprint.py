"""The fingerprint: what counts as the same content."""

import pytest

from goclaw.text.fingerprint import content_hash


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Prefers metric units", "prefers  metric\nunits."),
        ("cafe\u0301 order list", "café order list"),  # R013: the second write is the same fact
        ("Really?!", "really"),
        ("host ＤＢ-０１", "host DB-01"),
    ],
)
def test_the_same_said_again(one: str, two: str) -> None:
    assert content_hash(one) == content_hash(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("use API v2", "use api v2"),
        ("call writeRecord", "call writerecord"),
        ("a before b", "b before a"),
        ("the limit is 10", "the limit is 100"),
        ("pay\u200broll", "payroll"),  # a near-duplicate, not the same
    ],
)
def test_something_else(one: str, two: str) -> None:
    assert content_hash(one) != content_hash(two)


def test_it_is_a_sha256_even_of_a_lone_surrogate() -> None:
    assert len(content_hash("\ud83d")) == len(content_hash("")) == 64
