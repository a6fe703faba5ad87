"""Processes for tests: children by fork, so that they start in milliseconds."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path


def fork(work: Callable[[], object]) -> int:
    """Run ``work`` in a child and return its process id; the child ends with 0, or 1 where work raises."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def wait(child: int) -> int:
    """The child's exit code; minus the signal that ended it."""
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    wait(child)


def wait_for_file(file: Path, deadline_s: float = 20.0) -> None:
    """Return when the file is there: how a child says that it has come so far."""
    deadline = time.monotonic() + deadline_s
    while not file.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(file.name)
        time.sleep(0.002)
