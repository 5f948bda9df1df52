"""What all selectors share: columns kept or left out, with their names, in pipelines, from rows in memory or from files."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..arguments import KnownParameters, require_given
from ..array_types import Bools, Indices
from ..data import Source, as_source
from ..errors import InputError, NoFeatureLeftError
from ..inference.selected_columns import remember
from ..inference.tables import Column, Table
from ..models.registry import built, plain_params, require_model
from ..models.state import State, pack, unpack
from .column_positions import column_name, find_columns, find_groups
from .history import History, Move
from .kept_columns import KeptColumns
from .searched_table import only_columns

RECORDS: dict[str, type] = {"Column": Column, "History": History, "Move": Move, "Table": Table}
"""Classes of values that fitted selectors have and that have fields of their own."""


class Selector(KnownParameters, KeptColumns, BaseEstimator):
    """Base of all selectors. A subclass gives `fit`, which ends with `self._adopt(source, support, attributes)`.

    Attributes
    ----------
    support_ : (p,) booleans, which columns are kept
    n_features_in_, feature_names_in_ : as in scikit-learn
    """

    support_: Bools
    n_features_in_: int
    takes_tables: ClassVar[bool] = False
    """Whether tables with text, gaps or dates are taken as they are; `table_` says whether the fit saw one."""
    _uses_labels: ClassVar[bool] = True
    """Whether columns are picked by the labels, so that what is estimated from the same rows afterwards is too good."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose columns."""
        raise TypeError(f"{type(self).__name__} must define fit")

    def transform(self, X: Any) -> Any:
        """Return the columns kept.

        Parameters
        ----------
        X : array, sparse matrix or frame of n rows, or a table from `open_table`, of which the other columns are then not read

        Returns
        -------
        rows : the same kind of rows (an array for a frame, unless `set_output` asks for frames)
            Of a table with text, gaps or dates a frame of the same kind.
        """
        if getattr(self, "table_", False):
            return only_columns(X, self.get_feature_names_out().tolist())
        if not isinstance(X, Source):
            return super().transform(X)
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if X.n_features != self.n_features_in_ or (names is not None and X.feature_names is not None and [*names] != [*X.feature_names]):
            raise InputError(
                f"The table's columns {list(X.feature_names or range(X.n_features))} are not those of the fit, "
                f"{self.n_features_in_ if names is None else list(names)}; open it with columns=[…] in the order of the fit."
            )
        return X.only(self.get_support(indices=True))

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def _labelled(self, X: Any, y: Any, sample_weight: Any = None) -> Source:
        """Return the source of labelled rows, of two classes at least."""
        if y is None and not isinstance(X, Source):
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: pass one label per row of X, as in fit(X, y)."
            )
        source = as_source(X, y, sample_weight, n_jobs=getattr(self, "n_jobs", None))
        classes = source.classes
        assert classes is not None
        if len(classes) < 2:
            raise InputError(
                f"y holds one class, {classes.tolist()[0]!r}, so no column can tell classes apart; rows of at least two classes are needed."
            )
        return source

    def _find_columns(self, columns: Any, source: Source) -> Indices:
        """Return the positions of columns given by name, number or mask."""
        return find_columns(columns, source.n_features, source.feature_names)

    def _find_groups(self, groups: Any, source: Source) -> dict[str, Indices]:
        """Return the columns of each group, by the group's name."""
        return find_groups(groups, source.n_features, source.feature_names)

    def _names(self, source: Source) -> list[str]:
        """Return the names of all columns, x0, x1, … where there are none."""
        return [column_name(j, source.feature_names) for j in range(source.n_features)]

    def _adopt(self, source: Source | None, support: Bools, attributes: dict[str, Any]) -> Self:
        """Set all fitted attributes at once: whatever fails before this leaves the old selector whole.

        `source` is None where there were no rows, but a summary of them.
        """
        if not support.any():
            raise NoFeatureLeftError(f"No feature is left: {type(self).__name__} dropped all {len(support)}. {self._loosen()}")
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("__")]:
            delattr(self, name)
        self.support_, self.n_features_in_ = support, len(support)
        if source is not None and source.feature_names is not None:
            self.feature_names_in_ = np.array(source.feature_names, dtype=object)
        for name, value in attributes.items():
            setattr(self, name, value)
        if self._uses_labels and source is not None:
            remember(type(self).__name__, source, np.flatnonzero(support))
        return self

    def _loosen(self) -> str:
        """Return what to change where no feature is left."""
        return "Ask for less."

    def state(self) -> State:
        """Return the fitted selector as arrays and plain values.

        Returns
        -------
        State
            `type(selector).restore(selector.state())` is the same selector.
        """
        check_is_fitted(self)
        fitted = {name: value for name, value in vars(self).items() if name.endswith("_") and not name.startswith("__")}
        return pack(type(self).__name__, self._params_to_keep(), fitted)

    def _params_to_keep(self) -> dict[str, Any]:
        return plain_params(self)

    @classmethod
    def restore(cls, state: State) -> Self:
        """Return the fitted selector that a state describes."""
        require_model(state, cls)
        selector = cls(**built(state.params))
        for name, value in unpack(state, RECORDS).items():
            setattr(selector, name, value)
        require_given(selector)
        return selector

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self._uses_labels
        return tags
