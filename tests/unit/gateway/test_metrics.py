"""What Prometheus scrapes about models."""

from typing import Any, cast

from goclaw.gateway.metrics import GatewayMetrics
from goclaw.llm.provider import Usage
from goclaw.llm.usage import ModelUsage


class NoJobs:
    """A queue with nothing in it."""

    def depths(self) -> dict[str, Any]:
        return {}


def test_calls_and_tokens_of_models_are_counters() -> None:
    usage = ModelUsage()
    metrics = GatewayMetrics(cast(Any, NoJobs()), usage)
    assert "goclaw_model_calls_total{" not in metrics.text().decode()
    usage.count_reply("chat", "a", Usage(10, 2, 4))
    usage.count_failure("chat", "a", Usage(1, 0, 0))
    text = metrics.text().decode()
    for line in (
        'goclaw_model_calls_total{model="a",outcome="answered",purpose="chat"} 1.0',
        'goclaw_model_calls_total{model="a",outcome="failed",purpose="chat"} 1.0',
        'goclaw_model_tokens_total{kind="input",model="a",purpose="chat"} 11.0',
        'goclaw_model_tokens_total{kind="output",model="a",purpose="chat"} 2.0',
        'goclaw_model_tokens_total{kind="cached",model="a",purpose="chat"} 4.0',
    ):
        assert line in text
