"""How long a failed job waits."""

from goclaw.ingest.worker import JITTER, MAX_BACKOFF_S, backoff_s
from goclaw.model.errors import ProviderError


def test_it_doubles_with_jitter_up_to_a_quarter_of_an_hour():
    for attempts, plain in ((1, 1), (2, 2), (5, 16), (11, MAX_BACKOFF_S), (500, MAX_BACKOFF_S)):
        waits = {backoff_s(attempts) for _ in range(50)}
        assert len(waits) > 1
        assert all(plain * (1 - JITTER) <= wait <= plain * (1 + JITTER) for wait in waits)


def test_retry_after_is_a_lower_bound():
    assert backoff_s(1, ProviderError("busy", retry_after_s=30)) == 30
    assert backoff_s(11, ProviderError("busy", retry_after_s=30)) > 30
