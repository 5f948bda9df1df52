"""A table whose rows become numbers on the way to a model's scores: the model in terms of these numbers, and what they stand for.

A pipeline with encoders or vectorizers, and naive Bayes on tables, score numbers that the table does not hold: whether a column has a
level, how much of a word a text has. `encoded` returns the same model as one of these numbers, the parts, and `Terms` that add them up
again to columns of the table and to words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing

from ..abilities import Abilities, abilities_of, offered
from ..abilities.additive_scores import AdditiveScores, LinearScores
from ..abilities.parts import Reading
from ..array_types import Bools, Floats, Indices
from ..data import Block
from ..data.opening import is_frame
from ..errors import InputError, InputTypeError
from ..prepare.table_columns import TableColumns
from .explained_rows import call_model
from .model_views import inside, view_of
from .part_scores import in_parts
from .pipelines import Columns, Levels, Part, Trace

DUST = 1e-12  # of a word that is not there, scaled and scaled back


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """What the r parts of a row stand for.

    Attributes
    ----------
    names : of the T terms: columns of the table, then words
    parts : (r,) Part
    term : (r,) the term of each part
    columns : (T,) the table's column of each term; −1 for words
    levels : {term: Levels}, their parts numbered as here
    """

    names: list[str]
    parts: list[Part]
    term: Indices
    columns: Indices
    levels: dict[int, Levels]

    @classmethod
    def of(cls, trace: Trace, used: Indices) -> Terms:
        """Return the terms of the parts used."""
        own = [j for j in range(len(trace.names)) if j not in trace.texts]
        parts = [trace.parts[i] for i in used]
        place = {j: t for t, j in enumerate(own)}
        words = [i for i, part in enumerate(parts) if part.column < 0]
        term = np.array([place.get(part.column, -1) for part in parts], dtype=np.intp)
        term[words] = len(own) + np.arange(len(words))
        names = [trace.names[j] for j in own] + [parts[i].name for i in words]
        levels = {}
        for column, known in trace.levels.items():
            mine = np.flatnonzero(np.isin(known.parts, used))
            here = np.searchsorted(used, known.parts[mine])
            if column in place and known.values and set(here.tolist()) == set(np.flatnonzero(term == place[column]).tolist()):
                levels[place[column]] = Levels(known.values, known.patterns[:, mine], here, known.told)
        return cls(names, parts, term, np.array([*own, *[-1] * len(words)], dtype=np.intp), levels)

    @property
    def words(self) -> Bools:
        """Which parts are words, (r,)."""
        return np.array([part.kind == "word" for part in self.parts], dtype=bool)

    @property
    def numbers(self) -> dict[int, int]:
        """The part of each term that is a column of numbers as it is, perhaps beside a part that says where it is missing."""
        values = np.array([part.kind != "missing" for part in self.parts], dtype=bool)
        alone = np.bincount(self.term[values], minlength=len(self.names)) == 1
        there = [(int(self.term[i]), i) for i, part in enumerate(self.parts) if part.kind == "number"]
        return {t: i for t, i in there if alone[t] and t not in self.levels}

    def gaps(self, x: Floats) -> set[int]:
        """Return the terms whose value is marked as missing in a row of parts."""
        return {int(self.term[i]) for i, part in enumerate(self.parts) if part.kind == "missing" and x[i] > 0}

    def with_switches(self, rows: Any, kept: Bools) -> Terms:
        """Return terms in which columns that are 0 or 1 in all rows of parts have these two levels; those in `kept` (T,) stay numbers."""
        levels = dict(self.levels)
        for t, i in self.numbers.items():
            values = _column(rows, i)
            away = np.minimum(np.abs(values), np.abs(values - 1.0))
            if not kept[t] and len(values) > 1 and float(away.max()) < 1e-9:  # scaled and scaled back, a 1 may have become 0.9999999
                parts = np.flatnonzero(self.term == t)
                levels[t] = Levels(["0", "1"], np.outer([0.0, 1.0], parts == i), parts)
        return replace(self, levels=levels)

    def ranges(self, rows: Any) -> dict[int, tuple[float, float]]:
        """Return the smallest and the largest value of each term that is a number."""
        return {t: (float(_column(rows, i).min()), float(_column(rows, i).max())) for t, i in self.numbers.items()}

    def folded(self, values: Any) -> Any:
        """Return values of parts (n, r) added up by term, (n, T); sparse if they are."""
        r = len(self.parts)
        indicator = sp.csr_array((np.ones(r), (np.arange(r), self.term)), shape=(r, len(self.names)))
        return values @ indicator


def _column(rows: Any, i: int) -> Floats:
    own = rows[:, [i]]
    return np.asarray(own.toarray() if sp.issparse(own) else own)[:, 0]


class EncodedModel(BaseEstimator):
    """A fitted model of parts: a classifier to those that ask, which cannot be fitted itself.

    Attributes
    ----------
    last : the model of the numbers
    prepared : whether a recipe prepared the table's columns
    unused : columns of the table that the steps leave out
    """

    last: Any
    prepared: bool
    unused: tuple[str, ...]

    def fit(self, X: Any, y: Any) -> None:
        """Refuse."""
        raise TypeError("A model of parts stands for a fitted one; fit that.")

    def __sklearn_is_fitted__(self) -> bool:
        return True


class EncodedPipeline(EncodedModel):
    """A fitted pipeline as a model of the parts of its rows.

    Parameters
    ----------
    pipeline : whose last step has scores that add up over its columns
    trace : of its steps
    """

    def __init__(self, pipeline: Any, trace: Trace) -> None:
        (label, last), self.pipeline = pipeline.steps[-1], pipeline
        inner, columns = view_of(last), trace.columns
        takes = inner.weights.shape[1] if isinstance(inner, LinearScores) else int(last.n_features_in_)
        if takes != len(columns):
            raise InputTypeError(
                f"The steps before {label!r} seem to give {len(columns)} columns, and it takes {takes}, so that weights "
                "cannot be carried back to the table's columns; explain the last step on the transformed columns."
            )
        used, self.first, part = np.unique(columns.part, return_index=True, return_inverse=True)
        self.columns = Columns(part, columns.factor, columns.shift)
        self.terms = Terms.of(trace, used)
        self.last, self.classes_, self.n_features_in_, self.prepared = last, pipeline.classes_, len(used), trace.prepared
        own = np.bincount(self.terms.term, minlength=len(self.terms.names))
        self.unused = tuple(name for name, parts in zip(self.terms.names, own, strict=True) if parts == 0)
        self._scores = in_parts(inner, self.columns, len(used))

    def abilities(self) -> Abilities:
        """Return that the scores add up over the parts."""
        none = Abilities.none(self, "it stands for a fitted pipeline")
        return replace(none, reading=Reading("scores of the parts", lambda: self._scores))

    def encode(self, X: Any, name: str = "X") -> Any:
        """Return the parts of rows, (n, r), sparse where the steps make sparse rows."""
        try:
            Z = self.pipeline[:-1].transform(X)
        except (ValueError, TypeError, KeyError, AttributeError) as error:  # names: raised by steps of others
            raise InputError(f"The steps of the pipeline cannot take {name}: {error}") from error
        Z = Z.to_numpy() if hasattr(Z, "to_numpy") else Z
        factor, shift = self.columns.factor[self.first], self.columns.shift[self.first]
        if sp.issparse(Z):
            Z = sp.csr_array(Z)[:, self.first]
            if not shift.any():
                return sp.csr_array(Z @ sp.diags_array(1.0 / factor))
            Z = Z.toarray()
        else:
            Z = np.asarray(Z, dtype=np.float64)[:, self.first]
        found = (Z + shift) / factor
        on = np.array([part.kind in ("level", "missing") for part in self.terms.parts], dtype=bool)
        found[:, on] = np.round(found[:, on]) + 0.0  # scaled and scaled back, 1 may have become 0.9999999, and 0 a −0
        words = self.terms.words
        found[:, words] = np.where(np.abs(found[:, words]) < DUST, 0.0, found[:, words])  # nor is a word there that was not
        return found

    def __getattr__(self, name: str) -> Any:
        if name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
            method = getattr(self.last, name)
            return lambda U: method(U[:, self.columns.part] * self.columns.factor - self.columns.shift)
        raise AttributeError(name)


class CodedNaiveBayes(EncodedModel):
    """Naive Bayes on a table as a model of coded columns: numbers as they are, categories by their positions.

    Parameters
    ----------
    model : naive Bayes
    names : of the columns, where the model does not know them
    before : steps that choose among the table's columns and clean them, if there are any
    """

    def __init__(self, model: Any, names: Sequence[str] | None, before: Any = None) -> None:
        known = getattr(model, "feature_names_in_", names)
        p = int(model.n_features_in_)
        own = [f"x{j}" for j in range(p)] if known is None or len(known) != p else [str(name) for name in known]
        self.model, self.last, self.before, self.classes_, self.n_features_in_ = model, model, before, model.classes_, p
        self.prepared = before is not None
        kinds = model.kinds_.tolist()
        parts = [Part(name, j, "code" if kind == "categorical" else "other") for j, (name, kind) in enumerate(zip(own, kinds, strict=True))]
        every = own if before is None else [step.column for step in before[0].recipe_.steps]
        self.unused = tuple(name for name in every if name not in own)
        self.terms = Terms(own, parts, np.arange(p), np.array([every.index(name) for name in own], dtype=np.intp), {})

    def abilities(self) -> Abilities:
        """Return that the scores add up over the codes."""
        none = Abilities.none(self, "it stands for a fitted model of a table")
        return replace(none, reading=Reading("each column adds its log-likelihood ratio", self._scores))

    def _scores(self) -> AdditiveScores:
        return offered(abilities_of(self.model).reading).reading()

    def encode(self, X: Any, name: str = "X") -> Floats:
        """Return the codes of rows."""
        code = self._scores().coded
        rows = X if self.before is None else self.before.transform(X)
        return np.asarray(rows if code is None else code(rows))

    def predict_log_proba(self, U: Floats) -> Floats:
        """Return log posteriors of coded rows."""
        scores = self._scores().scores(Block(U))
        return np.asarray(log_softmax(scores, axis=1))

    def predict_proba(self, U: Floats) -> Floats:
        """Return posteriors of coded rows."""
        return np.exp(self.predict_log_proba(U))

    def predict(self, U: Floats) -> NDArray[Any]:
        """Return labels of coded rows."""
        return np.asarray(self.classes_[self.predict_log_proba(U).argmax(axis=1)])


def encoded_model(model: Any, X: Any) -> tuple[Any, EncodedPipeline | CodedNaiveBayes] | None:
    """Return a model of parts, with its decision around it, and the encoding; None where the model scores the table's own numbers."""
    own = inside(model)
    found = _encoded(getattr(own, "pipeline_", own), column_labels(X))
    if found is None or own is model:
        return None if found is None else (found, found)
    return offered(abilities_of(model).decision).around(found), found


