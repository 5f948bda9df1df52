"""The one decorator that compiles a kernel, and the array types its signatures are written in.

A kernel is a module-level function on arrays and scalars, 10 to 40 lines, that releases the GIL. It is compiled
for the signatures given, when its module is imported or read from the disk cache; it never meets another type.

Inputs are written ``rf8(2)``: a read-only C-contiguous float64 array of two dimensions. A writeable array converts to a
read-only one, so one signature serves memory maps, frozen arrays and ordinary ones. Outputs are written ``wf8(2)``.

Traps: `parallel=True` is never used (its threading layers hang in forked children or die under several Python threads); full `fastmath`
would delete NaN checks, and even with the flags used here `np.isfinite(x)` may be folded away (it compiles to x − x, and `reassoc` makes
that 0 where x is a difference): multiply by 0 or compare instead; brackets do not hold either, and a version of LLVM that leaves a + (b −
1) alone is followed by one that does not: where a cancellation must come first, branch; a kernel calls only kernels of its own file,
since the disk cache does not see a changed callee in another one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba import types

F = TypeVar("F", bound=Callable[..., Any])

FASTMATH = {"reassoc", "contract", "nsz"}


def array(dtype: types.Type, ndim: int, readonly: bool) -> types.Array:
    """Return the type of a C-contiguous array."""
    return types.Array(dtype, ndim, "C", readonly=readonly)


def rf8(ndim: int) -> types.Array:
    """float64 to be read."""
    return array(types.float64, ndim, True)


def rf4(ndim: int) -> types.Array:
    """float32 to be read."""
    return array(types.float32, ndim, True)


def ri4(ndim: int) -> types.Array:
    """int32 to be read."""
    return array(types.int32, ndim, True)


def ri8(ndim: int) -> types.Array:
    """int64 to be read."""
    return array(types.int64, ndim, True)


def ru4(ndim: int) -> types.Array:
    """uint32 to be read."""
    return array(types.uint32, ndim, True)


def ru8(ndim: int) -> types.Array:
    """uint64 to be read."""
    return array(types.uint64, ndim, True)


def wf8(ndim: int) -> types.Array:
    """float64 to be written."""
    return array(types.float64, ndim, False)


def wi4(ndim: int) -> types.Array:
    """int32 to be written."""
    return array(types.int32, ndim, False)


def wi8(ndim: int) -> types.Array:
    """int64 to be written."""
    return array(types.int64, ndim, False)


def wu4(ndim: int) -> types.Array:
    """uint32 to be written."""
    return array(types.uint32, ndim, False)


def wu8(ndim: int) -> types.Array:
    """uint64 to be written."""
    return array(types.uint64, ndim, False)


def kernel(*signatures: Any, gathers: bool = False) -> Callable[[F], F]:
    """Compile a function for the signatures given, cached on disk where a cache folder can be had.

    Parameters
    ----------
    *signatures : numba signatures
        Such as ``types.void(rf8(2), wf8(1))``.
    gathers : bool
        Whether the inner loop adds up scattered values, as products with sparse rows do: it is then kept in order, since vector
        gathers, which reordered sums would be compiled to, take twice the time of plain loads.
    """

    def decorate(function: F) -> F:
        options: dict[str, Any] = {"nogil": True, "fastmath": FASTMATH - {"reassoc"} if gathers else FASTMATH}
        compiled: F
        try:
            compiled = numba.njit(list(signatures), cache=True, **options)(function)
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
            # A read-only installation under an account without a home folder: compile in this process only.
            compiled = numba.njit(list(signatures), **options)(function)
        return compiled

    return decorate
