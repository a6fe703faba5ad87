"""Names: from ids that people chose to names of folders and files, so that no two ids share one on any file system."""

import hashlib
import re

LONGEST = 120
_PLAIN = re.compile(r"[a-z0-9_-]")


def file_name(text: str) -> str:
    """Letters in lower case, digits, ``_`` and ``-`` as they are, all else as ``%`` and hexadecimal digits.

    Capitals count as all else: some file systems do not tell them from small letters. A name that gets too long keeps
    its beginning, and a digest after ``~``, which no other name holds.
    """
    encoded = "".join(each if _PLAIN.match(each) else _encoded(each) for each in text)
    if len(encoded) <= LONGEST:
        return encoded
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{encoded[: LONGEST - 17]}~{digest}"


def _encoded(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode())
