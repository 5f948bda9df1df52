"""The one decorator that compiles a kernel, and the array types its signatures are written in.

A kernel is a module-level function on arrays and scalars, 10 to 40 lines, that releases the GIL. It never meets a type that its
signatures do not name. Each signature is compiled, or read from the disk cache, by the first call that needs it, so that a fit waits for
its own road only; `compile_all` does it ahead of time.

Inputs are written ``rf8(2)``: a read-only C-contiguous float64 array of two dimensions. A writeable array converts to a
read-only one, so one signature serves memory maps, frozen arrays and ordinary ones. Outputs are written ``wf8(2)``.

Traps: `parallel=True` is never used (its threading layers hang in forked children or die under several Python threads); full `fastmath`
would delete NaN checks, and even with the flags used here `np.isfinite(x)` may be folded away (it compiles to x − x, and `reassoc` makes
that 0 where x is a difference): multiply by 0 or compare instead; brackets do not hold either, and a version of LLVM that leaves a + (b −
1) alone is followed by one that does not: where a cancellation must come first, branch. The disk cache looks at the file of a kernel
only; here it also looks at those of the kernels that its file imports, so that a changed callee is seen.
"""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, cast

import numba
from numba import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from ..progress import Event, notice

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


class KeptCode(FunctionCache):
    """Compiled code on disk, as long as neither the file of its kernel changes nor those of the kernels that are imported there."""

    def __init__(self, function: Callable[..., Any], used: Sequence[tuple[Any, ...]]) -> None:
        super().__init__(function)
        self.stamp = (self._impl.locator.get_source_stamp(), *used)
        self._cache_file = IndexDataCacheFile(self._cache_path, self._impl.filename_base, self.stamp)


class Kernel(CPUDispatcher):
    """A function whose signatures are named when it is defined and compiled when they are first called.

    Numba knows two ways: signatures compiled when a function is defined (all of them, also those nobody calls), or types taken from
    each call (one more for every mixture of frozen and ordinary arrays). Here a call without compiled code for its types looks for a named
    signature they convert to. A call that has code never comes here: Numba finds it in C, as for any other function.
    """

    patience: ClassVar[float] = 2.0
    """Seconds of compiling in a process before it says so."""
    spent: ClassVar[float] = 0.0
    compiled: ClassVar[int] = 0

    def __init__(self, function: Callable[..., Any], signatures: Sequence[Any], **options: Any) -> None:
        super().__init__(function, targetoptions={"nopython": True, "boundscheck": None, **options})
        self.named = tuple(signatures)
        self._can_compile = False
        self.stamp: tuple[Any, ...] = ()

    def enable_caching(self) -> None:
        """Keep compiled code on disk."""
        used = {k.stamp for k in self.py_func.__globals__.values() if isinstance(k, Kernel) and k.__module__ != self.__module__}
        self._cache = KeptCode(self.py_func, sorted(used))
        self.stamp = self._cache.stamp

    def compile_all(self) -> None:
        """Compile every signature, or read it from the cache."""
        for signature in self.named:
            self.compile(signature)

    def compile(self, sig: Any) -> Any:
        """Compile one signature, or read it from the cache; one thread at a time."""
        with global_compiler_lock:
            before, start = self._cache_misses.total(), time.perf_counter()
            nested = Kernel.spent
            self._can_compile = True
            try:
                found = super().compile(sig)
            finally:
                self._can_compile = False
            if self._cache_misses.total() > before:
                Kernel._tell(time.perf_counter() - start - (Kernel.spent - nested))
        return found

    @classmethod
    def _tell(cls, seconds: float) -> None:
        """Count the seconds a kernel took; say once that compiling takes long."""
        silent = Kernel.spent < cls.patience
        Kernel.spent += seconds
        Kernel.compiled += 1
        if silent and Kernel.spent >= cls.patience:
            advice = "kernels, once on this machine; `python -m separatrix.kernels` compiles all of them ahead of time"
            notice(Event("compiling", Kernel.compiled, None, advice, Kernel.spent))

    def _prepare(self, given: Sequence[Any]) -> bool:
        """Compile the named signatures that arguments of the types given convert to; return whether there is one."""
        fitting = [s for s in self.named if self.typingctx.install_possible_conversions(given, s.args)]
        for signature in fitting:
            self.compile(signature)
        return bool(fitting)

    def _search_new_conversions(self, *args: Any) -> bool:
        """Numba's last question before it refuses a call: may other code serve it?"""
        return self._prepare([self.typeof_pyval(a) for a in args])

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Numba's question when another kernel that calls this one is compiled."""
        self._prepare(args)
        return super().get_call_template(args, kws)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name: numba would send the function, and compile it again where it arrives."""
        return _named, (self.py_func.__module__, self.py_func.__name__)

    def _compile_for_args(self, *args: Any) -> Any:
        """What Numba asks while another thread compiles this kernel: wait for that, and call again."""
        with global_compiler_lock:
            return self


def _named(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


# A child forked while another thread compiles would wait for that thread, which it does not have.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=global_compiler_lock.acquire, after_in_parent=global_compiler_lock.release, after_in_child=global_compiler_lock.release
    )


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
        if numba.config.DISABLE_JIT:
            return function
        made: Any = Kernel(function, signatures, nogil=True, fastmath=FASTMATH - {"reassoc"} if gathers else FASTMATH)
        try:
            made.enable_caching()
        except RuntimeError as error:
            # A read-only installation under an account without a home folder: compile in this process only.
            if "cannot cache function" not in str(error):
                raise
        return cast(F, made)

    return decorate
