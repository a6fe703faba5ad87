"""Logs: one line an event on stderr, for people or for programs. Contents, queries and keys never get here."""

import logging
import sys

import structlog

from goclaw.settings.settings import LogSettings

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
# They write requests, messages and arguments of their own accord.
_TALKATIVE = ("httpx2", "httpcore2", "mcp", "openai", "sse_starlette")


def configure_logs(settings: LogSettings) -> None:
    """Set up the logs of this process, ours and the libraries'; everything goes to stderr."""
    level = _LEVELS[settings.level]
    last = structlog.processors.JSONRenderer() if settings.format == "json" else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(level=level, format="%(levelname)s %(name)s %(message)s", stream=sys.stderr, force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
