"""Judged notes: what the set must hold so that its figures mean what they say."""

from collections import Counter
from pathlib import Path

from goclaw.evaluation.dataset import load_conversations
from goclaw.text.terms import content_words

(NOTES,) = load_conversations([Path(__file__).parents[2] / "judged" / "notes.json"])
TEXTS = {item.id: item.text for item in NOTES.items}


def test_every_note_is_asked_for_and_every_answer_is_there() -> None:
    assert len(TEXTS) == len(NOTES.items) >= 100
    assert {gold for question in NOTES.questions for gold in question.gold} == set(TEXTS)
    assert all(question.is_answerable == bool(question.gold) for question in NOTES.questions)


def test_a_note_has_no_session_and_keeps_kind_tags_and_domain() -> None:
    assert all(item.session is None and item.speaker is None and item.time is None for item in NOTES.items)
    assert all(item.tags and item.domain for item in NOTES.items)
    assert {item.kind for item in NOTES.items} >= {"fact", "preference", "decision", "note"}


def test_notes_have_five_to_120_words() -> None:
    assert all(5 <= len(text.split()) <= 120 for text in TEXTS.values())


def test_there_are_questions_of_each_sort() -> None:
    counts = Counter(question.category for question in NOTES.questions)
    assert set(counts) == {"identifier", "fact", "preference", "runbook", "paraphrase", "unanswerable"}
    assert counts["paraphrase"] >= 50
    assert counts["unanswerable"] == 30


def test_paraphrases_share_at_most_one_content_word_with_their_note() -> None:
    shared = {
        question.text: content_words(question.text) & content_words(TEXTS[gold])
        for question in NOTES.questions
        if question.category == "paraphrase"
        for gold in question.gold
    }
    assert {text: words for text, words in shared.items() if len(words) > 1} == {}
