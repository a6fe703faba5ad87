"""What of a question counts as a word: English terms as ever, pieces and pairs as parts of one, wrapping as nothing."""

import pytest

from goclaw.text.evidence import Evidence, Word
from goclaw.text.terms import query_terms


def counted(question):
    """(words, terms that speak for one)"""
    evidence = query_terms(question).evidence
    assert evidence is not None
    return evidence.total, {term for term, (word, _) in evidence.shares.items() if evidence.weights[word]}


@pytest.mark.parametrize(
    "question",
    [
        "which units does she want?",
        "Where is svc-ledger-03 backed up?",
        "what is it",
        "",
        "192.168.0.1",
    ],
)
def test_english_counts_terms_as_ever(question):
    assert query_terms(question).evidence is None


@pytest.mark.parametrize(
    ("question", "words", "held", "not_held"),
    [
        ("Wo liegt der Schlüssel?", 3.0, {"liegt", "*ssel"}, {"wo", "der"}),
        ("какая версия исправила ошибку", 3.0, {"верс"}, {"какая"}),
        ("プリンタのアドレスは何ですか", 2.0, {"プリ", "レス"}, {"の", "です", "何で"}),
        ("会議室の鍵はどこにありますか", 2.0, {"会議", "議室", "鍵は"}, {"どこ", "ます"}),
        ("打印机的驱动在哪里？", 2.5, {"打印", "印机", "驱动"}, {"的驱", "动在", "哪里"}),
        ("프린터의 주소는 무엇입니까", 2.0, {"프린", "린터", "주소"}, {"무엇", "니까"}),
    ],
)
def test_what_a_question_is_wrapped_in_does_not_count(question, words, held, not_held):
    total, terms = counted(question)
    assert total == words
    assert held <= terms
    assert not not_held & terms


def test_a_question_of_small_words_alone_counts_all_of_them():
    evidence = query_terms("где это").evidence
    assert evidence is None or evidence.total == len(evidence.weights)


def test_pieces_share_their_word():
    evidence = Evidence.of([Word(1.0, "whole", ("a", "b", "c", "d")), Word(2.0, None, ("e", "f"))])
    assert evidence is not None
    assert evidence.total == 3.0
    assert evidence.shares == {
        "whole": (0, 1.0),
        "a": (0, 0.25),
        "b": (0, 0.25),
        "c": (0, 0.25),
        "d": (0, 0.25),
        "e": (1, 1.0),
        "f": (1, 1.0),
    }
