"""Is there anything to learn? The held-out score against those with the labels shuffled."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from ..abilities import abilities_of
from ..arguments import PLAN, SILENT, answers_to
from ..array_types import Codes, Floats, Folds, Indices
from ..data import Source
from ..data.device import DEVICE_VALUES, DeviceSource
from ..data.namespaces import namespace
from ..data.threads import single_threaded_blas
from ..errors import InputError, SeparatrixWarning
from ..inference.tables import Column, Table, p_text
from ..loading import maker
from ..notebook import view
from ..progress import muted, task
from ..thresholds import HELD_SCORES
from .evaluation_rows import EvaluationRows, require_classifier, require_jobs, rows_to_evaluate
from .held_out import hold_out
from .key_folds import key_apart, with_kept
from .metrics import METRICS, Metric, ScoredRows
from .permuted_passes import right_by_class
from .plans import NEVER, KFold, generator, require_count
from .predictions import HeldOut
from .prepared import prepared_for_permutations
from .random_plans import Bootstrap
from .scorers import one_metric
from .shuffled import BLOCK, Shuffled
from .splits import folds_of
from .table_rows import TableRows

BY_ALGEBRA, BY_PASSES, BY_REFITS = 10_000, 999, 199
"""Permutations where none is asked for."""
FROM_LABELS = ("error", "balanced_accuracy")
"""Statistics that need no posteriors, which the algebra does not give."""


@dataclass(frozen=True, slots=True, eq=False)
class PermutationTest:
    """A held-out score and those under permuted labels.

    Attributes
    ----------
    statistic : name of the score
    observed : float
    permuted : (B,)
    p : (1 + permutations at least as good)/(B + 1)
    method : "exact algebra" or "refits"
    seconds : float
    """

    statistic: str
    observed: float
    permuted: Floats
    p: float
    method: str
    seconds: float

    def table(self) -> Table:
        """Return the score beside the quantiles of those under permuted labels."""
        shares = (0.0, 0.025, 0.5, 0.975, 1.0)
        names = ["observed", *(f"{share:.1%} of permutations" for share in shares)]
        values = [self.observed, *np.quantile(self.permuted, shares)]
        return Table("Permutation test", (Column("", names), Column(self.statistic, values, ".4f")), str(self))

    def chart(self) -> Any:
        """Return the scores under shuffled labels beside the observed one as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.diagnostics.permutation_null")(self)

    def _repr_html_(self) -> str:
        return view(self.table().html)

    def __str__(self) -> str:
        low, middle, high = np.quantile(self.permuted, [0.025, 0.5, 0.975])
        found = f"{self.statistic} {self.observed:.4f}; with labels shuffled {middle:.4f} (95 % of them {low:.4f} to {high:.4f})"
        verdict = "the columns say something about the classes"
        if self.p > 0.05:
            verdict = "no sign that the columns say anything about the classes"
        if self.p > 0.05 and len(self.permuted) < 19:
            verdict = f"{len(self.permuted)} permutations are too few to say anything; use 999"
        return f"{found}. {p_text(self.p)}: {verdict} ({len(self.permuted):,} permutations, {self.method}, {self.seconds:.2f} s)"


