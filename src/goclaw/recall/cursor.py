"""Cursor: where a page of a list ended, as a word that callers hand back and need not understand."""

import base64
import binascii
import json

from goclaw.model.errors import InvalidInput
from goclaw.model.storable import require_storable

MAX_PAGE = 200


def check_page_size(limit: int) -> None:
    """Raises InvalidInput for anything but a whole number from 1 to 200."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
        raise InvalidInput("The page size is out of range.", f"Use a whole number from 1 to {MAX_PAGE}.")


def encode_cursor(moment: int, last_id: str) -> str:
    """The cursor behind an entry: its moment (microseconds) and id."""
    return base64.urlsafe_b64encode(json.dumps([moment, last_id]).encode()).decode()


def decode_cursor(cursor: str) -> tuple[int, str]:
    """Moment and id. Raises InvalidInput for anything we did not make."""
    try:
        moment, last_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        require_storable(last_id, "last_id")
        return int(moment), last_id
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError, InvalidInput, binascii.Error):
        raise InvalidInput("The cursor is not one of ours.", "Use next_cursor of the page before.") from None
