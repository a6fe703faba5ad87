"""Policy routes: the trusted imports and promotions of a workspace, made and ended by reviewers by their own hand."""

from datetime import datetime
from typing import Any

from fastapi import APIRouter
from pydantic import ConfigDict, Field
from starlette.responses import Response

from goclaw.gateway.answers import Answer
from goclaw.gateway.caller import CallerOf
from goclaw.gateway.memory_routes import ERRORS
from goclaw.gateway.review_wire import trust_json
from goclaw.gateway.shapes import Request

router = APIRouter(prefix="/api/memory", responses=ERRORS, tags=["policies"])


class PolicyRequest(Request):
    """A source to be trusted."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "kind": "trusted_import",
                    "source": "import:crm",
                    "project_id": "apollo",
                    "reason": "Reviewed by the team on 2 March.",
                }
            ]
        }
    )

    kind: str = Field(default="trusted_import", description="trusted_import or promotion.")
    source: str = Field(description="As the audit log names it: import:crm, agent:bot, job:nightly.")
    project_id: str | None = Field(default=None, description="Without one: workspace-wide memory only.")
    reason: str
    expires_at: datetime | None = Field(default=None, description="At most a year ahead, and a year where left out.")


@router.get("/policies", response_model=dict[str, Any], summary="List policies")
def list_policies(caller: CallerOf) -> Response:
    """The policies in force. For reviewers."""
    return Answer({"policies": [trust_json(each) for each in caller.memory.policies(caller.principal)]})


@router.post("/policies", status_code=201, response_model=dict[str, Any], summary="Trust a source")
def set_policy(caller: CallerOf, body: PolicyRequest) -> Response:
    """Let a source's memory instruct, in one project, for a reason and a time. For reviewers."""
    caller.must_be(body)
    policy = caller.memory.set_policy(
        caller.principal,
        kind=body.kind,
        source=body.source,
        project_id=body.project_id,
        reason=body.reason,
        expires_at=body.expires_at,
    )
    return Answer(trust_json(policy), 201)


@router.delete("/policies/{policy_id}", response_model=dict[str, Any], summary="End a policy")
def revoke_policy(caller: CallerOf, policy_id: str) -> Response:
    """End a policy now; what it confirmed stays as it is. For reviewers."""
    caller.memory.revoke_policy(caller.principal, policy_id)
    return Answer({"id": policy_id, "revoked": True})
