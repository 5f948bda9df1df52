"""The linear probe of embeddings, in one call: C by validation rows, a refit on all of them, accuracies, few-shot runs.

1. C: seven values over twelve decades along one path, then finer around the best, each fit begun at the last (Radford et al. 2021).
2. Refit on training and validation rows; test rows are looked at once, at the end.
3. LDA and nearest means beside it, from one pass.
4. Few-shot: 1, 2, 4, … rows of each class; larger draws contain the smaller ones, so that LDA and nearest means add rows to their summary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..abilities import offered
from ..argument_types import check_arguments
from ..array_types import Floats, Indices, Ints
from ..data import as_rows, as_source
from ..data.labels import Labels
from ..data.namespaces import is_foreign, like, namespace, to_host
from ..errors import InputError
from ..models import LinearDiscriminantAnalysis, LogisticRegression, NearestMean
from .probe_result import Accuracy, FewShot, Probe

COARSE = np.geomspace(1e-6, 1e6, 7)
FINER = (1.0, 0.5, 0.25, 0.125)
"""Decades to either side of the best C, round by round."""
SCORED = 65_536
"""Rows whose scores are held at once."""
FOLDS, FOLDED = 5, "rows held out by folds"


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Rows of any library with the codes of their classes in NumPy."""

    X: Any
    codes: Ints

    def some(self, rows: Indices) -> _Part:
        if not is_foreign(self.X):
            return _Part(self.X[rows], self.codes[rows])
        return _Part(namespace(self.X).take(self.X, like(rows.astype(np.int64), self.X), axis=0), self.codes[rows])

    def beside(self, other: _Part) -> _Part:
        xp = namespace(self.X)
        return _Part(xp.concat([self.X, other.X]), np.concatenate([self.codes, other.codes]))


def probe(
    X: Any,
    y: Any,
    X_val: Any = None,
    y_val: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    *,
    few_shot: Sequence[int] = (),
    draws: int = 3,
    tol: float = 1e-4,
    max_iter: int = 1000,
    random_state: int = 0,
) -> Probe:
    """Fit the linear probe of a set of embeddings and say how good it is.

    Parameters
    ----------
    X, y : (n, p) embeddings and (n,) labels: NumPy, or arrays of torch, CuPy or JAX, which stay on their device
    X_val, y_val : validation rows, which choose C; without them 5-fold cross-validation of the training rows does
    X_test, y_test : test rows, which judge; without them the validation rows or folds do, which is said
    few_shot : numbers of rows of each class, such as (1, 2, 4, 8, 16)
        Without validation and test rows, half of the rows that a draw left choose C and the other half judge.
    draws : int
        Random draws of each of these.
    tol, max_iter : as in `LogisticRegression`
    random_state : int
        Seed of folds and draws.

    Returns
    -------
    Probe
        Prints as tables; `model` is the fitted LogisticRegression.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = probe(X[::2], y[::2], X[1::4], y[1::4], X[3::4], y[3::4])
    >>> found.judged_on, found.accuracy.rows, [a.name for a in found.accuracies]
    ('test rows', 37, ['logistic', 'LDA', 'nearest mean'])

    References
    ----------
    Radford et al. (2021), Learning transferable visual models from natural language supervision, appendix A.3.
    """
    check_arguments(probe, locals())
    shots = _check_shots(few_shot, draws)
    classes, train = _labelled(X, y)
    rng = np.random.default_rng(random_state)
    held = None if X_val is None else _coded(X_val, y_val, classes, "val", train)
    test = None if X_test is None else _coded(X_test, y_test, classes, "test", train)
    settings = {"tol": tol, "max_iter": max_iter, "warm_start": True}
    pairs = _folds(train, rng) if held is None else [(train, held)]
    Cs, shares = _sweep(pairs, settings)
    C = float(Cs[_best(shares)])
    whole = train if held is None else train.beside(held)
    model = LogisticRegression(C=C, tol=tol, max_iter=max_iter).fit(whole.X, classes[whole.codes])
    judged, judged_on, notes = _judging(whole, pairs, held, test)
    candidates: list[tuple[str, Any]] = [
        ("logistic", LogisticRegression(C=C, tol=tol, max_iter=max_iter)),
        ("LDA", LinearDiscriminantAnalysis(shrinkage="oas")),
        ("nearest mean", NearestMean()),
    ]
    codes = np.concatenate([rows.codes for _, rows in judged])
    found = [Accuracy.of(name, _judge(own, judged), codes, len(classes)) for name, own in candidates]
    assert model.solution_ is not None
    gap = model.solution_.gap / max(model.solution_.objective, 1e-300)
    few = _few_shot(train, held, None if judged_on == FOLDED else judged[0][1], shots, draws, rng, settings)
    return Probe(model, C, Cs, shares, gap, tuple(found), judged_on, tuple(few), notes)


