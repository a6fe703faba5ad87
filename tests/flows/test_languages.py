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


# With the settings everybody has: the evidence check on, a least score, words alone.
BY_DEFAULT = {"memory.search.provider": "none", "memory.jobs.workers": 0}
FOUND_BY_DEFAULT = {
    "arabic": 18,
    "chinese": 16,
    "german": 19,
    "japanese": 18,
    "korean": 18,
    "russian": 20,
    "spanish": 20,
    "thai": 19,
}
# Written before the rules were, and never tuned to: 26 of 30.
ASKED_AGAIN = {
    "korean": (
        ("회계 서비스는 어느 서버에 있어요?", "01"),
        ("땅콩 알레르기가 있는 사람이 누구예요?", "02"),
        ("프린터 드라이버는 어디에서 찾을 수 있습니까?", "04"),
        ("스탠드업 회의는 무슨 요일이에요?", "05"),
        ("알림을 메일로 받고 싶어 하는 사람은?", "07"),
        ("결제 재시도는 몇 번까지 합니까?", "08"),
        ("장애가 왜 일어났습니까?", "11"),
        ("회의실 열쇠는 어디 있나요?", "13"),
        ("로그를 며칠 동안 보관해요?", "14"),
        ("송년회 장소가 어디예요?", "20"),
    ),
    "japanese": (
        ("請求書システムのバックアップは何時ですか", "01"),
        ("エビアレルギーの人は誰でしょうか", "02"),
        ("プリンタのアドレスを教えてください", "04"),
        ("朝会は何曜日に行いますか", "05"),
        ("デプロイの前に何をしなければなりませんか", "06"),
        ("通知をメールで受け取りたい人は誰", "07"),
        ("三月の障害の原因は何だったのでしょう", "11"),
        ("会議室の鍵はどこにありますか", "13"),
        ("ログは何日間保存しますか", "14"),
        ("忘年会の店はどこを予約しましたか", "20"),
    ),
    "chinese": (
        ("账务服务跑在哪台主机上？", "01"),
        ("陈思远有什么忌口吗？香菜可以吗", "02"),
        ("投影仪什么时候有人来维修？", "05"),
        ("为什么我们选择了PostgreSQL？", "06"),
        ("青禾食品的合同什么时候到期", "07"),
        ("打印机驱动放在哪里？", "08"),
        ("站会是几点开始的？", "09"),
        ("发布之前需要做什么测试？", "10"),
        ("支付网关超时设置是多少秒", "12"),
        ("日志要保留多少天？", "17"),
    ),
}
FOUND_AGAIN = {"korean": 8, "japanese": 9, "chinese": 9}


@pytest.fixture(scope="module")
def by_default(tmp_path_factory):
    """Everything in one store, as it is set up for everybody."""
    sets = load_conversations([JUDGED])
    with open_memory(tmp_path_factory.mktemp("default"), BY_DEFAULT) as memory:
        way = PythonWay(memory)
        for each in sets:
            for item in each.items:
                way.write(item)
        yield way, {each.id: each for each in sets}


@pytest.mark.parametrize("language", LANGUAGES)
def test_default_settings_let_answers_in_other_languages_through(by_default, language):
    way, sets = by_default
    found = sum(bool(set(way.search(each.text, FIRST)) & set(each.gold)) for each in sets[language].questions)
    assert found >= FOUND_BY_DEFAULT[language]


@pytest.mark.parametrize("language", ASKED_AGAIN)
def test_other_questions_are_answered_as_well(by_default, language):
    way, _ = by_default
    asked = ASKED_AGAIN[language]
    found = sum(f"{language}-{number}" in way.search(question, FIRST) for question, number in asked)
    assert found >= FOUND_AGAIN[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_whose_answer_is_not_there_stay_empty(tmp_path, language):
    (judged,) = load_conversations([JUDGED / f"{language}.json"])
    kept = judged.items[::2]
    with open_memory(tmp_path, BY_DEFAULT) as memory:
        way = PythonWay(memory)
        for item in kept:
            way.write(item)
        unanswerable = [each for each in judged.questions if not set(each.gold) & {item.id for item in kept}]
        assert len(unanswerable) == 10
        assert [each.text for each in unanswerable if way.search(each.text, FIRST)] == []
