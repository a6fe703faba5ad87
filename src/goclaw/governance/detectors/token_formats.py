"""Token formats: the families of keys whose first letters say what they are. One line a family."""

import re
from collections.abc import Iterator

from goclaw.governance.detectors.alternation import alternation
from goclaw.governance.detectors.credential_values import looks_random

PRIVATE_KEY = "private_key"
API_KEY = "api_key"
CREDENTIAL = "credential_like_string"

_WORD = r"[A-Za-z0-9_\-]"
_ALNUM = r"[A-Za-z0-9]"

# (first letters, what must follow them, reason, must the rest look random). The last column is for families whose
# form alone also fits ordinary words.
_FAMILIES: tuple[tuple[str, str, str, bool], ...] = (
    # cloud providers
    *((prefix, r"[A-Z0-9]{16}(?![A-Z0-9])", API_KEY, False) for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")),
    ("AIza", _WORD + r"{35}", API_KEY, False),
    ("ya29.", _WORD + r"{20,300}", API_KEY, False),
    ("GOCSPX-", _WORD + r"{20,60}", API_KEY, False),
    ("1//0", _WORD + r"{35,120}", API_KEY, False),
    ("LTAI", _ALNUM + r"{12,30}(?![A-Za-z0-9])", API_KEY, True),
    ("AKID", _ALNUM + r"{32,40}", API_KEY, True),
    ("AQVN", _WORD + r"{35,60}", API_KEY, True),
    ("y0_", _WORD + r"{50,80}", API_KEY, True),
    *((f"do{kind}_v1_", r"[a-f0-9]{64}", API_KEY, False) for kind in "opr"),
    ("HRKU-", r"[A-Za-z0-9_\-]{36,100}", API_KEY, False),
    ("dapi", r"[a-f0-9]{32}", API_KEY, False),
    ("tskey-", _WORD + r"{20,80}", API_KEY, True),
    ("fo1_", _WORD + r"{40,60}", API_KEY, False),
    ("FlyV1 fm", r"\d_[A-Za-z0-9+/=,_]{40,400}", API_KEY, False),
    ("nfp_", _ALNUM + r"{36,60}", API_KEY, False),
    ("sbp_", r"[a-f0-9]{40}", API_KEY, False),
    ("sb_secret_", _WORD + r"{20,60}", API_KEY, False),
    *((f"pscale_{kind}_", r"[A-Za-z0-9_\-.]{30,64}", API_KEY, False) for kind in ("tkn", "pw", "oauth")),
    # code hosts, registries, build services
    *((f"gh{kind}_", _ALNUM + r"{36,255}", API_KEY, False) for kind in "pousr"),
    ("github_pat_", r"[A-Za-z0-9_]{40,255}", API_KEY, False),
    *(
        (f"{kind}-", r"[A-Za-z0-9_\-.]{20,300}", API_KEY, True)
        for kind in ("glpat", "gldt", "glrt", "glcbt", "glptt", "glft", "glimt", "glagent", "glsoat", "gloas", "glffct")
    ),
    ("GR1348941", _WORD + r"{20,40}", API_KEY, False),
    ("ATATT3", r"[A-Za-z0-9_\-=]{60,250}", API_KEY, False),
    ("ATBB", _ALNUM + r"{28,40}", API_KEY, True),
    ("npm_", _ALNUM + r"{36}", API_KEY, False),
    ("pypi-", _WORD + r"{50,400}", API_KEY, True),
    ("rubygems_", r"[a-f0-9]{48}", API_KEY, False),
    ("cio", _ALNUM + r"{32}(?![A-Za-z0-9])", API_KEY, True),
    ("oy2", r"[a-z0-9]{43}(?![a-z0-9])", API_KEY, True),
    *((f"dckr_{kind}_", _WORD + r"{20,60}", API_KEY, False) for kind in ("pat", "oat")),
    ("CCIPAT_", _WORD + r"{30,100}", API_KEY, False),
    ("bkua_", r"[a-f0-9]{40}", API_KEY, False),
    ("AKCp", _ALNUM + r"{60,90}", API_KEY, False),
    ("sntrys_", r"[A-Za-z0-9_\-+/=]{40,400}", API_KEY, False),
    ("sntryu_", r"[a-f0-9]{40,80}", API_KEY, False),
    ("sqp_", r"[a-f0-9]{40}", API_KEY, False),
    ("pul-", r"[a-f0-9]{40}", API_KEY, False),
    # model services
    ("sk-ant-", r"[a-z0-9]{3,12}-" + _WORD + r"{20,200}", API_KEY, False),
    *(
        (f"sk-{kind}-", _WORD + r"{20,250}", API_KEY, True)
        for kind in ("proj", "svcacct", "admin", "or-v1", "lf", "None")
    ),
    ("sk-", _WORD + r"{20,250}", API_KEY, True),
    ("hf_", _ALNUM + r"{30,60}", API_KEY, True),
    ("api_org_", _ALNUM + r"{30,60}", API_KEY, True),
    ("r8_", _ALNUM + r"{36,48}", API_KEY, True),
    ("gsk_", _ALNUM + r"{40,64}", API_KEY, True),
    ("xai-", _ALNUM + r"{60,100}", API_KEY, True),
    ("nvapi-", _WORD + r"{40,80}", API_KEY, True),
    ("pplx-", _ALNUM + r"{40,64}", API_KEY, True),
    ("lsv2_", r"(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{8,12}", API_KEY, False),
    ("pcsk_", r"[A-Za-z0-9_]{50,80}", API_KEY, True),
    # messages and mail
    *((f"xox{kind}-", r"(?:\d{6,20}-){1,3}[A-Za-z0-9\-]{10,250}", API_KEY, False) for kind in "abeoprs"),
    ("xoxe.xox", r"[bp]-[A-Za-z0-9\-]{20,250}", API_KEY, False),
    ("xapp-", r"\d-[A-Za-z0-9\-]{20,250}", API_KEY, False),
    ("SG.", r"[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{16,64}", API_KEY, True),
    ("key-", r"[a-f0-9]{32}(?![a-f0-9])", API_KEY, False),
    ("xkeysib-", r"[a-f0-9]{64}-[A-Za-z0-9]{16}", API_KEY, False),
    ("SK", r"[a-f0-9]{32}(?![a-z0-9])", API_KEY, False),
    ("re_", r"[A-Za-z0-9_]{20,40}", API_KEY, True),
    ("hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9_/]{24,120}", CREDENTIAL, False),
    ("discord.com/api/webhooks/", r"\d{15,22}/[A-Za-z0-9_\-]{40,90}", CREDENTIAL, False),
    ("discordapp.com/api/webhooks/", r"\d{15,22}/[A-Za-z0-9_\-]{40,90}", CREDENTIAL, False),
    # payments and shops
    *(
        (f"{kind}_{mode}_", _ALNUM + r"{16,250}", API_KEY, False)
        for kind in ("sk", "rk")
        for mode in ("live", "test", "prod")
    ),
    ("whsec_", r"[A-Za-z0-9+/=]{24,80}", API_KEY, False),
    *((f"shp{kind}_", r"[a-fA-F0-9]{32}", API_KEY, False) for kind in ("at", "ca", "pa", "ss")),
    *((f"sq0{kind}-", _WORD + r"{22,50}", API_KEY, False) for kind in ("atp", "csp")),
    ("access_token$", r"(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}", API_KEY, False),
    *((f"EZ{kind}K", _ALNUM + r"{54}", API_KEY, False) for kind in "AT"),
    # vaults, watching, the rest
    *((f"hv{kind}.", _WORD + r"{20,300}", API_KEY, True) for kind in "sbr"),
    ("s.", _ALNUM + r"{24}(?![A-Za-z0-9])", API_KEY, True),
    ("dp.", r"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.\-]{40,80}", API_KEY, False),
    ("ops_eyJ", r"[A-Za-z0-9+/=_\-]{100,400}", API_KEY, False),
    *(
        (f"{kind}_", r"[A-Za-z0-9+/=_\-]{32,400}", API_KEY, True)
        for kind in ("glsa", "glc", "figd", "phx", "ntn", "rdme")
    ),
    ("NRAK-", r"[A-Z0-9]{27}", API_KEY, False),
    ("NRJS-", r"[a-f0-9]{19}", API_KEY, False),
    ("lin_api_", _ALNUM + r"{32,64}", API_KEY, False),
    ("secret_", _ALNUM + r"{40,48}(?![A-Za-z0-9])", API_KEY, True),
    ("CFPAT-", _WORD + r"{40,60}", API_KEY, False),
    ("EAAC", _ALNUM + r"{60,300}", API_KEY, True),
    ("sl.", _WORD + r"{60,300}", API_KEY, True),
    ("AGE-SECRET-KEY-1", r"[A-Za-z0-9]{50,60}", PRIVATE_KEY, False),
    ("xprv", _ALNUM + r"{90,120}", PRIVATE_KEY, False),
    ("nsec1", r"[a-z0-9]{58}", PRIVATE_KEY, False),
    ("otpauth://", r"[ht]otp/[^\s]{0,200}?secret=[A-Za-z2-7=]{8,128}", CREDENTIAL, False),
    # private keys without their frame: the fixed first bytes of OpenSSH, PKCS#1 and PKCS#8
    ("b3BlbnNzaC1rZXktdjE", r"[A-Za-z0-9+/=]{0,2000}", PRIVATE_KEY, False),
    ("MII", r"[A-Za-z0-9+/]{1,6}(?:IBAAKC|AgEAMA0GCSqGSIb3DQEBAQUA|IBADANBgkqhkiG9w0BAQEFAASC)", PRIVATE_KEY, False),
    ("PuTTY-User-Key-File-", r"\d:[^\0]{0,2000}?Private-Lines:", PRIVATE_KEY, False),
)

_BY_PREFIX = {
    prefix: (re.compile(rest), reason, must_look_random) for prefix, rest, reason, must_look_random in _FAMILIES
}
_PREFIXES = re.compile(alternation(re.escape(prefix) for prefix in _BY_PREFIX))

# Families known by their shape instead of their first letters: (signs without which there is none, shape, reason).
_SHAPES = tuple(
    (anchor, re.compile(shape), reason)
    for anchor, shape, reason in (
        ("eyJ", r"\beyJ[A-Za-z0-9_\-]{8,2000}\.eyJ[A-Za-z0-9_\-]{8,4000}\.[A-Za-z0-9_\-]{10,1000}", CREDENTIAL),  # JWT
        ("eyJ", r"\beyJ[A-Za-z0-9_\-]{8,2000}(?:\.[A-Za-z0-9_\-]{10,4000}){4}", API_KEY),  # encrypted JWT
        (":A", r"(?<!\d)\d{8,10}:A[A-Za-z0-9_\-]{33,36}(?![A-Za-z0-9_\-])", API_KEY),  # Telegram bot
        # Discord
        (".", r"\b[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40}(?![A-Za-z0-9_\-])", API_KEY),
        (".atlasv1.", r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-]{40,80}", API_KEY),  # Terraform Cloud
        ("-us", r"\b[a-f0-9]{32}-us\d{1,2}\b", API_KEY),  # Mailchimp
        ("Q~", r"\b[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}", API_KEY),  # Azure client secret
        ("pat", r"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b", API_KEY),  # Airtable
        # the key of zeros by which published clients test a guard
        ("sk-or-v1-0", r"\bsk-or-v1-0{40,64}(?![A-Za-z0-9])", API_KEY),
    )
)
# A short vendor word before a long random rest: families nobody has listed here yet.
_VENDOR_TOKEN = re.compile(
    r"(?<![A-Za-z0-9_.\-/])([a-z][a-z0-9]{0,11})(?:[_\-][a-z0-9]{1,8}){0,2}[_\-]([A-Za-z0-9]{28,250})(?![A-Za-z0-9])"
)
_LONG_REST = re.compile(r"[_\-][A-Za-z0-9]{28}")
_PUBLIC_VENDOR_WORDS = re.compile(
    r"sha\d{0,3}|md5|file|img|image|chatcmpl|cmpl|msg|run|thread|asst|req|id|doc|video|call|pk|commit|build|job|trace|span"
    r"|event|evt|cus|pi|in|sub|price|prod|ch|txn|acct|toolu|gen|resp|rs|fc"
)
# A fixed form is a key even where its letters repeat; only these say that it is none.
_MARKED_AS_SAMPLE = re.compile(r"example|x{8}|your_?(?:key|token)", re.IGNORECASE)
_CASES = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"[0-9]"))


def find_tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """(reason, start, end) of every string that has the form of a known kind of key."""
    done = 0
    for match in _PREFIXES.finditer(text):
        start = match.start()
        is_inside_word = start > 0 and text[start - 1].isascii() and text[start - 1].isalnum()
        if start < done or is_inside_word:
            continue
        rest, reason, must_look_random = _BY_PREFIX[match.group()]
        found = rest.match(text, match.end())
        if found and _is_real(found.group(), must_look_random):
            yield reason, start, found.end()
            done = found.end()
    for anchor, shape, reason in _SHAPES:
        if anchor in text:
            for found in shape.finditer(text):
                yield reason, found.start(), found.end()
    for found in _VENDOR_TOKEN.finditer(text) if _LONG_REST.search(text) else ():
        if (
            not _PUBLIC_VENDOR_WORDS.fullmatch(found[1])
            and all(case.search(found[2]) for case in _CASES)
            and looks_random(found[2])
        ):
            yield API_KEY, found.start(), found.end()


def _is_real(rest: str, must_look_random: bool) -> bool:
    if must_look_random:
        return looks_random(rest)
    return len(set(rest)) > 2 and not _MARKED_AS_SAMPLE.search(rest)
