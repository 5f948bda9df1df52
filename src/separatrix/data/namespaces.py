"""Arrays of other libraries: torch, CuPy, JAX, and whatever else speaks the array API.

They are told by what they offer and never by importing their library. Code that is to run on them takes its functions from
`namespace(X)`; the few things that the standard leaves out (fast products, rows added in place, memory that ran out) stand here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataWarning, InputError, InputTypeError

_CONVERSIONS = {"torch": "{0}.numpy(force=True)", "cupy": "{0}.get()"}
AT_ONCE = 64
"""Products of parts of the rows that fill a device."""
_detached_before: set[str] = set()


@cache
def compat() -> Any:
    """Return what makes other libraries speak the array API, loaded when first asked for: commands that answer at once never are."""
    return import_module("sklearn.externals.array_api_compat")  # by name: its types would hide those of scikit-learn


def is_foreign(X: Any) -> bool:
    """Whether X is an array of another library than NumPy, told without importing any.

    Examples
    --------
    >>> is_foreign(np.eye(2)), is_foreign([[1.0]])
    (False, False)
    """
    if isinstance(X, np.ndarray | np.generic | list | tuple | type):
        return False
    if hasattr(X, "__array_namespace__"):
        return True
    kind: Any = type(X)
    return _is_of_library(kind) and bool(compat().is_torch_array(X) or compat().is_cupy_array(X))


@cache
def _is_of_library(kind: type) -> bool:
    """Whether a type comes from a library whose arrays do not say that they speak the array API; single rows ask for it often."""
    return any(base.__module__.partition(".")[0] in ("torch", "cupy") for base in kind.__mro__)


def library(X: Any) -> str:
    """Return the name of the package an array comes from."""
    name: str = type(X).__module__.partition(".")[0]
    return "jax" if name == "jaxlib" else name


def namespace(X: Any) -> Any:
    """Return the functions for an array: those of the array API.

    Examples
    --------
    >>> float(namespace(np.eye(2)).sum(np.eye(2)))
    2.0
    """
    return compat().array_namespace(X)


def device_of(X: Any) -> Any:
    """Return the device an array lies on."""
    return compat().device(X)


def place_name(X: Any) -> str:
    """Return how messages name where an array lies, such as "torch on cuda:0".

    Examples
    --------
    >>> place_name(np.eye(2))
    'numpy on cpu'
    """
    return f"{library(X)} on {device_of(X)}"


def conversion(X: Any, name: str = "X") -> str:
    """Return what to type for the same array in NumPy."""
    return _CONVERSIONS.get(library(X), "numpy.asarray({0})").format(name)


def refuse_foreign(X: Any, name: str = "X") -> None:
    """Raise an error for an array of another library, where rows are needed in NumPy."""
    if is_foreign(X):
        models = (
            " Models that stay on its device: LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianNB, NearestMean, "
            "LeastSquaresClassifier, FisherDiscriminant, LogisticRegression and LinearSVC."
        )
        where = "which is not computed with here" if name == "X" else "but X is not"
        raise InputTypeError(f"{name} is an array of {place_name(X)}, {where}; pass {conversion(X, name)}.{models if name == 'X' else ''}")


def to_host(X: Any) -> NDArray[Any]:
    """Return an array of any library as a NumPy array."""
    if isinstance(X, np.ndarray):
        return X
    if library(X) == "torch":
        found: NDArray[Any] = X.numpy(force=True)
        return found
    return np.asarray(X.get() if library(X) == "cupy" else X)


def in_numpy(values: Any) -> NDArray[Any]:
    """Return what a model answered as a NumPy array, wherever it lies."""
    return to_host(values) if is_foreign(values) else np.asarray(values)


def like(values: Any, X: Any, dtype: Any = None) -> Any:
    """Return NumPy values as an array beside X: of its library, on its device."""
    if isinstance(X, np.ndarray):
        return np.asarray(values, dtype=dtype)
    return namespace(X).asarray(np.require(values, requirements=["C", "W"]), dtype=dtype, device=device_of(X))


def detached(X: Any, name: str) -> Any:
    """Return a tensor without its gradients, which no fit returns; said once for each argument."""
    if not getattr(X, "requires_grad", False):
        return X
    if name not in _detached_before:
        _detached_before.add(name)
        warnings.warn(
            f"{name} requires gradients; they are left out here (as by {name}.detach()), since no fit or prediction passes them on. "
            "This is said once.",
            DataWarning,
            stacklevel=6,
        )
    return X.detach()


def require_float64(X: Any) -> None:
    """Raise an error where the device of an array has no float64, which sums over rows need."""
    xp, device = namespace(X), device_of(X)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # JAX says that it truncates
            has = xp.zeros(1, dtype=xp.float64, device=device).dtype == xp.float64
    except (TypeError, RuntimeError, ValueError):
        has = False
    if not has:
        remedy = "jax.config.update('jax_enable_x64', True)" if library(X) == "jax" else f"pass {conversion(X)}"
        raise InputError(f"X lies on {place_name(X)}, which has no float64, and sums over many rows need it: {remedy}.")


def compute_type(X: Any) -> Any:
    """Return the type in which rows are computed: their own float32 or float64, float32 for half precision, else float64."""
    xp = namespace(X)
    if X.dtype in (xp.float32, xp.float64):
        return X.dtype
    halves = [getattr(xp, name) for name in ("float16", "bfloat16") if hasattr(xp, name)]
    return xp.float32 if X.dtype in halves or str(X.dtype).endswith(("float16", "bfloat16")) else xp.float64


@contextmanager
def fast_products(X: Any, fast: bool) -> Iterator[None]:
    """Multiply float32 matrices with the 10 bits of TF32 (`fast`) or with all 24, on devices that know both; others have one way."""
    if library(X) == "torch" and device_of(X).type == "cuda":
        from torch.backends import cuda

        before, cuda.matmul.allow_tf32 = cuda.matmul.allow_tf32, fast
        try:
            yield
        finally:
            cuda.matmul.allow_tf32 = before
    elif library(X) == "jax":
        import jax

        with jax.default_matmul_precision("tensorfloat32" if fast else "highest"):
            yield
    else:
        yield


def has_fast_products(X: Any) -> bool:
    """Whether `fast_products` makes a difference for an array."""
    return is_foreign(X) and (library(X) == "jax" or (library(X) == "torch" and bool(device_of(X).type == "cuda")))


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory, of the host or a device, ran out.

    Examples
    --------
    >>> is_out_of_memory(MemoryError()), is_out_of_memory(ValueError("shape"))
    (True, False)
    """
    return isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__ or "RESOURCE_EXHAUSTED" in str(error)


