"""Plain form: how detectors read a text, so that width, invisible signs or line breaks hide nothing from them.

Every form remembers where each of its characters came from, so that a finding can be pointed at in the text as written.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

# Signs that take no room on paper: zero-width ones, joiners, direction controls, soft hyphen, fillers, selectors.
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e007f-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
# A second alphabet of invisible letters; detectors read them as the letters they stand for.
_TAG_LETTERS = re.compile("[\U000e0020-\U000e007e]")
_TAG_OFFSET = 0xE0000
# One sign may stand for eighteen letters; reading more than four of them would multiply the work and find nothing.
_LONGEST_FOLD = 4


@dataclass(frozen=True, slots=True)
class PlainForm:
    """A text as a detector reads it."""

    text: str
    offsets: tuple[int, ...] | None  # where each character stood in the original, ending with its length; None: same

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the original that ``text[start:end]`` was read from."""
        if self.offsets is None:
            return start, end
        first = self.offsets[start]
        return first, max(first, self.offsets[end - 1] + 1) if end > start else first


def plain_form(text: str) -> PlainForm:
    """The text after NFKC, invisible signs removed and tag letters read as letters."""
    if text.isascii():
        return PlainForm(text, None)
    if unicodedata.is_normalized("NFKC", text) and not _INVISIBLE.search(text) and not _TAG_LETTERS.search(text):
        return PlainForm(text, None)
    known: dict[str, str] = {}
    pieces: list[str] = []
    offsets: list[int] = []
    for position, char in enumerate(text):
        piece = known.get(char)
        if piece is None:
            piece = known[char] = _read_char(char)
        pieces.append(piece)
        offsets.extend([position] * len(piece))
    offsets.append(len(text))
    return PlainForm("".join(pieces), tuple(offsets))


def _read_char(char: str) -> str:
    if _INVISIBLE.match(char):
        return ""
    if _TAG_LETTERS.match(char):
        return chr(ord(char) - _TAG_OFFSET)
    folded = unicodedata.normalize("NFKC", char)
    return folded if len(folded) <= _LONGEST_FOLD else char


def rewrite(form: PlainForm, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> PlainForm | None:
    """The form with each match of the pattern replaced, or None where nothing changed."""
    pieces: list[str] = []
    origins: list[int] = []
    done = 0
    for match in pattern.finditer(form.text):
        replacement = replace(match)
        if replacement == match.group():
            continue
        pieces += [form.text[done : match.start()], replacement]
        origins.extend(range(done, match.start()))
        origins.extend([match.start()] * len(replacement))
        done = match.end()
    if not done:
        return None
    pieces.append(form.text[done:])
    origins.extend(range(done, len(form.text) + 1))
    before = form.offsets
    return PlainForm("".join(pieces), tuple(origins) if before is None else tuple(before[at] for at in origins))
