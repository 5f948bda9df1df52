"""Every candidate's score equals that of a refit."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import log_loss, zero_one_loss
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, TimeSeriesSplit

from separatrix import (
    BackwardSelection,
    Bootstrap,
    ForwardSelection,
    GaussianNB,
    KFold,
    LeastSquaresClassifier,
    LeaveOneOut,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    open_table,
)
from separatrix.errors import CapacityError
from separatrix.thresholds import moved

MODELS = {
    "lda": LinearDiscriminantAnalysis(),
    "lda mle, priors": LinearDiscriminantAnalysis(covariance="mle", priors=[0.2, 0.3, 0.5]),
    "lda balanced": LinearDiscriminantAnalysis(class_weight="balanced"),
    "lda reliability": LinearDiscriminantAnalysis(weights="reliability"),
    "lda shrunk": LinearDiscriminantAnalysis(shrinkage=0.3),
    "qda": QuadraticDiscriminantAnalysis(),
    "qda unbiased, pooled": QuadraticDiscriminantAnalysis(covariance="unbiased", pooling=0.3, reg_param=0.1),
    "qda balanced": QuadraticDiscriminantAnalysis(pooling=0.2, class_weight="balanced"),
    "naive": GaussianNB(),
    "naive smoothed": GaussianNB(var_smoothing=0.1, ddof=1, class_weight="balanced"),
    "least squares": LeastSquaresClassifier(),
    "ridge": LeastSquaresClassifier(30.0, class_weight="balanced"),
    "numbers": LeastSquaresClassifier(coding="numbers", numbers=[0.0, 3.0, 1.0]),
}
GROUPS = {"pair": [1, 4], "three": [2, 5, 6]}


def make_rows(K=3, n=150, p=8, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(K, n, p=np.array([0.55, 0.3, 0.15])[:K] / np.sum([0.55, 0.3, 0.15][:K]))
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=(K, p))[y] * rng.uniform(0.2, 1.5, K)[y][:, None]
    return X * 10.0 ** rng.integers(-3, 4, p) + 100.0, y, rng.integers(1, 4, n).astype(float)


def brute(model, X, y, weight, splits, columns):
    """Return the mean over splits of log-loss, or of error where there are no posteriors, by refits."""
    found = []
    for train, test in splits:
        more = {} if weight is None else {"sample_weight": weight[train]}
        fitted = clone(model).fit(X[np.ix_(train, columns)], y[train], **more)
        own = None if weight is None else weight[test]
        rows = X[np.ix_(test, columns)]
        if hasattr(fitted, "predict_proba"):
            found.append(log_loss(y[test], fitted.predict_proba(rows), labels=np.unique(y), sample_weight=own))
        else:
            found.append(zero_one_loss(y[test], fitted.predict(rows), sample_weight=own))
    return np.mean(found)


def check_path(selector, X, y, weight, splits, rel=1e-7):
    """Compare every score of every step with a refit."""
    names = {f"x{j}": [j] for j in range(X.shape[1])} | (selector.column_groups or {})
    before = set()
    for move in selector.history_:
        for name, score in move.candidates.items():
            after = before | set(names[name]) if move.action == "in" else before - set(names[name])
            assert score == pytest.approx(brute(selector.estimator, X, y, weight, splits, sorted(after)), rel=rel, abs=1e-9)
        before = set(move.members)


@pytest.mark.parametrize("way", [ForwardSelection, BackwardSelection])
@pytest.mark.parametrize("name", MODELS)
def test_scores_are_those_of_refits(name, way):
    model, (X, y, weight) = MODELS[name], make_rows()
    plan = StratifiedKFold(3)
    metric = "log_loss" if hasattr(model, "predict_proba") else "error"
    selector = way(model, 4, plan=plan, metric=metric).fit(X, y, sample_weight=weight)
    assert selector.method_ == ("fits from moments" if name == "lda shrunk" else "exact algebra")
    check_path(selector, X, y, weight, list(plan.split(X, y)))


@pytest.mark.parametrize("way", [ForwardSelection, BackwardSelection])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("name", ["lda", "qda", "naive", "ridge"])
def test_groups_move_together_and_floating_keeps_scores_exact(name, K, way):
    model, (X, y, _) = MODELS[name], make_rows(K)
    metric, plan = "log_loss" if hasattr(model, "predict_proba") else "error", StratifiedKFold(3)
    selector = way(model, plan=plan, metric=metric, floating=True, column_groups=GROUPS).fit(X, y)
    check_path(selector, X, y, None, list(plan.split(X, y)))
    support = selector.get_support()
    assert all(len(set(support[columns])) == 1 for columns in GROUPS.values())


PLANS = [
    LeaveOneOut(),
    KFold(3, repeats=2, random_state=1),
    ShuffleSplit(2, random_state=0),
    TimeSeriesSplit(2),
    Bootstrap(2, random_state=0),
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: type(plan).__name__)
@pytest.mark.parametrize("name", ["lda", "least squares"])
def test_any_plan(name, plan):
    X, y, _ = make_rows(2, n=60, p=4)
    metric = "log_loss" if name == "lda" else "error"
    selector = ForwardSelection(MODELS[name], 2, plan=plan, metric=metric).fit(X, y)
    check_path(selector, X, y, None, list(plan.split(X, y)))


def test_a_value_far_away_does_not_blur_the_folds_without_it():
    X, y, _ = make_rows(2, n=80, p=4)
    X[0, 1] *= 1e7
    selector = ForwardSelection(LinearDiscriminantAnalysis(), 3, plan=StratifiedKFold(4), metric="log_loss").fit(X, y)
    check_path(selector, X, y, None, list(StratifiedKFold(4).split(X, y)))


def test_many_removals_stay_exact():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 60)) @ rng.normal(size=(60, 60)), rng.integers(0, 2, 300)
    X[:, 0] += y
    selector = BackwardSelection(LinearDiscriminantAnalysis(), 5, plan=StratifiedKFold(2), metric="log_loss").fit(X, y)
    last, splits = selector.history_.moves[-1], list(StratifiedKFold(2).split(X, y))
    assert last.score == pytest.approx(brute(LinearDiscriminantAnalysis(), X, y, None, splits, sorted(last.members)), rel=1e-8)


def test_sparse_rows_and_files_score_as_dense_ones(tmp_path):
    X, y, _ = make_rows(3, n=90, p=5)
    X[np.abs(X - 100) < 0.5] = 0.0
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame.assign(kind=y).to_parquet(tmp_path / "rows.parquet")
    selector = ForwardSelection(LinearDiscriminantAnalysis(), 2, plan=3)
    dense = selector.fit(X, y).history_["score"]
    assert selector.fit(sp.csr_array(X), y).history_["score"] == pytest.approx(dense)
    assert selector.fit(open_table(tmp_path / "rows.parquet", target="kind")).history_["score"] == pytest.approx(dense)
    with moved(0), pytest.raises(CapacityError, match=r"search judges every set .* StepwiseDiscriminant and the filters read a table"):
        selector.fit(open_table(tmp_path / "rows.parquet", target="kind"))


@pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
@pytest.mark.parametrize("name", ["lda", "qda", "naive"])
def test_a_column_that_does_not_vary_within_a_class_is_scored_as_the_model_scores_it(name):
    X, y, _ = make_rows(3, n=90, p=3)
    X = np.column_stack([X, y == 1, np.where(y == 0, 0.5, X[:, 0])])
    plan = StratifiedKFold(3)
    for way in (ForwardSelection, BackwardSelection):
        selector = way(MODELS[name], plan=plan, metric="log_loss").fit(X, y)
        assert selector.method_ == "exact algebra"
        check_path(selector, X, y, None, list(plan.split(X, y)), rel=1e-6)


LOGISTIC = {
    "plain": LogisticRegression(tol=1e-10),
    "strong, balanced": LogisticRegression(C=0.01, class_weight="balanced", tol=1e-10),
    "through the origin": LogisticRegression(fit_intercept=False, tol=1e-10),
}


@pytest.mark.parametrize("way", [ForwardSelection, BackwardSelection])
@pytest.mark.parametrize("name", LOGISTIC)
def test_logistic_fits_side_by_side_are_those_of_refits(name, way):
    X, y, weight = make_rows(2)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    plan = StratifiedKFold(3)
    selector = way(LOGISTIC[name], 3, plan=plan, metric="log_loss", exhaustive=True, column_groups=GROUPS).fit(X, y, sample_weight=weight)
    assert selector.method_ == "refits"
    check_path(selector, X, y, weight, list(plan.split(X, y)), rel=1e-6)


RANKED = [
    (LogisticRegression(), 2),
    (LogisticRegression(), 3),
    (LogisticRegression(C=np.inf), 2),
    (LogisticRegression(l1_ratio=1.0), 2),
    (LinearSVC(), 2),
    (LinearSVC(), 3),
    (LinearSVC(loss="hinge"), 2),
]


@pytest.mark.parametrize("way", [ForwardSelection, BackwardSelection])
@pytest.mark.parametrize(("model", "K"), RANKED, ids=str)
def test_ranked_refits_look_at_few_candidates_and_find_the_columns_that_matter(model, K, way):
    rng = np.random.default_rng(5)
    y = rng.integers(0, K, 120)
    X = rng.normal(size=(120, 7))
    X[:, 3] += 2.0 * y
    X[:, 5] -= 2.0 * (y == 1)
    selector = way(model, 2, plan=3, refits=2).fit(X, y)
    assert selector.method_ == "ranked refits" and selector.get_support(indices=True).tolist() == [3, 5]
    assert all(np.isfinite(list(step.values())).sum() == 2 for step in selector.path_)


def test_every_candidate_can_be_refitted():
    X, y, _ = make_rows(3, n=90, p=4)
    plan = StratifiedKFold(3)
    selector = ForwardSelection(LinearSVC(), 1, plan=plan, exhaustive=True).fit(X, y)
    check_path(selector, X, y, None, list(plan.split(X, y)))


@pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
@pytest.mark.parametrize("way", [ForwardSelection, BackwardSelection])
@pytest.mark.parametrize("name", ["lda", "least squares", "ridge"])
def test_all_indicators_of_a_category_move_together_and_score_as_refits(name, way):
    X, y, _ = make_rows(3, n=120, p=7)
    city = (np.arange(len(y)) // 3 + y // 2) % 3
    X = np.column_stack([X[:, :4], np.eye(3)[city]])
    model, plan, groups = MODELS[name], StratifiedKFold(3), {"city": [4, 5, 6]}
    metric = "log_loss" if hasattr(model, "predict_proba") else "error"
    selector = way(model, plan=plan, metric=metric, column_groups=groups).fit(X, y)
    assert selector.skipped_ == {} and {"city"} <= set(selector.path_[0])
    check_path(selector, X, y, None, list(plan.split(X, y)))
