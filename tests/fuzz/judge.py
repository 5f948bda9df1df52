"""What may come of a call: a sound result, or an error of ours that says which argument and what to do. Everything else is a finding."""

from __future__ import annotations

import dataclasses
import re
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator
from types import ModuleType
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError

from separatrix.data import Source
from separatrix.errors import SeparatrixError, SeparatrixWarning

CHANGES = {"fit", "partial_fit", "forget", "fit_summary", "fit_transform", "sparsify", "densify"}
"""Methods that may change the model when they succeed."""
TIMED = {"seconds", "files"}
"""What is not the same when a call is repeated: times, and paths of scratch files."""
UNDEFINED = {
    "on_": "RareBinaryFilter counts binary columns only",
    "path_": "scores of columns that were not tried at a step",
    "history_": "intervals and tests that a step does not have",
    "expected_false_": "the bound holds for thresholds above ½ and subsamples of halves only",
    "auc": "of a fold without rows of one class",
    ".posteriors": "of rows that a plan never holds out",
    "pvalues_": "no test is possible where there are as many classes as rows",
    "PredictiveValues.positive": "the share of no row that is called positive",
    "PredictiveValues.negative": "the share of no row that is called negative",
    "entries": "tests and standard errors that one fold does not give",
}
"""Where NaN is said to mean that there is no such number: parts of the way to it, which begins with the type of the result."""
WANTED_WARNINGS = (SeparatrixWarning, ConvergenceWarning, DataConversionWarning)
"""The last two are scikit-learn's own for fits that did not arrive and for a y of one column; its estimator checks ask for them."""
REMEDY = re.compile(
    r"\b(use|pass|give|drop|name|type|fit|must|needs?|needed|required?|requires|expect(s|ed|ing)?|set|make|leave|choose|call|cut|encode|"
    r"only|at least|at most|has to|between|instead|take|start|raise|lower|check|write|list|add|remove|open|convert|try|reshape|rescale|"
    r"announce|subtract|should|not supported|classes:|the classes are|build|forget|divide|holds)|[≥≤∈]",
    re.IGNORECASE,
)
THING = re.compile(
    r"\b(rows?|columns?|labels?|class(es)?|features?|weights?|samples?|file|folder|path|table|model|estimator|inputs?|priors?|values?|numbers?|"
    r"lists?|names?|posteriors?|costs?|matrix|array|selector|summary|state|plan|fold|metric)\b",
    re.IGNORECASE,
)


@dataclasses.dataclass(frozen=True)
class Finding:
    """What is wrong (one phrase by which findings are grouped), in which call, and what was seen."""

    wrong: str
    call: str
    seen: str


class Judge:
    """Makes calls and keeps what is wrong with their outcomes; `trail` is what must be the same when all calls are repeated."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.trail: list[str] = []

    def call(self, text: str, function: Callable[..., Any], arguments: dict[str, Any], subject: Any = None) -> Any:
        """Return the result of a call, or None where it raises an error."""
        method = text.split("(")[0].split(".")[-1]
        before, inputs = fingerprint(subject), [as_bytes(value) for value in arguments.values()]
        result, error = None, None
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                result = function(**arguments)
                shown = text_of(result)
            except Exception as caught:
                error = caught
        found = [*leaked(warned), *(raw(error, method, arguments) if error is not None else unsound(method, result, subject, arguments))]
        if isinstance(function, type):
            found = [each for each in found if not each[0].startswith("NaN")]  # a parameter as it was given
        if (error is not None or method not in CHANGES) and fingerprint(subject) != before:
            found.append(("the call changed the model", "its attributes differ from those before" if error is None else repr(error)))
        if inputs != [as_bytes(value) for value in arguments.values()]:
            found.append(("the call changed what was passed to it", ", ".join(arguments)))
        self.findings += [Finding(wrong, text, seen) for wrong, seen in found]
        self.trail.append(f"{text}: {type(error).__name__ if error else shown}")
        return result


def fingerprint(subject: Any) -> str | None:
    """What a model knows, as a hash; None for what is no estimator."""
    return joblib.hash({**vars(subject)}) if isinstance(subject, BaseEstimator) else None


def as_bytes(value: Any) -> Any:
    """The content of an array, to see whether a call has written into it."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.tobytes()
    if sp.issparse(value) and value.format in ("csr", "csc"):
        return value.data.tobytes(), value.indices.tobytes(), value.indptr.tobytes()
    return None


