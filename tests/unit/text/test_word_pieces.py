"""Word pieces: which texts have them, and that English ones stay as they were."""

import pytest

from goclaw.text.terms import query_terms, stem
from goclaw.text.tokens import normalise, raw_words
from goclaw.text.word_pieces import MARK, pieces_of, reads_as_english


def words_of(text: str) -> set[str]:
    return set(raw_words(normalise(text))[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where is the printer?", True),
        ("staging redis port", True),
        ("We met Zoë at the café", True),
        ("I love Zoë", True),
        ("Wo ist der Drucker?", False),
        ("Chi approva i rilasci?", False),
        ("Sözleşmeler bitiyor", False),
    ],
)
def test_a_language_shows_in_small_words_and_letters(text: str, expected: bool) -> None:
    assert reads_as_english(text, words_of(text)) is expected


def test_pieces_are_marked_and_only_of_longer_words() -> None:
    assert pieces_of("drucker", is_english=False) == ("*druc", "*ruck", "*ucke", "*cker")
    assert pieces_of("drucker", is_english=True) == ()
    assert pieces_of("haus", is_english=False) == ()
    assert pieces_of("svc-ledger-02", is_english=False) == ()
    assert pieces_of("המחסן", is_english=True) == ("*המח", "*מחס", "*חסן")


def test_an_english_question_asks_for_stems_alone() -> None:
    assert query_terms("Which servers run the gateway?").words == ("server", "run", stem("gateway"))


def test_a_german_question_asks_for_stems_and_pieces_and_not_for_its_small_words() -> None:
    terms = query_terms("Wo ist der Drucker?").words
    assert terms[0] == "drucker" or terms[0] == stem("drucker")
    assert all(term.startswith(MARK) for term in terms[1:])
    assert len(terms) == 5


def test_an_umlaut_is_found_spelt_out_and_the_other_way_round() -> None:
    assert "mueller" in query_terms("Müller").words
    assert set(query_terms("Mueller").words) <= set(query_terms("Müller").words)
