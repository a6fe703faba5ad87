"""Bulk: raw material that belongs in its own place, not in memory: transcripts, reasoning, code, dumps, scratchpads."""

import re
from collections import Counter

# Who says it, at the beginning of a line: "Anna: ", "[12:01] user: ", "<bob> ". One letter (Q:, A:) is an FAQ.
_SPEAKER = re.compile(
    r"^[ \t]{0,8}(?P<time>[\[(]?\d{1,4}[-:./]\d{1,2}[-:./\d T]{0,16}(?:[ap]m)?[\])]?[ \t\-]{0,3})?[*_]{0,2}"
    r"(?:<(?P<nick>[^<>\n]{2,30})>|(?P<name>[^\W\d_][\w.'\-]{1,24}(?: [^\W\d_][\w.'\-]{0,24})?)[*_]{0,2} ?:)[*_]{0,2}"
    r"[ \t](?P<words>[^\n]{1,400})",
    re.MULTILINE,
)
_SPEECH = re.compile(
    r"\?|\b(?:i|i'm|i'll|you|we|me|my|your|yes|yeah|no|ok|okay|hi|hello|thanks|thank|sure|ich|du|sie|wir|ja|nein|yo|tú"
    r"|sí|je|tu|"
    r"vous|oui|non|eu|você)\b|я\b|\bты\b|\bвы\b|我|你|您|吗|です|ます",
    re.IGNORECASE,
)
_CHAT_ROLES = frozenset(
    {"user", "human", "assistant", "ai", "agent", "bot", "system", "customer", "support", "model", "chatgpt", "claude"}
)
_ROLE_KEYS = re.compile(r"[\"']role[\"']\s{0,4}:\s{0,4}[\"'](?:user|assistant|human|system|tool|ai)[\"']")
_CUE_TIMES = re.compile(r"^\d{1,2}:\d{2}(?::\d{2})?[.,]\d{3} --> \d{1,2}:\d{2}", re.MULTILINE)
_FEWEST_TURNS, _FEWEST_ROLE_TURNS, _FEWEST_CUES = 6, 4, 4
_SPOKEN_SHARE = 0.6  # of the lines with text
_SPEECH_SHARE = 0.4  # of the turns, where only names say that it may be one

_THOUGHT_TAG = re.compile(
    r"(?:^|\n)\s{0,8}<(think|thinking|reasoning|thought|inner_monologue)>\s{0,8}[^<\s][^<]{15}", re.IGNORECASE
)
_THOUGHT_LABEL = re.compile(
    r"(?:^|\n)[#*\s]{0,6}(?:chain[ \-]of[ \-]thought|internal monologue|inner monologue|reasoning trace|my (?:reasoning"
    r"|thoughts?)|"
    r"thinking|thought process|thoughts?)[*\s]{0,4}:",
    re.IGNORECASE,
)
_THINKING_ALOUD = tuple(
    re.compile(phrase, re.IGNORECASE)
    for phrase in (
        r"\blet me (?:think|reconsider|re-?check|work through|double[- ]check|see if|start over)\b",
        r"\b(?:hm{2,20}|wait)\b ?[,.!\-—…]|\bno,? wait\b|\bactually,? (?:no|wait)\b",
        r"\b(?:okay|ok|alright|so),? (?:so |now )?the user (?:wants|asks|asked|is asking|said|needs)\b",
        r"\bi (?:should|need to|could|will|must) (?:first |now |probably )?(?:respond|answer|check|consider|figure"
        r"|look at)\b",
        r"\blet'?s think\b|\bstep by step\b|\bon second thought\b|\bthinking (?:about|through) (?:it|this)\b",
        r"\b(?:maybe|perhaps) i (?:should|could|can)\b|\bbut what if\b|\bi wonder (?:if|whether)\b",
    )
)
_LABEL_WEIGHT, _ENOUGH_THOUGHT = 2, 3

_SCRATCHPAD = re.compile(
    r"^[\s#*_>\[<]{0,8}(?:scratch ?pad|scratch notes?|working notes?|rough notes?|brain ?dump"
    r"|wip notes?)[\s*_\]>]{0,6}(?::|\n|$)"
    r"|<scratch_?pad>",
    re.IGNORECASE,
)

