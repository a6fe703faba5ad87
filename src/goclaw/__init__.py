"""goclaw: a memory engine for teams of AI agents. Start with :func:`open_memory` and :class:`Principal`.

The heavy parts are imported when they are first used, so that ``goclaw --help`` and ``import goclaw`` stay quick.
"""

from typing import TYPE_CHECKING, Any

from goclaw import errors
from goclaw.model.principal import Principal
from goclaw.model.provenance import SourceRef

if TYPE_CHECKING:
    from goclaw.bootstrap import open_memory
    from goclaw.memory import Memory
    from goclaw.storage.memories import RecordFilter

__all__ = ["Memory", "Principal", "RecordFilter", "SourceRef", "errors", "open_memory"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "open_memory":
        from goclaw.bootstrap import open_memory

        return open_memory
    if name == "Memory":
        from goclaw.memory import Memory

        return Memory
    if name == "RecordFilter":
        from goclaw.storage.memories import RecordFilter

        return RecordFilter
    raise AttributeError(f"module 'goclaw' has no attribute {name!r}")
