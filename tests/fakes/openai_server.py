"""A scripted OpenAI-compatible embedding service on loopback, in a thread of the test.

Each request takes the next answer of the script; without one it is answered properly, with vectors that depend on the
text alone. What was asked stands in ``requests``.
"""

import contextlib
import json
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One scripted answer; by default the proper one."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None  # sent as it is; None = the proper answer
    delay_s: float = 0.0  # before anything is sent
    order: tuple[int, ...] | None = None  # the order in which items stand in the answer
    rows: Mapping[int, str] = field(default_factory=dict)  # index → JSON text instead of its vector
    drop: tuple[int, ...] = ()  # indexes left out
    dims: int | None = None  # another length than the service's own
    drip_s: float = 0.0  # one byte, then this pause, and so on


@dataclass(frozen=True)
class Request:
    """What the service was asked."""

    path: str
    headers: Mapping[str, str]  # names in lower case
    body: Mapping[str, Any]

    @property
    def texts(self) -> list[str]:
        return list(self.body["input"])


def too_many(retry_after: str = "30") -> Answer:
    """429 with Retry-After."""
    return Answer(429, {"Retry-After": retry_after}, '{"error": {"code": "rate_limit_exceeded"}}')


def vector_of(text: str, dims: int) -> list[float]:
    """The service's own vector of a text."""
    return [((zlib.crc32(f"{place}{text}".encode()) % 2001) - 1000) / 1000 for place in range(dims)]


class OpenAiServer:
    """``with OpenAiServer() as server:`` listens at ``server.url``."""

    def __init__(self, dims: int = 8, refuses: Callable[[str], bool] = lambda text: False) -> None:
        self.dims = dims
        self.refuses = refuses  # a request with such a text is answered with 400
        self.script: list[Answer] = []
        self.requests: list[Request] = []
        self.finish = threading.Event()  # ends slow answers when the server closes
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> "OpenAiServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, request: Request) -> Answer:
        """Notes the request and says what to answer."""
        self.requests.append(request)
        if self.script:
            return self.script.pop(0)
        if any(self.refuses(text) for text in request.texts):
            return Answer(400, body=json.dumps({"error": {"message": f"cannot take {request.texts}"}}))
        return Answer()

    def proper_body(self, request: Request, answer: Answer) -> str:
        """The protocol's answer, bent as the script wants."""
        dims = answer.dims or request.body.get("dimensions") or self.dims
        rows = {index: json.dumps(vector_of(text, dims)) for index, text in enumerate(request.texts)}
        rows |= answer.rows
        order = answer.order or tuple(rows)
        items = ", ".join(
            f'{{"object": "embedding", "index": {index}, "embedding": {rows[index]}}}'
            for index in order
            if index not in answer.drop
        )
        return f'{{"object": "list", "data": [{items}], "model": "fake", "usage": {{}}}}'


def _handler_of(server: OpenAiServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(raw))
            answer = server.answer(request)
            if answer.delay_s:
                server.finish.wait(answer.delay_s)
            body = (server.proper_body(request, answer) if answer.body is None else answer.body).encode()
            with contextlib.suppress(OSError):  # the client may be gone
                self._send(answer, body)

        def _send(self, answer: Answer, body: bytes) -> None:
            self.send_response_only(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if not answer.drip_s:
                self.wfile.write(body)
                return
            for position in range(len(body)):
                self.wfile.write(body[position : position + 1])
                if server.finish.is_set():
                    return
                time.sleep(answer.drip_s)

        def log_message(self, format: str, *arguments: object) -> None:
            """Tests print nothing."""

    return Handler