_FENCE = re.compile(r"```[^\n`]{0,40}\n(.{0,400000}?)(?:```|\Z)", re.DOTALL)
_CODE_LINE = re.compile(
    r"^\s{0,40}(?:(?:def|class|function|func|fn|public|private|protected|static|const|let|var|import|from|return|if"
    r"|elif|else|for|while|try|"
    r"except|catch|switch|case|package|using|namespace|struct|enum|interface|SELECT|INSERT|UPDATE|CREATE|ALTER|echo"
    r"|export|async|await)\b"
    r"[^\n]{0,300}[(){}\[\];:=]|#include|@\w|[+\-] ?[^\n]{0,300}[;{}()]|[^\n]{0,400}[;{}]\s{0,4}$"
    r"|[\w.\[\]\"']{1,80} ?[-+*/]?= ?[^\n]{1,300}$|</?[a-zA-Z][^>\n]{0,300}>)"
)  # fmt: skip
_MOST_CODE_LINES, _MOST_CODE_CHARS, _CODE_SHARE = 40, 3_000, 0.6

_PERSONAL = re.compile(
    r"[\w.+\-]@[\w\-]{1,64}(?:\.[\w\-]{1,24}){1,4}"
    r"|(?<!\d)\+?\d{1,3}[ \-/()]{1,2}\d{2,4}[ \-/()]{1,2}\d{3,4}[ \-]?\d{2,5}"
    r"|(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)|\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b|(?<!\d)\d{4}[ \-]\d{4}[ \-]\d{4}[ \-]\d{4}(?!\d)"
)
_DELIMITERS = ",;\t|"
_INSERT = re.compile(
    r"^\s{0,8}(?:INSERT INTO\b|COPY \S{1,80}.{0,200} FROM stdin|\(\s?(?:\d|'))", re.IGNORECASE | re.MULTILINE
)
_MOST_PERSONAL_ROWS, _MOST_PERSONAL, _MOST_ROWS = 10, 20, 60


def is_transcript(text: str) -> bool:
    """Whether the text is a conversation word by word."""
    if len(_ROLE_KEYS.findall(text)) >= _FEWEST_ROLE_TURNS or len(_CUE_TIMES.findall(text)) >= _FEWEST_CUES:
        return True
    said = [(turn, (turn["nick"] or turn["name"]).strip().lower()) for turn in _SPEAKER.finditer(text)]
    times = Counter(who for _, who in said)
    turns = [(turn, who) for turn, who in said if times[who] >= 2]
    has_roles = any(who in _CHAT_ROLES for _, who in turns)
    if len({who for _, who in turns}) < 2 or len(turns) < (_FEWEST_ROLE_TURNS if has_roles else _FEWEST_TURNS):
        return False
    is_marked = has_roles or any(turn["time"] or turn["nick"] for turn, _ in turns)
    spoken = sum(1 for turn, _ in turns if _SPEECH.search(turn["words"]))
    lines = sum(1 for line in text.split("\n") if line.strip())
    return len(turns) >= _SPOKEN_SHARE * lines and (is_marked or spoken >= _SPEECH_SHARE * len(turns))


def is_reasoning_trace(text: str) -> bool:
    """Whether the text is a model thinking aloud."""
    if _THOUGHT_TAG.search(text):
        return True
    aloud = sum(1 for phrase in _THINKING_ALOUD if phrase.search(text))
    return aloud + (_LABEL_WEIGHT if _THOUGHT_LABEL.search(text) else 0) >= _ENOUGH_THOUGHT


def is_scratchpad(text: str) -> bool:
    """Whether the text calls itself a scratchpad."""
    return bool(_SCRATCHPAD.search(text))


def is_large_code(text: str) -> bool:
    """Whether the text carries more code than a memory needs: over 40 lines or 3,000 characters of it."""
    fenced = [block[1] for block in _FENCE.finditer(text)]
    if sum(map(len, fenced)) > _MOST_CODE_CHARS or sum(block.count("\n") for block in fenced) > _MOST_CODE_LINES:
        return True
    lines = [line for line in text.split("\n") if line.strip()]
    code = [line for line in lines if _CODE_LINE.match(line)]
    is_long = len(code) > _MOST_CODE_LINES or sum(map(len, code)) > _MOST_CODE_CHARS
    return is_long and len(code) >= _CODE_SHARE * len(lines)


def is_data_dump(text: str) -> bool:
    """Whether the text is rows of data: ten of them about persons, twenty personal details, or sixty of any kind."""
    personal = sum(1 for _ in _PERSONAL.finditer(text))
    if personal >= _MOST_PERSONAL or len(_INSERT.findall(text)) >= _MOST_PERSONAL_ROWS:
        return True
    lines = [line for line in text.split("\n") if line.strip()]
    for delimiter in _DELIMITERS:
        widths = Counter(count for line in lines if (count := line.count(delimiter)) >= 2)
        rows = max(widths.values(), default=0)
        if rows >= _MOST_ROWS or (rows >= _MOST_PERSONAL_ROWS and personal >= _MOST_PERSONAL_ROWS):
            return rows >= len(lines) / 2
    return False
