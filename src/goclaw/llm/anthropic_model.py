"""Chats with Claude through Anthropic's own client, the extra ``anthropic``.

As with other services: nothing it says is passed on in an error (R105), and the client never retries by itself.
"""

import logging
import time
from collections.abc import Iterator
from typing import Any, cast

import httpx2
from anthropic import Anthropic, AnthropicError, APIConnectionError, APIStatusError, APITimeoutError, omit

from goclaw.llm.anthropic_wire import GrowingReply, read_reply, split_system, write_messages, write_tools
from goclaw.llm.event_stream import read_events, read_in_time, read_object
from goclaw.llm.provider import ChatReply, ChatRequest, ModelTraits
from goclaw.llm.service_errors import (
    ServiceSettings,
    cannot_be_reached,
    cannot_be_used,
    did_not_answer_in_time,
    explain_status,
)
from goclaw.model.errors import ProviderError

# At level debug they write whole requests and headers, and conversations never go to a log.
TALKATIVE_LOGGERS = ("anthropic", "httpcore2")


class AnthropicModel:
    """One of Anthropic's models. The connection is shared by all threads.

    A schema is asked for in words alone, and a temperature not at all: newer models take none.
    """

    def __init__(
        self, traits: ModelTraits, *, base_url: str, api_key: str, settings: ServiceSettings | None = None
    ) -> None:
        """``settings`` are the keys that hints name."""
        self._traits, self._settings = traits, settings or ServiceSettings()
        # Contents would go into the spans of whoever traces this process.
        self._client = Anthropic(api_key=api_key, base_url=base_url, max_retries=0, open_telemetry=False)
        self._client._custom_headers = {}  # only settings decide what is sent, not variables made for other programs
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
        return read_reply(read_object(b"".join(self._fetch(request, is_streamed=False))), request)

    def stream(self, request: ChatRequest) -> Iterator[str | ChatReply]:
        """As the protocol says."""
        reply = GrowingReply(request)
        for event in read_events(self._fetch(request, is_streamed=True)):
            if piece := reply.take(event):
                yield piece
        yield reply.finish()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _fetch(self, request: ChatRequest, is_streamed: bool) -> Iterator[bytes]:
        deadline = time.monotonic() + (request.timeout_s or self._traits.timeout_s)
        system, messages = split_system(request.messages)
        problem: ProviderError
        try:
            with self._client.messages.with_streaming_response.create(
                model=self.name,
                max_tokens=request.max_tokens or self._traits.max_output_tokens,
                system=cast(Any, system) or omit,
                messages=cast(Any, write_messages(messages, self.takes_late_system)),
                tools=cast(Any, write_tools(request.tools)) or omit,
                stream=cast(Any, is_streamed or omit),
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
        except AnthropicError:
            problem = cannot_be_used()
        # Outside the handler: the client's error holds the request with its key.
        raise problem
