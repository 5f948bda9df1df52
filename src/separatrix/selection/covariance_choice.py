"""One covariance for all classes, or one for each? Linear or quadratic discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..argument_types import check_arguments
from ..errors import InputError, one_of
from ..inference import BoxTest, Column, Table, box_test
from ..inference.likelihood import aic, bic, own_covariances, own_normals, prior_likelihood, shared_covariance, shared_normal
from ..inference.parameters import count_parameters
from ..inference.tables import p_text
from ..models import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from ..notebook import listed, paragraphs, view
from ..summaries import ClassMoments

Kind = Literal["linear", "quadratic"]
CRITERIA = ("bic", "aic", "box")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CovarianceChoice:
    """Which discriminant analysis the rows ask for, and why.

    Attributes
    ----------
    recommendation : "linear" or "quadratic"
    by : the criterion that decided
    box, aic, bic : what each says, "linear" or "quadratic"; None where it says nothing
    agree : whether all that say something say the same
    reasons : sentences
    table : parameters, log-likelihood, AIC and BIC of both
    box_test : BoxTest or None
    moments : ClassMoments, from which `model()` is solved
    """

    recommendation: Kind
    by: str
    box: Kind | None
    aic: Kind | None
    bic: Kind | None
    reasons: tuple[str, ...]
    table: Table
    box_test: BoxTest | None
    moments: ClassMoments

    @property
    def linear(self) -> bool:
        """Whether one covariance for all classes is recommended."""
        return self.recommendation == "linear"

    @property
    def quadratic(self) -> bool:
        """Whether a covariance for each class is recommended."""
        return not self.linear

    @property
    def agree(self) -> bool:
        """Whether Box's M, AIC and BIC say the same, as far as they say something."""
        return len({self.box, self.aic, self.bic} - {None}) <= 1

    def model(self) -> LinearDiscriminantAnalysis | QuadraticDiscriminantAnalysis:
        """Return the recommended model, fitted to the same rows without another pass."""
        model = LinearDiscriminantAnalysis() if self.linear else QuadraticDiscriminantAnalysis()
        return model.fit_summary(self.moments)

    @property
    def text(self) -> str:
        """The recommendation, the reasons and the table."""
        reasons = [f"- {reason}" for reason in self.reasons]
        return "\n".join([f"Recommended: {self.recommendation} discriminant analysis", *reasons, "", self.table.text])

    @property
    def html(self) -> str:
        """The same as an HTML element."""
        head = paragraphs([f"Recommended: {self.recommendation} discriminant analysis"])
        return f"<section>{head}{listed(self.reasons)}{self.table.html}</section>"

    def _repr_html_(self) -> str:
        return view(self.html)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def choose_covariance(
    X: Any, y: Any = None, sample_weight: Any = None, *, by: Literal["bic", "aic", "box"] = "bic", level: float = 0.001
) -> CovarianceChoice:
    """Say whether the classes have one covariance (linear discriminant analysis) or one each (quadratic), from one pass.

    BIC decides by default: Box's M finds any difference once n is large, also one too small to matter, and rejects where columns are not
    normal; AIC tends to the larger model. All three are reported. They judge how well normal densities describe the rows; which model
    predicts better is a question for cross-validation.

    Parameters
    ----------
    X, y, sample_weight : rows, labels and weights as in `fit`; X may be `ClassMoments.from_data(X, y)` as well
    by : "bic", "aic" or "box"
        What decides.
    level : float
        Box's M speaks for two covariances if its p-value (of F) is below.

    Returns
    -------
    CovarianceChoice

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix.selection.covariance_choice import choose_covariance
    >>> choice = choose_covariance(*load_iris(return_X_y=True))
    >>> choice.recommendation, choice.agree
    ('quadratic', True)
    >>> print(choice.table.text)
    Linear and quadratic discriminant analysis, joint likelihood
    model      covariances  parameters  log-likelihood       AIC       BIC
    linear               1          24       -263.2037  574.4075  646.6627
    quadratic            3          44       -188.3756  464.7511  597.2191

    References
    ----------
    Box (1949), A general distribution theory for a class of likelihood criteria, Biometrika 36.
    """
    check_arguments(choose_covariance, locals())
    if by not in CRITERIA:
        raise one_of("by", by, CRITERIA)
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level!r} must lie between 0 and 1, such as 0.001.")
    moments = _moments(X, y, sample_weight)
    table, obstacle = _criteria(moments)
    said: dict[str, Kind | None] = {"bic": _smaller(table["BIC"]), "aic": _smaller(table["AIC"]), "box": None}
    test = None
    if obstacle is None and (moments.counts[moments.counts > 0] > 1).all():
        test = box_test(moments)
        said["box"] = "quadratic" if test.F_p < level else "linear"
    recommendation = said[by] or "linear"
    reasons = _reasons(table, test, obstacle, said, by, level)
    return CovarianceChoice(recommendation, by, said["box"], said["aic"], said["bic"], reasons, table, test, moments)


