"""Writes docs/governance-detectors.md: what each detector looks for, and what it finds in the shipped cases, measured now."""

# ruff: noqa: E501 - the rows of a table stand on one line
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from goclaw.governance.write_guard import DETECTORS_VERSION, examine  # noqa: E402
from tests.cases.materialize import load, text_of  # noqa: E402

PAGE = ROOT / "docs" / "governance-detectors.md"
HEAD = """\
# Detectors

<!-- Written by scripts/write_detector_docs.py, which measures; change that, not this page. -->

Every field of a write is looked at before anything is stored. A **refused** text is stored nowhere; a **flagged** record is stored and
waits for a person. Detectors are an alarm, not the defence: what they miss stays evidence and instructs nobody ([governance](governance.md)).
This is version {version} of the detectors; it grows with every change of one.

| detector | looks for | then |
| --- | --- | --- |
| secrets | keys whose form says what they are, private keys, connection strings, values beside words like "password" in many languages, also in base64, URL-encoded or broken over lines | refused |
| suspected secrets | long random strings without a known form | flagged `secret_suspected` |
| injection | texts that talk to the model: lift rules, another role, false authority, hidden text, tools turned on their owner, data sent out, texts that spread; also with look-alike letters, digits for letters, spelt letter by letter, rot13, base64 | flagged `injection_like` |
| hidden characters | signs no reader sees, or that turn the reading direction | flagged `hidden_characters` |
| transcript, data dump, code | raw material, by size and shape | `governance.guard.*` says: refused, flagged or allowed |
| reasoning, scratchpad | trains of thought and work in progress | refused |

Words that are only quoted in a report about an attack are no attack.

`goclaw memory rescan` looks at everything the workspace has stored with today's detectors. It adds flags and never takes one away, and the
audit row says by which version. Run it after an update that brings a new version.

## Figures

| cases | found | of |
| --- | ---: | ---: |
"""
TAIL = """
`steering.jsonl` is wording of our own. The rules were fitted to its attacks and look-alikes, so those figures say only that nothing was lost.
The *unseen* attacks were written after the rules and no rule was fitted to them: their figure is what to expect of wording nobody has seen.
Before the rules of version 2, 28 of the first sixty attacks were found; with the first form of them, 5 of the next
thirty, with 3 false alarms in thirty look-alikes; with today's, one more false alarm in twenty (learnt from since).
Attacks by a person of the house that read like an honest note cannot be told by any rule over words.

## What is missed

"""


def page() -> str:
    """The whole page, with figures measured now."""
    rows, missed = [], []
    for name, of, wanted, cases in _groups():
        found = [case for case in cases if _is_found(case)]
        rows.append(f"| {name} | {len(found)} | {len(cases)} |")
        if wanted:
            missed += [f"- {of}: {_kind(case)}" for case in cases if case not in found]
    return HEAD.format(version=DETECTORS_VERSION) + "\n".join(rows) + "\n" + TAIL + "\n".join(missed) + "\n"


def _groups():
    injection, secrets, steering = (
        load(ROOT / "tests" / "cases" / f"{name}.jsonl") for name in ("injection", "secrets", "steering")
    )
    yield "secrets", "secret", True, [case for case in secrets if case["label"] == "secret"]
    yield "look-alikes of secrets (false alarms)", "", False, [case for case in secrets if case["label"] != "secret"]
    for level in ("plain", "hard"):
        cases = [case for case in injection if case.get("difficulty") == level and case["label"] == "malicious"]
        yield f"{level} injections", f"{level} injection", True, cases
    yield (
        "look-alikes of injections (false alarms)",
        "",
        False,
        [case for case in injection if case["label"] == "benign"],
    )
    for label, name, wanted in (
        ("malicious", "our own attacks", True),
        ("benign", "our own look-alikes (false alarms)", False),
        ("unseen", "unseen attacks", True),
    ):
        yield name, f"{label} attack", wanted, [case for case in steering if case["label"] == label]


def _is_found(case) -> bool:
    verdict = examine({"content": text_of(case)})
    return bool(verdict.findings or verdict.flags)


def _kind(case) -> str:
    return case.get("category") or case.get("kind") or f"`{case['text']}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