@answers_to(
    cv=PLAN,
    scoring="use statistic='roc_auc' or a scorer",
    metric="use statistic='auc' or a scorer",
    estimator="the model is the first argument: permutation_test(model, X, y)",
    groups="labels are shuffled inside folds; for other groups use sklearn.model_selection.permutation_test_score",
    verbose=SILENT,
)
def permutation_test(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    n_permutations: int | None = None,
    statistic: Any = "error",
    plan: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> PermutationTest:
    """Test whether a model learns anything: its held-out score against those with the labels shuffled.

        p = (1 + #{permutations at least as good})/(B + 1)

    Labels are shuffled inside each fold, so that every permutation has the folds and the class sizes of the data, and the test is exact;
    rows held out alone are shuffled all together. Least squares and linear discriminant analysis are not refitted: what depends on no
    label is factored once per fold.

    Parameters
    ----------
    model : classifier
    X, y : rows and labels; or a table from `open_table` alone
    target : column of a frame X that holds the labels, in place of y
    n_permutations : int, optional
        Default 10,000 where the model allows algebra, 999 where it does and rows are those of a table that is not in memory, else 199.
    statistic : "error", "balanced_accuracy", "log_loss", "brier", "auc", or any scikit-learn scorer
    plan : a plan of this package, a scikit-learn splitter or an int; default KFold(5)
    n_jobs : int, optional
        Processes for refits.
    random_state : int, RandomState or None
        None is 0: the same call gives the same result.

    Returns
    -------
    PermutationTest

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearDiscriminantAnalysis, permutation_test
    >>> X, y = load_iris(return_X_y=True)
    >>> found = permutation_test(LinearDiscriminantAnalysis(), X, y, n_permutations=999, random_state=0)
    >>> found.p, found.method
    (0.001, 'exact algebra')

    References
    ----------
    Ojala and Garriga (2010), Permutation tests for studying classifier performance, Journal of Machine Learning Research 11.
    """
    start = time.perf_counter()
    require_classifier(model)
    require_jobs(n_jobs)
    if n_permutations is not None:
        require_count("n_permutations", n_permutations, 1)
    plan, X = key_apart(plan, X)
    rows, rng = rows_to_evaluate(X, y, target=target, takes_columns=True), generator(random_state)
    model, rows = prepared_for_permutations(model, rows)
    plan = KFold(5) if plan is None else with_kept(plan, rows.kept)
    folds = _folds(plan, rows, rng)
    asked = one_metric(statistic, hasattr(model, "predict_proba"), type(model).__name__)
    metric = asked.metric
    observed = _score(metric, hold_out(model, rows, plan, folds), rows)
    shuffled = Shuffled(rows.codes, folds, int(rng.randint(2**31 - 1)))
    permuted, method = None, "exact algebra"
    if asked.own in FROM_LABELS and isinstance(rows, TableRows):
        permuted = _by_passes(model, rows, folds, shuffled, n_permutations or BY_PASSES, asked.own)
    elif asked.own in FROM_LABELS:
        permuted = _by_algebra(model, rows, folds, shuffled, n_permutations or BY_ALGEBRA, metric)
    if permuted is None:
        permuted, method = _by_refits(model, rows, plan, folds, shuffled, n_permutations or BY_REFITS, metric, n_jobs), "refits"
    # Scores equal but for rounding count as equal: that can only make p larger.
    as_good = permuted <= observed + 1e-12 if asked.is_loss else permuted >= observed - 1e-12
    p = (1 + int(as_good.sum())) / (len(permuted) + 1)
    return PermutationTest(asked.name, asked.of(observed), asked.of(permuted), p, method, time.perf_counter() - start)


def _folds(plan: Any, rows: EvaluationRows, rng: Any) -> Folds:
    if isinstance(plan, Bootstrap):
        raise InputError("A permutation test needs a plan that holds each row out at most once, such as KFold(5); not a bootstrap.")
    repeats = folds_of(plan, rows.n, rows.labels, None, rng)
    if len(repeats) > 1:
        raise InputError(f"{plan!r} repeats itself {len(repeats)} times; use a plan without repeats, such as KFold(5).")
    return repeats[0]


def _by_algebra(model: Any, rows: EvaluationRows, folds: Folds, shuffled: Shuffled, B: int, metric: Metric) -> Floats | None:
    """Return the scores of B permutations, or None where the model has no algebra for these rows."""
    permutes = abilities_of(model).permutations
    X = rows.X.whole if isinstance(rows.X, DeviceSource) else rows.X
    dense = X is not None and (rows.on_device or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiu"))
    if not permutes or not dense or not bool(namespace(X).all(namespace(X).isfinite(X))):
        return None
    X, K, found = namespace(X).astype(X, namespace(X).float64, copy=False), len(rows.classes), np.empty(B)
    size = HELD_SCORES.portion((rows.n + X.shape[1]) * K)
    size = max(size, DEVICE_VALUES // (rows.n * K)) if rows.on_device else size  # products of many columns keep a device busy
    with task("permutation test", total=B) as work:
        for begin, codes in _portions(shuffled, B, size):
            predicted = permutes.answers(X, folds, codes, rows.classes)
            if predicted is None:
                return None
            held = folds != NEVER
            if metric is METRICS["error"]:
                found[begin : begin + codes.shape[1]] = (codes[held] != predicted[held]).mean(axis=0)
            else:
                judged = (ScoredRows(codes[held, b], predicted[held, b], None, None, None, rows.classes) for b in range(codes.shape[1]))
                found[begin : begin + codes.shape[1]] = [metric(rows).value for rows in judged]
            work.advance(f"{begin + codes.shape[1]} permutations", codes.shape[1])
    return found


def _by_passes(model: Any, rows: EvaluationRows, folds: Folds, shuffled: Shuffled, B: int, name: str) -> Floats | None:
    """Return the scores of B permutations of a table's rows, or None where the model has no algebra for them."""
    right = right_by_class(model, rows, folds, shuffled, B)
    if right is None:
        return None
    held = np.bincount(rows.codes[folds != NEVER], minlength=len(rows.classes)).astype(np.float64)  # of every permutation
    scores: Floats = (right[:, held > 0] / held[held > 0]).mean(axis=1)
    return scores if name == "balanced_accuracy" else 1.0 - right.sum(axis=1) / held.sum()


def _portions(shuffled: Shuffled, B: int, size: int) -> Iterator[tuple[int, Codes]]:
    """Yield at most so many permutations at a time, with the number of the first; each is drawn once."""
    whole = max(size // BLOCK, 1) * BLOCK
    for first in range(0, B, whole):
        drawn = shuffled.part(first, min(first + whole, B))
        yield from ((first + begin, drawn[:, begin : begin + size]) for begin in range(0, drawn.shape[1], size))


def _by_refits(
    model: Any, rows: EvaluationRows, plan: Any, folds: Folds, shuffled: Shuffled, B: int, metric: Metric, n_jobs: int | None
) -> Floats:
    found = np.empty(B)
    with task("permutation test", total=B) as work:
        n_jobs = None if isinstance(rows.X, Source) else n_jobs
        jobs = (delayed(_refit)(model, rows, plan, folds, shuffled, b) for b in range(B))
        for b, (held, codes) in enumerate(Parallel(n_jobs=n_jobs, return_as="generator")(jobs)):
            found[b] = _score(metric, held, EvaluationRows(None, codes, None, rows.classes))
            work.advance(f"permutation {b + 1}")
    return found


def _refit(model: Any, rows: EvaluationRows, plan: Any, folds: Folds, shuffled: Shuffled, b: int) -> tuple[HeldOut, Codes]:
    codes = np.ascontiguousarray(shuffled.part(b, b + 1)[:, 0])
    with single_threaded_blas(), muted(), warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparatrixWarning)  # of labels shuffled on purpose, hundreds of times the same
        held = hold_out(model, rows.with_codes(codes), plan, folds)
    return replace(held, fitted=None), codes


def _score(metric: Metric, held: HeldOut, rows: EvaluationRows) -> float:
    inside: Indices = np.flatnonzero(held.folds != NEVER)
    posteriors = None if held.posteriors is None else held.posteriors[inside]
    return metric(ScoredRows(rows.codes[inside], held.codes[inside], posteriors, None, None, rows.classes, held.folds[inside])).value
