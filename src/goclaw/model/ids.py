"""Ids are made by us, never by the database: UUIDv7 (RFC 9562), so they sort by time of birth on every engine."""

import hashlib
import os
import threading

from goclaw.model.clock import Clock, SystemClock

_RANDOM_BYTES = 8  # of which 62 bits are used
_RANDOM_CHARS = 2 * _RANDOM_BYTES
_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}  # the two bits that stay


class IdMaker:
    """Makes UUIDv7 strings that only grow within one process, even when the clock stands still or jumps back."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._last = 0  # milliseconds << 12 | sequence

    def new_id(self) -> str:
        """A fresh id: 36 characters, lower case."""
        return self.new_ids(1)[0]

    def new_ids(self, count: int) -> list[str]:
        """Fresh ids in their order; many at once cost half as much each."""
        with self._lock:
            stamp = (self._clock.now() // 1_000) << 12
            first = max(stamp, self._last + 1)
            self._last = first + count - 1
        random = os.urandom(_RANDOM_BYTES * count).hex()
        return [_as_text(first + n, random[_RANDOM_CHARS * n : _RANDOM_CHARS * (n + 1)]) for n in range(count)]


def _as_text(stamp: int, random: str) -> str:
    time = f"{stamp >> 12:012x}"
    return f"{time[:8]}-{time[8:]}-7{stamp & 0xFFF:03x}-{_VARIANT[random[0]]}{random[1:4]}-{random[4:]}"


_default = IdMaker()


def new_id() -> str:
    """A fresh UUIDv7 from the machine's clock."""
    return _default.new_id()


def new_ids(count: int) -> list[str]:
    """Fresh UUIDv7s from the machine's clock, in their order."""
    return _default.new_ids(count)


def sha256_hex(text: str) -> str:
    """The hash that stands for a text: 64 hexadecimal characters."""
    return hashlib.sha256(text.encode()).hexdigest()


def chunk_id(memory_id: str, ordinal: int, chunk_hash: str) -> str:
    """Stable while the text stays: the same chunk keeps its id over re-chunking and a change of model."""
    return hashlib.sha256(f"{memory_id}\0{ordinal}\0{chunk_hash}".encode()).hexdigest()[:32]
