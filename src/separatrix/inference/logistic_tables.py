"""The tables of a logistic regression, from numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import norm

from ..array_types import Floats
from .likelihood import aic, bic
from .logistic import FisherInformation, pseudo_r2
from .logistic_tests import ChiSquare, TermTest
from .profile import Profile
from .tables import Column, Table

INTERCEPT = "(intercept)"


def row_names(classes: Sequence[Any], names: Sequence[str], fit_intercept: bool) -> list[str]:
    """Return a name for each coefficient, intercepts first; with more than two classes "class: column".

    Examples
    --------
    >>> row_names(["a", "b", "c"], ["x"], True)
    ['b: (intercept)', 'b: x', 'c: (intercept)', 'c: x']
    """
    own = [*([INTERCEPT] if fit_intercept else []), *names]
    return own if len(classes) == 2 else [f"{label}: {name}" for label in classes[1:] for name in own]


def in_order(values: Floats, fit_intercept: bool) -> Floats:
    """Return values (m, q), intercepts last, as one row per coefficient with intercepts first."""
    return (np.roll(values, 1, axis=1) if fit_intercept else values[:, :-1]).ravel()


def coefficient_table(
    estimate: Floats, errors: Floats, names: Sequence[str], level: float, profiles: Sequence[Profile] | None, title: str
) -> Table:
    """Return estimates, standard errors, z, p-values and an interval: Wald's, or those of profiles."""
    z = estimate / errors
    bounds = f"{100 * level:g} %"
    columns = [
        Column("coefficient", list(names)),
        Column("estimate", estimate, ".4f"),
        Column("std. error", errors, ".4f"),
        Column("z", z, ".3f"),
        Column("Pr > |z|", 2.0 * norm.sf(np.abs(z)), "p"),
    ]
    lower, upper = interval(estimate, errors, level, profiles)
    columns += [Column(f"lower {bounds}", lower, ".4f"), Column(f"upper {bounds}", upper, ".4f")]
    if profiles is not None:
        columns.append(Column("LR χ²", [p.statistic for p in profiles], ".3f"))
        columns.append(Column("Pr > χ²", [p.p for p in profiles], "p"))
    return Table(title, tuple(columns), "" if profiles is None else "Intervals and LR χ² are those of the profile likelihood.")


def interval(estimate: Floats, errors: Floats, level: float, profiles: Sequence[Profile] | None) -> tuple[Floats, Floats]:
    """Return lower and upper ends: estimate ∓ z·error, or those of profiles."""
    if profiles is not None:
        return np.array([p.lower for p in profiles]), np.array([p.upper for p in profiles])
    half = norm.ppf(0.5 + 0.5 * level) * errors
    return estimate - half, estimate + half


def odds_table(estimate: Floats, ends: tuple[Floats, Floats] | None, names: Sequence[str], level: float) -> Table:
    """Return e^estimate with its interval: the factor on the odds for one unit more of the column."""
    with np.errstate(over="ignore"):
        columns = [Column("coefficient", list(names)), Column("odds ratio", np.exp(estimate), ".4g")]
        if ends is not None:
            columns += [Column(f"{side} {100 * level:g} %", np.exp(end), ".4g") for side, end in zip(("lower", "upper"), ends)]
    return Table("Odds ratios: the factor on the odds for one unit more", tuple(columns))


def fit_table(fisher: FisherInformation, k: float, effective: bool = False) -> Table:
    """Return the measures of fit, with k parameters: counted, or the effective number of a penalised fit."""
    log_l, null, n = fisher.log_likelihood, fisher.null_log_likelihood, fisher.n
    values: dict[str, float] = {
        "log-likelihood": log_l,
        "deviance": -2.0 * log_l,
        "null deviance": -2.0 * null,
        "effective parameters" if effective else "parameters": k,
        "AIC": aic(log_l, k),
        "BIC": bic(log_l, k, n),
        **{f"pseudo-R² ({name})": value for name, value in pseudo_r2(log_l, null, n).items()},
    }
    return Table("Fit", (Column("measure", list(values)), Column("value", list(values.values()), ".4f")))


def overall_table(tests: Mapping[str, ChiSquare]) -> Table:
    """Return tests of all columns together, by the name of the test."""
    return Table(
        "Tests that no column matters",
        (
            Column("test", list(tests)),
            Column("χ²", [test.statistic for test in tests.values()], ".4f"),
            Column("df", [test.freedom for test in tests.values()], "df"),
            Column("Pr > χ²", [test.p for test in tests.values()], "p"),
        ),
    )


def term_table(tests: Mapping[str, TermTest]) -> Table:
    """Return the tests of terms, by the name of the term."""
    found = list(tests.values())
    kinds = [
        (name, [getattr(test, field) for test in found])
        for name, field in (("LR", "likelihood_ratio"), ("score", "score"), ("Wald", "wald"))
    ]
    columns = [Column("term", list(tests)), Column("df", [test.wald.freedom for test in found], "df")]
    for name, values in kinds:
        columns += [Column(f"{name} χ²", [v.statistic for v in values], ".4f"), Column(f"Pr > χ² ({name})", [v.p for v in values], "p")]
    return Table("Tests of terms: all their coefficients are 0", tuple(columns))
