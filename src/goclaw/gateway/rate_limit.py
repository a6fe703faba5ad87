"""Rate limit: a bucket of tokens for each key, refilled by the minute; an empty one answers 429 with Retry-After.

The buckets live in this process: two gateways on one store each allow the whole rate.
"""

import math
import time
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from goclaw.gateway.errors import answer_for
from goclaw.model.errors import RateLimited


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled_at: float  # seconds of a clock that never jumps


class TokenBuckets:
    """One bucket for each key that was seen; there are never more than keys."""

    def __init__(self, per_minute: int) -> None:
        self._capacity = float(per_minute)
        self._per_second = per_minute / 60
        self._buckets: dict[str, _Bucket] = {}

    def take(self, key_id: str, now: float) -> float:
        """Take a token; 0 where there was one, else the seconds until there will be."""
        bucket = self._buckets.setdefault(key_id, _Bucket(self._capacity, now))
        bucket.tokens = min(self._capacity, bucket.tokens + (now - bucket.filled_at) * self._per_second)
        bucket.filled_at = now
        if bucket.tokens >= 1:
            bucket.tokens -= 1
            return 0.0
        return (1 - bucket.tokens) / self._per_second


class RateLimit:
    """Stands behind the check of keys: who has no valid key is refused before."""

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self._app = app
        self._buckets = TokenBuckets(per_minute) if per_minute else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key_id = scope.get("state", {}).get("key_id")
        if self._buckets is not None and key_id is not None:
            wait_s = self._buckets.take(key_id, time.monotonic())
            if wait_s:
                error = RateLimited(
                    "Too many requests with this key.",
                    "Wait as long as Retry-After says, or raise server.rate_limit_per_minute.",
                    retry_after_s=math.ceil(wait_s),
                )
                await answer_for(error, scope)(scope, receive, send)
                return
        await self._app(scope, receive, send)
