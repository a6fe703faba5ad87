"""Serve: listen, answer until told to stop, finish what was begun, close the engine.

Loopback by default; another address needs a key in the store, since everybody who reaches it could try.
"""

import errno
import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from goclaw.bootstrap import Engine
from goclaw.gateway.app import create_app
from goclaw.gateway.keys import KeyRing
from goclaw.gateway.logs import configure_logs
from goclaw.model.errors import AccessDenied, AddressTaken, SettingsError

STOP_WAIT_S = 20  # for requests that are under way when told to stop
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
BACKLOG = 2048


def serve(engine: Engine, *, on_listening: Callable[[str], None] = lambda url: None) -> None:
    """Run the gateway until SIGINT or SIGTERM, then close the engine. ``on_listening`` is given the URL.

    Raises AccessDenied where it may not listen there, SettingsError where there is no such address, and AddressTaken
    where another program listens there; the engine is closed then, too.
    """
    try:
        configure_logs(engine.settings.log)
        check_may_listen(engine)
        listener = listen(engine.settings.server.host, engine.settings.server.port)
        with listener:
            on_listening(url_of(listener))
            uvicorn_server(engine).run(sockets=[listener])
    finally:
        engine.memory.close()


def check_may_listen(engine: Engine) -> None:
    """Raise AccessDenied where the gateway would be open to others before anybody has a key."""
    host = engine.settings.server.host
    if not is_loopback(host) and not KeyRing(engine.database, engine.clock).exist():
        raise AccessDenied(
            "The gateway listens on other addresses than loopback only when a key exists.",
            "Make one first: goclaw keys create. Or leave server.host at 127.0.0.1.",
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name: it could mean anything


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at the address."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError:
        raise SettingsError("server.host is no address of this machine.", "Use 127.0.0.1 or 0.0.0.0.") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise AddressTaken(
                f"Port {port} is taken.", "Is a gateway running already? Else choose another server.port, 0 for any."
            ) from None
        raise SettingsError(
            "The gateway cannot listen at server.host and server.port.", "Choose an address of this machine."
        ) from None
    return listener


def url_of(listener: socket.socket) -> str:
    """Where to reach a listening socket from this machine."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def uvicorn_server(engine: Engine) -> uvicorn.Server:
    """The server around the application; it stops on SIGINT and SIGTERM and finishes what is under way."""
    config = uvicorn.Config(
        create_app(engine),
        http="httptools",  # named, so that the same parser reads requests everywhere; half the CPU of the other one
        access_log=False,  # it would write query strings; gateway/request_log.py writes lines instead
        log_config=None,
        server_header=False,
        proxy_headers=False,  # who asks is said by the key; a forwarded address changes nothing
        timeout_graceful_shutdown=STOP_WAIT_S,
        lifespan="on",
    )
    return _QuietlyStoppedServer(config)


class _QuietlyStoppedServer(uvicorn.Server):
    """Stops on a signal and returns; uvicorn's own then raises the signal again, which ends the process too early."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield  # signals arrive in the main thread only
            return
        before = {sign: signal.signal(sign, self.handle_exit) for sign in STOP_SIGNALS}
        try:
            yield
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)
