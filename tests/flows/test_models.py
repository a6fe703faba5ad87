"""Models in a running engine: without one everything else works, with one its figures are kept and it is closed."""

from pathlib import Path

import pytest

import goclaw
from goclaw.bootstrap import open_engine
from goclaw.errors import SettingsError
from goclaw.llm.json_reply import ask_for
from goclaw.llm.provider import ChatMessage, ChatRequest
from goclaw.settings.settings import Section
from tests.fakes import chat_server as fake
from tests.fakes.chat_server import ChatServer

KEYWORDS_ONLY = {"memory.search.provider": "none"}


class Word(Section):
    """One word."""

    word: str


def test_without_a_model_the_engine_opens_and_has_none(tmp_path: Path) -> None:
    engine = open_engine(tmp_path, KEYWORDS_ONLY, workers=0)
    assert (engine.model, engine.background_model, engine.model_usage.figures()) == (None, None, ())
    engine.memory.close()


def test_both_models_answer_are_counted_and_closed(tmp_path: Path) -> None:
    with ChatServer(fake.say("hello"), fake.say('{"word": "hello"}')) as server:
        model = {"ai.model.provider": "openai_compatible", "ai.model.name": "m", "ai.model.base_url": server.url}
        engine = open_engine(tmp_path, {**KEYWORDS_ONLY, **model}, workers=0)
        assert engine.model is not None
        assert engine.background_model is not None
        request = ChatRequest((ChatMessage("user", "Say hello."),))
        *_, reply = engine.model.stream(request)
        assert not isinstance(reply, str)
        assert reply.message.content == "hello"
        assert ask_for(engine.background_model, request, Word) == Word(word="hello")
        assert [(each.purpose, each.calls) for each in engine.model_usage.figures()] == [("chat", 1), ("background", 1)]
        engine.memory.close()
        with pytest.raises(RuntimeError, match="closed"):
            engine.model.complete(request)
        assert len(server.requests) == 2


def test_a_setting_that_a_model_needs_stops_the_start_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"ai\.model\.api_key"):
        goclaw.open_memory(tmp_path, {**KEYWORDS_ONLY, "ai.model.provider": "openai", "ai.model.name": "m"})
