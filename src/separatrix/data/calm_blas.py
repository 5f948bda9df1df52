"""Whether BLAS may use several threads for a fit: where there is work for them.

Threads of BLAS wait for each other without a pause. A core that another process keeps busy stops them all, many times a fit: 4,940 × 104
rows took LDA 117 ms of processor time in place of 3.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from ..thresholds import BLAS_THREADS
from .threads import single_threaded_blas

ALONE = 5e4
"""Multiplications up to which BLAS uses one thread anyway."""


def calm_blas(multiplications: float) -> AbstractContextManager[object]:
    """Hold BLAS to one thread inside a `with` where there is too little work for several; nothing is held where it starts none.

    Examples
    --------
    >>> [type(calm_blas(work)).__name__ for work in (1e3, 1e7, 1e12)]
    ['nullcontext', 'single_threaded_blas', 'nullcontext']
    """
    is_alone = multiplications < ALONE or BLAS_THREADS.reached(multiplications)
    return nullcontext() if is_alone else single_threaded_blas()
