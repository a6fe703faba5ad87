"""Terms: stems, stop words, the blob of a chunk, and queries that are any text at all."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goclaw.text.terms import (
    MAX_QUERY_CHARS,
    STOP_WORDS,
    TERM_BYTES,
    content_words,
    index_terms,
    query_terms,
    stem,
    term_hash,
)


def unpack(blob: bytes) -> dict[int, int]:
    return dict(struct.iter_unpack("<IB", blob))


def test_the_blob_is_sorted_pairs_of_hash_and_count() -> None:
    blob = index_terms("deploy Deploys on friday")
    assert unpack(blob) == {zlib.crc32(b"deploy"): 2, zlib.crc32(b"on"): 1, zlib.crc32(b"friday"): 1}
    assert [number for number, _ in struct.iter_unpack("<IB", blob)] == sorted(unpack(blob))
    assert len(blob) == 3 * TERM_BYTES


def test_counts_end_at_255() -> None:
    assert unpack(index_terms("ab " * 1000)) == {zlib.crc32(b"ab"): 255}


def test_a_text_without_words_has_an_empty_blob() -> None:
    assert index_terms("?! 😀") == b""


@pytest.mark.parametrize(
    ("word", "expected"),
    [("running", "run"), ("серверами", "сервер"), ("db01", "db01"), ("blue-greens", "blue-greens"), ("as", "as")],
)
def test_words_are_stemmed_by_their_script(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_hindi_words_are_stemmed_although_vowel_signs_are_no_letters() -> None:
    assert stem("लड़कियाँ".replace("ँ", "")) != "लड़कियाँ".replace("ँ", "")


def test_a_query_drops_stop_words_and_repeats() -> None:
    terms = query_terms("Which servers run the server?")
    assert terms.words == ("server", "run")
    assert terms.hashes == (term_hash("server"), term_hash("run"))


def test_a_query_of_stop_words_alone_keeps_them() -> None:
    assert query_terms("to be or not to be").words == ("to", "be", "or", "not")


def test_a_question_without_spaces_is_freed_of_its_wrapping() -> None:
    assert query_terms("数据库什么时候备份").words == ("数据", "据库", "备份")
    assert query_terms("什么").words == ("什么",)


def test_query_operators_are_plain_words() -> None:
    assert query_terms('NEAR("backup" restore*, 2) ^content').words == ("near", "backup", "restor", "2", "content")


def test_a_query_is_cut_at_2000_characters() -> None:
    assert query_terms("a" * (MAX_QUERY_CHARS - 1) + " needle").words == ("a" * 64,)
    assert len(query_terms("\ufdfa" * MAX_QUERY_CHARS)) < 10  # one character that NFKC makes eighteen


def test_stop_words_are_folded_words() -> None:
    assert 100 <= len(STOP_WORDS) <= 130
    assert all(word.isalpha() and word == word.casefold() for word in STOP_WORDS)


def test_content_words_are_what_two_texts_share() -> None:
    assert content_words("The servers of 三楼") == {"server", "三楼"}


@given(st.text(max_size=300))
def test_every_query_term_of_a_text_is_in_its_own_index(text: str) -> None:
    assert set(query_terms(text).hashes) <= set(unpack(index_terms(text)))


@pytest.mark.parametrize(
    "text",
    [
        "A" * 256_000,
        "a1_" * 100_000,
        "{" + '"q": 7, ' * 120_000,
        "=" * 200_000,
        "-----BEGIN " * 20_000,
        "a." * 100_000,
        "aB" * 100_000,
        "'" * 50_000,
        "a'" * 50_000,
    ],
    ids=["A", "a1_", "json", "=", "begin", "dots", "humps", "quotes", "apostrophes"],
)
def test_r104_no_text_makes_the_tokeniser_or_the_query_crawl(text: str) -> None:
    """A quadratic pattern would need minutes here; the suite's watchdog is the limit, not a clock in the test."""
    assert set(query_terms(text).hashes) <= set(unpack(index_terms(text))) | set(
        unpack(index_terms(text[:MAX_QUERY_CHARS]))
    )
    assert len(unpack(index_terms(text))) <= 4
