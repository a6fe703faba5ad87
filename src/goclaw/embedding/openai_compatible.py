"""Embeds through any service that speaks OpenAI's protocol: OpenAI, Gemini, vLLM, Ollama, a gateway of the company.

Nothing the service says is passed on in an error: it may echo the text or the key (R105). The client never retries by
itself; the job queue does, and it knows about the others that wait.
"""

import json
import logging
import re
import time
from collections.abc import Sequence
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAI, OpenAIError, omit

from goclaw.embedding.provider import (
    BadVectors,
    EmbeddingIdentity,
    InputType,
    Vectors,
    check_vectors,
    make_provider_key,
)
from goclaw.model.errors import ProviderError, ProviderRefusal
from goclaw.model.retry_after import read_retry_after

KNOWN_DIMS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "gemini-embedding-001": 3072,
}
KNOWN_FLOORS = {"gemini-embedding-001": 0.62}  # the seed's figure
INPUT_ERRORS = (400, 413, 422)
REFUSALS = (401, 402, 403, 404)
KEY_COMPLAINT = re.compile(r"api[ _]key", re.IGNORECASE)  # Gemini answers 400 to a wrong key
QUOTA_USED_UP = re.compile(r"insufficient_quota|billing_hard_limit")
# At level debug they write whole requests and headers, and texts of the memory never go to a log.
TALKATIVE_LOGGERS = ("openai", "httpcore2")
BYTES_PER_TEXT = 512 * 1024  # an answer longer than this per text is no answer


class OpenAiCompatibleProvider:
    """One model of one service. The connection is shared by all threads."""

    def __init__(
        self,
        *,
        provider: str,
        base_url: str,
        model: str,
        api_key: str | None,
        dims: int | None = None,
        max_batch_items: int = 2048,
    ) -> None:
        self._provider, self._model = provider, model
        self._key = make_provider_key(provider, model, base_url)
        self._asked_dims = dims
        self._dims = dims or KNOWN_DIMS.get(model, 0)
        self.min_similarity_floor = KNOWN_FLOORS.get(model)
        self.max_batch_items = max_batch_items
        # Services without keys still want a header.
        self._client = OpenAI(api_key=api_key or "none", base_url=base_url, max_retries=0)
        # Only settings decide what is sent, not variables made for other programs.
        self._client.organization = self._client.project = None
        self._client._custom_headers = {}
        for name in TALKATIVE_LOGGERS:
            logging.getLogger(name).setLevel(logging.INFO)

    @property
    def identity(self) -> EmbeddingIdentity:
        """Dimensions are 0 until the service's first answer, where neither settings nor we know them."""
        return EmbeddingIdentity(self._provider, self._model, self._key, self._dims)

    def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
        """As the protocol says; the service makes no difference between documents and queries."""
        if not texts:
            return check_vectors([], self._dims)
        body = self._ask([text.encode("utf-8", "replace").decode() for text in texts], timeout_s)
        vectors = check_vectors(_join_by_index(body, len(texts)), self._dims)
        self._dims = vectors.shape[1]
        return vectors

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, texts: list[str], timeout_s: float) -> bytes:
        problem: ProviderError
        try:
            return self._fetch(texts, timeout_s)
        except APIStatusError as error:
            problem = _explain_status(error)
        except (APITimeoutError, httpx2.TimeoutException):
            problem = ProviderError("The embedding service did not answer in time.")
        except (APIConnectionError, httpx2.HTTPError):
            problem = ProviderError("The embedding service cannot be reached.", "Check memory.search.base_url.")
        except OpenAIError:
            problem = ProviderError("The embedding service cannot be used.")
        # Outside the handler: the client's error holds the request with its key.
        raise problem

    def _fetch(self, texts: list[str], timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        body = bytearray()
        with self._client.embeddings.with_streaming_response.create(
            model=self._model,
            input=texts,
            dimensions=self._asked_dims or omit,
            encoding_format="float",
            timeout=timeout_s,
        ) as answer:
            # The client's timeout is for each piece; a service that drips would keep us for ever.
            for piece in answer.iter_bytes():
                body += piece
                if time.monotonic() > deadline:
                    raise httpx2.ReadTimeout("")
                if len(body) > BYTES_PER_TEXT * len(texts):
                    raise BadVectors("The embedding service sent far too much.")
        return bytes(body)


def _join_by_index(body: bytes, count: int) -> list[Any]:
    """The rows in the order of the texts: by the items' index, never by their position (R028)."""
    rows: dict[int, Any] = {}
    try:
        for item in json.loads(body)["data"]:
            # A missing index is zero: protobuf's JSON leaves zeros out.
            rows[int(item.get("index", 0))] = item["embedding"]
        joined = [rows[position] for position in range(count)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        joined = None
    if joined is None or len(rows) != count:
        raise BadVectors("The embedding service sent an answer that is cut, mixed up or not its protocol.")
    return joined


def _explain_status(error: APIStatusError) -> ProviderError:
    status, text = error.status_code, error.response.text
    retry_after_s = read_retry_after(error.response.headers, text)
    if status in REFUSALS or (status == 400 and KEY_COMPLAINT.search(text)):
        hint = "Check memory.search.api_key, memory.search.model and memory.search.base_url."
        return ProviderRefusal(f"The embedding service refuses us (HTTP {status}).", hint)
    if status == 429 and QUOTA_USED_UP.search(text):
        return ProviderRefusal("The quota of the embedding service is used up.", retry_after_s=retry_after_s)
    if status == 429:
        return ProviderError("The embedding service is asked too often (HTTP 429).", retry_after_s=retry_after_s)
    if status in INPUT_ERRORS:
        return ProviderError(f"The embedding service refuses this text (HTTP {status}).", final=True)
    return ProviderError(f"The embedding service failed (HTTP {status}).", retry_after_s=retry_after_s)
