"""Metrics: what Prometheus scrapes. Labels are routes, statuses, kinds of job, names of models; never contents."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from goclaw.ingest.queue import JobQueue
from goclaw.llm.usage import ModelFigures, ModelUsage

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"


class GatewayMetrics:
    """The figures of one gateway."""

    def __init__(self, jobs: JobQueue, models: ModelUsage) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "goclaw_http_requests", "Requests answered.", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "goclaw_http_request_seconds",
            "Time from request to answer.",
            ["route"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._registry.register(_JobDepths(jobs))
        self._registry.register(_ModelCounts(models))

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request that was answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self._registry)


class _JobDepths(Collector):
    """Reads the queue at the moment of scraping."""

    def __init__(self, jobs: JobQueue) -> None:
        self._jobs = jobs

    def describe(self) -> Iterator[Metric]:
        yield from self._families({})

    def collect(self) -> Iterator[Metric]:
        yield from self._families(self._jobs.depths())

    def _families(self, depths: Mapping[str, Mapping[str, Any]]) -> Iterator[Metric]:
        jobs = GaugeMetricFamily("goclaw_jobs", "Jobs by kind and state.", labels=["kind", "state"])
        oldest = GaugeMetricFamily("goclaw_jobs_oldest_seconds", "Age of the oldest queued job.", labels=["kind"])
        for kind, depth in depths.items():
            for state in ("queued", "running", "dead"):
                jobs.add_metric([str(kind), state], depth[state])
            oldest.add_metric([str(kind)], depth["oldest_s"])
        yield jobs
        yield oldest


class _ModelCounts(Collector):
    """Reads the figures of models at the moment of scraping; this process's own, workers elsewhere have theirs."""

    def __init__(self, models: ModelUsage) -> None:
        self._models = models

    def describe(self) -> Iterator[Metric]:
        yield from self._families(())

    def collect(self) -> Iterator[Metric]:
        yield from self._families(self._models.figures())

    def _families(self, figures: Sequence[ModelFigures]) -> Iterator[Metric]:
        calls = CounterMetricFamily("goclaw_model_calls", "Calls of models.", labels=["purpose", "model", "outcome"])
        tokens = CounterMetricFamily(
            "goclaw_model_tokens", "Tokens of models; cached ones are input too.", labels=["purpose", "model", "kind"]
        )
        for each in figures:
            names = [each.purpose, each.model]
            calls.add_metric([*names, "answered"], each.calls - each.failures)
            calls.add_metric([*names, "failed"], each.failures)
            for kind in ("input", "output", "cached"):
                tokens.add_metric([*names, kind], getattr(each.usage, f"{kind}_tokens"))
        yield calls
        yield tokens