def _encoded(own: Any, names: list[str] | None) -> EncodedPipeline | CodedNaiveBayes | None:
    reading = abilities_of(own).reading
    if reading and reading.coded:
        return CodedNaiveBayes(own, names)
    if not hasattr(own, "named_steps"):
        return None
    if isinstance(own.steps[0][1], TableColumns):
        return _behind_columns(own)
    trace = Trace.through(own, names)
    return None if trace.is_plain else EncodedPipeline(own, trace)


def _behind_columns(pipeline: Any) -> CodedNaiveBayes:
    """Return the naive Bayes behind the step that hands a table's columns on as they are."""
    last = pipeline.steps[-1][1]
    reading = abilities_of(last).reading
    if not reading or not reading.coded:
        raise InputTypeError(
            f"{type(last).__name__} reads the table's columns in a way that does not add up over them, so that it cannot be explained "
            "column by column; explain a linear model of the same table, such as TableClassifier(LogisticRegression())."
        )
    return CodedNaiveBayes(last, None, pipeline[:-1])


def column_labels(X: Any) -> list[str] | None:
    """Return the names of a frame's columns, or None."""
    columns = getattr(X, "column_names", X.columns) if is_frame(X) else None  # an Arrow table's `columns` are the columns themselves
    return None if columns is None or callable(columns) or not all(isinstance(name, str) for name in columns) else list(columns)


def check_encoding(model: Any, around: Any, X: Any, parts: Any, rows: Sequence[int]) -> None:
    """Raise an error where the model of the parts answers otherwise than the model itself."""
    theirs = call_model(model, "predict", _safe_indexing(X, list(rows)))
    dense = parts[list(rows)].toarray() if sp.issparse(parts) else parts[list(rows)]
    ours = call_model(around, "predict", dense)
    if not np.array_equal(theirs, ours):
        raise InputTypeError(
            f"{type(inside(model)).__name__} decides otherwise than the columns it is made of, so that it cannot be explained."
        )
