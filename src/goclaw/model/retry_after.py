"""Retry-After: how long a service asks us to wait, in the three spellings we met."""

import math
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_RETRY_DELAY = re.compile(r'"retryDelay":\s*"([0-9.]+)s"')  # Gemini says it in the body


def read_retry_after(headers: Mapping[str, str], body: str) -> float | None:
    """Seconds the service asks us to wait: a number, or a date measured against its own; None where it names none.

    ``headers`` are found whatever the case of their names, as HTTP clients hand them out.
    """
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        pause = parsedate_to_datetime(value) - parsedate_to_datetime(headers["date"])
        return max(0.0, pause.total_seconds())
    except (ValueError, KeyError, TypeError):
        delay = _RETRY_DELAY.search(body)
    try:
        return float(delay[1]) if delay else None
    except ValueError:
        return None
