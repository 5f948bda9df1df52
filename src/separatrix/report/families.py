"""The families of models, each explained in a paragraph beside a picture of its boundary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import Pipeline

from ..models import (
    AveragedPerceptron,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    NearestMean,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    TableClassifier,
)
from ..selection.candidates import Candidate
from .family_pictures import draw


@dataclass(frozen=True, slots=True)
class Family:
    """A family of models: its name, title, a paragraph, and the models of the comparison that belong to it."""

    name: str
    title: str
    paragraph: str
    members: tuple[str, ...]

    @property
    def picture(self) -> str:
        """Its boundary on the rows of the picture, as SVG."""
        return draw(self.name, TOYS.get(self.name))


TEXTS: dict[str, tuple[str, str]] = {
    "nearest mean": (
        "Nearest mean",
        "Each class is its mean row; a new row belongs to the nearest one. The boundary runs half way between two means, at right angles "
        "to the line that joins them. Nothing is estimated but means, so that it stands firm with few rows, and misses what spread tells.",
    ),
    "naive Bayes": (
        "Naive Bayes",
        "How common is each value within each class? The answers for all columns are multiplied, as if columns had nothing to do with "
        "each other within a class. They have, so that its probabilities are too sure of themselves; which class is ahead is often right.",
    ),
    "LDA": (
        "Linear discriminant analysis",
        "Every class is a cloud of the same shape around its own mean. Bayes' rule then gives straight boundaries, in closed form. "
        "Shrinkage pulls the shape towards a round one, which helps where columns are many beside the rows. It is at its best where "
        "columns are measurements without far outliers.",
    ),
    "Fisher": (
        "Fisher's discriminant",
        "It looks for the direction along which the means of the classes lie far apart beside the spread within them, projects all rows "
        "onto it, and cuts half way. For two classes it is the direction of linear discriminant analysis, found without any density.",
    ),
    "least squares": (
        "Least squares",
        "Classes are written as 0 and 1 and fitted by a straight regression; the larger value wins. Rows far on the right side pull the "
        "boundary towards themselves although they are classified well, which other families do not let happen.",
    ),
    "logistic": (
        "Logistic regression",
        "The log-odds of the classes are a weighted sum of the columns. The weights make the observed classes as probable as can be; a "
        "penalty keeps them small: L2 shrinks all of them, L1 sets many to zero and so selects columns. It assumes nothing about how the "
        "columns are distributed, and its probabilities are usually close to right.",
    ),
    "logistic with curves": (
        "Logistic regression with curves",
        "The same, with each column of numbers allowed to bend: a natural cubic spline in place of a straight line. It remains a sum over "
        "columns, so that what each one does can still be drawn by itself.",
    ),
    "linear SVM": (
        "Linear support vector machine",
        "Of all straight boundaries it takes the one with the widest margin, and lets rows inside the margin pay for it. Only these rows, "
        "the support vectors, hold it in place. It decides and gives no probabilities.",
    ),
    "perceptron": (
        "Perceptron",
        "It walks through the rows and moves the boundary whenever it is wrong, a little towards the row. If a straight boundary separates "
        "the classes, it finds one. The average over all its steps is far steadier than the last one.",
    ),
    "QDA": (
        "Quadratic discriminant analysis",
        "Every class has a cloud of a shape of its own, so that boundaries bend: ellipses, parabolas, hyperbolas. Pooling pulls the shapes "
        "towards a common one. It needs more rows for each class, about as many as columns squared.",
    ),
    "kernel": (
        "Linear in other columns",
        "The columns are replaced by products of them, or by how near a row is to a hundred others, and a linear discriminant "
        "is fitted there. The boundary is straight among the new columns and curved among the old ones, and coefficients no longer speak "
        "of the table's own columns.",
    ),
    "boosting": (
        "Gradient-boosted trees (reference)",
        "Hundreds of small trees, each correcting those before. It is no linear model and is never picked here: it shows what a straight "
        "boundary costs. Where it is not better, nothing was lost by a model that can be read.",
    ),
    "majority": (
        "Majority class",
        "Always the most frequent class, whatever the columns say. A model that is no better has learned nothing.",
    ),
    "other": (
        "Another classifier",
        "A classifier that was given by hand; it is compared on the same held-out rows as all others.",
    ),
}
TOYS: dict[str, Any] = {
    "nearest mean": NearestMean(),
    "naive Bayes": GaussianNB(),
    "LDA": LinearDiscriminantAnalysis(),
    "Fisher": FisherDiscriminant(),
    "least squares": LeastSquaresClassifier(),
    "logistic": LogisticRegression(),
    "linear SVM": LinearSVC(),
    "perceptron": AveragedPerceptron(max_iter=50, tol=1e-3, random_state=0),
    "QDA": QuadraticDiscriminantAnalysis(),
}
"""Models whose boundary on the rows of the picture stands for a family."""
BY_TYPE: dict[type, str] = {
    NearestMean: "nearest mean",
    FisherDiscriminant: "Fisher",
    LeastSquaresClassifier: "least squares",
    LinearDiscriminantAnalysis: "LDA",
    LogisticRegression: "logistic",
    LinearSVC: "linear SVM",
    Perceptron: "perceptron",
    AveragedPerceptron: "perceptron",
    QuadraticDiscriminantAnalysis: "QDA",
    HistGradientBoostingClassifier: "boosting",
}


def family_of(candidate: Candidate) -> str:
    """Return the family that a candidate belongs to, as `TEXTS` has it.

    Examples
    --------
    >>> from separatrix.selection.families import tuned
    >>> family_of(tuned("mine", LogisticRegression())), family_of(tuned("theirs", NearestMean()))
    ('logistic', 'nearest mean')
    """
    steps = _steps(candidate.model)
    names = {type(step).__name__ for step in steps}
    if names & {"PolynomialFeatures", "Nystroem"}:
        return "kernel"
    if type(steps[-1]).__name__ == "DummyClassifier":
        return "majority"
    found = next((family for kind, family in BY_TYPE.items() if isinstance(steps[-1], kind)), "")
    if not found:
        return "naive Bayes" if type(steps[-1]).__name__.endswith("NB") else "other"
    return "logistic with curves" if found == "logistic" and getattr(steps[0], "shapes", None) == "auto" else found


def _steps(model: Any) -> list[Any]:
    """Return the steps of a pipeline, of one inside a model of tables, or a model alone."""
    if isinstance(model, TableClassifier):
        return [own for _, step in model.pipeline_.steps for own in _steps(step)]
    return [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]


def families_of(candidates: Iterable[Candidate]) -> tuple[Family, ...]:
    """Return the families of some candidates, in their order, each once."""
    members: dict[str, list[str]] = {}
    for candidate in candidates:
        members.setdefault(family_of(candidate), []).append(candidate.name)
    return tuple(Family(name, *TEXTS[name], tuple(own)) for name, own in members.items())
