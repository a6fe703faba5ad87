"""Caller: what every route is given about its request: the open engine, and the principal that the key opened."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from goclaw.bootstrap import Engine
from goclaw.gateway.identity import IdentityCheck
from goclaw.gateway.shapes import Request as RequestShape
from goclaw.memory import Memory
from goclaw.model.principal import Principal


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and the engine that answers."""

    engine: Engine
    identity: IdentityCheck
    principal: Principal

    @property
    def memory(self) -> Memory:
        return self.engine.memory

    def must_be(self, claimed: RequestShape) -> None:
        """Refuse a body or query that names another user or workspace than the key does."""
        self.identity.check_user(self.principal, claimed.user_id, "user_id")
        self.identity.check_workspace(self.principal, claimed.workspace_id, "workspace_id")


async def _caller(request: Request) -> Caller:  # async, so that it costs no thread of its own
    state = request.app.state
    return Caller(state.engine, state.identity, request.state.principal)


async def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


CallerOf = Annotated[Caller, Depends(_caller)]
EngineOf = Annotated[Engine, Depends(_engine)]
