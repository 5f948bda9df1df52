"""Logistic regression along the strength of its penalty: coefficients, effective parameters, criteria, leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from ..abilities import offered
from ..abilities.logistic_likelihood import LogisticLikelihood
from ..argument_types import as_numbers, check_arguments, is_among
from ..array_types import Floats, Ints
from ..data import Source, as_rows, as_source
from ..data.device import DeviceSource
from ..data.namespaces import conversion
from ..errors import InputError, one_of
from ..inference.likelihood import aic, bic
from ..inference.logistic import pseudo_inverse
from ..inference.logistic_leave_one_out import approximate_leave_one_out
from ..inference.tables import Column, Table
from ..loading import maker
from ..models import LogisticRegression
from ..notebook import view

CRITERIA = ("leave_one_out", "aic", "bic")


@dataclass(frozen=True, slots=True, eq=False)
class RegularisationPath:
    """Fits for increasing C, one entry per value.

    Attributes
    ----------
    Cs : (m,)
    coef, intercept : (m, R, p), (m, R)
    parameters : (m,) effective numbers of parameters
    log_likelihood, aic, bic : (m,)
    log_loss : (m,) mean log-loss of the rows fitted
    leave_one_out : (m,) approximate leave-one-out log-loss
    refitted : (m,) rows that carry their own estimate and were left out by a refit
    gap : (m,) proven bounds on what is left of each objective

    Of rows on a device (torch, CuPy, JAX) no Hessian is formed: effective parameters, AIC, BIC and leave-one-out are NaN then, and
    validation rows choose C (`probe`).
    """

    Cs: Floats
    coef: Floats
    intercept: Floats
    parameters: Floats
    log_likelihood: Floats
    aic: Floats
    bic: Floats
    log_loss: Floats
    leave_one_out: Floats
    refitted: Ints
    gap: Floats

    def best(self, by: Literal["leave_one_out", "aic", "bic"] = "leave_one_out") -> float:
        """Return the C with the smallest criterion, the smallest such C among equals."""
        if not is_among(by, list(CRITERIA)):
            raise one_of("by", by, CRITERIA)
        if np.isnan(getattr(self, by)).all():
            raise InputError(
                f"{by} needs a Hessian, which rows on a device have none of; choose C by validation rows: probe(X, y, X_val, y_val)."
            )
        return float(self.Cs[int(np.argmin(getattr(self, by)))])

    @property
    def table(self) -> Table:
        """One row per C."""
        columns = [
            ("C", self.Cs, ".4g"),
            ("effective parameters", self.parameters, ".3f"),
            ("log-likelihood", self.log_likelihood, ".3f"),
            ("AIC", self.aic, ".3f"),
            ("BIC", self.bic, ".3f"),
            ("log-loss", self.log_loss, ".5f"),
            ("leave-one-out", self.leave_one_out, ".5f"),
        ]
        note = "leave-one-out: approximate log-loss, one Newton step per row."
        return Table("Logistic regression along C", tuple(Column(name, values, form) for name, values, form in columns), note)

    def chart(self, names: Any = None) -> Any:
        """Return coefficients and log-loss along C as an Altair chart; needs `separatrix[charts]`.

        Parameters
        ----------
        names : of the columns, optional
        """
        return maker("charts.paths.penalty")(self, names)

    def __str__(self) -> str:
        return self.table.text

    def _repr_html_(self) -> str:
        return view(self.table.html)


def regularisation_path(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    Cs: Any = None,
    l1_ratio: float = 0.0,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    max_iter: int = 1000,
    n_jobs: int | None = None,
) -> RegularisationPath:
    """Fit logistic regression for several C, each from the last one's coefficients, and say which C to take.

    Parameters
    ----------
    X, y, sample_weight : rows, labels and weights in memory, or on a device (torch, CuPy, JAX)
    Cs : (m,) increasing values of C; default: 13 from 10⁻⁴ to 10⁴
    l1_ratio, fit_intercept, tol, max_iter, n_jobs : as in `LogisticRegression`

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = regularisation_path(X, y, Cs=[0.01, 1, 100])
    >>> path.parameters.round(2).tolist(), path.best("aic")
    ([3.32, 5.84, 7.57], 100.0)

    References
    ----------
    Friedman, Hastie and Tibshirani (2010), Regularization paths for generalized linear models, Journal of Statistical Software 33.
    """
    check_arguments(regularisation_path, locals())
    values = _check_cs(Cs)
    model = LogisticRegression(l1_ratio=l1_ratio, fit_intercept=fit_intercept, tol=tol, max_iter=max_iter, n_jobs=n_jobs, warm_start=True)
    path = offered(model.abilities().warm_start).path
    assert path is not None  # LogisticRegression has one
    source = as_source(as_rows(X, n_jobs=n_jobs, on_device=True), y, sample_weight)
    if isinstance(source, DeviceSource):
        if l1_ratio > 0.0:
            raise InputError(f"l1_ratio={l1_ratio!r} is computed in NumPy alone; pass {conversion(source.X)}.")
        total = float(source.n_rows if source.weight is None else source.xp.sum(source.weight))
        steps = [_step_on_device(fitted, total) for fitted in path(source, values)]
    else:
        steps = [_step(fitted, source, X, y, sample_weight) for fitted in path(source, values)]
    columns = [np.array(column) for column in zip(*steps, strict=True)]
    return RegularisationPath(values, *columns)


def _check_cs(Cs: Any) -> Floats:
    if Cs is None:
        return np.geomspace(1e-4, 1e4, 13)
    values = np.sort(np.atleast_1d(as_numbers("Cs", Cs, "give positive numbers, such as Cs=[0.01, 1, 100].")))
    if values.ndim != 1 or not len(values) or not ((values > 0.0) & (values <= 1e100)).all():
        raise InputError(f"Cs={Cs!r} must be positive numbers up to 1e100, such as Cs=[0.01, 1, 100].")
    return values


def _step(model: LogisticRegression, source: Source, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
    """Return the entries of one C, in the order of the fields of `RegularisationPath`."""
    likelihood = offered(model.abilities().likelihood)
    assert isinstance(likelihood, LogisticLikelihood)
    objective, theta, penalty = likelihood.penalised(source)
    n = objective.problem.total
    f, _, H = objective.curved(theta)
    active = np.column_stack([model.coef_ != 0.0, np.full(len(theta), bool(model.fit_intercept))]).ravel()
    V = np.zeros_like(H)
    V[np.ix_(active, active)], rank = pseudo_inverse(n * H[np.ix_(active, active)] + np.diag(penalty[active]))
    whole = likelihood.whole_parameters()
    k = float(rank - np.diag(V) @ penalty) if whole is None else float(whole)
    left = approximate_leave_one_out(objective, theta, V)
    losses, refitted = left.losses.copy(), 0
    for i in np.flatnonzero(left.is_doubtful & (left.weight > 0.0)):
        exact = _refit_without(model, source, X, y, sample_weight, int(i))
        if exact is not None:
            losses[i], refitted = exact, refitted + 1
    mean = float(losses @ left.weight / left.weight.sum())
    log_l = -n * f
    assert model.solution_ is not None
    return model.coef_, model.intercept_, k, log_l, aic(log_l, k), bic(log_l, k, n), f, mean, refitted, model.solution_.gap


def _step_on_device(model: LogisticRegression, n: float) -> tuple[Any, ...]:
    """Return the entries of one C that need no Hessian, which rows on a device rarely leave room for."""
    assert model.solution_ is not None
    f = model.solution_.objective - 0.5 * float(np.vdot(model.coef_, model.coef_)) / (float(model.C) * n)
    return model.coef_, model.intercept_, np.nan, -n * f, np.nan, np.nan, f, np.nan, 0, model.solution_.gap


def _refit_without(model: LogisticRegression, source: Source, X: Any, y: Any, sample_weight: Any, i: int) -> float | None:
    """Return the log-loss of row i under the fit without it; None where its class would then have no rows."""
    codes, weight = (np.concatenate(parts) for parts in zip(*source.map(lambda block: (block.codes, _weights(block)))))
    weight[i] = 0.0
    if not weight[codes == codes[i]].any():
        return None
    other = clone(model)
    offered(other.abilities().warm_start).begin_at(model)
    other.fit(X, y, weight)
    return -float(other.predict_log_proba(source)[i, codes[i]])


def _weights(block: Any) -> Floats:
    return np.ones(block.n_rows) if block.weight is None else block.weight
