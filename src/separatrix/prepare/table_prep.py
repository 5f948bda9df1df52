"""TablePrep: a table's columns to numbers, as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..argument_types import check_parameters
from ..data import Source, unchanged
from ..data.columns import ColumnBatch
from ..data.labels import Labels
from ..data.opening import check_weights
from ..data.whole_tables import whole_table
from ..errors import InputError
from ..loading import maker
from ..summaries.table_summary import TableSummary
from .prepared_table import PreparedTable
from .recipe import Recipe
from .wishes import Wishes, mapping_of, wishes_of
from .written_levels import texts_of


class TablePrep(TransformerMixin, BaseEstimator):
    """Make numbers of a table as people have it: text, gaps, dates, identifiers, numbers written as text.

    What is done with each column is learned from the rows of `fit` and stands in `recipe_`; print it.

    Parameters
    ----------
    kinds : {column: kind}, optional
        "number", "category", "ordered", "levels" (many: shares of the classes), "hash", "date", "text", "text hash" or "drop"; default:
        as it looks.
    shapes : {column: shape} or "auto", optional
        "line", "log", "root", "squash", "spline" or "bins"; "auto": splines, or a column per value, for all numbers. Default: lines, after
        a logarithm or root where numbers are extremely skew.
    drop, keep : lists of columns
        To leave out; not to leave out whatever they look like.
    orders : {column: levels in their order}, optional
    references : {column: level}, optional
        Level that the others are compared with; default: the most common one.
    units : {column: (unit, per)}, optional
    interactions : pairs of columns, optional
        Whose products are columns too.
    many_levels : "target" or "hash"
        Columns of many levels: smoothed shares of the classes, or buckets by hash. Without y always the latter.
    most_levels, most_words : int
        Columns that a category and a text may become.
    sparse_output : "auto", True or False
        "auto": sparse where dense rows would take more than 16 megabytes, and sparse ones at most half of them.

    Attributes
    ----------
    recipe_ : Recipe
    feature_names_in_, n_features_in_ : columns of the table

    Notes
    -----
    As scikit-learn's TargetEncoder, `fit_transform(X, y)` is not `fit(X, y).transform(X)` where columns of many levels become shares of the
    classes: a row that was trained on has the shares among other rows, else it would tell its own label.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from separatrix import LogisticRegression, TablePrep
    >>> X = pd.DataFrame({"age": [22, 38, None, 35], "sex": ["m", "f", "f", "m"]})
    >>> prep = TablePrep().fit(X)
    >>> prep.get_feature_names_out().tolist()
    ['age', 'age missing', 'sex = m']
    >>> make_pipeline(TablePrep(), LogisticRegression()).fit(X, ["no", "yes", "yes", "no"]).predict(X).tolist()
    ['no', 'yes', 'yes', 'no']
    """

    recipe_: Recipe
    _gathered: Any = None
    _is_used: bool = False

    def __init__(
        self,
        *,
        kinds: Any = None,
        shapes: Any = None,
        drop: Any = None,
        keep: Any = None,
        orders: Any = None,
        references: Any = None,
        units: Any = None,
        interactions: Any = None,
        many_levels: Literal["target", "hash"] = "target",
        most_levels: int = 40,
        most_words: int = 2_000,
        sparse_output: bool | Literal["auto"] = "auto",
    ) -> None:
        self.kinds = kinds
        self.shapes = shapes
        self.drop = drop
        self.keep = keep
        self.orders = orders
        self.references = references
        self.units = units
        self.interactions = interactions
        self.many_levels = many_levels
        self.most_levels = most_levels
        self.most_words = most_words
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn a recipe.

        Parameters
        ----------
        X : frame, array, or a table from `open_table`
        y : labels, optional
            Only columns of many levels are prepared by them. A table of files has its own.
        sample_weight : (n,) weights, optional
        """
        if isinstance(X, Source):
            self._learn_from_files(X)
        else:
            self._learn(X, y, sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn a recipe, and return the same rows as numbers: shares of classes come from other rows than the row itself.

        For a table of files: a table whose blocks are prepared as they are read.
        """
        if isinstance(X, Source):
            return self._learn_from_files(X)
        batch, recipe = self._learn(X, y, sample_weight)
        return recipe.transform_training(batch, self._sparse)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some more rows: what was seen of the columns is merged.

        The columns that come out are fixed by the first `transform`; after it no more rows are taken. Columns of many levels go into
        buckets by hash, because shares of classes need all rows twice.

        Parameters
        ----------
        X : frame or array
        y, classes : ignored
        sample_weight : (n,) weights, optional
        """
        wishes = self.wishes()
        if self.many_levels == "target" and "levels" in mapping_of(self.kinds, "kinds").values():
            raise InputError("Shares of the classes need all rows at once: use fit, or kind 'hash' with partial_fit.")
        if vars(self).get("_is_used"):
            raise InputError("The columns of this TablePrep are fixed, because it has transformed rows; call fit to learn them anew.")
        batch = whole_table(X)
        summary = TableSummary.of(ColumnBatch(batch.columns, batch.rows, None, check_weights(sample_weight, batch.n_rows)))
        if vars(self).get("_gathered") is not None:
            self._require_same(batch)
            summary = self._gathered.merge(summary)
        recipe = Recipe.learn(summary, wishes)
        self._adopt(recipe, X, batch)
        self._gathered = summary
        return self

    def _require_same(self, batch: ColumnBatch) -> None:
        given, known = [batch.column(j).name for j in range(batch.n_features)], list(self._gathered.names)
        if given != known:
            raise InputError(
                f"X has {len(given)} features, but TablePrep is expecting {len(known)} features as input: {', '.join(known[:8])}; pass the "
                "columns of the first partial_fit, in their order."
            )

    def planned(self, X: Any, y: Any = None) -> Recipe:
        """Return the recipe that `fit` would learn, whether or not a column is left to learn from; this TablePrep stays as it is."""
        other: TablePrep = clone(self)
        if isinstance(X, Source):
            other.fit(X)
            return other.recipe_
        return other._learn(X, y, None, planned=True)[1]

    def _learn(self, X: Any, y: Any, sample_weight: Any, planned: bool = False) -> tuple[ColumnBatch, Recipe]:
        wishes = self.wishes()
        batch = whole_table(X)
        weight = check_weights(sample_weight, batch.n_rows)
        labels = None if y is None else Labels.of(y)
        if labels is not None and len(labels) != batch.n_rows:
            raise InputError(f"X has {batch.n_rows} rows and y {len(labels)} labels; give one label for each row.")
        summary = TableSummary.of(ColumnBatch(batch.columns, batch.rows, None, weight))
        recipe = Recipe.learn(summary, wishes, labels is not None)
        if not planned:
            recipe.require_outputs()
        if labels is not None:
            recipe = recipe.with_statistics(batch, labels.codes(0, len(labels)), weight, labels.classes.tolist())
        self._adopt(recipe, X, batch)
        return batch, recipe

    def _learn_from_files(self, X: Source) -> PreparedTable:
        """Learn a recipe in one pass over files, and count labels in a second one where a column of many levels asks for them."""
        wishes = self.wishes()
        with unchanged(X):
            table: Any = X.as_columns()
            labelled = table.classes is not None
            recipe = Recipe.learn(table.reduce(TableSummary.of), wishes, labelled)
            recipe.require_outputs()
            if labelled and recipe.looks_at_labels:
                for batch in table.blocks():
                    recipe = recipe.with_statistics(batch, batch.codes, batch.weight, table.classes.tolist(), by_place=True)
            self.recipe_, self.n_features_in_ = recipe, table.n_features
            self._gathered, self._is_used = None, False
            self.feature_names_in_ = np.array(table.feature_names, dtype=object)
            return PreparedTable(table, recipe, is_training=True)

    def _adopt(self, recipe: Recipe, X: Any, batch: ColumnBatch) -> None:
        self.recipe_ = recipe
        self._gathered, self._is_used = None, False
        self.n_features_in_ = batch.n_features
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array([batch.column(j).name for j in range(batch.n_features)], dtype=object)
        elif "feature_names_in_" in vars(self):
            del self.feature_names_in_

    def wishes(self) -> Wishes:
        """Return what is asked for, as far as it can be checked without a table."""
        check_parameters(self)
        names = ("kinds", "shapes", "drop", "keep", "orders", "references", "units", "interactions")
        return wishes_of(
            **{name: getattr(self, name) for name in names},
            many_levels=self.many_levels,
            most_levels=self.most_levels,
            most_words=self.most_words,
        )

    @property
    def _sparse(self) -> bool | None:
        if self.sparse_output != "auto":
            return bool(self.sparse_output)
        wanted = vars(self).get("_sklearn_output_config", {}).get("transform") or get_config()["transform_output"]
        return None if wanted == "default" else False  # frames are dense

    def transform(self, X: Any) -> Any:
        """Return the rows of a table as numbers, an array or CSR (n, number of outputs); those of files as they are read."""
        check_is_fitted(self)
        if isinstance(X, Source):
            return PreparedTable(X.with_text(texts_of(self.recipe_)).as_columns(), self.recipe_)
        if self._gathered is not None:
            self._is_used = True
        if "feature_names_in_" not in vars(self) and (given := whole_table(X).n_features) != self.n_features_in_:
            raise InputError(
                f"X has {given} features, but TablePrep is expecting {self.n_features_in_} features as input; pass those it was fitted on."
            )
        return self.recipe_.transform(X, self._sparse)

    @property
    def is_sparse(self) -> bool:
        """Whether rows come out sparse."""
        return self.recipe_.is_sparse if self.sparse_output == "auto" else bool(self.sparse_output)

    @property
    def n_outputs(self) -> int:
        """How many columns of numbers come out."""
        return len(self.recipe_.outputs)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return how the columns of numbers are said."""
        check_is_fitted(self)
        return np.array(self.recipe_.names, dtype=object)

    def state(self) -> Any:
        """Return what was learned as plain values; rows gathered by `partial_fit` are not kept, so that it cannot be continued.

        Returns
        -------
        State
            `TablePrep.restore(prep.state())` transforms the same.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        own = {"n_features_in_": self.n_features_in_, "feature_names_in_": names, **self.recipe_.as_stored()}
        return maker("models.state.pack")(type(self).__name__, maker("models.registry.plain_params")(self), own)

    @classmethod
    def restore(cls, state: Any) -> Self:
        """Return the fitted TablePrep that a state describes."""
        maker("models.registry.require_model")(state, cls)
        found, own = cls(**state.params), maker("models.state.unpack")(state, {})
        found.recipe_ = Recipe.stored(own["recipe_"], own["alerts_"])
        found.n_features_in_, found._is_used = int(own["n_features_in_"]), True
        if own["feature_names_in_"] is not None:
            found.feature_names_in_ = own["feature_names_in_"]
        check_parameters(found)
        found.wishes()
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