def add_to_own(xp: Any, P: Any, codes: Any, values: Any) -> Any:
    """Return P (n, K) with values (n,), or a number, added at each row's own column; in place where its library can."""
    if hasattr(P, "scatter_add_"):
        values = values if hasattr(values, "shape") else xp.full(P.shape[:1], values, dtype=P.dtype, device=P.device)
        return P.scatter_add_(1, codes[:, None], values[:, None])
    if isinstance(P, np.ndarray) or library(P) == "cupy":
        P[xp.arange(P.shape[0]), codes] += values
        return P
    own = xp.astype(codes[:, None] == xp.arange(P.shape[1], dtype=codes.dtype, device=device_of(P))[None, :], P.dtype)
    return P + own * (values[:, None] if hasattr(values, "shape") else values)


def counted(codes: Any, n_groups: int) -> NDArray[np.int64]:
    """Return how often each of the numbers 0 … n_groups − 1 occurs, in NumPy; the standard has no such function, libraries have."""
    xp = namespace(codes)
    if hasattr(xp, "bincount"):
        return to_host(xp.bincount(codes, minlength=n_groups)).astype(np.int64)
    edges = xp.searchsorted(xp.sort(codes), xp.arange(n_groups + 1, dtype=codes.dtype, device=device_of(codes)))
    return np.diff(to_host(edges)).astype(np.int64)


def affine(X: Any, W: Any, b: Any) -> Any:
    """Return X W + b, in one step where the library has one: the sum then costs no second look at the product."""
    if library(X) == "torch":
        import torch

        return torch.addmm(b, X, W)
    Z = X @ W
    Z += b
    return Z


def add_product(Z: Any, X: Any, W: Any) -> Any:
    """Return Z + X W, in the place of Z where the library can."""
    return Z.addmm_(X, W) if hasattr(Z, "addmm_") else Z + X @ W


def product_of_columns(A: Any, B: Any) -> Any:
    """Return A'B of many rows and few columns: on CUDA as several products side by side, since one would leave most of the device idle."""
    n = A.shape[0]
    if library(A) != "torch" or device_of(A).type != "cuda" or n < AT_ONCE * 256:
        return A.T @ B
    m = n // AT_ONCE
    cut = m * AT_ONCE
    parts = (X[:cut].reshape(AT_ONCE, m, X.shape[1]) for X in (A, B))
    whole = next(parts).transpose(1, 2).bmm(next(parts)).sum(dim=0)
    return whole if cut == n else whole + A[cut:].T @ B[cut:]


def log_shares(Z: Any) -> Any:
    """Return the logarithm of the softmax of rows; Z may be overwritten."""
    if hasattr(Z, "log_softmax"):
        return Z.log_softmax(1)
    xp = namespace(Z)
    Z -= xp.max(Z, axis=1, keepdims=True)
    Z -= xp.log(xp.sum(xp.exp(Z), axis=1, keepdims=True))
    return Z


def exponential(Z: Any) -> Any:
    """Return e^Z, in its place where the library can."""
    if isinstance(Z, np.ndarray):
        return np.exp(Z, out=Z)
    return Z.exp_() if hasattr(Z, "exp_") else namespace(Z).exp(Z)


def difference_beside(X: Any, pilot: Any, others: Any) -> Any:
    """Return [X − pilot, others] in float64, written once where the library can."""
    xp, p = namespace(X), X.shape[1]
    if library(X) not in ("torch", "cupy"):
        return xp.concat([X - pilot, others], axis=1)
    whole = xp.empty((X.shape[0], p + others.shape[1]), dtype=xp.float64, device=device_of(X))
    if library(X) == "torch":
        import torch

        torch.sub(X, pilot, out=whole[:, :p])
    else:
        xp.subtract(X, pilot, out=whole[:, :p])
    whole[:, p:] = others
    return whole