def _judging(
    whole: _Part, pairs: list[tuple[_Part, _Part]], held: _Part | None, test: _Part | None
) -> tuple[list[tuple[_Part, _Part]], str, list[str]]:
    """Return rows to fit with rows that judge, what these are called, and what has to be said of them."""
    if test is not None:
        return [(whole, test)], "test rows", []
    if held is not None:
        return pairs, "validation rows", ["C was chosen on the same rows, which flatters a little: pass X_test, y_test."]
    return pairs, FOLDED, ["C was chosen by the same folds, which flatters a little: pass X_test, y_test."]


def _judge(model: Any, judged: list[tuple[_Part, _Part]]) -> Ints:
    """Return the ranks of the rows that judge, each by a fit of the rows beside them."""
    return np.concatenate([_ranks(model.fit(rows.X, rows.codes), own, np.unique(rows.codes)) for rows, own in judged])


def _labelled(X: Any, y: Any) -> tuple[NDArray[Any], _Part]:
    source = as_source(as_rows(X, on_device=True), y)
    assert source.classes is not None
    if len(source.classes) < 2:
        raise InputError(f"y holds one class, {source.classes.tolist()[0]!r}; a probe tells at least two apart.")
    codes = np.concatenate([to_host(block.codes) for block in source.blocks()]).astype(np.int64)
    return source.classes, _Part(X if is_foreign(X) else np.asarray(X), codes)


def _coded(X: Any, y: Any, classes: NDArray[Any], name: str, train: _Part) -> _Part:
    """Return rows to choose or to judge by, coded by the classes of the training rows."""
    if y is None:
        raise InputError(f"X_{name} was given without y_{name}; pass its labels.")
    rows = as_rows(X, on_device=True)
    width = train.X.shape[1]
    if rows.n_features != width:
        raise InputError(f"X_{name} has {rows.n_features} columns, X has {width}; give embeddings of the same network.")
    labels = Labels.of(to_host(y) if is_foreign(y) else y)
    unseen = [label for label in labels.classes.tolist() if label not in set(classes.tolist())]
    if unseen:
        raise InputError(f"y_{name} contains the label {unseen[0]!r}, of which y has no row; a probe knows the classes of y alone.")
    if len(labels) != rows.n_rows:
        raise InputError(f"X_{name} has {rows.n_rows} rows, y_{name} {len(labels)} labels; pass one label per row.")
    return _Part(X if is_foreign(X) else np.asarray(X), labels.coded_by(classes).codes(0, len(labels)).astype(np.int64))


def _sweep(pairs: list[tuple[_Part, _Part]], settings: dict[str, Any]) -> tuple[Floats, Floats]:
    """Return every C tried, increasing, and the share of held-out rows that are right, the mean over pairs of parts."""
    found: dict[float, float] = {}
    models = [LogisticRegression(**settings) for _ in pairs]
    _add(found, COARSE, [_path_shares(model, *pair)[0] for model, pair in zip(models, pairs, strict=True)])
    for decades in FINER:
        best = float(np.array(sorted(found))[_best(np.array([found[C] for C in sorted(found)]))])
        for C in (best * 10.0**-decades, best * 10.0**decades):
            _add(found, np.array([C]), [_share_at(model, C, *pair) for model, pair in zip(models, pairs, strict=True)])
    order = np.array(sorted(found))
    return order, np.array([found[C] for C in order])


def _add(found: dict[float, float], Cs: Floats, shares: list[Floats]) -> None:
    found.update(zip(Cs.tolist(), np.mean(shares, axis=0).tolist(), strict=True))


def _path_shares(model: LogisticRegression, train: _Part, *held: _Part) -> Floats:
    """Return the share of each part's rows that are right (parts, m), for every C of the coarse sweep."""
    path = offered(model.abilities().warm_start).path
    assert path is not None  # LogisticRegression has one
    source = as_source(as_rows(train.X, on_device=True), train.codes)
    known = np.unique(train.codes)
    return np.array([[_share(_ranks(fitted, own, known)) for own in held] for fitted in path(source, COARSE)]).T


def _share_at(model: LogisticRegression, C: float, train: _Part, held: _Part) -> Floats:
    model.set_params(C=C).fit(train.X, train.codes)
    return np.array([_share(_ranks(model, held, np.unique(train.codes)))])


def _share(ranks: Ints) -> float:
    return float((ranks < 1).mean())


def _best(shares: Floats) -> int:
    """Return the place of the largest share, the first among equals: the strongest penalty that does as well."""
    return int(shares.argmax())


