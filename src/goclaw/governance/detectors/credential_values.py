"""Credential values: whether a value beside a word like "password" can be a real one, or only stands for one."""

import re
from itertools import pairwise

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_DIGEST = re.compile(
    r"(?:sha|md|blake|xxh|crc)[-_]?\d{1,3}[a-z]?[:=\-$]|(?:pbkdf2|bcrypt|scrypt|argon2)[a-z\d_]{0,16}[:$]"
    r"|\$(?:2[abxy]|[1567y]|argon2|scrypt|pbkdf2)[a-z\d\-]{0,16}\$",
    re.IGNORECASE,
)
_DATE_OR_VERSION = re.compile(
    r"v?\d{1,4}(?:[-./:]\d{1,4}){1,3}(?:[-+.]?[a-z]{1,5}\.?\d{0,3})?|\d{1,4}[a-z]{1,3}", re.IGNORECASE
)
_ALGORITHM = re.compile(
    r"(?:sha|md|bcrypt|scrypt|argon|pbkdf|aes|rsa|hmac|utf|base|ed|x|oauth|http|tls|ssl|rc|des|ecdsa|hs|rs|es)"
    r"[-_]?\d{1,5}(?:[a-z]{0,3}|[-_:/][\w.]{0,16})",
    re.IGNORECASE,
)
# "Here stands the value", in the ways people write it.
_PLACEHOLDER = re.compile(
    r"example|placeholder|your|change[-_]?(?:me|it|this)|redacted|dummy|todo|masked|hidden|sample|insert|replace[-_]?"
    r"|\.\.\.|…|[<>]|\{\{|\$\{|\$\(|not[-_]?(?:a[-_]?)?(?:real|secret)|\*\*\*|•••|xxxx|0000000000000000|removed|omitted|passwor[dt]",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"[$%@!&]\{?[A-Za-z_][\w.:\-]{0,99}\}?%?"  # $VAR, ${VAR}, %VAR%, @alias, !Ref
    r"|\{[\w.:\- ]{1,99}\}"  # {name} in a format string
    r"|[A-Za-z_][\w.]{0,99}[(\[].{0,200}"  # get_token(...), environ[...]
    r"|(?:[a-z]{2,12}:)?(?:~|\.{1,2})?/[\w./\-]{0,200}"  # /run/secrets/db, file:./x
    r"|(?:vault|secrets?|env|ref|op|arn|ssm|file|keyring|kms|gsm|awssm|https?):.{0,200}"
    r"|(?:process|os|env|environ|settings|config|secrets|vars|self|this|ctx|args|options|params|request|response)"
    r"\.[\w.]{1,99}",
    re.DOTALL,
)
_IDENTIFIER = re.compile(r"[A-Za-z_]{1,60}(?:[-_./][A-Za-z]{1,60}){0,9}")
_STANDS_FOR_NOTHING = re.compile(
    r"null|none|nil|true|false|undefined|string|str|text|bytes|number|integer|required|optional|pass|passwd|secret|token"
    r"|key|api_?key|username|user|user1|value|empty|default|unset|changed|rotated|expired|stored|unknown|missing|invalid"
    r"|incorrect|correct|wrong|protected|encrypted|hashed|same|reset|sent|shared|pass123|test|test123|foo|bar|foobar|abc123",
    re.IGNORECASE,
)
_SYMBOLS = frozenset("!#$%^&*+=?@~|\\")
_LETTERS_AND_DIGITS = re.compile(r"(?=.{0,199}?[A-Za-z])(?=.{0,199}?\d)", re.DOTALL)


def is_placeholder(value: str) -> bool:
    """Whether the value only marks the place of one: masked, a word for it, a variable, a call, a path."""
    if len(set(value)) <= 2 or _STANDS_FOR_NOTHING.fullmatch(value):
        return True
    return bool(_PLACEHOLDER.search(value) or _REFERENCE.fullmatch(value))


def is_public_form(value: str) -> bool:
    """Whether the value has the form of something everybody may see: a UUID, a digest, a date, a version, a cipher."""
    return bool(
        _UUID.fullmatch(value)
        or _DIGEST.match(value)
        or _DATE_OR_VERSION.fullmatch(value)
        or _ALGORITHM.fullmatch(value)
    )


def mixing(value: str) -> float:
    """How often neighbours differ in class (capital, small, digit), 0-1.

    Random letters and digits reach 0.4-0.7, words, names in camel case and model names stay below 0.3.
    """
    classes = [0 if char.isdigit() else 1 if char.isupper() else 2 for char in value if char.isalnum()]
    if len(classes) < 2:
        return 0.0
    return sum(left != right for left, right in pairwise(classes)) / (len(classes) - 1)


def looks_random(value: str, least: int = 16) -> bool:
    """Whether a machine made this value: long enough, letters and digits or wild capitals, no words."""
    if len(value) < least or is_placeholder(value) or is_public_form(value):
        return False
    if len(value) < 16 and not value.isalnum() and not any(char.isdigit() for char in value):
        return False
    return mixing(value) >= 0.34 and len(set(value.lower())) >= 8


def is_plausible_token(value: str) -> bool:
    """Whether the value can be a token or key, given that a word says so right before it."""
    if len(value) < 12 or is_placeholder(value) or is_public_form(value) or len(set(value)) < 6:
        return False
    return (bool(_LETTERS_AND_DIGITS.match(value)) and mixing(value) >= 0.15) or mixing(value) >= 0.4


def is_plausible_password(value: str, *, in_config: bool) -> bool:
    """Whether the value can be a password, given that a word says so right before it.

    ``in_config``: written as in a configuration file (quoted, or a capital name before ``=``), where a plain word is a
    value; in prose it is more often the next word of the sentence.
    """
    if len(value) < 5 or is_placeholder(value) or is_public_form(value):
        return False
    if value.isdigit():
        return len(value) >= (4 if in_config else 6)
    if _IDENTIFIER.fullmatch(value):
        wild = len(value) >= 8 and mixing(value) >= 0.4
        return wild or (in_config and len(value) >= 6 and value.isalpha())
    has_letter_and_digit = bool(_LETTERS_AND_DIGITS.match(value))
    return has_letter_and_digit or any(char in _SYMBOLS for char in value[:-1])
