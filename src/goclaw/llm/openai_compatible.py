"""Chats through any service that speaks OpenAI's protocol: OpenAI, Gemini, vLLM, Ollama, a gateway of the company.

Nothing the service says is passed on in an error: it may echo the conversation or the key (R105). The client never
retries by itself; the guard around the model does.
"""

import logging
import time
from collections.abc import Iterator
from typing import Any, cast

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAI, OpenAIError, omit

from goclaw.llm.event_stream import read_events, read_in_time, read_object
from goclaw.llm.openai_wire import GrowingReply, read_reply, write_extras, write_messages, write_tools
from goclaw.llm.provider import ChatReply, ChatRequest, ModelTraits
from goclaw.llm.service_errors import (
    ServiceSettings,
    cannot_be_reached,
    cannot_be_used,
    did_not_answer_in_time,
    explain_status,
)
from goclaw.model.errors import ModelRefused, ProviderError

# At level debug they write whole requests and headers, and conversations never go to a log.
TALKATIVE_LOGGERS = ("openai", "httpcore2")


class OpenAiCompatibleModel:
    """One model of one service. The connection is shared by all threads."""

    def __init__(
        self,
        traits: ModelTraits,
        *,
        base_url: str,
        api_key: str | None,
        settings: ServiceSettings,
        limit_field: str = "max_tokens",
    ) -> None:
        """``limit_field`` is what the service calls the longest reply; ``settings`` are the keys hints name."""
        self._traits, self._settings, self._limit_field = traits, settings, limit_field
        self._takes_extras = True  # until the service refuses a request with them and takes it without
        # Services without keys still want a header.
        self._client = OpenAI(api_key=api_key or "none", base_url=base_url, max_retries=0)
        # Only settings decide what is sent, not variables made for other programs.
        self._client.organization = self._client.project = None
        self._client._custom_headers = {}
        for name in TALKATIVE_LOGGERS:
            logging.getLogger(name).setLevel(logging.INFO)

    @property
    def name(self) -> str:
        return self._traits.name

    @property
    def window_tokens(self) -> int:
        return self._traits.window_tokens

    @property
    def takes_late_system(self) -> bool:
        return self._traits.takes_late_system

    def complete(self, request: ChatRequest) -> ChatReply:
        """As the protocol says."""
        return read_reply(read_object(b"".join(self._ask(request, is_streamed=False))), request)

    def stream(self, request: ChatRequest) -> Iterator[str | ChatReply]:
        """As the protocol says."""
        reply = GrowingReply(request)
        for event in read_events(self._ask(request, is_streamed=True)):
            if piece := reply.take(event):
                yield piece
        yield reply.finish()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, request: ChatRequest, is_streamed: bool) -> Iterator[bytes]:
        """The bytes of the answer; once more without what not every service takes, where it refuses the request."""
        deadline = time.monotonic() + (request.timeout_s or self._traits.timeout_s)
        extras = write_extras(request)
        if not extras or not self._takes_extras:
            yield from self._fetch(request, {}, is_streamed, deadline)
            return
        try:
            yield from self._fetch(request, extras, is_streamed, deadline)
            return
        except ModelRefused as error:
            if not error.final:
                raise
        self._takes_extras = False
        try:
            yield from self._fetch(request, {}, is_streamed, deadline)
        except ModelRefused:
            self._takes_extras = True  # they were not what it refuses
            raise

    def _fetch(
        self, request: ChatRequest, extras: dict[str, Any], is_streamed: bool, deadline: float
    ) -> Iterator[bytes]:
        problem: ProviderError
        try:
            with self._client.chat.completions.with_streaming_response.create(
                model=self.name,
                messages=cast(Any, write_messages(request.messages, self.takes_late_system)),
                tools=cast(Any, write_tools(request.tools)) or omit,
                stream=cast(Any, is_streamed or omit),
                stream_options={"include_usage": True} if is_streamed else omit,
                extra_body={self._limit_field: request.max_tokens or self._traits.max_output_tokens, **extras},
                timeout=max(0.001, deadline - time.monotonic()),
            ) as answer:
                yield from read_in_time(answer.iter_bytes(), deadline)
            return
        except APIStatusError as error:
            problem = explain_status(error.status_code, error.response.headers, error.response.text, self._settings)
        except (APITimeoutError, httpx2.TimeoutException):
            problem = did_not_answer_in_time()
        except (APIConnectionError, httpx2.HTTPError):
            problem = cannot_be_reached(self._settings)
        except OpenAIError:
            problem = cannot_be_used()
        # Outside the handler: the client's error holds the request with its key.
        raise problem
