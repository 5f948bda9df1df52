"""What all classifiers share: rows checked against the fit, scores to labels, and the state."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities
from ..abilities.parts import BlockScores, PriorsChanged
from ..argument_types import is_among
from ..arguments import KnownParameters, require_given
from ..array_types import Codes, Floats
from ..data import Block, Source, as_rows
from ..data.namespaces import is_foreign, like, namespace, to_host
from ..decisions.priors import check_priors, prior_odds, require_priors
from ..errors import InputError, UnknownNameError, did_you_mean
from ..inference.selected_columns import TOO_SMALL, picked_from, warn_if_picked
from ..solvers.scores import codes_of
from ..summaries import ClassMoments
from . import goodness_of_fit
from .decided import with_decision
from .labelled_rows import check_columns, rows_of_fit, rows_to_add, rows_to_fit
from .registry import built, plain_params, require_model
from .state import State, pack, unpack


class Classifier(KnownParameters, ClassifierMixin, BaseEstimator):
    """Base of all classifiers. A subclass gives `_scores(block)`: one column per class, or one column for two classes."""

    n_jobs: int | None
    classes_: NDArray[Any]
    n_features_in_: int
    _records: ClassVar[dict[str, type]] = {"ClassMoments": ClassMoments}
    _picked_by: str | None = None
    _finite: ClassVar[tuple[str, ...]] = ()
    """Fitted arrays without which nothing can be predicted; a fit in which they are not finite is refused."""
    _on_device: ClassVar[bool] = False
    """Whether arrays of other libraries are computed with where they lie."""
    _reweighs: ClassVar[bool] = False
    """Whether other class priors change nothing but what `_prior_attributes` returns."""

    with_decision = with_decision
    score = goodness_of_fit.score
    log_likelihood, aic, bic = goodness_of_fit.log_likelihood, goodness_of_fit.aic, goodness_of_fit.bic
    n_parameters_ = property(goodness_of_fit.n_parameters)

    def abilities(self) -> Abilities:
        """Return what this model can do beyond fit and predict, as a table to print and parts to ask.

        Examples
        --------
        >>> from separatrix import NearestMean
        >>> print(NearestMean().abilities())  # doctest: +ELLIPSIS
        NearestMean()
          fit from one pass, partial_fit, forget  yes ...
        """
        self._check_given()  # parts are built from parameters, which must mean something
        return self._abilities()

    def _abilities(self) -> Abilities:
        """Return the page; a family writes its parts into that of its bases."""
        page = Abilities.none(self)
        page.scores = BlockScores(self._posterior_scores, lambda: None)
        if self._reweighs:
            page.priors = PriorsChanged(self.with_priors)
        return page

    def _scores(self, block: Block) -> Floats:
        """Return scores (n, K), or (n, 1) for two classes, of a block's rows."""
        raise TypeError(f"{type(self).__name__} must define _scores")

    def _posterior_scores(self, block: Block) -> Floats:
        """Return scores from which labels follow and, where a model has posteriors, these too by softmax."""
        return self._scores(block)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows

        Returns
        -------
        labels : (n,) array of the type of `classes_`
        """
        return self._labels(X, self._codes)

    def _codes(self, block: Block) -> Codes | None:
        """Return the class codes of a block's rows, or None if a score is not finite."""
        return codes_of(self._scores(block))

    def _labels(self, X: Any, codes_in: Callable[[Block], Codes | None]) -> NDArray[Any]:
        codes = self._collect(X, codes_in)
        return labels_of(codes, self.classes_)

    def _collect(self, X: Any, function: Callable[[Block], NDArray[Any] | None]) -> NDArray[Any]:
        """Return function(block) of all blocks in one array; a None says that a score was not finite."""
        source = self._checked_rows(X, self._open_to_score).without_labels()

        def quiet(block: Block) -> NDArray[Any] | None:
            with np.errstate(invalid="ignore", over="ignore"):  # per thread
                found = function(block)
            return to_host(found) if found is not None and source.is_streamed else found

        parts = list(source.told(quiet))
        if not parts:
            raise source.no_rows()
        finite = [part for part in parts if part is not None]
        if len(finite) < len(parts):
            source.refuse_nonfinite()
        return finite[0] if len(finite) == 1 else namespace(finite[0]).concat(finite)

    def _open(self, X: Any) -> Source:
        """Return the rows of X as this model reads them."""
        return as_rows(X, n_jobs=getattr(self, "n_jobs", None), on_device=self._on_device)

    def _open_to_score(self, X: Any) -> Source:
        """Return the rows of X as the scores read them."""
        return self._open(X)

    def _rows(self, X: Any) -> Source:
        """Return the source of rows to predict, with its columns checked against those of the fit; what labels it has are not read."""
        return self._checked_rows(X).without_labels()

    def _checked_rows(self, X: Any, opened: Callable[[Any], Source] | None = None) -> Source:
        check_is_fitted(self)
        source = (opened or self._open)(X)
        check_columns(self, X, source)
        return source

    def _code(self, label: Any) -> int:
        """Return the position of a label in `classes_`."""
        check_is_fitted(self)
        labels = self.classes_.tolist()
        if not is_among(label, labels):
            raise UnknownNameError(f"{label!r} is not a class of this model.{did_you_mean(label, labels)} Classes: {labels}.")
        return int(labels.index(label))

    def _rows_to_fit(self, X: Any, y: Any, sample_weight: Any) -> Source:
        """Return labelled rows of at least two classes."""
        return rows_to_fit(self._open(X), y, sample_weight)

    def _rows_to_add(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Source:
        """Return labelled rows to add to the fit or to take out of it, classes and columns checked against those of the fit."""
        return rows_to_add(self, X, self._open(X), y, classes, sample_weight)

    def _rows_of_fit(self, X: Any, y: Any, sample_weight: Any) -> Source:
        """Return labelled rows for a fitted model, their columns and labels checked against those of the fit."""
        return rows_of_fit(self._checked_rows(X), y, sample_weight, self.classes_)

    def _adopt(self, source: Source | None, attributes: dict[str, Any]) -> Self:
        """Set all fitted attributes at once: whatever fails before this leaves the old model whole."""
        for name in self._finite:
            if isinstance(attributes.get(name), np.ndarray) and not np.isfinite(attributes[name]).all():
                raise too_large(type(self).__name__)
        if source is not None:
            for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("__")]:
                delattr(self, name)
            attributes = {**attributes, "n_features_in_": source.n_features, "_picked_by": picked_from(source)}
            if source.feature_names is not None:
                attributes["feature_names_in_"] = np.array(source.feature_names, dtype=object)
        for name, value in attributes.items():
            setattr(self, name, value)
        return self

    def _warn_if_picked(self) -> None:
        """Warn, from a table of p-values, that a selector picked the columns by the labels of the rows fitted."""
        warn_if_picked(
            self._picked_by,
            TOO_SMALL,
            "Test on rows that the selector has not seen.",
            stacklevel=4,
        )

    def with_priors(self, priors: Any, trained_priors: Any = None) -> Self:
        """Return the same model for a world in which the classes are otherwise common, exactly and without a fit.

        By Bayes' rule log p(k | x) grows by log π_k(new)/π_k(old) up to a term that all classes share: a linear model stays linear,
        with other intercepts, as in the analysis of case-control studies. All else stays as it was fitted.

        Parameters
        ----------
        priors : (K,) in the order of `classes_`, or {label: prior}
        trained_priors : (K,), optional
            Class shares behind the fit; default: those the model knows.

        Examples
        --------
        >>> from separatrix import LogisticRegression
        >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["well", "well", "ill", "ill"])
        >>> rare = model.with_priors({"ill": 0.01, "well": 0.99})
        >>> round(float(rare.intercept_[0] - model.intercept_[0]), 4)  # log(.99/.5) - log(.01/.5), "well" being classes_[1]
        4.5951

        References
        ----------
        Anderson (1972), Separate sample logistic discrimination, Biometrika 59.
        """
        check_is_fitted(self)
        if not self._reweighs:
            name = type(self).__name__
            raise InputError(
                f"{name} has no posteriors that priors could change; calibrate it first: "
                f"separatrix.CalibratedClassifier({name}()).fit(X, y).with_decision(Decision(priors=…))."
            )
        new, old = check_priors(priors, self.classes_), require_priors(self, self.classes_, trained_priors)
        odds = prior_odds(new, old, self.classes_)
        model = copy(self)
        for name, value in self._prior_attributes(new, np.log(np.where(odds > 0, odds, 1.0))).items():
            setattr(model, name, value)
        return model

    def _prior_attributes(self, priors: Floats, shift: Floats) -> dict[str, Any]:
        """Return what changes with the priors: `shift` (K,) is what they add to the scores."""
        return {}

    def state(self) -> State:
        """Return the fitted model as arrays and plain values.

        Returns
        -------
        State
            `type(model).restore(model.state())` is the same model.
        """
        check_is_fitted(self)
        fitted = {name: getattr(self, name) for name in vars(self) if name.endswith("_") and not name.startswith("__")}
        return pack(type(self).__name__, plain_params(self), fitted)

    @classmethod
    def restore(cls, state: State) -> Self:
        """Return the fitted model that a state describes."""
        require_model(state, cls)
        model = cls(**built(state.params))
        for name, value in unpack(state, cls._records).items():
            setattr(model, name, value)
        require_given(model)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def quiet() -> np.errstate:
    """Return the context of a fit: what overflows in it shows in the result, which is refused, and not in numpy's warnings."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


def too_large(model: str) -> InputError:
    """Return the error for a fit that float64 cannot hold."""
    return InputError(
        f"{model} cannot be computed in float64: values or weights are too large, or too far apart, and sums of their squares leave its "
        "range (1e-308 to 1e308). Rescale the columns, for instance with sklearn.preprocessing.StandardScaler, and divide the weights by "
        "their mean."
    )


def finite_or_none(scores: Floats, rows: Any = None) -> NDArray[np.floating] | None:
    """Return scores, in the float type of the rows if given and if it can hold them, or None if one is not finite."""
    if is_foreign(scores):
        return _finite_on_device(scores, rows)  # type: ignore[no-any-return]
    if not np.isfinite(scores).all():
        return None
    if rows is None or rows.dtype != np.float32:
        return scores
    single = scores.astype(np.float32)
    return single if np.isfinite(single).all() else scores  # rows of 1e37 have squared distances beyond float32


def _finite_on_device(scores: Any, rows: Any) -> Any:
    xp = namespace(scores)
    if not bool(xp.all(xp.isfinite(scores))):
        return None
    single = scores if rows is None or rows.dtype != xp.float32 else xp.astype(scores, xp.float32)
    return single if bool(xp.all(xp.isfinite(single))) else scores


def labels_of(codes: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels by their codes: where these lie on another device, labels that are numbers lie there too, texts in NumPy."""
    if isinstance(codes, np.ndarray):
        labels: NDArray[Any] = classes.take(codes)  # twice as fast as an index
        return labels
    if classes.dtype.kind not in "biuf":
        return np.asarray(classes[to_host(codes)])
    return namespace(codes).take(like(classes, codes), codes)  # type: ignore[no-any-return]
