"""What names, types and shapes cannot say of a state: parts that must agree with each other, and indices that must lead somewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..models.state import State, same
from .state_document import damaged

Sizes = dict[str, int]
KINDS = {"gaussian": "g", "bernoulli": "h", "poisson": "h", "multinomial": "h", "categorical": "s"}
"""Kinds of columns of MixedNB, and the letter of the part that counts them."""

HIGHEST_DEGREE = 50
"""Of polynomials: the number of their terms is counted when they are restored."""


def check_record(state: State, key: str, record: str, sizes: Sizes, at: str) -> None:
    """Raise an error for a record whose parts contradict each other."""
    if f"{key}.classes" in state.values or f"{key}.classes" in state.arrays:
        _require(_same_labels(state, f"{key}.classes"), at, "has other classes than the model")
    names = state.values.get(f"{key}.feature_names")
    if names is not None:
        listed = isinstance(names["plain"], tuple) and all(isinstance(name, str) for name in names["plain"])
        _require(listed and len(names["plain"]) == sizes["q"], at, "has names of other columns")
    found = _RECORDS.get(record)
    if found is not None:
        found(state, key, sizes, at)


def check_model(state: State, sizes: Sizes, at: str) -> None:
    """Raise an error for a model whose parts contradict each other."""
    inner = state.inside.get("estimator_")
    if inner is not None:
        labels = inner.classes
        _require(labels is not None, at, "has a model inside that is no classifier")
        _require(state.classes is None or same(state.classes, labels), at, "has other classes than the model inside")
    if "support_" in state.arrays and state.arrays["support_"].dtype == np.bool_:
        _require(bool(state.arrays["support_"].any()), at, "keeps no column")
    found = _MODELS.get(state.model)
    if found is not None:
        found(state, sizes, at)


def _require(right: bool, at: str, what: str) -> None:
    if not right:
        raise damaged(at, what)


def _same_labels(state: State, key: str) -> bool:
    name = "classes_"
    if key in state.arrays:
        return name in state.arrays and same(state.arrays[key], state.arrays[name])
    return name in state.values and same(state.values[key], state.values[name])


def _class_moments(state: State, key: str, sizes: Sizes, at: str) -> None:
    K, q = sizes["K"], sizes["q"]
    shape = {"full": (K, q, q), "pooled": (q, q), "diagonal": (K, q)}[state.values[f"{key}.kind"]]
    _require(state.arrays[f"{key}.scatter"].shape == shape, at, "has a scatter of another shape than its kind")


def _category_counts(state: State, key: str, sizes: Sizes, at: str) -> None:
    _starts(state.arrays[f"{key}.starts"], state.arrays[f"{key}.cells"].shape[1], at)


def _category_likelihoods(state: State, key: str, sizes: Sizes, at: str) -> None:
    cells = state.arrays[f"{key}.counts.cells"].shape
    _require(state.arrays[f"{key}.logs"].shape == cells, at, "has other cells than its counts")


def _starts(starts: Any, end: int, at: str) -> None:
    rising = len(starts) > 0 and starts[0] == 0 and starts[-1] == end and bool((np.diff(starts) >= 0).all())
    _require(rising, at, "has columns that begin before the one before them")


def _sparse_rows(state: State, key: str, sizes: Sizes, at: str) -> None:
    _starts(state.arrays[f"{key}.indptr"], len(state.arrays[f"{key}.data"]), at)
    _require(state.values[f"{key}.columns"] == sizes["p"], at, "has another number of columns than the model")


def _class_span(state: State, key: str, sizes: Sizes, at: str) -> None:
    m, r = state.arrays[f"{key}.shifts"].shape
    _require(state.arrays[f"{key}.whitening"].shape in ((m, r), (m, r, r)), at, "has a whitening of another shape than its span")


def _averaged(state: State, key: str, sizes: Sizes, at: str) -> None:
    q = sizes["p"] + 1
    _require(state.arrays[f"{key}.squares"].shape in ((q,), (q, q)), at, "has squares of another shape than its columns")


def _calibration(state: State, key: str, sizes: Sizes, at: str) -> None:
    parameters, starts, c = state.arrays[f"{key}.parameters"], state.arrays[f"{key}.starts"], sizes["c"]
    method = state.values[f"{key}.method"]
    if method == "isotonic":
        _require(parameters.shape[0] == 2 and len(starts) == c + 1, at, "has levels for another number of classes")
        _starts(starts, parameters.shape[1], at)
        _require(bool((np.diff(starts) > 0).all()), at, "has a class without levels")
    else:
        shape = {"sigmoid": (c, 2), "beta": (c, 3), "temperature": (1, 1)}[method]
        _require(parameters.shape == shape, at, "has parameters for another number of classes")


def _move(state: State, key: str, sizes: Sizes, at: str) -> None:
    plain: dict[str, Any] = {}
    for name in ("members", "groups", "candidates", "test"):
        value = state.values[f"{key}.{name}"]
        plain[name] = None if value is None else value["plain"]
    members = isinstance(plain["members"], tuple) and all(type(j) is int and 0 <= j < sizes["p"] for j in plain["members"])
    groups = isinstance(plain["groups"], tuple) and all(isinstance(name, str) for name in plain["groups"])
    _require(members and groups, at, "names columns that are not there")
    looked_at = isinstance(plain["candidates"], dict) and all(isinstance(n, str) and _is_number(s) for n, s in plain["candidates"].items())
    test = plain["test"] is None or (isinstance(plain["test"], tuple) and len(plain["test"]) == 3 and all(map(_is_number, plain["test"])))
    _require(looked_at and test, at, "has scores that are no numbers")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _table(state: State, key: str, sizes: Sizes, at: str) -> None:
    columns = [state.values[f"{key}.columns.{i}.values"]["plain"] for i in range(state.values[f"{key}.columns"].get("items", 0))]
    names = [state.values[f"{key}.columns.{i}.name"] for i in range(len(columns))]
    even = bool(columns) and all(isinstance(column, list) for column in columns) and len({len(column) for column in columns}) == 1
    _require(even and len(set(names)) == len(names), at, "has columns of different lengths")


def _column(state: State, key: str, sizes: Sizes, at: str) -> None:
    value, form = state.values[f"{key}.values"], state.values[f"{key}.form"]
    values = value["plain"] if isinstance(value, dict) else None
    numbers = isinstance(values, list) and all(_is_number(own) if form else isinstance(own, str | int | float) for own in values)
    whole = form != "d" or (isinstance(values, list) and all(type(own) is int for own in values))
    _require(numbers and whole, at, "has values that cannot be printed")


def _history(state: State, key: str, sizes: Sizes, at: str) -> None:
    _require(bool(state.values[f"{key}.moves"].get("items")), at, "has no move")


def _categorical(state: State, sizes: Sizes, at: str) -> None:
    cells = state.arrays["categories_.cells"].shape
    _require(state.arrays["category_log_prob_"].shape == cells, at, "has other cells than its counts")
    counts = np.diff(state.arrays["categories_.starts"])
    _require(same(state.arrays["n_categories_"].astype(np.int64), counts.astype(np.int64)), at, "has other categories than its counts")


def _mixed(state: State, sizes: Sizes, at: str) -> None:
    kinds = state.values["kinds_"]["labels"]
    _require(all(kind in KINDS for kind in kinds), at, "has a column of no known kind")
    for letter in "ghs":
        _require(sizes.get(letter) == sum(KINDS[kind] == letter for kind in kinds), at, "has other columns than their kinds say")
    _require(state.values["summary_.layout.kinds"]["labels"] == kinds, at, "has other kinds than its summary")
    own = [kind for kind in kinds if KINDS[kind] == "h"]
    _require(state.values["counted_.kinds"]["labels"] == own, at, "has other kinds of counts than its columns")


def _least_squares(state: State, sizes: Sizes, at: str) -> None:
    _require(len(state.arrays["regression_coef_"]) in (1, sizes["K"]), at, "has regressions for another number of classes")


def _machines(state: State, sizes: Sizes, at: str) -> None:
    K, all_of_them = sizes["K"], state.params.get("machines", "all") == "all"
    expected = K * (K - 1) // 2 if state.model == "OneVsOne" else 1 if K == 2 else K if all_of_them else K - 1
    _require(len(state.inside) == expected, at, "has another number of machines than its classes need")
    for machine in state.machines:
        labels = machine.classes
        _require(labels is not None and len(labels) == 2, at, "has a machine that does not tell two classes apart")
        _require(_columns(machine) in (None, sizes["p"]), at, "has a machine of other columns")


def _columns(state: State) -> Any:
    """Return the number of columns that a model takes; None where it is not known here."""
    inner = state.inside.get("estimator_")
    return state.values.get("n_features_in_", None if inner is None else _columns(inner))


def _pipeline(state: State, sizes: Sizes, at: str) -> None:
    value = state.values["names"]
    names: Any = value["plain"] if isinstance(value, dict) else None
    right = isinstance(names, list) and all(isinstance(name, str) and name and "__" not in name for name in names)
    _require(right and len(set(names)) == len(names) == len(state.inside), at, "has steps without a name of their own")
    _require("Pipeline" not in [step.model for step in state.inside.values()], at, "has a pipeline as a step")


def _board(state: State, sizes: Sizes, at: str) -> None:
    count = state.values["entries_"].get("items", 0)
    names = [state.values[f"entries_.{i}.name"] for i in range(count)]
    _require({state.values["best_name_"], state.values["picked_name_"]} <= set(names), at, "names a model that has no line")
    lines = [state.values["said_"], *[state.values[f"entries_.{i}.notes"] for i in range(count)]]
    for line in lines:
        said = line["plain"] if isinstance(line, dict) else None
        _require(isinstance(said, tuple) and all(isinstance(text, str) for text in said), at, "has remarks that are no texts")


def _table_model(state: State, sizes: Sizes, at: str) -> None:
    _require(state.params["prep"] in ("TablePrep", "TableColumns"), at, "is prepared by something that is not known")
    _require(("scale_" in state.arrays) == (state.params["standardise"] is True), at, "lacks what its columns are divided by")
    if "scale_" in state.arrays:
        _require(bool((state.arrays["scale_"] > 0).all()), at, "divides by zero")


def _decision(state: State, sizes: Sizes, at: str) -> None:
    rule = state.params["decision"]
    _require(isinstance(rule, dict) and rule.keys() == {"costs", "reject_cost", "priors", "actions", "truths"}, at, "has no whole decision")


def _scaler(state: State, sizes: Sizes, at: str) -> None:
    _require(all(isinstance(value, bool) for value in state.params.values()), at, "has parameters of another kind")
    for name, needed in (("mean_", state.params["with_mean"]), ("scale_", state.params["with_std"])):
        _require(name in state.arrays or not needed, at, f"lacks {name!r}")
    _require("scale_" not in state.arrays or bool((state.arrays["scale_"] > 0).all()), at, "divides by zero")


def _polynomial(state: State, sizes: Sizes, at: str) -> None:
    degree = state.params["degree"]
    degrees = list(degree) if isinstance(degree, tuple) and len(degree) == 2 else [degree]
    _require(all(type(own) is int and 0 <= own <= HIGHEST_DEGREE for own in degrees), at, "has a degree that it cannot have")
    _require(
        all(isinstance(state.params[name], bool) for name in ("interaction_only", "include_bias")), at, "has parameters of another kind"
    )


_RECORDS: dict[str, Callable[[State, str, Sizes, str], None]] = {
    "Averaged": _averaged,
    "CalibrationMap": _calibration,
    "CategoryCounts": _category_counts,
    "CategoryLikelihoods": _category_likelihoods,
    "ClassMoments": _class_moments,
    "ClassSpan": _class_span,
    "Column": _column,
    "History": _history,
    "Move": _move,
    "SparseRows": _sparse_rows,
    "Table": _table,
}
_MODELS: dict[str, Callable[[State, Sizes, str], None]] = {
    "Board": _board,
    "CategoricalNB": _categorical,
    "DecidedClassifier": _decision,
    "Decision": _decision,
    "LeastSquaresClassifier": _least_squares,
    "MixedNB": _mixed,
    "OneVsOne": _machines,
    "OneVsRest": _machines,
    "Pipeline": _pipeline,
    "PolynomialFeatures": _polynomial,
    "StandardScaler": _scaler,
    "TableClassifier": _table_model,
}
