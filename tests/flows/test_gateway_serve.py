"""The gateway as a process: it says where it listens, and stops cleanly when told to."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx2
import pytest

from goclaw.bootstrap import open_engine
from goclaw.client import GatewayClient
from goclaw.model.errors import GatewayUnreachable
from tests.running_gateway import KEYWORDS_ONLY, hire

# A gateway that is slow to search, so that a request is under way when it is told to stop.
PROGRAM = """
import sys, time
from goclaw.bootstrap import open_engine
from goclaw.gateway.serve import serve
from goclaw.memory import Memory

search = Memory.search
def slow(*args, **kwargs):
    print("searching", flush=True)
    time.sleep(0.5)
    return search(*args, **kwargs)
Memory.search = slow

engine = open_engine(sys.argv[1], {settings!r})
serve(engine, on_listening=lambda url: print(url, flush=True))
print("closed", flush=True)
"""

pytestmark = pytest.mark.process


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_it_finishes_what_is_under_way_and_closes_the_engine(tmp_path: Path, sign: signal.Signals) -> None:
    engine = open_engine(tmp_path, KEYWORDS_ONLY)
    key = hire(engine).alice
    engine.memory.close()
    program = PROGRAM.replace("{settings!r}", repr({**KEYWORDS_ONLY, "server.port": 0, "log.format": "json"}))
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        with GatewayClient(url, key) as client:
            written = client.write("The tide turns at noon", scope="personal")
            found: list[str] = []
            asking = threading.Thread(
                target=lambda: found.extend(hit["record"]["id"] for hit in client.search("tide")["hits"])
            )
            asking.start()
            assert process.stdout.readline().strip() == "searching"
            process.send_signal(sign)
            asking.join()
            assert found == [written["id"]]
            said, log = process.communicate(timeout=60)
            with pytest.raises(GatewayUnreachable):
                client.stats()
    assert said.strip() == "closed"
    assert process.returncode == 0
    assert key not in log
    assert '"route":"/api/memory/search"' in log.replace(" ", "")
    assert "tide" not in log


def test_a_second_gateway_on_the_port_says_it_is_taken(tmp_path: Path) -> None:
    program = PROGRAM.replace("{settings!r}", repr({**KEYWORDS_ONLY, "server.port": 0}))
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "one")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as first:
        assert first.stdout
        url = httpx2.URL(first.stdout.readline().strip())
        taken = PROGRAM.replace("{settings!r}", repr({**KEYWORDS_ONLY, "server.port": url.port}))
        second = subprocess.run(
            [sys.executable, "-c", taken, str(tmp_path / "two")], capture_output=True, text=True, timeout=60
        )
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=60)
    assert second.returncode == 1
    assert second.stderr.strip().splitlines()[-1].startswith("goclaw.model.errors.AddressTaken: Port")
