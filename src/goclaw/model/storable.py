"""Storable: the texts that every engine keeps as they are: well-formed Unicode without NUL (cases R097 and R098)."""

from goclaw.model.errors import InvalidInput


def require_storable(text: str, what: str) -> None:
    """Raises InvalidInput where this is no text, or one that engines store differently or not at all."""
    if not isinstance(text, str):
        raise InvalidInput(f"{what} is no text.", "Use a string.")
    if "\0" in text:
        raise InvalidInput(f"{what} holds a NUL character.", "Remove it; no text needs one.")
    if not _is_well_formed(text):
        raise InvalidInput(f"{what} holds half a surrogate pair.", "Send well-formed Unicode (UTF-8).")


def is_storable(text: object) -> bool:
    """Whether it can stand in a store at all; an id that cannot is nothing's id."""
    return isinstance(text, str) and "\0" not in text and _is_well_formed(text)


def _is_well_formed(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
