"""The chunker: limits, lossless spans, blocks kept whole, and the sizes that once made other chunkers run for ever."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goclaw.model.errors import InvalidInput
from goclaw.text.chunker import Span, chunk_text

SIZE, OVERLAP = 40, 12
FAMILY = "👩\u200d👩\u200d👧\u200d👦"

pieces_of_text = st.lists(
    st.sampled_from(
        [
            "word ",
            "Ende. ",
            "\n",
            "\n\n",
            "\r\n",
            "x" * 30,
            "日本語の文章。",
            FAMILY,
            "e\u0301",
            "🇩🇪",
            "| a | b |\n",
            "```\ncode\n```\n",
            "\t",
        ]
    ),
    max_size=60,
).map("".join)


def weight(piece: str) -> int:
    return sum(4 if char in "日本語の文章。👩👧👦🇩🇪" else 1 for char in piece)


def test_a_short_text_is_one_piece() -> None:
    assert chunk_text("Prefers metric units.") == [Span(0, 21)]


@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n"])
def test_a_blank_text_has_no_pieces(text: str) -> None:
    assert chunk_text(text) == []


def test_a_piece_ends_at_the_best_place_of_its_second_half() -> None:
    paragraph = "a" * 900 + "\n\n" + "b. " * 100 + "c" * 900
    assert chunk_text(paragraph)[0] == Span(0, 900)
    line = "a" * 900 + "\n" + "b. " * 100 + "c" * 900
    assert chunk_text(line)[0] == Span(0, 900)
    sentence = "a" * 1000 + ". " + "b" * 300 + " " + "c" * 900
    assert chunk_text(sentence)[0] == Span(0, 1001)
    blank = "a" * 1000 + " " + "b" * 900
    assert chunk_text(blank)[0] == Span(0, 1000)


def test_a_paragraph_in_the_first_half_does_not_make_a_short_piece() -> None:
    assert chunk_text("a" * 700 + "\n\n" + "b" * 1200)[0] == Span(0, 1600)


def test_the_next_piece_repeats_whole_lines_of_the_tail() -> None:
    lines = "".join(f"line {number:03d}\n" for number in range(400))
    first, second, *_ = chunk_text(lines)
    assert lines[second.start : second.start + 5] == "line "
    assert 300 < first.end - second.start <= 320


def test_wide_characters_weigh_four() -> None:
    assert [span.end - span.start for span in chunk_text("漢" * 500)] == [400, 180]


def test_a_fenced_block_that_fits_is_never_split() -> None:
    fence = "```python\n" + "x = 1\n" * 200 + "```\n"
    text = "intro. " * 100 + "\n" + fence + "\nafter. " * 300
    start = text.index("```python")
    assert any(span.start <= start and span.end >= start + len(fence) - 1 for span in chunk_text(text))
    assert not any(start < span.start < start + len(fence) - 1 for span in chunk_text(text))


def test_a_fenced_block_that_does_not_fit_is_cut_like_other_text() -> None:
    text = "```\n" + "x = 1\n" * 1000 + "```\n"
    assert all(span.end - span.start <= 1600 for span in chunk_text(text))


def test_a_table_row_that_fits_is_never_split() -> None:
    rows = ["| " + "cell " * 40 + f"{number} |\n" for number in range(40)]
    text = "".join(rows)
    for span in chunk_text(text):
        assert text[span.start] == "|"
        assert text[span.end - 1] == "|"


@given(text=pieces_of_text)
@settings(max_examples=300, deadline=None)
def test_pieces_keep_their_promises(text: str) -> None:
    spans = chunk_text(text, size=SIZE, overlap=OVERLAP)
    covered: set[int] = set()
    for before, span in zip([Span(-1, -1), *spans], spans, strict=False):
        piece = text[span.start : span.end]
        assert span.start > before.start
        assert span.end > before.end
        assert piece == piece.strip() != ""
        assert weight(piece) <= SIZE
        if before.end > span.start:
            assert weight(text[span.start : before.end]) <= OVERLAP
        covered.update(range(span.start, span.end))
    assert all(place in covered or text[place].isspace() for place in range(len(text)))
    assert spans == chunk_text(text, size=SIZE, overlap=OVERLAP)


@given(text=st.text(max_size=200), size=st.integers(1, 48), overlap=st.integers(0, 47))
@settings(deadline=None)
def test_any_text_ends_with_any_sizes(text: str, size: int, overlap: int) -> None:
    if overlap >= size:
        with pytest.raises(InvalidInput):
            chunk_text(text, size=size, overlap=overlap)
        return
    starts = [span.start for span in chunk_text(text, size=size, overlap=overlap)]
    assert starts == sorted(set(starts))


def test_r017_overlap_as_large_as_the_piece_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"overlap"):
        chunk_text("b" * 4200, size=380, overlap=380)


def test_r018_overlap_of_nearly_the_whole_piece_ends() -> None:
    text = "de\n" * 70
    spans = chunk_text(text, size=60, overlap=58)
    assert len(spans) <= len(text)
    assert all(one.start < two.start for one, two in pairwise(spans))
    assert spans[-1].end == len(text) - 1


def test_r019_the_tail_comes_once() -> None:
    assert chunk_text("z" * 1605) == [Span(0, 1600), Span(1280, 1605)]


def test_r020_an_unbroken_token_is_cut_and_its_neighbours_stay() -> None:
    text = "see " + "QmFzZTY0" * 2500 + " end"
    spans = chunk_text(text)
    assert max(span.end - span.start for span in spans) <= 1600
    assert text[spans[0].start :].startswith("see ")
    assert text[: spans[-1].end].endswith(" end")


def test_r021_emoji_families_stay_together() -> None:
    text = FAMILY * 900
    for span in chunk_text(text):
        piece = text[span.start : span.end]
        assert piece.replace(FAMILY, "") == ""
        piece.encode("utf-8")


def test_r021_no_surrogate_pair_is_split() -> None:
    text = "\ud83d\udc69" * 2000
    assert all((span.start % 2, span.end % 2) == (0, 0) for span in chunk_text(text, size=SIZE, overlap=OVERLAP))


def test_flags_and_accents_stay_together() -> None:
    for cluster in ("🇩🇪", "e\u0301", "क्षि", "\r\n"):
        text = cluster * 300
        for span in chunk_text(text, size=SIZE, overlap=OVERLAP):
            assert text[span.start : span.end].startswith(cluster[0])


def test_r022_spans_are_lossless() -> None:
    text = "A\r\n\r\n  B line \r\n\tC D\r\n"
    (span,) = chunk_text(text)
    assert text[span.start : span.end] == "A\r\n\r\n  B line \r\n\tC D"


@pytest.mark.parametrize(
    "text",
    [
        "A" * 256_000,
        "a1_" * 100_000,
        "{" + '"q": 7, ' * 120_000,
        "=" * 200_000,
        "-----BEGIN " * 20_000,
        "```\n" * 60_000,
        "| a |\n" * 40_000,
        "\n \t" * 80_000,
    ],
    ids=["A", "a1_", "json", "=", "begin", "fences", "rows", "blanks"],
)
def test_r104_no_text_makes_the_chunker_crawl(text: str) -> None:
    """The work is proportional: as many pieces as the length asks for, each looked at once (a watchdog guards time)."""
    spans = chunk_text(text)
    assert len(spans) <= len(text) // 700 + 2
