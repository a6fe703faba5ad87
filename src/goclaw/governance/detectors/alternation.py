"""Alternation: one quick regular expression out of a long list of words.

The engine of Python tries the branches of ``a|b|c`` one after the other at every place of the text; grouped by their
first letter, most of them are ruled out by one look.
"""

import re
from collections.abc import Iterable


def alternation(branches: Iterable[str]) -> str:
    """A pattern that matches any of the branches, each a pattern that begins with a plain letter; longer ones first."""
    groups: dict[str, list[str]] = {}
    for branch in sorted(set(branches), key=len, reverse=True):
        groups.setdefault(branch[0], []).append(branch[1:])
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in groups.items())
