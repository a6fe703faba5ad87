"""Health routes: whether the gateway lives, whether it can work, and its figures."""

from fastapi import APIRouter
from starlette.responses import Response

from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import EngineOf
from goclaw.gateway.metrics import CONTENT_TYPE, GatewayMetrics
from goclaw.gateway.shapes import HealthShape
from goclaw.model.errors import StoreError


def health_router(metrics: GatewayMetrics) -> APIRouter:
    """The routes, with the figures of this gateway."""
    router = APIRouter(tags=["health"])

    @router.get("/healthz", response_model=HealthShape, summary="Does it live?")
    async def healthz() -> Response:
        """Answers as long as the process does. Needs no key."""
        return Answer({"status": "ok"})

    @router.get("/readyz", response_model=HealthShape, summary="Can it work?")
    def readyz(engine: EngineOf) -> Response:
        """200 when the store can be read and written, else 503. Needs no key."""
        try:
            engine.memory.jobs.depths()
        except StoreError as error:
            return Answer({"status": error.code}, 503)
        return Answer({"status": "read_only"}, 503) if engine.database.read_only else Answer({"status": "ready"})

    @router.get("/metrics", summary="Figures for Prometheus", response_class=Response)
    def prometheus() -> Response:
        """Counts and times without contents. Needs no key from this machine, elsewhere an administrator's."""
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    return router