def leaked(warned: Any) -> Iterator[tuple[str, str]]:
    """Warnings that are not ours."""
    for warning in warned:
        named = "feature names" in str(warning.message)  # scikit-learn's contract for columns with and without names
        if not issubclass(warning.category, WANTED_WARNINGS) and not named:
            place = f"{warning.filename.split('site-packages/')[-1]}:{warning.lineno}"
            yield f"leaked {warning.category.__name__}: {str(warning.message)[:60]}", place


def raw(error: Exception, method: str, arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with an error."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/separatrix/" in frame.filename]
    place = f"{ours[-1].filename.split('/separatrix/')[-1]}:{ours[-1].lineno} in {ours[-1].name}" if ours else "outside"
    message = str(error)
    if isinstance(error, NotFittedError):
        return
    if not isinstance(error, SeparatrixError):
        yield f"raw {type(error).__name__} at {place}", message[:300]
    elif not (
        any(re.search(rf"\b{re.escape(name)}\b", message) for name in [method, *arguments]) or THING.search(message) or "=" in message
    ):
        yield f"message names no argument, at {place}", message[:300]
    elif not REMEDY.search(message):
        yield f"message names no remedy, at {place}", message[:300]


def unsound(method: str, result: Any, subject: Any, arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with a result."""
    distribution = method in ("predict_proba", "posteriors") and isinstance(result, np.ndarray)
    if distribution and not ((result >= 0).all() and np.allclose(result.sum(axis=-1), 1.0, rtol=0, atol=1e-9)):
        yield f"{type(subject).__name__}.{method}: posteriors that do not sum to 1", f"{result.min()} … {result.max()}"
    if method in ("decision_function", "transform") and not np.isfinite(numbers(result)).all():
        yield f"{type(subject).__name__}.{method} is not finite", str(numbers(result)[~np.isfinite(numbers(result))][:3])
    if method == "predict" and hasattr(subject, "coef_") and not set(result.tolist()) <= set(subject.classes_.tolist()):
        yield f"{type(subject).__name__}.predict gives labels that are no classes", str(set(result.tolist()))
    if method == "score" and isinstance(result, float) and "priors" not in arguments and not 0 <= result <= 1.0000001:
        yield f"{type(subject).__name__}.score outside [0, 1]", str(result)
    given = {id(value) for value in arguments.values()}
    for path, leaf in leaves(result, type(result).__name__, given=given):
        if leaf.dtype.kind in "fc" and np.isnan(leaf).any() and not any(name in path for name in UNDEFINED):
            yield f"NaN in {type(subject).__name__ if subject is not None else ''}.{method} → {path}", ""
        elif path.endswith(("coef_", "intercept_")) and not np.isfinite(leaf).all():
            yield f"{path} is not finite", ""


def numbers(result: Any) -> Any:
    if sp.issparse(result):
        return result.data
    array = np.asarray(result)  # selectors give columns of text back as they came
    return np.array([v for v in array.ravel().tolist() if isinstance(v, float)]) if array.dtype.kind in "OUS" else array.astype(float)


def text_of(result: Any) -> str:
    """All numbers and words in a result, as a hash."""
    # The bytes between numbers of long double are whatever stood there before, and would be hashed too.
    plain = [(path, leaf.astype(float) if leaf.dtype == np.longdouble else leaf) for path, leaf in leaves(result, "")]
    return str(joblib.hash([(path, leaf.dtype.str, leaf.tolist()) for path, leaf in plain]))


def leaves(value: Any, path: str, depth: int = 0, given: Collection[int] = ()) -> Iterator[tuple[str, Any]]:
    """Numbers, words and arrays inside a result, with the way to them; what was passed and is only kept (`given`) is none of it."""
    if depth and id(value) in given:
        return
    if isinstance(value, (np.ndarray, np.generic, int, float, complex, str)):
        yield path, np.asarray(value)
    elif sp.issparse(value):
        yield f"{path}.data", value.tocoo().data
    elif depth > 3 or isinstance(value, Source) or callable(value) or isinstance(value, ModuleType) or value is None:
        return
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in TIMED:
                yield from leaves(item, f"{path}[{key!r}]" if depth == 0 else f"{path}.{key}", depth + 1, given)
    elif isinstance(value, (list, tuple)):
        for item in value[:50]:
            yield from leaves(item, f"{path}[]", depth + 1, given)
    elif hasattr(value, "__dict__") or dataclasses.is_dataclass(value):
        fields = vars(value) if hasattr(value, "__dict__") else {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        fields = {name: item for name, item in fields.items() if not name.startswith("_") and name not in TIMED}
        if isinstance(value, BaseEstimator):
            fields = {name: item for name, item in fields.items() if name.endswith("_")}
        for name, item in fields.items():
            yield from leaves(item, f"{path}.{name}", depth + 1, given)
