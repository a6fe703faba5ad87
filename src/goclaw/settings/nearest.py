"""The right name nearest to a wrong one, for error messages."""

import difflib
from collections.abc import Sequence


def nearest_key(wrong: str, keys: Sequence[str]) -> str | None:
    """The dotted key that was probably meant: nearly the same name, or nearly the same last word elsewhere."""
    wrong = wrong.lower()
    whole = difflib.get_close_matches(wrong, keys, n=1, cutoff=0.8)
    if whole:
        return whole[0]
    # People forget the section ("min_score"), or join it with the wrong sign ("memory_search_min_score").
    by_joined_name = {key.replace(".", "_"): key for key in keys}
    joined = difflib.get_close_matches(wrong.replace(".", "_"), list(by_joined_name), n=1, cutoff=0.8)
    if joined:
        return by_joined_name[joined[0]]
    by_last_word = {key.rpartition(".")[2]: key for key in reversed(keys)}
    last = difflib.get_close_matches(wrong.rpartition(".")[2], list(by_last_word), n=1, cutoff=0.75)
    return by_last_word[last[0]] if last else None
