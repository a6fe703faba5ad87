"""Body limit: reads a body up to a limit before anybody works on it, also where its length was not announced."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from goclaw.gateway.errors import status_answer

METHODS_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class BodyLimit:
    """Answers 413 as soon as a body is, or says it will be, too long. Holds at most the limit in memory."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in METHODS_WITH_BODY:
            await self._app(scope, receive, send)
            return
        body = None if _announced(scope) > self._max_bytes else await self._read(receive)
        if body is None:
            await status_answer(413, scope, {"connection": "close"})(scope, receive, send)
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _read(self, receive: Receive) -> list[Message] | None:
        """The messages of the body; None where it is too long."""
        messages: list[Message] = []
        size = 0
        while True:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            if size > self._max_bytes:
                return None
            if message["type"] == "http.disconnect" or not message.get("more_body", False):
                return messages


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


def _replayed(messages: list[Message], receive: Receive) -> Receive:
    """A receive that first gives what was read, then what comes."""
    waiting = iter(messages)

    async def next_message() -> Message:
        for message in waiting:
            return message
        return await receive()

    return next_message
