"""The right name nearest to a wrong one, for error messages."""

import difflib
from collections.abc import Sequence


def nearest_key(wrong: str, keys: Sequence[str]) -> str | None:
    """The dotted key that was probably meant: nearly the same name, or nearly the same last word elsewhere."""
    wrong = wrong.lower()
    whole = difflib.get_close_matches(wrong, keys, n=1, cutoff=0.8)
    if whole:
        return whole[0]
    # People forget the section ("min_score") or name the wrong one ("memory.min_score").
    by_last_word = {key.rpartition(".")[2]: key for key in reversed(keys)}
    last = difflib.get_close_matches(wrong.rpartition(".")[2], list(by_last_word), n=1, cutoff=0.75)
    return by_last_word[last[0]] if last else None
