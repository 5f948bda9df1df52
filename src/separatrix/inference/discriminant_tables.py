"""The tables of a discriminant analysis, from its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from .box import BoxTest
from .canonical import Canonical
from .class_differences import column_tests, pair_tests
from .manova import dimension_tests, multivariate_tests
from .tables import Column, Table, distinct

ORDER = (
    "classes",
    "log_determinants",
    "box",
    "columns",
    "manova",
    "distances",
    "eigenvalues",
    "dimensions",
    "structure_total",
    "structure_between",
    "structure_within",
    "standardised_total",
    "standardised_within",
    "raw",
    "centroids",
    "functions",
)
"""Names of the tables, in the order in which they are printed."""


def discriminant_tables(found: Canonical, classes: NDArray[Any], names: list[str]) -> dict[str, Table]:
    """Return the tables that follow from pooled moments alone."""
    r, q, nu = found.rank, found.hypothesis_freedom, found.error_freedom
    axes = [f"axis {i + 1}" for i in range(len(found.eigenvalues))]
    tables = {"manova": _manova(found), "columns": _columns(found, names), "distances": _distances(found, classes.tolist())}
    if not axes:  # no column varies
        return tables
    tables |= {
        "eigenvalues": _eigenvalues(found),
        "dimensions": _dimensions(dimension_tests(found.eigenvalues, r, q, nu)),
        "centroids": _coefficients("Class means in canonical coordinates", "class", classes.tolist(), axes, found.centroids, ".4f"),
        "raw": _coefficients("Raw canonical coefficients", "column", names, axes, found.coefficients, ".6g"),
    }
    for kind, title in (("within", "pooled within-class"), ("total", "total-sample")):
        tables[f"standardised_{kind}"] = _coefficients(
            f"Canonical coefficients standardised by {title} standard deviations", "column", names, axes, found.standardised(kind), ".4f"
        )
    for kind, title in (("within", "Pooled within-class"), ("total", "Total"), ("between", "Between-class")):
        title = f"{title} canonical structure: correlations of columns with canonical variables"
        tables[f"structure_{kind}"] = _coefficients(title, "column", names, axes, found.structure(kind), ".4f")
    return tables


def _coefficients(title: str, stub: str, rows: list[Any], axes: list[str], values: Floats, form: str) -> Table:
    return Table(title, (Column(stub, rows), *[Column(axis, values[:, i], form) for i, axis in enumerate(axes)]))


def class_table(found: Canonical, classes: NDArray[Any], priors: Floats) -> Table:
    """Return sizes and priors of the classes as a table."""
    return Table(
        "Classes",
        (
            Column("class", classes.tolist()),
            Column("rows", found.counts, "df"),
            Column("proportion", found.counts / found.n, ".4f"),
            Column("prior", priors, ".4f"),
        ),
    )


def _eigenvalues(found: Canonical) -> Table:
    rho = found.correlations
    return Table(
        "Canonical correlations and eigenvalues of W⁻¹B",
        (
            Column("axis", list(range(1, len(rho) + 1)), "d"),
            Column("canonical correlation", rho, ".6f"),
            Column("std. error", (1.0 - rho**2) / np.sqrt(found.n - 1.0), ".6f"),
            Column("squared", rho**2, ".6f"),
            Column("eigenvalue", found.eigenvalues, ".6g"),
            Column("proportion", found.proportions, ".4f"),
            Column("cumulative", np.cumsum(found.proportions), ".4f"),
        ),
    )


def _manova(found: Canonical) -> Table:
    tests = multivariate_tests(found.eigenvalues, found.rank, found.hypothesis_freedom, found.error_freedom)
    return Table(
        "Multivariate tests that all class means are equal",
        (
            Column("statistic", [test.name for test in tests]),
            Column("value", [test.value for test in tests], ".6g"),
            Column("F", [test.F for test in tests], ".2f"),
            Column("num df", [test.df1 for test in tests], "df"),
            Column("den df", [test.df2 for test in tests], "df"),
            Column("Pr > F", [test.p for test in tests], "p"),
            Column("F is", [test.kind for test in tests]),
        ),
    )


def _dimensions(tests: tuple[Any, ...]) -> Table:
    return Table(
        "Tests that an axis and all after it are noise",
        (
            Column("axis", [test.first for test in tests], "d"),
            Column("likelihood ratio", [test.wilks.value for test in tests], ".6g"),
            Column("F", [test.wilks.F for test in tests], ".2f"),
            Column("num df", [test.wilks.df1 for test in tests], "df"),
            Column("den df", [test.wilks.df2 for test in tests], "df"),
            Column("Pr > F", [test.wilks.p for test in tests], "p"),
            Column("Bartlett's chi-square", [test.chi2 for test in tests], ".4f"),
            Column("df", [test.chi2_df for test in tests], "df"),
            Column("Pr > chi-square", [test.chi2_p for test in tests], "p"),
        ),
    )


def _columns(found: Canonical, names: list[str]) -> Table:
    tests, deviations = column_tests(found), found.deviations()
    return Table(
        f"Each column alone: F tests with {tests.df1:g} and {tests.df2:g} degrees of freedom",
        (
            Column("column", names),
            *[Column(f"{kind} std. dev.", deviations[kind], ".4g") for kind in ("total", "within", "between")],
            Column("R²", tests.r2, ".4f"),
            Column("R²/(1 − R²)", tests.F * tests.df1 / tests.df2, ".4f"),
            Column("F", tests.F, ".2f"),
            Column("Pr > F", tests.p, "p"),
        ),
    )


def _distances(found: Canonical, labels: list[Any]) -> Table:
    tests = pair_tests(found)
    i, j = np.triu_indices(len(labels), 1)
    return Table(
        f"Squared Mahalanobis distances between classes: F tests with {tests.df1:g} and {tests.df2:g} degrees of freedom",
        (
            Column("class", [labels[a] for a in i]),
            Column("and", [labels[b] for b in j]),
            Column("D²", tests.distances[i, j], ".5f"),
            Column("F", tests.F[i, j], ".2f"),
            Column("Pr > F", tests.p[i, j], "p"),
        ),
        "Pr > F of single tests, not adjusted for the number of pairs." if len(i) > 1 else "",
    )


def box_tables(test: BoxTest) -> dict[str, Table]:
    """Return Box's M and the log determinants as tables."""
    dets = Table(
        "Class covariances",
        (
            Column("class", [*map(str, test.classes.tolist()), "(pooled)"]),
            Column("rank", [test.rank] * (len(test.classes) + 1), "d"),
            Column("log determinant", [*test.log_dets, test.log_det], ".5f"),
        ),
    )
    box = Table(
        "Box's M: tests that all classes have one covariance",
        (
            Column("statistic", ["chi-square", "F"]),
            Column("Box's M", [test.M, test.M], ".4f"),
            Column("value", [test.chi2, test.F], ".4f"),
            Column("num df", [test.df, test.df1], "df"),
            Column("den df", [np.nan, test.df2], "df"),
            Column("p", [test.p, test.F_p], "p"),
        ),
        "Both are approximate, and reject as well where columns are far from normal.",
    )
    return {"log_determinants": dets, "box": box}


def function_table(constants: Floats, coef: Floats, classes: NDArray[Any], names: list[str]) -> Table:
    """Return linear classification functions, constants (K,) and coefficients (K, p), as a table with one column per class."""
    values = np.column_stack([constants, coef]).T
    columns = [Column(label, values[:, k], ".6g") for k, label in enumerate(distinct(classes.tolist(), taken=["term"]))]
    terms = Column("term", distinct(["(constant)", *names]))
    return Table("Linear classification functions", (terms, *columns), "The class with the largest value is predicted.")
