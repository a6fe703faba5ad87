"""Growing: arrays that are extended beside their readers.

A block publishes views of its buffers. Only its newest view is ever extended, by one thread at a time, and only beyond
its end, so a reader that holds an older view never sees a number change under it.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)

_SPARE = 1.5  # a full buffer is replaced by one half as large again
_LEAST_SPARE = 64  # rows


def extend(view: NDArray[Number], more: NDArray[Number]) -> NDArray[Number]:
    """The newest view of a buffer with rows behind it; copies only when the buffer is full."""
    old, new = len(view), len(view) + len(more)
    buffer: Any = view.base
    if not isinstance(buffer, np.ndarray) or buffer.dtype != view.dtype or len(buffer) < new:
        buffer = np.empty((max(int(new * _SPARE), new + _LEAST_SPARE), *view.shape[1:]), view.dtype)
        buffer[:old] = view
    buffer[old:new] = more
    extended: NDArray[Number] = buffer[:new]
    return extended


def held_bytes(*views: NDArray[Any]) -> int:
    """What arrays keep in memory, with the spare rows of their buffers."""
    return sum(view.base.nbytes if isinstance(view.base, np.ndarray) else view.nbytes for view in views)
