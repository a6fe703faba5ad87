"""What kind of answer a question asks for."""

import pytest

from goclaw.text.kinds_of_things import things_of
from goclaw.text.question import Question, read_question
from goclaw.text.structure import Trait
from goclaw.text.terms import query_terms, stem, term_hash


def read(text: str) -> Question:
    return read_question(text, query_terms(text))


def term(word: str) -> int:
    return term_hash(stem(word))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("When did the ferry leave?", Trait.TELLS_WHEN),
        ("For how long was it closed?", Trait.TELLS_WHEN),
        ("How many seats are there?", Trait.TELLS_HOW_MANY),
        ("Where is the spare key?", Trait.TELLS_WHERE),
        ("Which city hosts the server?", Trait.TELLS_WHERE),
        ("What book is she reading?", Trait.NAMES_A_TITLE),
        ("Who has the key?", Trait(0)),
        ("", Trait(0)),
    ],
)
def test_the_kind_of_answer(text: str, wanted: Trait) -> None:
    assert read(text).wants == wanted


def test_a_question_about_the_assistants_words() -> None:
    assert read("Which hotel did you recommend?").is_about_you
    assert not read("Which hotel do we like?").is_about_you


def test_words_about_the_conversation_are_not_its_subject() -> None:
    assert read("Can you list the ports we discussed?").talk == {term("can"), term("list"), term("discussed")} & set(
        query_terms("Can you list the ports we discussed?").hashes
    )


def test_a_question_of_nothing_but_talk_keeps_its_words() -> None:
    assert read("please summarize").talk == frozenset()


def test_kinds_of_things_find_things() -> None:
    assert term("puppy") in things_of(term("pets"))
    assert term("yoga") in things_of(term("exercises"))
    assert things_of(term("ledger")) == frozenset()
    assert read("Which pets does Ana have?").kinds == (things_of(term("pet")),)


def test_every_kind_has_things_and_no_thing_stands_for_a_whole_line() -> None:
    from goclaw.text.kinds_of_things import KINDS

    for line in KINDS.replace("\n  ", " ").strip().splitlines():
        names, colon, things = line.partition(":")
        assert colon, line
        assert names.split(), line
        assert len(things.split()) >= 7, line
