"""The parts that all tables of a logistic regression share: coefficients, odds ratios, title, facts and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..abilities.logistic_likelihood import is_penalised
from ..inference import logistic_tables as tables_of
from ..inference.logistic import FisherInformation
from ..inference.profile import Profile
from ..inference.tables import Table
from .discriminant_summary import column_names

if TYPE_CHECKING:
    from .logistic import LogisticRegression

Floats = NDArray[np.float64]


def coefficient_tables(
    model: LogisticRegression, evidence: FisherInformation, V: Floats, level: float, profiles: list[Profile] | None
) -> dict[str, Table]:
    """Return the tables of coefficients and of odds ratios, with intervals."""
    names = tables_of.row_names(model.classes_.tolist(), column_names(model), bool(model.fit_intercept))
    errors = tables_of.in_order(np.sqrt(np.diag(V)).reshape(evidence.gamma.shape), evidence.fit_intercept)
    estimate = tables_of.in_order(evidence.coefficients, evidence.fit_intercept)
    ends = tables_of.interval(estimate, errors, level, profiles)
    slopes = np.array([not name.endswith(tables_of.INTERCEPT) for name in names])
    return {
        "coefficients": tables_of.coefficient_table(estimate, errors, names, level, profiles, logits(model.classes_)),
        "odds_ratios": tables_of.odds_table(
            estimate[slopes], (ends[0][slopes], ends[1][slopes]), [n for n, s in zip(names, slopes) if s], level
        ),
    }


def coefficient_intervals(model: LogisticRegression, level: float) -> tuple[Floats, Floats] | None:
    """Return Wald intervals (K − 1, p) of the coefficients against the first class; None where there is no sampling theory."""
    evidence = model.evidence_
    if evidence is None or has_aliases(model) or is_penalised(model) or model.class_weight is not None:
        return None
    errors = np.sqrt(np.diag(evidence.covariance())).reshape(evidence.gamma.shape)
    return tables_of.interval(evidence.coefficients[:, :-1], errors[:, :-1], level, None)


def has_aliases(model: LogisticRegression) -> bool:
    """Return whether some columns are determined by others."""
    return model.solution_ is not None and model.solution_.dependent is not None


def title(model: LogisticRegression) -> str:
    """Return the title of all tables."""
    kind = "Logistic regression" if len(model.classes_) == 2 else "Multinomial logistic regression"
    return f"{kind}, Firth's correction" if model.firth else kind


def facts(model: LogisticRegression, n: float) -> tuple[str, ...]:
    """Return rows, columns and classes in words."""
    return (f"{n:g} rows, {model.n_features_in_} columns, {len(model.classes_)} classes",)


def notes_of(model: LogisticRegression) -> list[str]:
    """Return what is to be said below the tables."""
    notes = []
    if model.firth:
        notes.append("The log-likelihood is that without Jeffreys' prior, at Firth's estimate: not maximised.")
    if model.solution_ is not None and not model.solution_.is_converged:
        notes.append("The solver stopped before the tolerance was reached: all numbers are those of coefficients on their way.")
    return notes


def logits(classes: NDArray[Any]) -> str:
    """Return what the coefficients are coefficients of."""
    labels = classes.tolist()
    return f"Coefficients of log p({labels[1]})/p({labels[0]})" if len(labels) == 2 else f"Coefficients of log p(class)/p({labels[0]})"
