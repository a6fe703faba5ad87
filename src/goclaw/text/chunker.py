"""Chunker: cuts a text into overlapping pieces at paragraphs, lines, sentences or blanks (engine.md 2.7).

Sizes are counted in units: one for an ordinary character, four for a wide one (a CJK character or an emoji carries
about four times the tokens). Pieces are spans of the text, so nothing is lost or changed: ``text[start:end]`` is one.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from goclaw.model.errors import InvalidInput

CHUNKER_VERSION = 1  # part of the index identity; a change re-chunks on request
UNITS_PER_TOKEN = 4

_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")
_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"[.!?][\"')\]]{0,3}\s|[。！？]")  # the CJK marks need no blank after them
_BLANK = re.compile(r"\s")
_VISIBLE = re.compile(r"\S")
_ENDINGS = (_PARAGRAPH, _LINE, _SENTENCE, _BLANK)  # best place to end a piece first
_BEGINNINGS = (_LINE, _SENTENCE, _BLANK)  # where the repeated tail may begin

_FENCE = re.compile(r"^ {0,3}(```|~~~)[^\n]*\n?", re.MULTILINE)
_TABLE_ROW = re.compile(r"^ {0,3}(\|[^\n]*\n?)", re.MULTILINE)

_WIDE_UNITS = 4
_WIDE = re.compile(
    "[\u1100-\u115f\u2600-\u27bf\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6"
    "\U0001f000-\U0003ffff]"
)
_JOINS_BACK = re.compile("[\u200d\u1160-\u11ff\ud7b0-\ud7fb\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\udc00-\udfff]")
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")
_MAX_CLUSTER = 64  # characters looked back through for the edge of what the eye sees as one
_MAX_FLAG_LETTERS = 2_000


class Span(NamedTuple):
    """A piece: ``text[start:end]``."""

    start: int
    end: int


def chunk_text(text: str, *, size: int = 400 * UNITS_PER_TOKEN, overlap: int = 80 * UNITS_PER_TOKEN) -> list[Span]:
    """The pieces of a text in order; none for a blank text. ``size`` and ``overlap`` are in units.

    No piece weighs more than ``size`` (but a single character may), no two share more than ``overlap``; each starts and
    ends after the one before, has no blanks around it, and together they cover everything that is not blank.

    Raises :class:`InvalidInput` for sizes with which cutting could not go on.
    """
    if size < 1 or overlap < 0:
        raise InvalidInput("This chunk size cannot be used.", "memory.chunk.tokens is at least 1, its overlap 0.")
    if overlap >= size:
        raise InvalidInput(
            "Chunks cannot overlap by their whole length.", "Set memory.chunk.overlap below memory.chunk.tokens."
        )
    return list(_Cutter(text, size, overlap).cut())


class _Cutter:
    """One text being cut."""

    def __init__(self, text: str, size: int, overlap: int) -> None:
        self._text = text
        self._size = size
        self._overlap = overlap
        self._weights = _running_weights(text)
        self._whole = [span for span in _blocks_kept_whole(text) if self._fits(span)]
        self._whole_starts = [span.start for span in self._whole]

    def cut(self) -> Iterator[Span]:
        start = done = self._skip_blanks(0)
        while done < len(self._text):
            end = self._end_of_piece(start)
            if end <= done:  # the repeated tail left no room for the block, or the blanks, that follow
                start = done
                continue
            yield Span(start, start + len(self._text[start:end].rstrip()))
            start = self._skip_blanks(self._start_after(start, end))
            done = self._skip_blanks(end)

    def _skip_blanks(self, place: int) -> int:
        found = _VISIBLE.search(self._text, place)
        return found.start() if found else len(self._text)

    def _end_of_piece(self, start: int) -> int:
        limit = self._forward(start, self._size)
        if limit == len(self._text):
            return limit
        half = self._forward(start, self._size // 2)
        for ending in _ENDINGS:
            places = [found.end() for found in ending.finditer(self._text, half, limit)]
            best = next((place for place in reversed(places) if self._may_cut(place)), None)
            if best is not None:
                return best
        block = self._block_around(limit)
        if block is not None and block.start > start:
            return block.start
        whole_clusters = range(limit, max(start, limit - _MAX_CLUSTER), -1)
        return next((place for place in whole_clusters if _is_cluster_edge(self._text, place)), limit)

    def _start_after(self, start: int, end: int) -> int:
        """Where the next piece starts: repeats at most the overlap, and always comes after this start."""
        earliest = max(self._backward(end, self._overlap), start + 1)
        for beginning in _BEGINNINGS:
            for found in beginning.finditer(self._text, max(start, earliest - 1), end):
                if earliest <= found.end() < end and self._may_cut(found.end()):
                    return found.end()
        return next((place for place in range(earliest, end) if self._may_cut(place)), end)

    def _may_cut(self, place: int) -> bool:
        return self._block_around(place) is None and _is_cluster_edge(self._text, place)

    def _block_around(self, place: int) -> Span | None:
        at = bisect_left(self._whole_starts, place) - 1
        return self._whole[at] if at >= 0 and place < self._whole[at].end else None

    def _fits(self, span: Span) -> bool:
        return self._forward(span.start, self._size) >= span.end

    def _forward(self, start: int, units: int) -> int:
        """The last place at most ``units`` after a place, and one character after it at least."""
        if self._weights is None:
            return min(start + max(units, 1), len(self._text))
        return max(bisect_right(self._weights, self._weights[start] + units) - 1, start + 1)

    def _backward(self, end: int, units: int) -> int:
        """The first place at most ``units`` before a place."""
        if self._weights is None:
            return max(end - units, 0)
        return bisect_left(self._weights, self._weights[end] - units)


def _running_weights(text: str) -> list[int] | None:
    """Units before each place; None where every character weighs one, which needs no table."""
    if text.isascii() or not _WIDE.search(text):
        return None
    weights = bytearray(b"\x01") * len(text)
    for wide in _WIDE.finditer(text):
        weights[wide.start()] = _WIDE_UNITS
    return list(accumulate(weights, initial=0))


def _blocks_kept_whole(text: str) -> list[Span]:
    """Fenced code blocks (an unclosed one goes to the end) and, outside of them, table rows; in order."""
    fences: list[Span] = []
    opened: re.Match[str] | None = None
    for mark in _FENCE.finditer(text):
        if opened is None:
            opened = mark
        elif mark[1] == opened[1]:
            fences.append(Span(opened.start(1), mark.end()))
            opened = None
    if opened is not None:
        fences.append(Span(opened.start(1), len(text)))
    starts = [fence.start for fence in fences]
    rows = [Span(*row.span(1)) for row in _TABLE_ROW.finditer(text)]
    outside = [row for row in rows if (at := bisect_right(starts, row.start)) == 0 or fences[at - 1].end <= row.start]
    return sorted(fences + outside)


def _is_cluster_edge(text: str, place: int) -> bool:
    """Whether a cut here leaves everything whole that the eye (or an encoder) takes as one character."""
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if after.isascii():
        return not (before == "\r" and after == "\n") and before != "\u200d"
    if before == "\u200d" or _JOINS_BACK.match(after) or unicodedata.category(after).startswith("M"):
        return False
    if _FLAG_LETTER.match(after):  # two letters make a flag; count how many stand before
        letters = 0
        while letters < min(place, _MAX_FLAG_LETTERS) and _FLAG_LETTER.match(text[place - 1 - letters]):
            letters += 1
        return letters % 2 == 0
    return True
