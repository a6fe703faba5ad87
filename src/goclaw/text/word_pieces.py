"""Word pieces: runs of letters that inflected, compounded and misspelt words of languages other than English share.

A stemmer for each language would need to know the language, and five words do not tell it. So every word keeps the stem
its script gives it, and beside it stand overlapping pieces: ``Netzwerkdrucker`` holds ``druc``, ``ruck``, ``ucke`` and
``cker`` as ``Drucker`` does. Latin words have pieces only where a text does not read as English, words of scripts
without a stemmer always. A piece is no word: it is marked, so it never equals a term.
"""

import re
from collections.abc import Set
from functools import lru_cache

MARK = "*"  # no word begins with it
_LATIN_CHARS = 4
_OTHER_CHARS = 3  # scripts that leave vowels out, or hang them on a consonant

# Hardly an English text is without one of them; other languages seldom have them.
_ENGLISH = """
the and what which who whose where when why how does did is are were has have been had of for from with at by to this
that these those there they them their your you our we my its it she will would should can could not be
"""
# Small words of other languages, without accents; none that is an English word or a name as well.
_OTHER = """
der das dem des und ist nicht ein eine einen einem einer auf wie wo wann wer wen wem welche welcher welches welchem
warum wird werden wurde wurden sind haben hatte oder wir uns bei beim vom zum zur nach uber auch noch wenn weil dass
kein
el los las unos del que con por para como donde cuando quien cual cuanto cuantos su sus esta este muy pero porque se
la le un du des au aux et ou qui quoi quel quelle quels quelles quand combien comment pourquoi sont dans avec pas cette
ces nous vous leur chez il chi gli di della delle dei degli nel nella che cosa perche quale quali quanto sono hanno
questo
questa os um uma nos nas ao dos quem qual quando onde foi mais da de
het een voor niet zijn wordt waar wanneer welke naar aan bij ook
och att det som ett av inte nar hur vem vilken og er ikke hvor hvem hvornar hva hvilken
w nie jest ze gdzie kiedy kto jaki jaka jakie ktory ktora przez dla oraz
ve bir bu icin ile zaman nerede hangi nasil olarak
ja ei mita missa milloin kuka mika kuinka etta kun
egy hogy nem mikor milyen je kde kdy kdo ktery proc jsou este cand unde cine pentru sunt
yang untuk dengan siapa kapan bagaimana adalah tidak khi nao cua cho voi cac nhung
"""


def _both_cases(words: str) -> frozenset[str]:
    return frozenset(form for word in words.split() for form in (word, word.capitalize()))


_ENGLISH_WORDS = _both_cases(_ENGLISH) | {"I"}  # a small i is a word of others
_OTHER_WORDS = _both_cases(_OTHER)
SMALL_WORDS = frozenset(_OTHER.split())  # what a question that is not English is wrapped in, folded

_ACCENTED_WORD = re.compile("[A-Za-z]*[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")
_LATIN = re.compile(r"[a-z]+\Z")
# Hebrew, Syriac, Bengali to Oriya, Telugu to Tibetan, Georgian, Ethiopic.
_UNSTEMMED_SCRIPT = re.compile("[\u05d0-\u05ea\u0710-\u074f\u0980-\u0b7f\u0c00-\u0fff\u10a0-\u10ff\u1200-\u137f]+\\Z")


def reads_as_english(text: str, words: Set[str]) -> bool:
    """Whether no other language shows: in its small words, or in letters that English does not write.

    ``words`` are those of the text as written, without accents. There have to be more signs of another language than
    English small words: a name with an accent makes no text French.
    """
    signs = len(_OTHER_WORDS.intersection(words))
    if not text.isascii():
        signs += len(set(_ACCENTED_WORD.findall(text)))
    return not signs or signs <= len(_ENGLISH_WORDS.intersection(words))


@lru_cache(maxsize=1 << 16)
def pieces_of(word: str, *, is_english: bool) -> tuple[str, ...]:
    """The distinct marked pieces of one folded word, in their order; none of short words, numbers and identifiers."""
    if _LATIN.match(word):
        chars = 0 if is_english else _LATIN_CHARS
    else:
        chars = _OTHER_CHARS if _UNSTEMMED_SCRIPT.match(word) else 0
    if not chars or len(word) <= chars:
        return ()
    return tuple(dict.fromkeys(MARK + word[at : at + chars] for at in range(len(word) - chars + 1)))
