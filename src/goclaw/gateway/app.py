"""App: the gateway as one ASGI application around an open engine.

Layers, outermost first: request id and log -> key -> rate limit -> body limit -> routes.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.routing import Route

from goclaw.bootstrap import Engine
from goclaw.gateway import (
    admin_routes,
    agent_memory_routes,
    audit_routes,
    chat_routes,
    governance_routes,
    memory_routes,
    policy_routes,
    review_routes,
    session_routes,
)
from goclaw.gateway.auth import KeyAuth
from goclaw.gateway.body_limit import BodyLimit
from goclaw.gateway.errors import install_error_handlers
from goclaw.gateway.health_routes import health_router
from goclaw.gateway.identity import IdentityCheck
from goclaw.gateway.keys import KeyRing
from goclaw.gateway.mcp_server import McpOverHttp
from goclaw.gateway.metrics import GatewayMetrics
from goclaw.gateway.rate_limit import RateLimit
from goclaw.gateway.request_log import RequestLog

DESCRIPTION = "A memory engine for teams of AI agents: who wrote it, who may see it, what it may do."
MCP_PATH = "/mcp"


def create_app(engine: Engine) -> FastAPI:
    """The gateway of an open engine. Closing the engine stays with whoever opened it."""
    server = engine.settings.server
    metrics = GatewayMetrics(engine.memory.jobs, engine.model_usage)
    identity = IdentityCheck(engine.database, engine.clock)
    mcp = McpOverHttp(engine.memory, server.max_body_bytes)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with mcp.running():
            yield

    app = FastAPI(
        title="goclaw",
        description=DESCRIPTION,
        version=version("goclaw"),
        docs_url=None,  # its page would be loaded from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        middleware=[
            Middleware(RequestLog, metrics=metrics),
            Middleware(
                KeyAuth,
                keys=KeyRing(engine.database, engine.clock),
                identity=identity,
                store_is_near=engine.settings.database.driver == "sqlite",
            ),
            Middleware(RateLimit, per_minute=server.rate_limit_per_minute),
            Middleware(BodyLimit, max_bytes=server.max_body_bytes),
        ],
    )
    app.state.engine = engine
    app.state.identity = identity
    install_error_handlers(app)
    app.include_router(memory_routes.router)
    app.include_router(admin_routes.router)
    app.include_router(policy_routes.router)
    app.include_router(audit_routes.router)
    app.include_router(governance_routes.router)
    app.include_router(review_routes.router)  # before the routes that take any id where it has its word
    app.include_router(chat_routes.router)
    app.include_router(session_routes.router)
    app.include_router(agent_memory_routes.router)
    app.include_router(health_router(metrics))
    app.router.routes.append(Route(MCP_PATH, mcp, include_in_schema=False))
    _say_who_may(app)
    return app


def _say_who_may(app: FastAPI) -> None:
    """Add the two ways of showing a key to the OpenAPI page."""
    describe = app.openapi

    def described() -> dict[str, Any]:
        page = describe()
        schemes = page.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["key"] = {"type": "apiKey", "in": "header", "name": "x-brain-key"}
        schemes["bearer"] = {"type": "http", "scheme": "bearer"}
        page["security"] = [{"key": []}, {"bearer": []}]
        return page

    app.openapi = described  # type: ignore[method-assign]
