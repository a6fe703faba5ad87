"""Keeps the vectors of the last questions, so that the same question is not embedded twice."""

import hashlib
import threading
from collections import OrderedDict

from goclaw.embedding.provider import EmbeddingIdentity, EmbeddingProvider, embed_texts
from goclaw.embedding.token_vectors import TextVectors

ENTRIES = 1_024


class QueryCache:
    """Least recently used out first; safe from several threads.

    A key is the sha256 of identity and text: the cache holds neither texts nor who asked. A vector tells nothing that
    its asker does not know, because finding it needs the very same text.
    """

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._lock = threading.Lock()
        self._vectors: OrderedDict[bytes, TextVectors] = OrderedDict()

    def embed(self, provider: EmbeddingProvider, text: str, timeout_s: float) -> TextVectors:
        """The vectors of a question, from the cache or the provider. Read-only. Raises ProviderError."""
        key = _key(provider.identity, text)
        with self._lock:
            if key in self._vectors:
                self._vectors.move_to_end(key)
                return self._vectors[key]
        found = embed_texts(provider, [text], "query", timeout_s)[0]
        found.vector.setflags(write=False)  # shared by whoever asks the same
        # Only now is it sure which numbers these are: a service's first answer tells its dimensions.
        key = _key(provider.identity, text)
        with self._lock:
            self._vectors[key] = found
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._entries:
                self._vectors.popitem(last=False)
        return found

    def clear(self) -> None:
        """Forget everything, for instance after somebody's memory was erased."""
        with self._lock:
            self._vectors.clear()


def _key(identity: EmbeddingIdentity, text: str) -> bytes:
    names = (identity.provider, identity.model, identity.provider_key, str(identity.dims))
    return hashlib.sha256("\0".join((*names, text)).encode("utf-8", "surrogatepass")).digest()
