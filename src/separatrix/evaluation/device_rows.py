"""Rows on another device to evaluate on: folds are views of them, and only codes, weights and posteriors are on the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.dummy import DummyClassifier

from ..array_types import Codes, Indices, Ints
from ..data import as_rows, as_source
from ..data.device import DeviceSource
from ..data.namespaces import conversion, place_name, to_host
from ..errors import InputError
from .evaluation_rows import EvaluationRows


@dataclass(frozen=True, slots=True)
class DeviceRows(EvaluationRows):
    """Labelled rows to evaluate on, left on their device; X is a source with their labels and weights."""

    X: DeviceSource
    on_device: ClassVar[bool] = True

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of rows and of columns."""
        return self.n, self.X.n_features

    def source(self, n_jobs: int | None = None) -> DeviceSource:
        """Return the rows as a source whose labels are the codes."""
        return self.X

    def take(self, rows: Indices) -> DeviceRows:
        """Return some of the rows, as a view."""
        weight = None if self.weight is None else self.weight[rows]
        return DeviceRows(self.X.take(rows), self.codes[rows], weight, self.classes)

    def with_codes(self, codes: Codes) -> DeviceRows:
        """Return the same rows with other labels."""
        return DeviceRows(self.X.labelled(self.classes[codes], self.weight, self.classes), codes, self.weight, self.classes)

    def resampled(self, times: Ints, by_weight: bool) -> DeviceRows:
        """Return a resample: the same rows with other weights, or the rows repeated where a model takes no weights."""
        if not by_weight:
            return self.take(np.repeat(np.arange(self.n), times))
        weight = times.astype(np.float64) if self.weight is None else times * self.weight
        return DeviceRows(self.X.labelled(self.labels, weight, self.classes), self.codes, weight, self.classes)

    def seen_by(self, fitted: Any) -> Any:
        """Return X as a fitted model reads it: the majority class sees the number of rows alone."""
        return np.zeros((self.n, 1)) if isinstance(fitted, DummyClassifier) else self.X

    def require_memory(self, name: str) -> None:
        """Refuse models that read NumPy alone."""
        raise InputError(f"{name} takes rows in NumPy, X is an array of {place_name(self.X.X)}; pass {conversion(self.X.X)}.")

    def fitted(self, model: Any) -> Any:
        """Return the model given, fitted on the rows with the classes that they hold."""
        if isinstance(model, DummyClassifier):
            return model.fit(np.zeros((self.n, 1)), self.labels)
        if not type(model).__module__.startswith("separatrix."):
            self.require_memory(type(model).__name__)
        all_seen = len(np.unique(self.codes)) == len(self.classes)
        return model.fit(self.X if all_seen else self.X.labelled(self.labels, self.weight))


def rows_on_device(X: Any, y: Any, sample_weight: Any) -> DeviceRows:
    """Return an array of another library than NumPy as rows to evaluate on.

    Parameters
    ----------
    X : (n, p) array of torch, CuPy, JAX
    y, sample_weight : (n,) beside X, or in NumPy

    Examples
    --------
    >>> import array_api_strict as strict
    >>> rows = rows_on_device(strict.asarray([[1.0], [2.0], [4.0]]), ["no", "yes", "no"], None)
    >>> rows.codes.tolist(), rows.classes.tolist(), rows.shape
    ([0, 1, 0], ['no', 'yes'], (3, 1))
    """
    source = as_source(as_rows(X, on_device=True), y, sample_weight)
    assert isinstance(source, DeviceSource) and source.classes is not None
    weight = None if source.weight is None else np.array(to_host(source.weight), dtype=np.float64)
    return DeviceRows(source, np.array(to_host(source.codes), dtype=np.int32), weight, source.classes)
