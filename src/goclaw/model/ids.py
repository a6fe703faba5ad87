"""Ids are made by us, never by the database: UUIDv7 (RFC 9562), so they sort by time of birth on every engine."""

import hashlib
import os
import threading

from goclaw.model.clock import Clock, SystemClock

_RANDOM_BITS = 62


class IdMaker:
    """Makes UUIDv7 strings that only grow within one process, even when the clock stands still or jumps back."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._last = 0  # milliseconds << 12 | sequence

    def new_id(self) -> str:
        """A fresh id: 36 characters, lower case."""
        with self._lock:
            stamp = (self._clock.now() // 1_000) << 12
            self._last = stamp = max(stamp, self._last + 1)
        milliseconds, sequence = stamp >> 12, stamp & 0xFFF
        random = int.from_bytes(os.urandom(8), "big") >> (64 - _RANDOM_BITS)
        value = milliseconds << 80 | 0x7 << 76 | sequence << 64 | 0b10 << 62 | random
        text = f"{value:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


_default = IdMaker()


def new_id() -> str:
    """A fresh UUIDv7 from the machine's clock."""
    return _default.new_id()


def sha256_hex(text: str) -> str:
    """The hash that stands for a text: 64 hexadecimal characters."""
    return hashlib.sha256(text.encode()).hexdigest()


def chunk_id(memory_id: str, ordinal: int, chunk_hash: str) -> str:
    """Stable while the text stays: the same chunk keeps its id over re-chunking and a change of model."""
    return hashlib.sha256(f"{memory_id}\0{ordinal}\0{chunk_hash}".encode()).hexdigest()[:32]
