"""Credential context: values that are secret because of what stands beside them, not because of their form.

A table of shapes; each names the value it finds and how strict to be with it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from goclaw.governance.detectors.alternation import alternation
from goclaw.governance.detectors.credential_values import (
    is_placeholder,
    is_plausible_password,
    is_plausible_token,
    looks_random,
)
from goclaw.governance.detectors.rule_set import RuleSet


class Test(Enum):
    """How a value is judged before it counts."""

    PASSWORD_IN_PROSE = auto()
    PASSWORD_IN_CONFIG = auto()
    TOKEN = auto()
    RANDOM = auto()
    NO_PLACEHOLDER = auto()


@dataclass(frozen=True, slots=True)
class Shape:
    """One way of writing a credential down. The pattern reads lower-cased text; its group 1 is the value."""

    pattern: re.Pattern[str]
    test: Test


# Words for a secret that a person chooses, in the languages our users write.
_PASSWORD = re.compile(
    alternation(
        (
            *(
                "passwords?",
                "passwd",
                "passphrase",
                "passcode",
                "passwrd",
                "pass",
                "pwd",
                "pw",
                "pin",
                "credentials?",
                "creds",
            ),
            *(
                "passwort",
                "kennwort",
                "losungswort",
                "zugangscode",
                "passord(?:et)?",
                "l[öo]senord(?:et)?",
                "adgangskoden?",
            ),
            *(
                "contrase(?:ña|na)",
                "mot de passe",
                "senha",
                "palavra-passe",
                "wachtwoord",
                "has[łl]o",
                "heslo",
                "parol[aă]?",
            ),
            *("salasana", "jelsz[óo]", "şifre(?:si|niz)?", "sifre(?:si|niz)?", "m[ậa]t kh[ẩa]u", "kata sandi"),
            *(
                "парол[ья]",
                "密码",
                "密碼",
                "口令",
                "パスワード",
                "暗証番号",
                "비밀번호",
                "كلمة (?:المرور|السر)",
                "סיסמ[הא]",
            ),
            *("รหัสผ่าน", "κωδικ[όο]ς", "पासवर्ड"),
        )
    )
)
# Words for a secret that a machine made.
_KEYS_OF = (
    *("api", "access", "secret", "private", "encryption", "encrypt", "encoding", "signing", "signature", "master"),
    *("auth", "account", "shared", "session", "app", "application", "service", "storage", "consumer", "client", "bot"),
    *("deploy", "admin", "root", "hmac", "aes", "jwt", "crypto", "vault", "recovery", "license", "licence", "product"),
    *("subscription", "project", "server", "write", "read", "ssh", "provider", "ingest", "webhook", "network"),
    *("wi-?fi", "wlan", "wpa2?"),
)
_TOKEN = re.compile(
    alternation(
        (
            *(rf"{owner}[_\- ]?keys?" for owner in _KEYS_OF),
            *("secret", "token", "authorization", "dsn", "credential", "otp seed", "totp seed", "2fa seed", "mfa seed"),
            *("api-schlüssel", "токен", "ключ api", "令牌", "密钥", "密鑰", "トークン", "토큰", "jeton", "clave api"),
        )
    )
)
_NO_SECRET_BEFORE = re.compile(
    r"(?:public|primary|foreign|page|cursor|continuation|sync|csrf-|tenant|idempotency)[_\- ]?$"
)
_LONGEST_WORD_BEFORE = 13

# Between the word and the value: signs in files, or a verb in prose.
_SIGN = r"[\"'\])`*]{0,4}\s{0,8}(?::=|=>|==?|:|\||->|→)\s{0,8}[\"'`(\[*]{0,3}"
_FOR_WHOM = (
    r"(?:[ \t](?:for|of|on|at|to|für|von|zu|de|del|du|der|para|pour|per|voor|для|от|к)[ \t][^\s:=]{1,40}"
    r"(?:[ \t][^\s:=]{1,30}){0,2}?)?"
)
_IS = (
    r"(?:[ \t]{0,4}(?:is now|is set to|is still|is|was|are|=|:|ist|lautet|heißt|war|es|est|é|è|era|är|er|on|jest|to|это"
    r"|—|–|-|是|为|為|は|이|는|은|هي|هو|הוא|היא|คือ|là|είναι|है)[ \t]{0,4}:?"
    r"|[ \t](?:(?:is|was|got|has been) )?(?:changed|reset|set|switched|rotated) to)[ \t]{0,4}"
    r"[\"'`«„“]?"
)
_VALUE = r"([^\s\"'`,;<>|»“”]{4,200})"
_QUOTED = r"([^\s\"'`<>]{4,200})"
_PAIR = r"[\"']\s{0,4},?\s{0,4}(?:value)?\s{0,4}[=,]\s{0,4}[\"']" + _QUOTED + r"[\"']"

# What may follow the word (group 1: the value).
_AFTER_PASSWORD: tuple[tuple[str, Test], ...] = (
    (r"[\"']?\s{0,4}(?::=|==?|=>|:)\s{0,4}[\"']" + _QUOTED + r"[\"']", Test.PASSWORD_IN_CONFIG),
    (_SIGN + _VALUE, Test.PASSWORD_IN_PROSE),
    (_PAIR, Test.PASSWORD_IN_PROSE),
    (r">" + _VALUE + r"</", Test.PASSWORD_IN_PROSE),
    (_FOR_WHOM + _IS + _VALUE, Test.PASSWORD_IN_PROSE),
    (r"[ \t]" + _VALUE, Test.RANDOM),
)
_AFTER_TOKEN: tuple[tuple[str, Test], ...] = (
    (_SIGN + r"(?:(?:bearer|token|basic|apikey)\s)?" + _VALUE, Test.TOKEN),
    (_PAIR, Test.TOKEN),
    (r">" + _VALUE + r"</", Test.TOKEN),
    (_FOR_WHOM + _IS + _VALUE, Test.RANDOM),
    (r"[ \t]" + _VALUE, Test.RANDOM),
)
# Shapes that say by themselves that a credential follows.
_ALONE: tuple[tuple[str, Test], ...] = (
    # files: an environment name, the fields of a .pgpass line
    (r"_pass(?:word|wd)?=" + _VALUE, Test.PASSWORD_IN_CONFIG),
    (r"(?m:^)[\w.*\-]{1,80}:(?:\d{2,5}|\*):[\w*\-]{1,64}:[\w*\-.]{1,64}:([^\s:]{4,200})(?m:$)", Test.PASSWORD_IN_PROSE),
    (r"\blogin\s{1,4}[^\s]{1,64}\s{1,8}password\s{1,4}([^\s]{4,200})", Test.PASSWORD_IN_PROSE),
    # prose: a name and its password side by side
    (
        r"\b(?:log ?in|credentials?|creds|zugang|anmeldung|account|username|user|benutzer)\s{0,2}"
        r"(?:is|are|with|:|=)?\s{0,2}"
        r"[\w.@\-]{2,40}\s{0,2}(?:/|\||,|;|and|und|y|et)\s{0,2}(?:pass(?:word)?\s{0,2}[:=]?\s{0,2})?" + _VALUE,
        Test.RANDOM,
    ),
    # addresses with a password in them
    (r"://[^\s/@:\"'<>]{0,100}+:([^\s/@\"'<>]{1,200}+)@[\w\[\-.]", Test.NO_PLACEHOLDER),
    (r"\bjdbc:oracle:thin:[^\s/@]{1,64}/([^\s@]{2,100})@", Test.NO_PLACEHOLDER),
    (
        r"[?&](?:sig|signature|x-amz-signature|x-goog-signature|token|access_token|auth|auth_token|key|apikey|api_key"
        r"|secret|client_secret|password|pwd|code|sas)=([^\s&\"'<>#]{16,300})",
        Test.TOKEN,
    ),
    # headers and cookies
    (r"\bbearer\s{1,4}[\"']?([a-z0-9_\-.~+/=]{16,1000})", Test.TOKEN),
    (
        r"\b(?:auth|authorization)[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:basic|digest|token|apikey|negotiate)\s{1,4}"
        r"([a-z0-9_\-.~+/=]{8,1000})",
        Test.NO_PLACEHOLDER,
    ),
    (r"\bx-[a-z\-]{0,30}(?:key|token|secret|auth)[\"']?\s{0,4}:\s{0,4}[\"']?([^\s\"',;]{12,400})", Test.TOKEN),
    (r"\bcookie[\"']?\s{0,4}[:=][^\n]{0,120}?[\w.\-]{1,40}=([^\s;\"',]{16,1000})", Test.TOKEN),
    (
        r"\b(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|sessionid|session_id|remember_token)\s{0,2}[=:]\s{0,2}"
        r"([^\s;\"',&]{16,400})",
        Test.TOKEN,
    ),
    (r"[\"']auth[\"']\s{0,4}:\s{0,4}[\"']([a-z0-9+/=]{12,400})[\"']", Test.TOKEN),  # registry logins
    # command lines
    (r"(?:\s-u|--user|--proxy-user)[\s=][\"']?[\w.@\-]{1,64}[:%]([^\s\"'@]{3,200})", Test.NO_PLACEHOLDER),
    (r"-(?:password|passwd|pass|passphrase)[\s=][\"']?([^\s\"'\-][^\s\"']{3,200})", Test.PASSWORD_IN_PROSE),
    (r"-(?:token|secret|key|auth|apikey|credential)[\s=][\"']?([^\s\"'\-][^\s\"']{11,400})", Test.TOKEN),
    (
        r"\b(?:docker|podman|helm|oc|az|mysql|mariadb|mysqldump|sshpass|redis-cli|mongo|mongosh|sqlcmd|htpasswd|oras|skopeo"
        r"|crane|ldapsearch|ipmitool|rabbitmqadmin|smbclient|unzip|zip)\b[^\n]{0,160}?\s-(?:p|a|w)[\s=]?[\"']?"
        r"([^\s\"'\-][^\s\"']{4,200})",
        Test.PASSWORD_IN_PROSE,
    ),
    (r"\b(?:pass:|identified by\s{1,4}[\"']|with password\s{1,4}[\"'])([^\s\"']{4,200})", Test.PASSWORD_IN_PROSE),
    (r"\becho\s(?:-n\s)?[\"']?([^\s\"'|]{6,200})[\"']?\s{0,3}\|[^\n]{0,80}?(?:-stdin|passwd)", Test.PASSWORD_IN_PROSE),
)


def _shapes(table: tuple[tuple[str, Test], ...]) -> tuple[Shape, ...]:
    return tuple(Shape(re.compile(pattern, re.MULTILINE), test) for pattern, test in table)


# What any of the shapes begins with; it spares most words the six patterns.
_MAY_FOLLOW = re.compile(r"[\s\"'\])`*>:=|\-—–→]|is|は|是|为|為|이|는|은|คือ")
_PASSWORD_SHAPES = _shapes(_AFTER_PASSWORD)
_TOKEN_SHAPES = _shapes(_AFTER_TOKEN)
_ALONE_RULES = RuleSet(pattern for pattern, _ in _ALONE)
_ALONE_TESTS = dict(_ALONE)
_LONGEST_SHAPE = 600  # characters; no shape reaches further behind its word
_SHORT_WORDS = frozenset({"pass", "pw", "pwd", "pin", "creds", "dsn"})  # they also occur inside other words
_TRAILING = ".,;:!?)]}*_`'\"»“”"


def find_credentials(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every value that what stands beside it makes a credential."""
    lowered = _lower(text)
    for places, shapes in ((_password_words(lowered), _PASSWORD_SHAPES), (_token_words(lowered), _TOKEN_SHAPES)):
        in_vain: set[str] = set()  # what held nothing behind a word; a text made to hurt repeats it again and again
        for place in places:
            beside = text[place : place + _LONGEST_SHAPE]
            if beside in in_vain or not _MAY_FOLLOW.match(lowered, place):
                continue
            matches = ((shape.pattern.match(lowered, place), shape.test) for shape in shapes)
            found = [span for match, test in matches if match and (span := _value(text, match, test))]
            if not found:
                in_vain.add(beside)
            yield from found
    for match in _ALONE_RULES.matches(lowered):
        span = _value(text, match, _ALONE_TESTS[match.re.pattern])
        if span:
            yield span


