"""What an evaluation found: scores with intervals, held-out posteriors, and how they were obtained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t
from sklearn.linear_model import LogisticRegression

from ..argument_types import as_numbers, is_among
from ..array_types import Codes, Floats
from ..decisions import cost_curve, net_benefit, precision_recall, reliability, risk_coverage, roc
from ..decisions.curves import Curve
from ..errors import InputError, one_of
from ..inference.shares import Interval, wilson
from ..inference.tables import Column, Table, distinct
from ..loading import maker
from ..notebook import paragraphs, view

POOLED = ("auc", "roc_auc", "roc_auc_ovr")
"""Areas under ROC curves: all held-out rows in one order, whichever fit judged them."""
CURVES: dict[str, Callable[..., Curve]] = {
    "roc": roc,
    "precision_recall": precision_recall,
    "cost": cost_curve,
    "net_benefit": net_benefit,
    "risk_coverage": risk_coverage,
}
"""Curves of held-out posteriors, by name."""
SHOWN = 8
"""Classes up to which the table of held-out counts is printed."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """Held-out performance of a model.

    Attributes
    ----------
    error : float
        Misclassification rate of held-out rows (for a bootstrap: the .632+ estimate).
    interval : (low, high)
        95 % interval of the error.
    scores : {metric: float}
        An area under ROC curves is computed when first looked at. It is pooled: of all held-out rows in one order, whichever fold they
        were in.
    intervals : {metric: (low, high)}, where one is known
    posteriors : (n, K) held-out posteriors in the order of `classes`; NaN if never held out, mean if repeated; None without
    confusion : (K, K) held-out counts, rows are the truth
    classes : (K,) labels
    method : how the held-out predictions were found
        "exact algebra" (equal to refits); "certified" (equal to refits: a gradient of zero proves it for every held-out row); "Newton
        steps" (from the fit of all rows until held-out scores stand still to about 1e-5; what does not arrive is refitted);
        "approximate leave-one-out" (many rows: one step, and more where it leads far); "refits". Where a road does not serve some of the
        rows, it is said how many were refitted.
    seconds : float
    truth : (n,) codes of the true classes
    by_fold, on_training : functions that compute `per_fold` and `training_error`
    weight : (n,) weights, or None
    error_632, error_632plus : for a bootstrap, else None
    notes : what else there is to know
    """

    error: float
    interval: tuple[float, float]
    scores: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    posteriors: Floats | None
    confusion: Floats
    classes: NDArray[Any]
    method: str
    seconds: float
    truth: Codes
    by_fold: Callable[[], dict[str, Floats]]
    on_training: Callable[[], float]
    weight: Floats | None = None
    error_632: float | None = None
    error_632plus: float | None = None
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def per_fold(self) -> dict[str, Floats]:
        """{metric: (folds,) array}, scored when first asked for; rows held out alone have an error each and no other score."""
        return self.by_fold()

    @cached_property
    def training_error(self) -> float:
        """Error of the fit of all rows on these same rows, found when first asked for."""
        return self.on_training()

    def __getstate__(self) -> dict[str, Any]:
        # The functions that would compute these cannot be pickled, and hold the rows.
        found = {"per_fold": self.per_fold, "training_error": self.training_error}
        return {**self.__dict__, "by_fold": dict, "on_training": float, **found}

    @property
    def optimism(self) -> float:
        """Held-out error minus the error on the rows trained on."""
        return self.error - self.training_error

    @property
    def recall_intervals(self) -> Floats:
        """Share of each class found (K,) with its Wilson interval: (K, 3) of low, share, high."""
        return np.stack([self.confusion_intervals[k, k] for k in range(len(self.classes))])

    @cached_property
    def confusion_intervals(self) -> Floats:
        """Share of the rows of class j said to be class k, with its Wilson interval: (K, K, 3) of low, share, high.

        Of a class that was never held out nothing is known: its shares are 0, from 0 to 1.
        """
        totals = self.confusion.sum(axis=1)
        shares = self.confusion / np.where(totals > 0, totals, 1.0)[:, None]
        found = [[(low, s, high) for s in row for low, high in [wilson(s, n)]] for row, n in zip(shares, totals, strict=True)]
        return np.array(found)

    @cached_property
    def calibration(self) -> tuple[float, float] | None:
        """Intercept and slope of the truth regressed on the held-out log-odds: (0, 1) is calibrated. Two classes, else None."""
        if self.posteriors is None or len(self.classes) != 2:
            return None
        inside = np.isfinite(self.posteriors).all(axis=1)
        P = np.clip(self.posteriors[inside], 1e-12, 1.0)
        odds, truth = np.log(P[:, 1] / P[:, 0]), self.truth[inside]
        if len(odds) == 0 or np.ptp(odds) == 0 or len(np.unique(truth)) < 2:
            return None
        weight = None if self.weight is None else self.weight[inside]
        fit = LogisticRegression(C=np.inf, max_iter=1000).fit(odds[:, None], truth, sample_weight=weight)
        return float(fit.intercept_[0]), float(fit.coef_[0, 0])

    def error_at(self, priors: Any) -> float:
        """Return the error where classes have other shares: Σ_k π_k · (share of class k that is misclassified).

        Parameters
        ----------
        priors : (K,) in the order of `classes`, or {label: share}
        """
        listed = [priors.get(k, 0.0) for k in self.classes.tolist()] if isinstance(priors, dict) else priors
        given = as_numbers("priors", listed, f"give one share for each of {self.classes.tolist()}.")
        unknown = [k for k in priors if k not in self.classes.tolist()] if isinstance(priors, dict) else []
        if unknown or given.shape != (len(self.classes),) or abs(given.sum() - 1.0) > 1e-6 or (given < 0).any():
            raise InputError(
                f"priors must be {len(self.classes)} numbers ≥ 0 that sum to one, in the order of {self.classes.tolist()}; got {priors!r}."
            )
        unseen = self.classes[(self.confusion.sum(axis=1) == 0) & (given > 0)]
        if len(unseen):
            raise InputError(
                f"No row of class {unseen.tolist()[0]!r} was held out, so its error is not known; use a plan that holds out rows of "
                "it, such as KFold(5)."
            )
        return float(given @ (1.0 - self.recall_intervals[:, 1]))

    def curve(self, kind: Literal["roc", "precision_recall", "cost", "net_benefit", "risk_coverage"], **arguments: Any) -> Curve:
        """Return a curve of the held-out posteriors, with its band.

        Parameters
        ----------
        kind : "roc", "precision_recall", "cost", "net_benefit" or "risk_coverage"
        arguments : of the function behind it, such as positive="spam" or costs=[[0, 1], [5, 0]]
        """
        if not is_among(kind, list(CURVES)):
            raise one_of("kind", kind, list(CURVES))
        return CURVES[kind](self, self.labels, sample_weight=self.weight, **arguments)

    @property
    def labels(self) -> NDArray[Any]:
        """(n,) true labels."""
        return np.asarray(self.classes[self.truth])

    def chart(self, kind: str = "confusion", **arguments: Any) -> Any:
        """Return a picture of the held-out rows as an Altair chart; needs `separatrix[charts]`.

        Parameters
        ----------
        kind : "confusion", "calibration", or a curve: "roc", "precision_recall", "cost", "net_benefit", "risk_coverage"
        arguments : of the function behind it, such as positive="spam" or bins=20

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from separatrix import GaussianNB, evaluate
        >>> evaluate(GaussianNB(), *load_iris(return_X_y=True)).chart().to_dict()["title"]["text"]
        'Truth and prediction'
        """
        if is_among(kind, ["confusion"]) and not arguments:
            return maker("charts.confusion.confusion")(self)
        return self._drawn(kind, arguments).chart()

    def plot(self, kind: str = "confusion", ax: Any = None, **arguments: Any) -> Any:
        """Draw a picture of `chart` on axes of matplotlib, new ones by default, and return them.

        Parameters
        ----------
        kind : as in `chart`
        ax : axes of matplotlib, optional
        arguments : of the function behind it, such as positive="spam"
        """
        if is_among(kind, ["confusion"]) and not arguments:
            return maker("charts.axes.confusion")(self, ax)
        return self._drawn(kind, arguments).plot(ax)

    def _drawn(self, kind: str, arguments: dict[str, Any]) -> Any:
        """Return the curve or table that a kind of chart draws."""
        if is_among(kind, ["calibration"]):
            return reliability(self, self.labels, sample_weight=self.weight, **arguments)
        if not is_among(kind, list(CURVES)):
            raise one_of("kind", kind, ["confusion", "calibration", *CURVES])
        return self.curve(kind, **arguments)  # type: ignore[arg-type]  # one of its names

    def tables(self) -> dict[str, Table]:
        """Return the scores with their intervals, and the held-out counts of up to 8 classes, as tables."""
        nothing = (np.nan, np.nan)
        names = ["error", *(name for name in self.scores if name != "error")]
        ends = [self.interval if name == "error" else self.intervals.get(name) or nothing for name in names]
        columns = (
            Column("held out", [f"{name} (pooled)" if name in POOLED else name for name in names]),
            Column("value", [self.error if name == "error" else self.scores[name] for name in names], ".4f"),
            Column("95 % low", [end[0] for end in ends], ".4f"),
            Column("high", [end[1] for end in ends], ".4f"),
        )
        note = f"{self.confusion.sum():,.6g} rows held out; error on the rows trained on {self.training_error:.4f}. Found by {self.method}."
        found = {"scores": Table("Held-out performance", columns, note)}
        if len(self.classes) <= SHOWN:
            labels = distinct(self.classes.tolist(), taken=["truth"])
            counts = [Column(f"{label}", self.confusion[:, k], ",.6g") for k, label in enumerate(labels)]
            found["confusion"] = Table("Held-out rows: truth down, prediction across", (Column("truth", labels), *counts))
        return found

    def _repr_html_(self) -> str:
        return view(*(table.html for table in self.tables().values()), paragraphs(f"Note: {note}." for note in self.notes))

    def __str__(self) -> str:
        held = float(self.confusion.sum())
        lines = [f"Held-out error {_span(self.error, self.interval)} of {held:.6g} rows; on the rows trained on {self.training_error:.4f}"]
        shown = {f"{name} (pooled)" if name in POOLED else name: name for name in self.scores if name != "error"}
        lines += [f"  {label:<18} {_span(self.scores[name], self.intervals.get(name))}" for label, name in shown.items()]
        if len(self.classes) <= SHOWN:
            lines += ["Held-out rows: truth down, prediction across", *_table(self.confusion, self.classes)]
        lines.append(f"Found by {self.method} in {self.seconds:.2g} s")
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes)])

    __repr__ = __str__


def _span(value: float, interval: tuple[float, float] | None) -> str:
    known = interval is not None and np.isfinite(interval).all()
    return f"{value:.4f}" + (f" (95 % interval {interval[0]:.4f} to {interval[1]:.4f})" if known and interval else "")


def _table(confusion: Floats, classes: NDArray[Any]) -> list[str]:
    names = [str(label)[:16] for label in classes.tolist()]
    cells = [[f"{value:.6g}" for value in row] for row in confusion]
    width = max(map(len, [*names, *(cell for row in cells for cell in row)]))
    head = "  " + " " * width + "".join(f" {name:>{width}}" for name in names)
    return [
        head,
        *("  " + f"{name:<{width}}" + "".join(f" {cell:>{width}}" for cell in row) for name, row in zip(names, cells, strict=True)),
    ]


def corrected_resampled_t(values: Floats, held_out_share: float, level: float = 0.95) -> Interval:
    """Return the interval of the mean of J scores whose training sets overlap.

        mean ± t_{J−1} √((1/J + r) s²),   r = rows held out / rows trained on

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52.

    Examples
    --------
    >>> [round(v, 3) for v in corrected_resampled_t(np.array([0.1, 0.2, 0.3]), 0.25)]
    [-0.151, 0.551]
    """
    J = len(values)
    if J < 2:
        return float("nan"), float("nan")
    ratio = held_out_share / (1.0 - held_out_share)
    half = float(t.ppf(0.5 + level / 2, J - 1)) * np.sqrt((1.0 / J + ratio) * float(np.var(values, ddof=1)))
    return float(values.mean() - half), float(values.mean() + half)
