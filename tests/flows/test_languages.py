"""Languages: words alone find what was written in other languages, in one store with everybody else's notes."""

from collections import defaultdict
from pathlib import Path

import pytest

from goclaw.bootstrap import open_memory
from goclaw.evaluation.dataset import load_conversations
from goclaw.evaluation.ways import PythonWay

JUDGED = Path(__file__).parents[1] / "judged"
LANGUAGES = ("arabic", "chinese", "german", "japanese", "korean", "russian", "spanish", "thai")
FIRST = 3  # places in which the right record must be
WORDS_ALONE = {
    "memory.search.provider": "none",
    "memory.search.min_score": 0,
    "memory.search.min_similarity": -1,
    "memory.jobs.workers": 0,
}


@pytest.fixture(scope="module")
def misses(tmp_path_factory):
    """The questions of each language whose record is not among the first, with what was found instead."""
    missed = defaultdict(list)
    sets = load_conversations([JUDGED])
    with open_memory(tmp_path_factory.mktemp("languages"), WORDS_ALONE) as memory:
        way = PythonWay(memory)
        for each in sets:
            assert False not in [way.write(item) for item in each.items]
        for each in (each for each in sets if each.id in LANGUAGES):
            for question in each.questions:
                found = way.search(question.text, FIRST)
                if not set(found) & set(question.gold):
                    missed[each.id].append((question.text, found))
    return missed


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_twenty_records_and_questions(language):
    (judged,) = load_conversations([JUDGED / f"{language}.json"])
    assert len(judged.items) == len(judged.questions) == 20
    assert {gold for question in judged.questions for gold in question.gold} == {item.id for item in judged.items}


@pytest.mark.parametrize("language", LANGUAGES)
def test_at_most_one_question_of_a_language_misses(misses, language):
    assert len(misses[language]) <= 1, misses[language]


def test_95_of_100_questions_find_the_right_record(misses):
    asked = 20 * len(LANGUAGES)
    assert sum(map(len, misses.values())) <= asked * 0.05, dict(misses)
