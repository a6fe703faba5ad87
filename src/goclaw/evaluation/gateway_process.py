"""Gateway process: a gateway of its own for one evaluation, started and spoken to as any user would."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from goclaw.client import GatewayClient
from goclaw.model.errors import GatewayUnreachable

START_PATIENCE_S = 60.0
POLL_S = 0.05
STOP_PATIENCE_S = 20.0
_GOCLAW = (sys.executable, "-c", "from goclaw.cli.main import run; run()")


@contextmanager
def run_gateway(folder: Path, settings: Mapping[str, object], person: str) -> Iterator[GatewayClient]:
    """A gateway on a free port of loopback over a fresh store in ``folder``, and a client with the person's key."""
    port = _free_port()
    _write_config(folder, {**settings, "server.port": port, "server.rate_limit_per_minute": 0, "log.level": "error"})
    _run(folder, "people", "add", person, "--role", "admin")
    key = json.loads(_run(folder, "keys", "create", "--user", person, "--json"))["key"]
    process = subprocess.Popen(  # noqa: S603 - our own command, no shell
        _command(folder, "serve"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with GatewayClient(f"http://127.0.0.1:{port}", key) as client:
            _wait_until_ready(client, process)
            yield client
    finally:
        process.terminate()
        process.wait(STOP_PATIENCE_S)


def _command(folder: Path, *words: str) -> Sequence[str]:
    """The command line with its state directory, without touching this process's environment."""
    return ("env", f"GOCLAW_STATE_DIR={folder}", *_GOCLAW, *words)


def _run(folder: Path, *words: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own command, no shell
        _command(folder, *words), check=True, capture_output=True, text=True
    )
    return done.stdout


def _write_config(folder: Path, settings: Mapping[str, object]) -> None:
    tree: dict[str, Any] = {}
    for key, value in settings.items():
        *sections, name = key.split(".")
        branch = tree
        for section in sections:
            branch = branch.setdefault(section, {})
        branch[name] = value
    (folder / "config.yaml").write_text(yaml.safe_dump(tree), encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(client: GatewayClient, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if client.is_ready():
                return
        except GatewayUnreachable:
            time.sleep(POLL_S)
    raise GatewayUnreachable("The gateway of the evaluation did not start.", "Try `goclaw serve` to see why.")
