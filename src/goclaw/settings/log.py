"""Log lines as an event and its values, through the standard library's logging: a library stays silent until asked.

The gateway and the command line decide where lines go and how they look. Values are ids, counts and words of ours;
never contents, questions or secrets.
"""

import logging
from typing import Any

import structlog


def log_for(name: str) -> Any:
    """The logger of a module; call it as ``log.warning("job_failed", job_id=…, attempts=…)``."""
    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[structlog.stdlib.filter_by_level, structlog.stdlib.render_to_log_kwargs],
        wrapper_class=structlog.stdlib.BoundLogger,
        context_class=dict,
    )
