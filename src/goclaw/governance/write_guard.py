"""Write guard: looks at every field of a write before anything is stored, and says what is refused and what is flagged.

Refused texts are stored nowhere; flagged records wait for a human (governance.md 4). Pure: no storage, no clock, and
nothing it returns holds any of the text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goclaw.governance.detectors.bulk import (
    is_data_dump,
    is_large_code,
    is_reasoning_trace,
    is_scratchpad,
    is_transcript,
)
from goclaw.governance.detectors.hidden_characters import has_hidden_characters
from goclaw.governance.detectors.injection import is_injection_like
from goclaw.governance.promotion import UNSOURCED
from goclaw.governance.secret_scan import is_secret_suspected, scan_secrets
from goclaw.model.errors import UnsafeFinding
from goclaw.model.record import MemoryDraft
from goclaw.model.storable import require_storable
from goclaw.settings.settings import GuardSettings

DETECTORS_VERSION = 2  # grows with every change of a detector; stored records are looked at again when it does

INJECTION_LIKE = "injection_like"
HIDDEN_CHARACTERS = "hidden_characters"
SECRET_SUSPECTED = "secret_suspected"  # noqa: S105 - the name of a flag
OVERSIZE = "oversize"

REFUSE, FLAG = "refuse", "flag"  # what governance.guard.* may say of a size class, beside "allow"
_SHORTEST_BULK = 20  # characters; no transcript, dump or train of thought is shorter


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard found. Any finding refuses the write; flags let it in, to wait for a human."""

    findings: tuple[UnsafeFinding, ...]
    flags: tuple[str, ...]

    @property
    def is_refused(self) -> bool:
        return bool(self.findings)


def examine(
    fields: Mapping[str, str | Sequence[str]], settings: GuardSettings | None = None, *, is_unsourced: bool = False
) -> Verdict:
    """The verdict over all fields of one write, by the name of each field.

    ``is_unsourced``: an agent, import or job writes without a source reference, which is flagged. Raises InvalidInput
    for NUL and lone surrogates, which no engine stores alike (robustness cases R097, R098).
    """
    settings = settings or GuardSettings()
    findings: dict[UnsafeFinding, None] = {}
    flags: dict[str, None] = {UNSOURCED: None} if is_unsourced else {}
    for name, text in _texts(fields):
        require_storable(text, name)
        findings.update(dict.fromkeys(UnsafeFinding(reason, name) for reason in _refused(text, settings)))
        flags.update(dict.fromkeys(_flagged(text, settings)))
    return Verdict(tuple(findings), tuple(flags))


def guarded_fields(draft: MemoryDraft) -> dict[str, str | tuple[str, ...]]:
    """Every text of a draft that would be stored, by field name: also ids, tags, sources and metadata."""
    fields: dict[str, str | tuple[str, ...]] = {"content": draft.content, "tags": (*draft.tags, *draft.tags_as_given)}
    for name in ("domain", "project_id", "channel_id", "external_ref", "session_id", "speaker"):
        value = getattr(draft, name)
        if value is not None:
            fields[name] = value
    for number, source in enumerate(draft.source_refs):
        for name, text in source.as_dict().items():
            if text is not None:
                fields[f"source_refs[{number}].{name}"] = text
    if draft.metadata:
        # The key stays beside its value: "password" makes a secret of a word that is none alone.
        fields["metadata"] = tuple(_flattened(draft.metadata, ""))
    return fields


def _texts(fields: Mapping[str, str | Sequence[str]]) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if isinstance(value, str):
            yield name, value
        else:
            yield from ((name, text) for text in value)


def _flattened(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flattened(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from _flattened(inner, path)
    else:
        yield f"{path}: {value}"


def _refused(text: str, settings: GuardSettings) -> Iterator[str]:
    yield from (hit.reason for hit in scan_secrets(text))
    if len(text) < _SHORTEST_BULK:
        return
    for reason, detect, action in _bulk(settings):
        if action is REFUSE and detect(text):
            yield reason


def _flagged(text: str, settings: GuardSettings) -> Iterator[str]:
    if has_hidden_characters(text):
        yield HIDDEN_CHARACTERS
    if is_injection_like(text):
        yield INJECTION_LIKE
    if is_secret_suspected(text):
        yield SECRET_SUSPECTED
    if any(action is FLAG and detect(text) for _, detect, action in _bulk(settings)):
        yield OVERSIZE


def _bulk(settings: GuardSettings) -> tuple[tuple[str, Callable[[str], bool], str], ...]:
    """(reason a client may see, detector, what the settings say)."""
    return (
        ("raw_transcript_like", is_transcript, settings.transcript),
        ("reasoning_trace", is_reasoning_trace, REFUSE),
        ("large_code_block", is_large_code, settings.large_code),
        ("data_dump", is_data_dump, settings.data_dump),
        ("scratchpad", is_scratchpad, REFUSE),
    )
