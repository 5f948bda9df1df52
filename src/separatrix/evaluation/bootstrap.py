"""The bootstrap: models are trained on rows drawn with replacement and judged by the rows never drawn; the .632 and .632+ estimates."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from ..abilities import abilities_of
from ..array_types import Bools, Codes, Floats, Indices, Ints
from ..data.threads import single_threaded_blas
from ..errors import InputError
from ..progress import task
from ..solvers.scores import posteriors_of
from ..summaries.resampled import can_resample, resampled_moments
from ..thresholds import HELD_SCORES
from .estimate import Estimate
from .evaluation_rows import EvaluationRows
from .held_out import method_text
from .metrics import METRICS, NEED_POSTERIORS, NamedMetric, ScoredRows, brier_losses, distinct_metrics, log_losses
from .predictions import answers, predicted_codes
from .random_plans import Bootstrap
from .scorers import choose_metrics

ROW_LOSSES = {"log_loss": log_losses, "brier": brier_losses}
BATCHED = ("error", "log_loss", "brier", "balanced_accuracy")
"""Scores of many resamples that are computed at once."""
EPS = float(np.finfo(np.float64).eps)
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


class OutOfBag:
    """Adds up, row by row, what resamples that never drew a row say about it."""

    def __init__(self, rows: EvaluationRows, chosen: dict[str, Any], has: bool) -> None:
        n, K = rows.n, len(rows.classes)
        self.rows, self.chosen, self.used = rows, chosen, 0
        self.times, self.votes = np.zeros(n), np.zeros((n, K))
        self.posteriors = np.zeros((n, K)) if has else None
        self.losses = {name: np.zeros(n) for name in chosen if name in ROW_LOSSES}
        self.per_resample: dict[str, list[float]] = {name: [] for name in chosen if name not in ROW_LOSSES}
        self.base = np.ones(n) if rows.weight is None else rows.weight

    def add(self, out: Indices, codes: Codes, posteriors: Floats | None) -> None:
        """Add the answers of one resample about the rows it left out."""
        weight = None if self.rows.weight is None else self.rows.weight[out]
        judged = ScoredRows(self.rows.codes[out], codes, posteriors, weight, None, self.rows.classes)
        self.used += 1
        self.times[out] += 1
        self.votes[out, codes] += 1
        if self.posteriors is not None and posteriors is not None:
            self.posteriors[out] += posteriors
        for name, total in self.losses.items():
            total[out] += ROW_LOSSES[name](judged)
        for name, values in self.per_resample.items():
            values.append(self.chosen[name](judged).value)

    def add_many(self, scores: Floats, out: Bools) -> None:
        """Add the scores (K, B, n) of many resamples at once, of which `out` (B, n) were left out."""
        if any(name not in BATCHED for name in self.chosen):
            for b, own in enumerate(out):
                rows = np.flatnonzero(own)
                each = scores[:, b, rows].T
                self.add(rows, each.argmax(axis=1).astype(np.int32), None if self.posteriors is None else posteriors_of(each))
            return
        K, truth = len(scores), self.rows.codes
        codes = (scores[1] > scores[0]).astype(np.int8) if K == 2 else scores.argmax(axis=0)
        self.used += len(out)
        self.times += out.sum(axis=0)
        for k in range(K):
            self.votes[:, k] += ((codes == k) & out).sum(axis=0)
        self._add_errors(codes == truth, out)
        if self.posteriors is not None:
            self._add_posteriors(scores, out)

    def _add_errors(self, right: Bools, out: Bools) -> None:
        """Add the error and the balanced accuracy of each resample (B, n)."""
        of_class = np.eye(len(self.rows.classes))[self.rows.codes] * self.base[:, None]
        totals, found = out.astype(np.float64) @ of_class, (right & out).astype(np.float64) @ of_class
        self.per_resample["error"] += (1.0 - found.sum(axis=1) / totals.sum(axis=1)).tolist()
        if "balanced_accuracy" in self.per_resample:
            shares = (found / np.where(totals > 0, totals, 1.0)).sum(axis=1) / (totals > 0).sum(axis=1)
            self.per_resample["balanced_accuracy"] += shares.tolist()

    def _add_posteriors(self, scores: Floats, out: Bools) -> None:
        assert self.posteriors is not None
        if len(scores) == 2:
            self._add_two(scores[1] - scores[0], out)
            return
        P = np.exp(scores - scores.max(axis=0))
        P /= P.sum(axis=0)
        P *= out
        self.posteriors += P.sum(axis=1).T
        own = np.take_along_axis(P, self.rows.codes[None, None], axis=0)[0]
        if "log_loss" in self.losses:
            logs = np.log(np.where(out, np.clip(own, EPS, 1.0 - EPS), 1.0))
            self.losses["log_loss"] -= logs.sum(axis=0)
        if "brier" in self.losses:
            squares = np.einsum("kbn,kbn->bn", P, P) - 2.0 * own + out
            self.losses["brier"] += squares.sum(axis=0)

    def _add_two(self, odds: Floats, out: Bools) -> None:
        """Add the posteriors of two classes: with t the log-odds of the true one, p = 1/(1 + e^−t) and −log p = log(1 + e^−t)."""
        assert self.posteriors is not None
        sign = np.where(self.rows.codes == 1, -1.0, 1.0)
        odds *= sign
        np.clip(odds, np.log(EPS), -np.log(EPS), out=odds)  # where the log-loss of the posteriors is cut off too
        np.exp(odds, out=odds)
        if "log_loss" in self.losses:
            self.losses["log_loss"] += np.einsum("bn,bn->n", np.log1p(odds), out)
        missed = odds / (1.0 + odds)
        missed *= out
        total = missed.sum(axis=0)
        both = np.stack([out.sum(axis=0) - total, total], axis=1)
        self.posteriors += np.where((self.rows.codes == 0)[:, None], both, both[:, ::-1])
        if "brier" in self.losses:
            self.losses["brier"] += np.einsum("bn,bn->n", missed, missed)

    @property
    def seen(self) -> Bools:
        """Rows that some resample left out."""
        return self.times > 0

    def mean(self, total: Floats) -> float:
        """Return the weighted mean over rows of a loss added up over resamples."""
        return float(np.average(total[self.seen] / self.times[self.seen], weights=self.base[self.seen]))

    @property
    def wrong(self) -> Floats:
        """Times each row was misclassified."""
        return self.times - self.votes[np.arange(len(self.times)), self.rows.codes]


def evaluate_bootstrap(model: Any, rows: EvaluationRows, plan: Bootstrap, metrics: Any, exact: bool, start: float) -> Estimate:
    """Return the .632+ estimate of the error, with what the out-of-bag rows say of other scores."""
    has = hasattr(model, "predict_proba")
    names = [m for m in METRICS if m != "auc" and (has or m not in NEED_POSTERIORS)] if metrics is None else metrics
    chosen = choose_metrics(names, has, type(model).__name__)
    bag = OutOfBag(rows, distinct_metrics(chosen), has)
    draws = plan.resamples(rows.n)
    usable = usable_draws(rows, draws)
    if not len(usable):
        raise InputError(
            "Every resample missed a class or left no row out; use more rows of the rarest class, or a plan such as LeaveOneOut()."
        )
    road = None if exact else from_moments(model, rows, usable, bag)
    if road is None:
        for answer in by_resamples(model, rows, usable):
            bag.add(*answer)
    return _estimate(rows, bag, chosen, rows.fit(model), road or "refits", len(draws), start)


def usable_draws(rows: EvaluationRows, draws: Ints) -> Ints:
    """Return the resamples that drew every class and left some row out, rows of weight 0 not counted."""
    counting = rows.has_weight
    drawn = ((draws > 0) & counting).astype(np.float32)
    of_class = drawn @ np.eye(len(rows.classes), dtype=np.float32)[rows.codes]
    usable: Ints = draws[(of_class > 0).all(axis=1) & (drawn.sum(axis=1) < counting.sum())]
    return usable


def by_resamples(model: Any, rows: EvaluationRows, draws: Ints) -> Iterator[Answer]:
    """Fit each resample: the rows with other weights, or repeated where the model takes no weights."""
    by_weight = has_fit_parameter(model, "sample_weight")
    with task("bootstrap", total=len(draws)) as work:
        for b, times in enumerate(draws):
            out = np.flatnonzero(times == 0)
            fitted = rows.resampled(times, by_weight).fit(model)
            yield out, *answers(fitted, rows.take(out))
            work.advance(f"resample {b}")


def from_moments(model: Any, rows: EvaluationRows, draws: Ints, bag: OutOfBag) -> str | None:
    """Solve all resamples from their moments at once, where the model can; None where it cannot."""
    X = rows.X
    small = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiu" and can_resample(*X.shape)
    resamples = abilities_of(model).resamples
    if not small or not resamples or not np.isfinite(X).all():
        return None
    X, p = X.astype(np.float64, copy=False), X.shape[1]
    weights = draws.astype(np.float64) if rows.weight is None else draws * rows.weight
    moments = resampled_moments(X, rows.codes, weights, len(rows.classes))
    with single_threaded_blas():  # many small systems: threads would only wait for each other
        coef, intercept, sure = resamples.solve(moments, rows.classes)
    size = HELD_SCORES.portion(rows.n * coef.shape[1])
    for begin in range(0, len(draws), size):
        part = np.arange(begin, min(begin + size, len(draws)))
        part = part[sure[part]]
        own = coef[part].transpose(1, 0, 2).reshape(-1, p)
        scores = (own @ X.T).reshape(coef.shape[1], len(part), rows.n) + intercept[part].T[:, :, None]
        bag.add_many(scores, draws[part] == 0)
    for answer in by_resamples(model, rows, draws[~sure]):
        bag.add(*answer)
    return method_text("exact algebra", int((~sure).sum()), len(draws), "resamples")


def _estimate(
    rows: EvaluationRows, bag: OutOfBag, chosen: list[NamedMetric], fitted: Any, method: str, asked: int, start: float
) -> Estimate:
    K, base, seen = len(rows.classes), bag.base, bag.seen
    full = predicted_codes(fitted, rows)
    shares, predicted = (np.bincount(codes, base, minlength=K) / base.sum() for codes in (rows.codes, full))
    training = float(np.average(full != rows.codes, weights=base))
    both = combine(training, bag.mean(bag.wrong), no_information_error(shares, predicted))
    half = 1.959964 * float(np.std(bag.wrong[seen] / bag.times[seen])) / np.sqrt(int(seen.sum()))
    interval = max(0.0, both.error_632plus - half), min(1.0, both.error_632plus + half)
    scores = {"error": both.error_632plus}
    scores |= {name: bag.mean(total) for name, total in bag.losses.items()}
    scores |= {name: float(np.nanmean(values)) for name, values in bag.per_resample.items() if name != "error"}
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
        by_fold=partial(dict, {one.name: one.of(np.array(bag.per_resample[one.own])) for one in chosen if one.own in bag.per_resample}),
        on_training=lambda: training,
        weight=rows.weight,
        error_632=both.error_632,
        error_632plus=both.error_632plus,
        notes=tuple(notes),
    )
