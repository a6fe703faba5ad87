"""Cursor: where a page of a list ended, as a word that callers hand back and need not understand."""

import base64
import binascii
import json

from goclaw.model.errors import InvalidInput


def encode_cursor(moment: int, last_id: str) -> str:
    """The cursor behind an entry: its moment (microseconds) and id."""
    return base64.urlsafe_b64encode(json.dumps([moment, last_id]).encode()).decode()


def decode_cursor(cursor: str) -> tuple[int, str]:
    """Moment and id. Raises InvalidInput for anything we did not make."""
    try:
        moment, last_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        str(last_id).encode()
        return int(moment), str(last_id)
    except (ValueError, TypeError, OverflowError, RecursionError, binascii.Error):
        raise InvalidInput("The cursor is not one of ours.", "Use next_cursor of the page before.") from None
