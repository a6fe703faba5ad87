"""Fingerprint: the hash by which two contents count as the same (governance.md 4), without being the same bytes."""

import hashlib
import unicodedata


def content_hash(text: str) -> str:
    """sha256 (64 hexadecimal characters) of the text as people compare it.

    Equal are: compatible forms (NFKC), any blanks, a final ``.!?`` or none, and a word with a capital first letter and
    without. Identifiers and acronyms keep their case; word order counts.
    """
    words = unicodedata.normalize("NFKC", text).split()
    said = " ".join(_lower_first(word) for word in words).rstrip(".!? ")
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _lower_first(word: str) -> str:
    """Lower-case a word whose only capital is its first letter."""
    first = next((letter for letter in word if letter.isalpha()), "")
    has_one_capital = first.isupper() and sum(letter.isupper() for letter in word) == 1
    return word.lower() if has_one_capital else word
