"""Plans hold out what they say, like scikit-learn's splitters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from separatrix.errors import InputError, InputTypeError
from separatrix.evaluation import Bootstrap, HashFold, Holdout, KFold, LeaveOneOut, RandomSubsampling
from separatrix.evaluation.draws import HashedDraws, HeldDraws

Y = np.repeat([0, 1, 2], [30, 20, 10])
X = np.zeros((60, 2))
GROUPS = np.arange(60) // 4
PLANS = [
    Holdout(0.2, random_state=0),
    KFold(5, random_state=0),
    KFold(5, stratified=False, repeats=2, random_state=0),
    KFold(3, grouped=True, random_state=0),
    KFold(3, grouped=True, stratified=False, random_state=0),
    HashFold(4),
    LeaveOneOut(),
    RandomSubsampling(0.1, 7, random_state=0),
    Bootstrap(6, random_state=0),
]


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_training_and_held_out_rows_never_meet(plan: Any) -> None:
    splits = list(plan.split(X, Y, GROUPS))
    assert len(splits) == plan.get_n_splits(X, Y, GROUPS)
    for train, held_out in splits:
        assert len(held_out) and len(train) and not np.intersect1d(train, held_out).size
        assert len(np.union1d(train, held_out)) == 60


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_a_seed_gives_the_same_plan_again(plan: Any) -> None:
    for (a, b), (c, d) in zip(plan.split(X, Y, GROUPS), plan.split(X, Y, GROUPS), strict=True):
        assert_array_equal(a, c)
        assert_array_equal(b, d)


@pytest.mark.parametrize("plan", PLANS[1:7], ids=repr)
def test_every_row_is_held_out_once_per_repeat(plan: Any) -> None:
    for folds in plan.folds(60, Y, GROUPS):
        assert folds.shape == (60,) and folds.min() == 0


def test_stratified_folds_keep_the_shares_of_the_classes() -> None:
    for _, held_out in KFold(5, random_state=1).split(X, Y):
        assert np.bincount(Y[held_out]).tolist() == [6, 4, 2]
    assert np.bincount(Y[next(Holdout(0.2, random_state=0).split(X, Y))[1]]).tolist() == [6, 4, 2]


def test_groups_stay_together() -> None:
    for train, held_out in KFold(3, grouped=True, random_state=0).split(X, Y, GROUPS):
        assert not set(GROUPS[train]) & set(GROUPS[held_out])


def test_hashed_folds_depend_on_the_row_number_alone() -> None:
    plan = HashFold(7, seed=5)
    whole = plan.folds(1000)[0]
    assert_array_equal(np.concatenate([plan.fold_of(0, 333), plan.fold_of(333, 1000)]), whole)
    assert np.bincount(HashFold(7).folds(100_000)[0]).std() < 200
    assert (HashFold(7, seed=6).folds(1000)[0] != whole).any()


def test_a_bootstrap_sees_about_63_percent_of_the_rows() -> None:
    times = Bootstrap(20, random_state=0).resamples(10_000)
    assert (times.sum(axis=1) == 10_000).all()
    assert abs((times > 0).mean() - 0.632) < 0.01


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: KFold(20).folds(60, Y), "Class .*2.* has 10 rows, fewer than the 20 folds.*KFold.10., LeaveOneOut"),
        (lambda: KFold(1).folds(60), "n_splits=1 must be a whole number, at least 2"),
        (lambda: KFold(5, grouped=True).folds(60, Y), "pass groups=, one group per row"),
        (lambda: KFold(5, grouped=True).folds(60, Y, np.zeros(60)), "1 groups cannot be cut into 5 folds"),
        (lambda: KFold(5, repeats=0).folds(60), "repeats=0"),
        (lambda: Holdout(1.5).folds(60), "fraction=1.5 must lie between 0 and 1"),
        (lambda: Holdout(0.99).folds(3), "leaves nothing to train on"),
        (lambda: LeaveOneOut().folds(1), "leaves nothing to train on"),
        (lambda: LeaveOneOut().get_n_splits(), "pass X"),
        (lambda: Bootstrap(0), "n_resamples=0"),
        (lambda: HashFold(1), "n_splits=1 must be a whole number, at least 2"),
    ],
)
def test_impossible_plans_are_refused(action: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        action()


def test_hashed_draws_are_poisson_and_depend_on_seed_row_or_key_and_resample_alone() -> None:
    times = Bootstrap(20, draw="poisson", random_state=3).resamples(20_000)
    share = np.bincount(times.ravel(), minlength=4)[:4] / times.size
    np.testing.assert_allclose(share, np.exp(-1.0) / np.array([1, 1, 2, 6]), atol=2e-3)
    assert abs(np.corrcoef(times)[np.triu_indices(20, 1)]).max() < 0.04
    assert (Bootstrap(20, draw="poisson", random_state=3).resamples(50) == times[:, :50]).all()
    assert not (Bootstrap(20, draw="poisson", random_state=4).resamples(50) == times[:, :50]).all()
    assert isinstance(Bootstrap(2).draws(99_999), HeldDraws) and isinstance(Bootstrap(2).draws(100_000), HashedDraws)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"draw": "poison"}, "draw='poison' is not known; use one of 'multinomial', 'poisson'. Did you mean 'poisson'"),
        ({"key": 3}, "key=3 must be the name of a column"),
        ({"key": "id", "draw": "multinomial"}, "draws single rows, and key= keeps rows together"),
    ],
)
def test_draws_that_cannot_be_are_refused(given: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        Bootstrap(3, **given)
