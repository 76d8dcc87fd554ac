"""Small fits on one thread: waking others takes longer than they save, on a busy machine a hundred times as long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS and OpenMP to one thread, until the last of those who asked for it is done.

    The threads of BLAS are one number for the whole process, those of OpenMP one for each thread of the program.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> import numpy as np
    >>> with one_thread():
    ...     print({pool["num_threads"] for pool in threadpool_info()})
    {1}
    """
    global _inside, _limit
    with _lock:
        if _inside == 0:
            _limit = _libraries().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        with _libraries().limit(limits=1, user_api="openmp"):
            yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()


@cache
def _libraries() -> ThreadpoolController:
    """The libraries with threads that are loaded when this is first needed."""
    return ThreadpoolController()