def _password_words(lowered: str) -> Iterator[int]:
    """Where a word for a secret that a person chooses ends."""
    for word in _PASSWORD.finditer(lowered):
        if word.group() not in _SHORT_WORDS or not lowered[word.start() - 1 : word.start()].isalpha():
            yield word.end()


def _token_words(lowered: str) -> Iterator[int]:
    """Where a word for a secret that a machine made ends."""
    for word in _TOKEN.finditer(lowered):
        before = lowered[max(0, word.start() - _LONGEST_WORD_BEFORE) : word.start()]
        if not _NO_SECRET_BEFORE.search(before):
            yield word.end()


def _value(text: str, match: re.Match[str], test: Test) -> tuple[int, int] | None:
    """The place of the value, if it can be one."""
    start, end = match.span(1)
    value = text[start:end].rstrip(_TRAILING)
    return (start, start + len(value)) if value and _passes(value, test) else None


def _lower(text: str) -> str:
    """Lower case of the same length: a few signs grow when lowered, and they are no part of a keyword."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _passes(value: str, test: Test) -> bool:
    if test is Test.NO_PLACEHOLDER:
        return len(value) >= 3 and not is_placeholder(value)
    if test is Test.TOKEN:
        return is_plausible_token(value)
    if test is Test.RANDOM:
        return looks_random(value, least=10)
    return is_plausible_password(value, in_config=test is Test.PASSWORD_IN_CONFIG)
