"""Hidden characters: signs a reader cannot see, or that turn the reading direction, where nothing needs them."""

import re
import unicodedata

from goclaw.governance.detectors.plain_form import INVISIBLE

_CONTROLS = "\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_SUSPECT = re.compile(f"[{INVISIBLE}\U000e0020-\U000e007e{_CONTROLS}]")

_ZWNJ, _ZWJ, _ZERO_WIDTH_SPACE, _SOFT_HYPHEN, _BYTE_ORDER_MARK = "\u200c", "\u200d", "\u200b", "\u00ad", "\ufeff"
_DIRECTION_MARKS = frozenset("\u200e\u200f\u061c")  # harmless between scripts of both directions
_TEXT_OR_EMOJI_STYLE = frozenset("\ufe0e\ufe0f")
_BLACK_FLAG, _CANCEL_TAG, _KEYCAP = "\U0001f3f4", "\U000e007f", "\u20e3"
_REGIONAL_FLAG = re.compile(f"{_BLACK_FLAG}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{3,6}}{_CANCEL_TAG}")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# Scripts that join letters, or break lines between them, with zero-width signs.
_JOINING = re.compile("[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufefc]")
_NO_SPACES_BETWEEN_WORDS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u4e00-\u9fff]")
_MONGOLIAN_SELECTORS = frozenset("\u180b\u180c\u180d\u180e\u180f")
_IDEOGRAPH_SELECTORS = re.compile("[\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_EMOJI_EXTRA = frozenset("\u2194\u2195\u2b1b\u2b1c\u203c\u2049\u2122\u00a9\u00ae")


def has_hidden_characters(text: str) -> bool:
    """Whether the text holds control, zero-width, direction or tag characters that writing does not need.

    Emoji joiners and flags, joiners of Arabic, Persian and Indic writing, direction marks in right-to-left text, soft
    hyphens inside words and a byte order mark at the beginning are ordinary.
    """
    if text.isascii() and text.isprintable():
        return False
    without_flags = _REGIONAL_FLAG.sub(_BLACK_FLAG, text)
    is_right_to_left = bool(_RIGHT_TO_LEFT.search(without_flags))
    return any(
        not _is_needed(without_flags, found.start(), is_right_to_left) for found in _SUSPECT.finditer(without_flags)
    )


def _is_needed(text: str, place: int, is_right_to_left: bool) -> bool:
    char, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if char == _BYTE_ORDER_MARK:
        return place == 0
    if char == _SOFT_HYPHEN:
        return before.isalpha() and after.isalpha()
    if char == _ZWJ:
        return (_is_emoji(before) and _is_emoji(after)) or _joins_letters(before, after)
    if char == _ZWNJ:
        return _joins_letters(before, after)
    if char == _ZERO_WIDTH_SPACE:
        return bool(_NO_SPACES_BETWEEN_WORDS.match(before) and _NO_SPACES_BETWEEN_WORDS.match(after))
    if char in _DIRECTION_MARKS:
        return is_right_to_left
    if char in _TEXT_OR_EMOJI_STYLE:
        return _is_emoji(before) or after == _KEYCAP or unicodedata.category(before or "\0") in ("Sm", "Po", "So")
    if char in _MONGOLIAN_SELECTORS:
        return "\u1800" <= before <= "\u18af"
    if _IDEOGRAPH_SELECTORS.match(char):
        return unicodedata.category(before or "\0") in ("Lo", "Sm") and not _IDEOGRAPH_SELECTORS.match(after)
    return False


def _joins_letters(before: str, after: str) -> bool:
    return bool(_JOINING.match(before)) and (bool(_JOINING.match(after)) or not after.strip())


def _is_emoji(char: str) -> bool:
    return bool(char) and (
        unicodedata.category(char) in ("So", "Sk") or char in _EMOJI_EXTRA or char in _TEXT_OR_EMOJI_STYLE
    )
