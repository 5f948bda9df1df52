"""What a linear probe found: the sweep of C, accuracies with intervals, few-shot runs; as tables, text and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Floats, Ints
from ..inference.shares import normal_quantile, wilson
from ..inference.tables import Column, Table, Tables


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Shares of rows whose class is the first, or among the first five, and the mean of the classes' own shares; 95 % intervals.

    Examples
    --------
    >>> found = Accuracy.of("logistic", np.array([0, 0, 1, 6]), np.array([0, 0, 1, 1]), 2)
    >>> found.top_1, found.top_5, found.per_class
    (0.5, 0.75, 0.5)
    """

    name: str
    rows: int
    top_1: float
    top_1_interval: tuple[float, float]
    top_5: float
    top_5_interval: tuple[float, float]
    per_class: float
    per_class_interval: tuple[float, float]

    @classmethod
    def of(cls, name: str, ranks: Ints, codes: Ints, n_classes: int) -> Accuracy:
        """Return the accuracies from how many classes score above each row's own, and the row's class."""
        n, counts = len(ranks), np.bincount(codes, minlength=n_classes).astype(np.float64)
        first, five = float((ranks < 1).mean()), float((ranks < 5).mean())
        seen = counts > 0
        shares = np.bincount(codes, weights=ranks < 1, minlength=n_classes)[seen] / counts[seen]
        mean = float(shares.mean())
        # Agresti and Coull's shares, so that a class that is always right still counts for how few rows it has.
        agreed = (shares * counts[seen] + 2.0) / (counts[seen] + 4.0)
        error = float(np.sqrt((agreed * (1.0 - agreed) / (counts[seen] + 4.0)).sum())) / len(shares)
        reach = normal_quantile(0.95) * error
        return cls(
            name,
            n,
            first,
            _ends(wilson(first, n)),
            five,
            _ends(wilson(five, n)),
            mean,
            (max(0.0, mean - reach), min(1.0, mean + reach)),
        )


def _ends(interval: Any) -> tuple[float, float]:
    low, high = interval
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class FewShot:
    """Accuracies of fits on few rows of each class, one for each draw of rows."""

    name: str
    shots: int
    C: float
    top_1: Floats

    @property
    def mean(self) -> float:
        """Mean over the draws."""
        return float(self.top_1.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation over the draws."""
        return float(self.top_1.std(ddof=1)) if len(self.top_1) > 1 else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """A linear probe: what `probe` returns.

    Attributes
    ----------
    model : the fitted LogisticRegression
    C : float
        The value chosen on validation rows, or by cross-validation.
    Cs, validation : (m,) every C tried, increasing, and its share of validation rows that are right
    gap : float
        Proven bound on what is left of the objective of `model`, relatively.
    accuracies : of the probe, of LDA and of nearest means, on `judged_on`
    judged_on : "test rows"; where none were given "validation rows" or "rows held out by folds", on which C was chosen
    few_shot : fits on few rows of each class
    """

    model: Any
    C: float
    Cs: Floats
    validation: Floats
    gap: float
    accuracies: tuple[Accuracy, ...]
    judged_on: str
    few_shot: tuple[FewShot, ...] = ()
    notes: Sequence[str] = ()

    @property
    def accuracy(self) -> Accuracy:
        """Accuracies of the probe itself."""
        return self.accuracies[0]

    @property
    def tables(self) -> Tables:
        """The tables behind text and HTML."""
        tables = {"accuracy": self._accuracies(), "sweep": self._sweep()}
        return Tables("Linear probe", {**tables, "few shot": self._shots()} if self.few_shot else tables)

    def _accuracies(self) -> Table:
        def interval(ends: tuple[float, float]) -> str:
            return f"{100 * ends[0]:.2f}–{100 * ends[1]:.2f}"

        found = self.accuracies
        columns = (
            Column("model", [a.name for a in found]),
            Column("top-1 %", [100 * a.top_1 for a in found], ".2f"),
            Column("95 %", [interval(a.top_1_interval) for a in found]),
            Column("top-5 %", [100 * a.top_5 for a in found], ".2f"),
            Column("mean per class %", [100 * a.per_class for a in found], ".2f"),
            Column("its 95 %", [interval(a.per_class_interval) for a in found]),
        )
        note = " ".join([f"C = {self.C:.4g}; its objective is proven to within {self.gap:.1e}, relatively.", *self.notes])
        return Table(f"Linear probe on {found[0].rows:,} {self.judged_on}", columns, note)

    def _sweep(self) -> Table:
        columns = (Column("C", self.Cs, ".4g"), Column("validation top-1 %", 100 * self.validation, ".2f"))
        return Table("Sweep of C", columns, f"From coarse to fine around the best; of equals the smallest C is taken, {self.C:.4g}.")

    def _shots(self) -> Table:
        found = self.few_shot
        columns = (
            Column("model", [f"{f.name}, {f.shots} per class" for f in found]),
            Column("top-1 %", [100 * f.mean for f in found], ".2f"),
            Column("± over draws", [100 * f.deviation for f in found], ".2f"),
            Column("C", [f.C for f in found], ".4g"),
        )
        return Table("Few rows of each class", columns, f"{len(found[0].top_1)} draws; larger draws contain the smaller ones.")

    def __str__(self) -> str:
        return self.tables.text

    def _repr_html_(self) -> str:
        return self.tables.html
