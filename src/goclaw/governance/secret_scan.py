"""Secret scan: finds keys, passwords and other credentials in a text, however they are wrapped or split.

The text is read as it is and in the forms people hide or break things in: without line breaks inside a key, without
blanks between its letters, percent-decoded, and out of base64 or hex. Pure; never stores, logs or returns a secret.
"""

import base64
import binascii
import re
import string
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from goclaw.governance.detectors.credential_context import find_credentials
from goclaw.governance.detectors.credential_values import looks_random
from goclaw.governance.detectors.key_material import find_key_material
from goclaw.governance.detectors.plain_form import PlainForm, plain_form, rewrite
from goclaw.governance.detectors.token_formats import CREDENTIAL, find_tokens

# A break inside a key: the end of a line with its indent or quote marks, or two string literals put together.
_BREAK = re.compile(
    r"(?<=[A-Za-z0-9_\-+/]{4})"
    r"(?:[ \t]{0,4}\\?\r?\n[ \t>|#*]{0,8}|[\"'][ \t]{0,4}[+.&]?[ \t]{0,4}(?:\r?\n[ \t]{0,16})?[\"'])"
    r"(?=[A-Za-z0-9_\-+/=]{4})"
)
_RUN = string.ascii_letters + string.digits + "_-+/"
# No character is both an item and a separator: else a run of hyphens could be split in exponentially many ways.
_SPACED = re.compile(r"(?<![^\s\"'(])(?:[!-+/-{}~][ \t.\-\u00b7|,]{1,2}){11,300}[!-+/-{}~](?![^\s\"')])")
_SPACES = re.compile(r"[ \t\u00b7|,]|(?<=.)[.\-](?=.)")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-]{24,4096}+={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){20,2048}")
_NEAR = re.compile(
    r"\b(?:[Tt]oken|[Ss]ecret|[Pp]assword|[Kk]ey|[Cc]redential|[Pp]assphrase)s?\b[^\n:=]{1,40}?[\s\"'`(]([A-Za-z0-9+/_\-]{24,200})"
    r"(?![A-Za-z0-9+/_\-.])"
)
_MOST_DECODED_CHARS = 64_000
_LEAST_PRINTABLE = 0.97


@dataclass(frozen=True, slots=True)
class SecretHit:
    """Where a secret stands, without the secret."""

    reason: str  # private_key, api_key or credential_like_string
    start: int  # in the text as it was given, characters from 0
    end: int  # one behind the last character


def scan_secrets(text: str) -> list[SecretHit]:
    """Every secret in the text, in order of place; those that touch each other are one hit."""
    form = plain_form(text)
    hits = set(_scan_form(form))
    broken = rewrite(form, _BREAK, _mend)
    if broken:
        hits.update(_hit(broken, found) for found in find_tokens(broken.text))
    for pattern, replace in ((_SPACED, _close_up), (_PERCENT, _decode_percent)):
        other = rewrite(form, pattern, replace)
        if other:
            hits.update(_scan_form(other))
    hits.update(_scan_wrapped(form))
    return _united(hits)


def is_secret_suspected(text: str) -> bool:
    """Whether a word for a key stands shortly before a value that only a machine could have made, with nothing that
    says they belong together: too little to refuse, too much to let pass unseen."""
    return any(looks_random(near[1], least=24) for near in _NEAR.finditer(plain_form(text).text))


def redact(text: str) -> str:
    """The text with every secret replaced by the name of its kind, for logs and transcripts."""
    pieces, done = [], 0
    for hit in scan_secrets(text):
        pieces += [text[done : hit.start], f"[{hit.reason}]"]
        done = hit.end
    return "".join([*pieces, text[done:]])


def _scan_form(form: PlainForm) -> Iterator[SecretHit]:
    for found in find_key_material(form.text):
        yield _hit(form, found)
    for found in find_tokens(form.text):
        yield _hit(form, found)
    for start, end in find_credentials(form.text):
        yield _hit(form, (CREDENTIAL, start, end))


def _hit(form: PlainForm, found: tuple[str, int, int]) -> SecretHit:
    reason, start, end = found
    return SecretHit(reason, *form.span(start, end))


def _mend(match: re.Match[str]) -> str:
    """Close the break where a key may go on: the run before it has a digit or a joint, as no plain word has."""
    before = match.string[max(0, match.start() - 60) : match.start()]
    run = before[len(before.rstrip(_RUN)) :]
    return "" if len(run) >= 4 and not run.isalpha() else match.group()


def _close_up(match: re.Match[str]) -> str:
    return _SPACES.sub("", match.group())


def _decode_percent(match: re.Match[str]) -> str:
    char = chr(int(match.group()[1:], 16))
    return char if char.isascii() and char.isprintable() else match.group()


def _scan_wrapped(form: PlainForm) -> Iterator[SecretHit]:
    """Secrets inside base64 or hex that decodes to plain text; all that decodes is read as one text, a line each."""
    lines: list[str] = []
    starts: list[int] = []
    runs: list[tuple[int, int]] = []
    length = 0
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, bytes.fromhex)):
        for match in pattern.finditer(form.text):
            inner = _readable(match.group(), decode) if length < _MOST_DECODED_CHARS else None
            if inner is not None:
                lines.append(inner)
                starts.append(length)
                runs.append(match.span())
                length += len(inner) + 1
    if lines:
        for found in _scan_form(PlainForm("\n".join(lines), None)):
            yield _hit(form, (found.reason, *runs[bisect_right(starts, found.start) - 1]))


def _from_base64(run: str) -> bytes:
    bare = run.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)


def _readable(run: str, decode: Callable[[str], bytes]) -> str | None:
    try:
        raw = decode(run)
    except (binascii.Error, ValueError):
        return None
    printable = sum(32 <= byte < 127 or byte in (9, 10, 13) for byte in raw)
    return raw.decode("ascii", "replace") if raw and printable >= _LEAST_PRINTABLE * len(raw) else None


def _united(hits: set[SecretHit]) -> list[SecretHit]:
    ordered = sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.reason != "private_key", hit.reason == CREDENTIAL))
    united: list[SecretHit] = []
    for hit in ordered:
        if united and hit.start < united[-1].end:
            last = united[-1]
            reason = hit.reason if last.reason == CREDENTIAL else last.reason
            united[-1] = SecretHit(reason, last.start, max(last.end, hit.end))
        else:
            united.append(hit)
    return united
