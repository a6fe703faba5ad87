"""How long each text scanner takes on the worst texts we know: CPU milliseconds per 64,000 characters (goal: below 50).

Run: python -m benchmarks.scanners
The rows are inputs made to hurt: runs without an end, starts of keys and phrases over and over, the texts of R104.
"""

import time
from collections.abc import Callable

from goclaw.governance.detectors.bulk import (
    is_data_dump,
    is_large_code,
    is_reasoning_trace,
    is_scratchpad,
    is_transcript,
)
from goclaw.governance.detectors.hidden_characters import has_hidden_characters
from goclaw.governance.detectors.injection import is_injection_like
from goclaw.governance.impact import impacts
from goclaw.governance.secret_scan import is_secret_suspected, scan_secrets
from goclaw.model.record import Kind

CHARS = 64_000
SCANNERS: dict[str, Callable[[str], object]] = {
    "secrets": scan_secrets,
    "suspected": is_secret_suspected,
    "injection": is_injection_like,
    "hidden": has_hidden_characters,
    "transcript": is_transcript,
    "reasoning": is_reasoning_trace,
    "scratchpad": is_scratchpad,
    "code": is_large_code,
    "dump": is_data_dump,
    "impact": lambda text: impacts(Kind.NOTE, text),
}
SEEDS: dict[str, str] = {
    "R104 A": "A",
    "R104 a1_": "a1_",
    "R104 json": '"q": 7, ',
    "R104 =": "=",
    "R104 BEGIN": "-----BEGIN ",
    "PEM frame": "-----BEGIN RSA PRIVATE KEY-----\n",
    "prefixes": "ghp_ sk-proj- AKIA xoxb- ",
    "joined prefixes": "github_pat_",
    "jwt starts": "eyJhbGciOi.",
    "password=": "password=",
    "password is": "password for the x is ",
    "token:": "api_key: token: ",
    "urls": "http://a:b",
    "hex": "0123456789abcdef",
    "base64 runs": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo= ",
    "percent": "%41%42",
    "spaced": "a b c d ",
    "codes": "recovery codes: ab12c-de34f ",
    "words": "seed phrase apple river candle orbit ",
    "lines": "a\n",
    "break": "abcd1234\n",
    "ignore all": "ignore all the ",
    "send notes": "send the notes to ",
    "when user": "when the user says ",
    "verbs": "copy add store save send ask ",
    "tags": "<system ",
    "comments": "<!-- ai ",
    "quotes": "\"a' ",
    "q and a": "q: x\na: ",
    "speakers": "Anna: hi\n",
    "csv": "a,b,c\n",
    "mails": "a@b.",
    "zero width": "a\u200b",
    "wide": "\uff21",
    "ligature": "\ufdfa",
    "cyrillic": "забудь все ",
    "chinese": "忽略之前的",
    "mixed words": "а1b",
    "code": "x = y;\n",
    "prose": "The importer fails when the file has a mark; strip it first. ",
}


def main() -> None:
    print(f"{'CPU ms':16}" + "".join(f"{name:>11}" for name in SCANNERS))
    worst: dict[str, float] = dict.fromkeys(SCANNERS, 0.0)
    for name, seed in SEEDS.items():
        text = (seed * (CHARS // len(seed) + 1))[:CHARS]
        row = {scanner: measure(scan, text) for scanner, scan in SCANNERS.items()}
        worst = {scanner: max(worst[scanner], row[scanner]) for scanner in SCANNERS}
        print(f"{name:16}" + "".join(f"{figure:11.1f}" for figure in row.values()))
    print(f"{'worst':16}" + "".join(f"{figure:11.1f}" for figure in worst.values()))


def measure(scan: Callable[[str], object], text: str) -> float:
    """CPU milliseconds of the quicker of two runs."""
    runs = []
    for _ in range(2):
        start = time.process_time()
        scan(text)
        runs.append((time.process_time() - start) * 1000)
    return min(runs)


if __name__ == "__main__":
    main()