def _ranks(model: Any, part: _Part, known: Ints | None = None) -> Ints:
    """Return how many classes score above each row's own, block by block; of a class that the model does not know, all of them do."""
    ranks, n = [], len(part.codes)
    places = part.codes if known is None else np.where(np.isin(part.codes, known), np.searchsorted(known, part.codes), -1)
    for begin in range(0, n, SCORED):
        end = min(begin + SCORED, n)
        scores, own = model.decision_function(part.X[begin:end, :]), places[begin:end]
        xp = namespace(scores)
        if scores.ndim == 1:
            above = to_host(scores > 0) != (own == 1)
            ranks.append(above.astype(np.int64))
            continue
        codes = like(np.maximum(own, 0), scores)
        higher = xp.sum(xp.astype(scores > xp.take_along_axis(scores, codes[:, None], axis=1), xp.int64), axis=1)
        ranks.append(np.where(own < 0, scores.shape[1], to_host(higher)))
    return np.concatenate(ranks)


def _folds(train: _Part, rng: np.random.Generator) -> list[tuple[_Part, _Part]]:
    """Return training and held-out rows of each fold; the rows of a class are spread over all of them."""
    if len(train.codes) < 2 * FOLDS:
        raise InputError(f"{len(train.codes)} rows are too few for {FOLDS} folds; pass validation rows, X_val and y_val.")
    order = rng.permutation(len(train.codes))
    order = order[np.argsort(train.codes[order], kind="stable")]
    fold = np.empty(len(order), dtype=np.int64)
    fold[order] = np.arange(len(order)) % FOLDS
    return [(train.some(np.flatnonzero(fold != k)), train.some(np.flatnonzero(fold == k))) for k in range(FOLDS)]


def _check_shots(few_shot: Sequence[int], draws: int) -> list[int]:
    listed = isinstance(few_shot, Sequence | np.ndarray) and not isinstance(few_shot, str)
    shots: list[Any] = list(dict.fromkeys(few_shot)) if listed else []
    if not listed or any(isinstance(s, bool) or not isinstance(s, int | np.integer) or s < 1 for s in shots):
        raise InputError(f"few_shot={few_shot!r:.60} must be numbers of rows of each class, such as (1, 2, 4, 8, 16).")
    if draws < 1:
        raise InputError(f"draws={draws} must be at least 1.")
    return sorted(int(s) for s in shots)


def _few_shot(
    train: _Part, held: _Part | None, test: _Part | None, shots: list[int], draws: int, rng: np.random.Generator, settings: dict[str, Any]
) -> list[FewShot]:
    """Return accuracies of fits on so many rows of each class; a class with fewer gives all it has.

    C is chosen on validation rows, without them on the training rows that were not drawn; never on rows that judge.
    """
    found: dict[tuple[str, int], list[Floats]] = {}
    known = np.arange(train.codes.max() + 1)
    for _ in range(draws if shots else 0):
        order = _within_classes(train.codes, rng)
        lda, nearest = LinearDiscriminantAnalysis(shrinkage="oas"), NearestMean()
        for before, s in pairwise([0, *shots]):
            some, more = train.some(np.flatnonzero(order < s)), train.some(np.flatnonzero((order >= before) & (order < s)))
            rest = np.flatnonzero(order >= s)
            choosers = held if held is not None else train.some(rest) if len(rest) else some
            choosers, judges = _halves(train, rng.permutation(rest), s) if test is None else (choosers, test)
            found.setdefault(("logistic", s), []).append(_path_shares(LogisticRegression(**settings), some, choosers, judges))
            for name, model in (("LDA", lda), ("nearest mean", nearest)):
                if name == "LDA" and s == 1:
                    continue  # one row of each class has no covariance
                new = more if hasattr(model, "classes_") else some
                model.partial_fit(new.X, new.codes, classes=known)
                found.setdefault((name, s), []).append(np.full((2, 1), _share(_ranks(model, judges))))
    rows = []
    for (name, s), shares in sorted(found.items(), key=lambda item: (item[0][1], item[0][0] != "logistic", item[0][0])):
        chosen, right = np.array(shares).transpose(1, 0, 2)
        best = _best(chosen.mean(axis=0))
        rows.append(FewShot(name, s, float(COARSE[best]) if name == "logistic" else float("nan"), right[:, best]))
    return rows


def _halves(train: _Part, rest: Indices, shots: int) -> tuple[_Part, _Part]:
    """Return the rows that a draw left in two halves: those that choose C and those that judge."""
    if len(rest) < 2:
        raise InputError(f"few_shot: {shots} rows of each class leave none to choose C and to judge by; pass X_test, y_test.")
    return train.some(rest[::2]), train.some(rest[1::2])


def _within_classes(codes: Ints, rng: np.random.Generator) -> Ints:
    """Return the place of each row in a random order of the rows of its class."""
    order = rng.permutation(len(codes))
    by_class = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes)
    places = np.empty(len(codes), dtype=np.int64)
    places[by_class] = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places
