"""How long a service asks us to wait."""

import pytest

from goclaw.model.retry_after import read_retry_after

DATES = {"retry-after": "Wed, 21 Oct 2015 07:28:40 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "30"}, "", 30.0),
        ({"retry-after": "2.5"}, "", 2.5),
        ({"retry-after": "-3"}, "", 0.0),
        (DATES, "", 40.0),
        ({"retry-after": DATES["retry-after"]}, "", None),
        ({}, '{"error": {"details": [{"retryDelay": "34.5s"}]}}', 34.5),
        ({}, '{"retryDelay": "1.2.3s"}', None),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({"retry-after": "inf"}, "", None),
        ({}, "", None),
    ],
)
def test_a_number_a_date_or_geminis_delay(headers: dict[str, str], body: str, seconds: float | None) -> None:
    assert read_retry_after(headers, body) == seconds
