"""The command line for tests: runs ``goclaw`` as a process of its own against a state directory of the test."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GOCLAW = Path(sys.executable).with_name("goclaw")
DEADLINE_S = 60.0


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What ``--json`` printed."""
        return json.loads(self.out)


def environment(state_dir: Path, **variables: str) -> dict[str, str]:
    """This process's environment without any setting of goclaw's but those of the test."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOCLAW_")}
    own = {"GOCLAW_STATE_DIR": str(state_dir), "GOCLAW_MEMORY__SEARCH__PROVIDER": "none"}
    return {**kept, **own, "COLUMNS": "200", **variables}


def goclaw(state_dir: Path, *words: str, stdin: str = "", **variables: str) -> Done:
    """Run a command to its end."""
    done = subprocess.run(
        [GOCLAW, *words],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S,
        env=environment(state_dir, **variables),
    )
    assert "Traceback" not in done.stdout + done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


@contextmanager
def goclaw_running(state_dir: Path, *words: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], Any]]:
    """Start a command that goes on until it is told to stop; the process and the document of its first line.

    It is stopped as a terminal would, and must end by itself.
    """
    log = state_dir.with_name(f"{state_dir.name}.log")
    with log.open("a") as stderr:
        process = subprocess.Popen(
            [GOCLAW, *words, "--json"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=environment(state_dir, **variables),
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, log.read_text()
        yield process, json.loads(line)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0, log.read_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert "Traceback" not in log.read_text()
