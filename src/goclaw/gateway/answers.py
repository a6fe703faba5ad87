"""Answers: JSON on its way out, compact and in UTF-8."""

import json
from typing import Any

from starlette.responses import JSONResponse


class Answer(JSONResponse):
    """A JSON answer. Routes hand over finished dictionaries; their declared models document and tests compare."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
