"""Gateway: the running gateway that commands ask, at GOCLAW_URL, with the key in GOCLAW_KEY."""

import time
from typing import TYPE_CHECKING, Any

from goclaw.cli.output import progress_bar
from goclaw.model.errors import Unauthenticated

if TYPE_CHECKING:
    from goclaw.client import GatewayClient

DEFAULT_URL = "http://127.0.0.1:8787"
POLL_S = 0.2
FINISHED = ("done", "failed", "dead")


def open_gateway() -> "GatewayClient":
    """A connection to it. Raises Unauthenticated where no key is set."""
    from goclaw.client import GatewayClient
    from goclaw.settings.load import load_gateway_target

    target = load_gateway_target()
    if target.key is None:
        raise Unauthenticated(
            "No key is set.", "Set GOCLAW_KEY to a key of yours; an administrator makes one with goclaw keys create."
        )
    return GatewayClient(target.url or DEFAULT_URL, target.key)


def watch_job(gateway: "GatewayClient", job_id: str, title: str) -> dict[str, Any]:
    """Wait for a job behind a bar; the job as it ended."""
    with progress_bar(title, None) as bar:
        while True:
            job = gateway.job(job_id)
            progress = job["progress"]
            bar.move_to(progress.get("done", 0) + progress.get("failed", 0), progress.get("total"))
            if job["state"] in FINISHED:
                return job
            time.sleep(POLL_S)
