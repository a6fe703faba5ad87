"""Judged candidates: what search would weigh for each question of a conversation, and which of it is right."""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goclaw.bootstrap import Engine, open_engine
from goclaw.evaluation.dataset import Conversation, Question
from goclaw.evaluation.ways import PERSON, WAIT_S, PythonWay, references
from goclaw.model.access import Reading, WriteAccess
from goclaw.model.principal import Principal
from goclaw.recall.readable import readable_states
from goclaw.search import hybrid
from goclaw.search.query import Query
from goclaw.search.ranker import MODES
from goclaw.storage import chunks, memories
from goclaw.storage.database import Reader

STRANGER = "stranger"  # the category of a question that was asked of the wrong conversation
DEPTH = 200  # of hybrid.Options; the candidates do not depend on it


@dataclass(frozen=True, slots=True)
class Judged:
    """The candidates of one question, one a memory (its best chunk by the first ranking); parallel arrays."""

    category: str
    mode: str  # of ranker.MODES
    kinds: NDArray[np.intp]  # index in ranker.KINDS
    is_gold: NDArray[np.bool_]
    first: NDArray[np.floating[Any]]  # scores of the first ranking
    gold_count: int  # gold items of the question, found or not
    features: Mapping[str, NDArray[np.floating[Any]]]


def judge(
    conversation: Conversation,
    settings: Mapping[str, object],
    advance: Callable[[int], None] = lambda steps: None,
    strangers: Sequence[Question] = (),
) -> list[Judged]:
    """Fill a fresh store with the conversation and look at its questions, in both modes.

    ``strangers`` are questions about something else: no candidate answers them, like the unanswerable ones.
    """
    judged: list[Judged] = []
    with _filled(conversation, settings, advance) as engine:
        for question in conversation.questions:
            if question.gold or not question.is_answerable:
                judged += _looked_at(engine, question)
            advance(1)
        for question in strangers:
            judged += _looked_at(engine, question)
    return judged


def strangers_for(conversation: Conversation, others: Sequence[Conversation], count: int) -> list[Question]:
    """Questions of other conversations, asked of this one's people: on its kind of subject, and unanswerable."""
    names = list(dict.fromkeys(item.speaker for item in conversation.items if item.speaker))
    asked = []
    for other in others:
        theirs = list(dict.fromkeys(item.speaker for item in other.items if item.speaker))
        renamed = dict(zip(theirs, names, strict=False))
        for question in other.questions:
            if question.is_answerable:
                text = _with_names(question.text, renamed)
                asked.append(replace(question, text=text, is_answerable=False, gold=(), category=STRANGER))
    step = max(1, len(asked) // max(count, 1))
    return asked[::step][:count]


def _with_names(text: str, renamed: Mapping[str, str]) -> str:
    if not renamed:
        return text
    pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in renamed))
    return pattern.sub(lambda found: renamed[found.group()], text)


@contextmanager
def _filled(
    conversation: Conversation, settings: Mapping[str, object], advance: Callable[[int], None]
) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(Path(folder), settings)
        with engine.memory as memory:
            way = PythonWay(memory)
            for item in conversation.items:
                way.write(item)
                advance(1)
            memory.wait_until_indexed(WAIT_S)
            yield engine


def _looked_at(engine: Engine, question: Question) -> Iterator[Judged]:
    vectors = engine.vectors.embed_query(question.text)
    with engine.database.read() as reader:
        access = WriteAccess()
        states = readable_states(reader, Principal(PERSON), access, Reading.SEARCH)
        index = engine.vectors.state(reader)
        for mode in MODES if vectors is not None and index.model_no is not None else MODES[1:]:
            model_no = index.model_no if mode == MODES[0] else None
            query = Query.of(
                question.text, vectors=vectors if model_no else None, now=engine.clock.now(), withheld_bits=0
            )
            search = engine.settings.memory.search
            options = hybrid.Options.of(search, limit=DEPTH, model_no=model_no, model_floor=index.floor)
            found = hybrid.examine(reader, engine.blocks, states, query, options)
            if found is not None:
                yield _judged(reader, question, mode, found)


def _judged(reader: Reader, question: Question, mode: str, found: hybrid.ExaminedMemories) -> Judged:
    kept = _one_a_memory(found)
    items = _items_at(reader, found.memories[kept].tolist())
    gold = set(question.gold) if question.is_answerable else set()
    return Judged(
        category=question.category,
        mode=mode,
        kinds=found.examined.kinds[kept],
        is_gold=np.array([bool(gold & set(named)) for named in items], np.bool_),
        first=found.first[kept],
        gold_count=len(gold),
        features={name: values[kept] for name, values in found.examined.features.items()},
    )


def _one_a_memory(found: hybrid.ExaminedMemories) -> NDArray[np.intp]:
    """The best row of each memory by the first ranking."""
    order = np.lexsort((found.memories, -found.first))
    _, firsts = np.unique(found.memories[order], return_index=True)
    return np.sort(order[firsts])


def _items_at(reader: Reader, slots: list[int]) -> list[list[str]]:
    """The items that each memory (by its first slot) stands for."""
    texts = chunks.texts_at(reader, slots)
    ids = sorted({text.memory_id for text in texts.values()})
    records = memories.get_many(reader, ids, sorted({slot >> 32 for slot in slots}))
    named = []
    for slot in slots:
        record = records.get(texts[slot].memory_id) if slot in texts else None
        named.append(references([(record.external_ref, record.metadata)]) if record else [])
    return named
