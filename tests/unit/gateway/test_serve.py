"""Where the gateway may listen, and what it says where it cannot."""

import socket
from pathlib import Path

import pytest

from goclaw.bootstrap import Engine, open_engine
from goclaw.gateway.keys import KeyRequest, KeyRing
from goclaw.gateway.people import command_line
from goclaw.gateway.serve import check_may_listen, is_loopback, listen, serve, url_of, uvicorn_server
from goclaw.model.errors import AccessDenied, AddressTaken, SettingsError
from goclaw.model.principal import ActorKind
from tests.running_gateway import KEYWORDS_ONLY


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_is_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.test", ""])
def test_everything_else_is_not(host: str) -> None:
    assert not is_loopback(host)


def test_it_listens_elsewhere_only_when_a_key_exists(tmp_path: Path) -> None:
    engine = open_engine(tmp_path, {**KEYWORDS_ONLY, "server.host": "0.0.0.0"})
    try:
        with pytest.raises(AccessDenied) as refused:
            check_may_listen(engine)
        assert "goclaw keys create" in refused.value.hint

        ring = KeyRing(engine.database, engine.clock)
        made = ring.create(command_line(), KeyRequest(kind=ActorKind.IMPORT, name="crm"))
        check_may_listen(engine)
        ring.revoke(command_line(), "default", made.key.id)
        with pytest.raises(AccessDenied):
            check_may_listen(engine)
    finally:
        engine.memory.close()


def test_a_taken_port_is_named_and_the_engine_is_closed(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        engine = open_engine(tmp_path, {**KEYWORDS_ONLY, "server.port": port})
        with pytest.raises(AddressTaken, match=str(port)):
            serve(engine)
    with pytest.raises(Exception, match="closed"):
        engine.memory.jobs.depths()


def test_an_address_of_nobody_is_a_mistake_in_the_settings() -> None:
    with pytest.raises(SettingsError):
        listen("192.0.2.1", 0)
    with pytest.raises(SettingsError):
        listen("no such host", 0)


def test_the_url_is_one_that_can_be_opened() -> None:
    with listen("0.0.0.0", 0) as everywhere:
        assert url_of(everywhere) == f"http://127.0.0.1:{everywhere.getsockname()[1]}"
    if socket.has_ipv6:
        with listen("::1", 0) as six:
            assert url_of(six) == f"http://[::1]:{six.getsockname()[1]}"


def test_the_server_writes_no_lines_of_its_own_about_requests(engine: Engine) -> None:
    assert uvicorn_server(engine).config.access_log is False
