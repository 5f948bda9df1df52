"""Numbers: as they are, after a logarithm or a root where they are very skew, as a curve, or in bins; gaps filled in and marked."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from ...array_types import Floats
from ...data.columns import Column
from ..outputs import Output
from ..shapes import bin_of, natural_spline
from ..written_numbers import WrittenNumbers
from .base import Step, numbers_of

Transform = Literal["none", "log", "root", "squash"]
Shape = Literal["line", "spline", "bins", "values"]


@dataclass(frozen=True, slots=True)
class Numbers(Step):
    """A column of numbers.

    Attributes
    ----------
    fill : what stands in for a missing value: the median
    indicator : whether a column says which values were missing
    flat : whether all values are the same, so that only the gaps tell rows apart
    written : how the numbers are written, where they come as text
    transform : "none"; "log", log(1 + x); "root", the cube root; "squash", z/√(1 + z²/9) of z = (x − centre)/scale
    centre, scale : for "squash": median and half the distance between the quartiles
    shape : "line", "spline" (natural cubic, with `knots`), "bins" (between `knots`) or "values" (the `spikes` alone)
    knots : of the spline, or edges of the bins, in transformed units
    spikes : values that have a column of their own
    unit, per : the unit and how many of it a coefficient is for

    Examples
    --------
    >>> step = Numbers("age", fill=40.0, indicator=True)
    >>> [output.name for output in step.outputs], step.encode(Column("age", np.array([31.0, np.nan]))).tolist()
    (['age', 'age missing'], [[31.0, 0.0], [40.0, 1.0]])
    """

    kind: ClassVar[str] = "number"
    fill: float = 0.0
    indicator: bool = False
    flat: bool = False
    written: WrittenNumbers | None = None
    transform: Transform = "none"
    centre: float = 0.0
    scale: float = 1.0
    shape: Shape = "line"
    knots: tuple[float, ...] = ()
    spikes: tuple[float, ...] = ()
    unit: str = ""
    per: float = 1.0

    @property
    def _name(self) -> str:
        name = {"log": f"log(1 + {self.column})", "root": f"∛{self.column}", "squash": f"{self.column} (squashed)"}.get(
            self.transform, self.column
        )
        if not self.unit:
            return name
        return f"{name} ({self.unit})" if self.per == 1.0 else f"{name} (per {self.per:g} {self.unit})"

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The column itself or what was made of it, then spikes, then the gaps."""
        kind: Literal["number", "other"] = "number" if self.transform == "none" and self.shape == "line" and not self.spikes else "other"
        made = [] if self.flat or self.shape in ("bins", "values") else [Output(self._name, self.column, kind)]
        if self.shape == "spline":
            made += [Output(f"{self._name} curve {i + 1}", self.column, "other") for i in range(len(self.knots) - 2)]
        if self.shape == "bins":
            made += [Output(name, self.column, "other") for name in self._bins()]
        made += [Output(f"{self.column} = {value:g}", self.column, "other") for value in self.spikes]
        return (*made, *([Output(f"{self.column} missing", self.column, "missing")] if self.indicator else []))

    def _bins(self) -> list[str]:
        edges = [f"{edge:g}" for edge in self.knots]
        between = [f"{self._name} in ({low}, {high}]" for low, high in pairwise(edges)]
        return [*between, f"{self._name} > {edges[-1]}"]

    def encode(self, column: Column) -> Floats:
        """Return the columns of some rows."""
        given = self.encode_values(column)
        gaps = np.isnan(given)
        x = np.where(gaps, self.fill, given)
        made = []
        if not self.flat:
            z = self.transformed(x)
            if self.shape == "bins":
                at = bin_of(z, np.array(self.knots))
                made += [(at == i).astype(np.float64) for i in range(1, len(self.knots) + 1)]
            elif self.shape != "values":
                made.append(z / self.per)
            if self.shape == "spline":
                made += list(natural_spline(z, np.array(self.knots)).T)
        made += [(x == value).astype(np.float64) for value in self.spikes]
        if self.indicator:
            made.append(gaps.astype(np.float64))
        return np.stack(made, axis=1) if made else np.empty((len(x), 0))

    def encode_values(self, column: Column) -> Floats:
        """Return the numbers, NaN where there is none."""
        return numbers_of(column, self.written)

    def transformed(self, x: Floats) -> Floats:
        """Return the transformed values."""
        if self.transform == "log":
            return np.log1p(np.maximum(x, 0.0))
        if self.transform == "root":
            return np.cbrt(x)
        if self.transform == "squash":
            z = (x - self.centre) / self.scale
            squashed: Floats = z / np.sqrt(1.0 + z * z / 9.0)
            return squashed
        return x

    @property
    def said(self) -> str:
        """What is done."""
        how = {"none": "", "log": ", log(1 + x)", "root": ", cube root", "squash": ", squashed"}[self.transform]
        shapes = {"spline": f", spline with {len(self.knots)} knots", "bins": f", {len(self.knots) + 1} bins", "values": ", by value"}
        shape = shapes.get(self.shape, "")
        gaps = f", gaps → {self.fill:g} and marked" if self.indicator else ""
        text = ", read from text" if self.written is not None else ""
        unit = f", per {self.per:g} {self.unit}" if self.unit else ""
        return f"number{text}{how}{shape}{unit}{gaps}" if not self.flat else f"number{text}: gaps only"

    def check(self) -> None:
        """Refuse knots that do not rise and units of zero."""
        self.require(np.isfinite(self.fill), "fill must be a finite number")
        self.require(self.scale > 1e-200 and self.per > 1e-200, "scale and per must be positive")
        self.require(not self.flat or self.shape == "line", "a column of gaps alone has no shape")
        self.require(not self.knots or self.knots[-1] - self.knots[0] > 1e-200 or len(self.knots) == 1, "knots must rise")
        self.require(all(a < b for a, b in pairwise(self.knots)), "knots must rise")
        self.require(self.shape != "spline" or len(self.knots) >= 3, "a spline needs three knots")
        self.require(self.shape != "bins" or len(self.knots) >= 1, "bins need an edge")
