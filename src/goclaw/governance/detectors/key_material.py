"""Key material: private keys in their frames, secret manifests, recovery codes and seed phrases."""

import re
from collections.abc import Iterator

from goclaw.governance.detectors.credential_values import is_placeholder
from goclaw.governance.detectors.token_formats import CREDENTIAL, PRIVATE_KEY

# A frame alone is talk about keys; sixteen signs of key behind it (and its header lines) are a key, cut off or not.
_FRAME = re.compile(
    r"-{2,5} ?BEGIN [A-Z0-9 ]{0,40}?(?:PRIVATE|SECRET) KEY(?: BLOCK)? ?-{2,5}"
    r"(?:\s|\\[rn]|[A-Za-z\-]{3,20}: [^\n\\]{1,100}|[\"'+,>|#]){0,40}?[A-Za-z0-9+/=]{16,20000}"
)
_FRAME_REST = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\[rn]){0,20000}(?:-{2,5} ?END [A-Z0-9 ]{0,50}-{2,5})?")
_JSON_WEB_KEY = re.compile(
    r"[\"']kty[\"']\s{0,4}:[^{}]{0,4000}?[\"'](?:d|k)[\"']\s{0,4}:\s{0,4}[\"'][A-Za-z0-9_\-]{20,2000}"
)

_SECRET_MANIFEST = re.compile(r"\bkind: ?[\"']?Secret\b")
_MANIFEST_VALUE = re.compile(
    r"^[ \t]{1,8}[\w.\-]{1,80}: ?[\"']?([A-Za-z0-9+/=]{8,4000})[\"']?[ \t]{0,8}$", re.MULTILINE
)
_MANIFEST_DATA = re.compile(r"^(?:data|stringData):", re.MULTILINE)

_CODES_AHEAD = re.compile(
    r"[Cc]odes?\b|CODES|[Cc][óo]digos? de|[Кк]оды? восст|[Рр]езервные коды|恢[复復]码|リカバリーコード|복구 코드"
)
_KIND_OF_CODES = re.compile(
    r"(?:recovery|backup|rescue|scratch|emergency|one-?time|2fa|wiederherstellungs|notfall)[ \-_]?$", re.IGNORECASE
)
_KIND_BEHIND = re.compile(r" de (?:secours|récup)| ?(?:recup|respaldo|backup)", re.IGNORECASE)
_LONGEST_KIND = 20
_CODE = re.compile(r"(?<![\w\-])(?:[A-Za-z0-9]{3,8}(?:-[A-Za-z0-9]{3,8}){1,5}|[A-Za-z0-9]{8,16}|\d{6,10})(?![\w\-])")
_FEWEST_CODES = 2

_PHRASE_AHEAD = re.compile(
    r"(?:seed|mnemonic|recovery|backup|wallet|secret)[ \-_]?(?:phrase|words?)|mnemonic|passphrase|bip-?39"
    r"|wiederherstellungsphrase|phrase de récupération|frase (?:semilla|de recuperaci[óo]n)|сид-?фраза|助记词|助記詞"
)
_WORDS = re.compile(  # in group 1, a few signs at most behind the words that announce them
    r"(?s:.{0,60}?)((?:(?:\d{1,2}[.):]?\s{0,2})?[a-z]{3,8}[\s,;]{1,3}){11,24}(?:\d{1,2}[.):]?\s{0,2})?[a-z]{3,8}(?![a-z]))"
)
# Sentences are held together by these; a seed phrase has next to none of them.
_JOINTS = re.compile(
    r"\b(?:and|the|for|with|from|into|not|but|are|was|were|has|have|its|his|her|our|your|who|why|how|does|did|been|than|then"
    r"|them|they|these|those|never|always|should|must|only|also|because|after|before|until|when|while|where|which)\b"
)
_LOOK_AHEAD = 400


def find_key_material(text: str) -> Iterator[tuple[str, int, int]]:
    """(reason, start, end) of every private key, secret manifest value, list of recovery codes and seed phrase."""
    for frame in _FRAME.finditer(text):
        rest = _FRAME_REST.match(text, frame.end())
        yield PRIVATE_KEY, frame.start(), rest.end() if rest else frame.end()
    for key in _JSON_WEB_KEY.finditer(text):
        yield PRIVATE_KEY, key.start(), key.end()
    yield from _manifest_values(text)
    yield from _recovery_codes(text)
    yield from _seed_phrases(text)


def _manifest_values(text: str) -> Iterator[tuple[str, int, int]]:
    if not _SECRET_MANIFEST.search(text):
        return
    data = _MANIFEST_DATA.search(text)
    if data:
        for value in _MANIFEST_VALUE.finditer(text, data.end()):
            if not is_placeholder(value[1]):
                yield CREDENTIAL, *value.span(1)


def _recovery_codes(text: str) -> Iterator[tuple[str, int, int]]:
    done = 0
    real: dict[str, bool] = {}
    for ahead in _CODES_AHEAD.finditer(text):
        if ahead.start() < done:
            continue
        before = text[max(0, ahead.start() - _LONGEST_KIND) : ahead.start()]
        is_latin = ahead.group()[0] in "cC"
        if is_latin and not _KIND_OF_CODES.search(before) and not _KIND_BEHIND.match(text, ahead.end()):
            continue
        codes = []
        for code in _CODE.finditer(text, ahead.end(), ahead.end() + _LOOK_AHEAD):
            written = code.group()
            if written not in real:
                real[written] = any(char.isdigit() for char in written) and not is_placeholder(written)
            if real[written]:
                codes.append(code)
        if len(codes) >= _FEWEST_CODES:
            yield CREDENTIAL, codes[0].start(), codes[-1].end()
        done = ahead.end() + _LOOK_AHEAD // 2


def _seed_phrases(text: str) -> Iterator[tuple[str, int, int]]:
    for ahead in _PHRASE_AHEAD.finditer(text.lower()):
        window = text[ahead.end() : ahead.end() + _LOOK_AHEAD]
        words = _WORDS.match(window)
        if words and len(_JOINTS.findall(words[1])) <= 1:
            yield CREDENTIAL, ahead.end() + words.start(1), ahead.end() + words.end()
