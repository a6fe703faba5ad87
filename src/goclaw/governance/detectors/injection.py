"""Injection: texts that address the model (lift its rules, play another role, hide themselves, send data out).

An alarm, not the defence: what it finds is flagged and waits for a human; what it misses stays evidence all the same
(governance.md 1). Words that are only quoted in a report about such an attack are not an attack.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Iterator

from goclaw.governance.detectors.injection_texts import NEEDS, OVERRIDES, STEERING
from goclaw.governance.detectors.plain_form import plain_form
from goclaw.governance.detectors.rule_set import RuleSet
from goclaw.governance.detectors.steering_ideas import IDEAS

_RULES = RuleSet(
    (
        *(pattern for override in OVERRIDES for pattern in override.patterns()),
        *(pattern for patterns in STEERING.values() for pattern in patterns),
        *IDEAS,
    ),
    needs=NEEDS,
)
# Letters of other alphabets that look Latin. A word that mixes alphabets is read as Latin; real Russian stays Russian.
_LOOK_ALIKES = str.maketrans("абвгеіјкмнорсѕтухһԁѡѵүαβεικνορτυχγωаⅼ", "a6breijkmhopcstyxhdwvyabeiknoptuxywal")
_MIXED_WORD = re.compile(r"[a-z]{0,40}(?:[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z])[a-z\u0370-\u052f]{0,40}")
_FOREIGN_WORD = re.compile(r"[\u0370-\u052f]{1,40}")
_LATIN = re.compile(r"[a-z]")
_DIGIT_LETTERS = str.maketrans("0134578@$", "oieastbas")
_DIGIT_WORD = re.compile(r"(?=[a-z0-9@$]{0,12}?[a-z])(?=[a-z0-9@$]{0,12}?[0-9@$])[a-z0-9@$]{3,24}")
_SPELT_WORD = re.compile(r"\b[a-z](?:([-._*])[a-z])(?:\1[a-z]){2,20}\b")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,2000}+={0,2}")
_QUOTED = re.compile(
    r"'[^'\n]{3,300}'|\"[^\"\n]{3,300}\"|«[^»\n]{3,300}»|“[^”\n]{3,300}”|„[^“”\n]{3,300}[“”]|「[^」\n]{3,300}」"
    r"|`[^`\n]{3,300}`"
)
_REPORTING = re.compile(
    r"\b(?:attack(?:er|s)?|injection|phish\w{0,4}|incident|malicious|adversar\w{0,4}|blocked|(?<!\.)example(?!\.)"
    r"|e\.g\.|such as|phrase|sentence|"
    r"contain(?:s|ed)|detect(?:s|ed|or)?|how do i say|translat\w{0,4}|in (?:french|german|spanish|english)|means"
    r"|angriff\w{0,2}|vorfall|"
    r"beispiel|ataque|attaque|untrusted|may write|wrote|tried|attempt\w{0,3}|test case|novel|story|says)\b"
)
_SAME_ANSWER = re.compile(
    r"(?:^|\n)\s{0,4}(?:q|question|user|human|frage)\s?:[^\n]{0,200}?(?:\n\s{0,4})?\b(?:a|answer|assistant|ai"
    r"|antwort)\s?:([^\n]{1,100})"
)
_MANY_SHOTS = 6


def is_injection_like(text: str) -> bool:
    """Whether the text talks to the model instead of telling it something to remember."""
    plain = plain_form(text).text
    folded = _fold(plain)
    return any(_attacks(reading) for reading in (folded, *_other_readings(plain, folded))) or _is_many_shot(folded)


def _attacks(reading: str) -> bool:
    spoken = _QUOTED.sub("''", reading) if _REPORTING.search(reading) else reading
    return _RULES.fit(spoken)


def _fold(plain: str) -> str:
    lowered = plain.lower().replace("’", "'")
    if lowered.isascii() or not _LATIN.search(lowered):
        return lowered
    if not _MIXED_WORD.search(lowered):
        return lowered
    return _FOREIGN_WORD.sub(lambda word: word.group().translate(_LOOK_ALIKES), lowered)


def _other_readings(plain: str, folded: str) -> Iterator[str]:
    """What a model would make of it: words spelt letter by letter, digits for letters, rot13, base64."""
    if _SPELT_WORD.search(folded):
        yield _SPELT_WORD.sub(lambda word: word.group().replace(word[1], ""), folded)
    if _DIGIT_WORD.search(folded):
        yield _DIGIT_WORD.sub(lambda word: word.group().translate(_DIGIT_LETTERS), folded)
    if "rot13" in folded or "rot-13" in folded:
        yield codecs.encode(folded, "rot13")
    for run in dict.fromkeys(_BASE64.findall(plain)):
        decoded = _decoded(run)
        if decoded:
            yield decoded.lower()


def _decoded(run: str) -> str:
    try:
        return base64.b64decode(run, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _is_many_shot(folded: str) -> bool:
    """Many made-up questions with one and the same answer: practice for the model, not knowledge."""
    answers = [answer[1].strip() for answer in _SAME_ANSWER.finditer(folded)]
    return len(answers) >= _MANY_SHOTS and len(set(answers)) * 3 <= len(answers)
