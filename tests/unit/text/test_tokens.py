"""Tokens: what counts as a word, in prose, in what programmers write, and in scripts without spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goclaw.text.tokens import MAX_WORD_CHARS, normalise, pair_up, raw_words, split_word


def words(text: str) -> list[str]:
    raw, runs = raw_words(normalise(text))
    return [word for one in raw for word in split_word(one)] + [
        pair for run in runs for pair in pair_up(run, with_singles=False)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Deploys on FRIDAY!", ["deploys", "on", "friday"]),
        ("blue-green", ["blue-green", "blue", "green"]),
        ("svc-ledger.", ["svc-ledger", "svc", "ledger"]),
        ("snake_case __init__", ["snake_case", "snake", "case", "init"]),
        ("writeLearnedRecord", ["writelearnedrecord", "write", "learned", "record"]),
        ("HTTPServer", ["httpserver"]),
        ("10.0.0.12", ["10.0.0.12", "10", "0", "12"]),
        ("v1.2.3", ["1.2.3", "1", "2", "3"]),
        ("/etc/nginx/nginx.conf", ["etc/nginx/nginx.conf", "etc", "nginx", "nginx.conf", "conf"]),
        ("a@example.com", ["a@example.com", "a", "example.com", "example", "com"]),
        ("ledger::sum", ["ledger::sum", "ledger", "sum"]),
        ("C++ and C#, notepad++", ["c++", "and", "c#", "notepad++", "notepad"]),
        (".NET 8", ["net", "8", ".net"]),
        ("asp.net", ["asp.net", "asp", "net"]),
        ("Alice's we're don't", ["alice", "we", "do"]),
        ("l’hôtel O'Brien", ["hotel", "lhotel", "brien", "obrien"]),
        ("issue#5", ["issue", "5"]),
        ("alpha\0beta", ["alpha", "beta"]),
    ],
)
def test_words_are_kept_whole_and_split(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("cafe\u0301", "café"),
        ("café", "CAFE"),
        ("ＤＢ－０１", "db-01"),
        ("pay\u200broll", "payroll"),
        ("\u202epayroll\u202c", "payroll"),
        ("straße", "STRASSE"),
        ("ёлка", "елка"),
        ("مُحَمَّد", "محمد"),
        ("Łódź", "lodz"),
        ("ｶﾀｶﾅ", "カタカナ"),
    ],
)
def test_spellings_that_people_take_for_one_are_one(one: str, two: str) -> None:
    assert words(one) == words(two) != []


def test_the_breve_of_a_cyrillic_letter_is_no_accent() -> None:
    assert words("край") == ["край"]


def test_vowel_signs_stay_in_their_word() -> None:
    assert words("हिन्दी में") == ["हिन्दी", "में"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("午後三時", ["午後", "後三", "三時"]),
        ("楼", ["楼"]),
        ("重启svc后", ["svc", "重启", "后"]),
        ("서버를", ["서버", "버를"]),
        ("คืน", ["คื", "ืน"]),
        ("カタカナ・ひらがな", ["カタ", "タカ", "カナ", "ひら", "らが", "がな"]),
    ],
)
def test_scripts_without_spaces_become_pairs(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_the_index_also_takes_single_characters_that_can_be_words() -> None:
    assert pair_up("三楼", with_singles=True) == ["三楼", "三", "楼"]
    assert pair_up("คืน", with_singles=True) == ["คื", "ืน"]


@pytest.mark.parametrize("text", ["", " ", "\t\n", "?!?", "---", "😀", "\u200b", "___", "\u0301"])
def test_symbols_are_no_words(text: str) -> None:
    assert words(text) == []


def test_a_long_blob_is_cut_alike_everywhere() -> None:
    assert words("A" * 1000) == ["a" * MAX_WORD_CHARS]


@given(st.text())
def test_words_are_folded_and_stable(text: str) -> None:
    found = words(text)
    assert all(found)
    assert all(0 < len(word) <= 2 * MAX_WORD_CHARS for word in found)
    assert words(normalise(text)) == found
