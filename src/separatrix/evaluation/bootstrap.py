"""The bootstrap: models are trained on rows drawn with replacement and judged by the rows never drawn; the .632 and .632+ estimates."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ..abilities import abilities_of, offered
from ..array_types import Bools, Codes, Floats, Indices
from ..data import Block
from ..data.threads import single_threaded_blas
from ..errors import InputError
from ..progress import task
from ..solvers.scores import per_class
from ..summaries.class_moments import Kind
from ..summaries.resampled import can_resample, resampled_moments, resampled_summaries
from ..thresholds import HELD_SCORES
from .draws import Draws, HeldDraws
from .estimate import Estimate
from .evaluation_rows import EvaluationRows, from_summary
from .held_out import method_text
from .metrics import METRICS, NEED_POSTERIORS, NamedMetric, distinct_metrics
from .out_of_bag import OutOfBag
from .predictions import answers, as_trained, predicted_codes
from .random_plans import Bootstrap
from .resampled_passes import by_passes
from .scorers import choose_metrics
from .table_rows import TableRows

Answer = tuple[Indices, Codes, Floats | None]


@dataclass(frozen=True, slots=True)
class BootstrapError:
    """Errors on the rows trained on and on those left out, and what they are combined to."""

    training: float
    out_of_bag: float
    no_information: float
    error_632: float
    error_632plus: float


def combine(training: float, out_of_bag: float, no_information: float) -> BootstrapError:
    """Combine the error `err` on all rows, the out-of-bag error Err1 and the error γ without information.

        .632  = .368 err + .632 Err1
        .632+ = .632 + (Err1' − err) · .368 · .632 · R/(1 − .368 R),   Err1' = min(Err1, γ),  R = (Err1' − err)/(γ − err) in [0, 1]

    R is 0 unless Err1' > err and γ > err. The result is never above max(err, Err1).

    References
    ----------
    Efron and Tibshirani (1997), Improvements on cross-validation: the .632+ bootstrap method, JASA 92.

    Examples
    --------
    >>> found = combine(0.0, 0.5, 0.5)
    >>> round(found.error_632, 3), round(found.error_632plus, 3)
    (0.316, 0.5)
    """
    plain = 0.368 * training + 0.632 * out_of_bag
    capped = min(out_of_bag, no_information)
    R = (capped - training) / (no_information - training) if capped > training and no_information > training else 0.0
    R = min(max(R, 0.0), 1.0)
    plus = plain + (capped - training) * 0.368 * 0.632 * R / (1.0 - 0.368 * R)
    return BootstrapError(training, out_of_bag, no_information, plain, plus)


def no_information_error(truth: Floats, predicted: Floats) -> float:
    """Return γ = Σ_k p_k (1 − q_k) from the shares of the classes and of the predictions.

    Examples
    --------
    >>> no_information_error(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    0.5
    """
    return float(truth @ (1.0 - predicted))


def evaluate_bootstrap(model: Any, rows: EvaluationRows, plan: Bootstrap, metrics: Any, exact: bool, start: float) -> Estimate:
    """Return the .632+ estimate of the error, with what the out-of-bag rows say of other scores."""
    has = hasattr(model, "predict_proba")
    names = [m for m in METRICS if m != "auc" and (has or m not in NEED_POSTERIORS)] if metrics is None else metrics
    chosen = choose_metrics(names, has, type(model).__name__)
    bag = OutOfBag(rows, distinct_metrics(chosen), has)
    draws = plan.draws(rows.n)
    usable = draws.only(usable_draws(rows, draws))
    if not usable.n_resamples:
        raise InputError(
            "Every resample missed a class or left no row out; use more rows of the rarest class, or a plan such as LeaveOneOut()."
        )
    road, whole = (None, None) if exact else _by_algebra(model, rows, usable, bag)
    if road is None:
        for answer in by_resamples(model, rows, usable):
            bag.add(*answer)
    codes = predicted_codes(*as_trained(rows.fit(model), rows)) if whole is None else whole
    return _estimate(rows, bag, chosen, codes, road or "refits", draws.n_resamples, start)


def usable_draws(rows: EvaluationRows, draws: Draws) -> Bools:
    """Return which resamples drew every class and left some row out, rows of weight 0 not counted."""
    counting, K = rows.has_weight, len(rows.classes)
    of_class, size = np.zeros((draws.n_resamples, K)), HELD_SCORES.portion(draws.n_resamples)
    for begin in range(0, rows.n, size):
        own = slice(begin, begin + size)
        drawn = ((draws.part(begin, min(begin + size, rows.n)) > 0) & counting[own]).astype(np.float32)
        of_class += drawn @ np.eye(K, dtype=np.float32)[rows.codes[own]]
    usable: Bools = (of_class > 0).all(axis=1) & (of_class.sum(axis=1) < counting.sum())
    return usable


def by_resamples(model: Any, rows: EvaluationRows, draws: Draws) -> Iterator[Answer]:
    """Fit each resample: the rows with other weights, or repeated where the model takes no weights."""
    by_weight = has_fit_parameter(model, "sample_weight")
    with task("bootstrap", total=draws.n_resamples) as work:
        for b in range(draws.n_resamples):
            times = draws.only([b]).part(0, rows.n)[0].astype(np.int64)
            out = np.flatnonzero(times == 0)
            fitted = rows.resampled(times, by_weight).fit(model)
            yield out, *answers(fitted, rows.take(out))
            work.advance(f"resample {b}")


def _by_algebra(model: Any, rows: EvaluationRows, draws: Draws, bag: OutOfBag) -> tuple[str | None, Codes | None]:
    """Solve all resamples from their moments; return the road, None where there is none, and what the fit of all rows says, if known."""
    if not isinstance(rows, TableRows):
        road = from_moments(model, rows, draws, bag)
        if road is not None:
            return road, None
    found = by_passes(model, rows, draws, bag)
    if found is None:
        return None, None
    for answer in by_resamples(model, rows, draws.only(found.left)):
        bag.add(*answer)
    return method_text("exact algebra", int(found.left.sum()), draws.n_resamples, "resamples"), found.codes


def from_moments(model: Any, rows: EvaluationRows, resamples: Draws, bag: OutOfBag) -> str | None:
    """Solve all resamples from their moments at once, where the model can; None where it cannot."""
    X = rows.X
    abilities = abilities_of(model)
    solves, summary = abilities.resamples, abilities.summary
    kind = "pooled" if solves else summary.kind if summary else None
    plain = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiu"
    if kind is None or not plain or not can_resample(rows.n, X.shape[1], kind) or not np.isfinite(X).all():
        return None
    X, p, draws = X.astype(np.float64, copy=False), X.shape[1], resamples.part(0, rows.n)
    if not solves:
        return _from_summaries(model, X, rows, draws, bag, kind) if summary and summary.suffices(rows.n, p) else None
    weights = draws.astype(np.float64) if rows.weight is None else draws * rows.weight
    moments = resampled_moments(X, rows.codes, weights, len(rows.classes))
    with single_threaded_blas():  # many small systems: threads would only wait for each other
        coef, intercept, sure = solves.solve(moments, rows.classes)
    size = HELD_SCORES.portion(rows.n * coef.shape[1])
    for begin in range(0, len(draws), size):
        part = np.arange(begin, min(begin + size, len(draws)))
        part = part[sure[part]]
        own = coef[part].transpose(1, 0, 2).reshape(-1, p)
        scores = (own @ X.T).reshape(coef.shape[1], len(part), rows.n) + intercept[part].T[:, :, None]
        bag.add_many(scores, draws[part] == 0)
    for answer in by_resamples(model, rows, resamples.only(~sure)):
        bag.add(*answer)
    return method_text("exact algebra", int((~sure).sum()), len(draws), "resamples")


def _from_summaries(model: Any, X: Floats, rows: EvaluationRows, draws: Any, bag: OutOfBag, kind: Kind) -> str:
    """Solve each resample from its moments, which come for all of them from the same products of the rows."""
    weights = draws.astype(np.float64) if rows.weight is None else draws * rows.weight
    size, K, left = HELD_SCORES.portion(rows.n * len(rows.classes)), len(rows.classes), []
    for begin in range(0, len(draws), size):
        some = draws[begin : begin + size]
        scores, solved = np.zeros((K, len(some), rows.n)), np.zeros(len(some), dtype=bool)
        for b, moments in enumerate(resampled_summaries(X, rows.codes, weights[begin : begin + size], rows.classes, kind)):
            if moments is not None:
                out, solved[b] = np.flatnonzero(some[b] == 0), True
                fitted = from_summary(clone(model), moments, rows)
                scores[:, b, out] = per_class(offered(abilities_of(fitted).scores).scores(Block(X[out]))).T
        bag.add_many(scores[:, solved], some[solved] == 0)
        left.append(some[~solved])
    rest = np.concatenate(left)
    for answer in by_resamples(model, rows, HeldDraws(rest)):
        bag.add(*answer)
    return method_text("exact algebra", len(rest), len(draws), "resamples")


def _estimate(
    rows: EvaluationRows, bag: OutOfBag, chosen: list[NamedMetric], full: Codes, method: str, asked: int, start: float
) -> Estimate:
    K, base, seen = len(rows.classes), bag.base, bag.seen
    shares, predicted = (np.bincount(codes, base, minlength=K) / base.sum() for codes in (rows.codes, full))
    training = float(np.average(full != rows.codes, weights=base))
    both = combine(training, bag.mean(bag.wrong), no_information_error(shares, predicted))
    half = 1.959964 * float(np.std(bag.wrong[seen] / bag.times[seen])) / np.sqrt(int(seen.sum()))
    interval = max(0.0, both.error_632plus - half), min(1.0, both.error_632plus + half)
    scores = {"error": both.error_632plus}
    scores |= {name: bag.mean(total) for name, total in bag.losses.items()}
    per_resample = bag.per_resample
    scores |= {name: float(np.nanmean(values)) for name, values in per_resample.items() if name != "error"}
    posteriors = None if bag.posteriors is None else np.where(seen[:, None], bag.posteriors / np.maximum(bag.times, 1.0)[:, None], np.nan)
    votes = bag.votes / np.maximum(bag.times, 1.0)[:, None] * base[:, None]
    notes = [f"{asked - bag.used} of {asked} resamples lacked a class and were left out"] if bag.used < asked else []
    if not seen.all():
        notes.append(f"{int((~seen).sum())} rows were in every resample and do not count")
    return Estimate(
        error=both.error_632plus,
        interval=interval,
        scores={"error": both.error_632plus, "out_of_bag_error": both.out_of_bag} | {one.name: one.of(scores[one.own]) for one in chosen},
        intervals={one.name: one.span(interval) for one in chosen if one.own == "error"},
        posteriors=posteriors,
        confusion=np.stack([votes[rows.codes == k].sum(axis=0) for k in range(K)]),
        classes=rows.classes,
        method=method,
        seconds=time.perf_counter() - start,
        truth=rows.codes,
        by_fold=partial(dict, {one.name: one.of(per_resample[one.own]) for one in chosen if one.own in per_resample}),
        on_training=lambda: training,
        weight=rows.weight,
        error_632=both.error_632,
        error_632plus=both.error_632plus,
        notes=tuple(notes),
    )