def _moments(X: Any, y: Any, sample_weight: Any) -> ClassMoments:
    moments = X if isinstance(X, ClassMoments) else ClassMoments.from_data(X, y, sample_weight)
    if moments.kind != "full":
        raise InputError(f"These moments are of kind {moments.kind!r}; ClassMoments.from_data(X, y) keeps one scatter per class.")
    if (moments.counts > 0).sum() < 2:
        raise InputError(f"Rows of at least two classes are needed; there are classes {moments.classes.tolist()}.")
    return moments


def _criteria(moments: ClassMoments) -> tuple[Table, str | None]:
    """Return the table of criteria, and why the quadratic model has none where it has not."""
    pooled, n, K = moments.to("pooled"), float(moments.counts.sum()), int((moments.counts > 0).sum())
    priors = prior_likelihood(moments.counts, moments.counts / n)
    normal = shared_normal(pooled)
    logs = [priors + shared_covariance(pooled, pooled, normal), np.nan]
    ks = [count_parameters("shared covariance", K, normal.rank), count_parameters("own covariances", K, normal.rank)]
    obstacle = None
    try:
        counts = np.where(moments.counts > 0, moments.counts, 1.0)
        logs[1] = priors + own_covariances(moments, moments, own_normals(moments, moments.scatter / counts[:, None, None]))
    except InputError as error:
        obstacle = str(error)
    table = Table(
        "Linear and quadratic discriminant analysis, joint likelihood",
        (
            Column("model", ["linear", "quadratic"]),
            Column("covariances", [1, K], "d"),
            Column("parameters", ks, "df"),
            Column("log-likelihood", logs, ".4f"),
            Column("AIC", [aic(L, k) for L, k in zip(logs, ks, strict=True)], ".4f"),
            Column("BIC", [bic(L, k, n) for L, k in zip(logs, ks, strict=True)], ".4f"),
        ),
    )
    return table, obstacle


def _smaller(values: list[float]) -> Kind | None:
    if np.isnan(values[1]):
        return None
    return "quadratic" if values[1] < values[0] else "linear"


def _reasons(
    table: Table, test: BoxTest | None, obstacle: str | None, said: dict[str, Kind | None], by: str, level: float
) -> tuple[str, ...]:
    if obstacle is not None:
        return (f"A covariance for each class cannot be estimated. {obstacle}",)
    reasons = []
    for name in ("BIC", "AIC"):
        linear, quadratic = table[name]
        gap = abs(linear - quadratic)
        reasons.append(f"{name} is {linear:.1f} for linear and {quadratic:.1f} for quadratic: {said[name.lower()]} by {gap:.1f}.")
    if test is not None:
        verdict = "rejects" if said["box"] == "quadratic" else "does not reject"
        tail = f"F = {test.F:.2f} on {test.df1:.0f} and {test.df2:.0f} degrees of freedom, {p_text(test.F_p)}"
        reasons.append(f"Box's M {verdict} equal covariances at level {float(level):g}: {tail}.")
    opinions = {opinion for opinion in said.values() if opinion is not None}
    names = {"bic": "BIC", "aic": "AIC", "box": "Box's M"}
    if len(opinions) > 1:
        reasons.append(f"They disagree; {names[by]} decides. Cross-validation would tell which predicts better.")
    return tuple(reasons)
