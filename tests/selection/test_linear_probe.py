"""The linear probe: C by validation rows, test rows untouched until the end, the same on every array library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix import LogisticRegression, probe
from separatrix.errors import InputError
from separatrix.selection.linear_probe import _within_classes
from separatrix.selection.probe_result import Accuracy
from tests.libraries import torch

K = 7


def embeddings(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return np.random.default_rng(0).normal(size=(K, 6))[y] + 0.8 * rng.normal(size=(n, 6)), y


TRAIN, HELD, TEST = embeddings(210, 1), embeddings(140, 2), embeddings(280, 3)


def test_the_model_is_refitted_on_training_and_validation_rows_at_the_best_c() -> None:
    found = probe(*TRAIN, *HELD, *TEST)
    both = np.concatenate([TRAIN[0], HELD[0]]), np.concatenate([TRAIN[1], HELD[1]])
    assert_allclose(found.model.coef_, LogisticRegression(C=found.C).fit(*both).coef_, atol=1e-4)
    assert found.accuracy.top_1 == found.model.score(*TEST)
    at_best = LogisticRegression(C=found.C).fit(*TRAIN).score(*HELD)
    assert_allclose(found.validation.max(), at_best, atol=0.01)
    assert found.gap < 1e-3 and (np.diff(found.Cs) > 0).all()


def test_test_rows_do_not_matter_before_the_end() -> None:
    plain, shuffled = probe(*TRAIN, *HELD, *TEST), probe(*TRAIN, *HELD, TEST[0], TEST[1][::-1])
    assert plain.C == shuffled.C
    assert_allclose(plain.model.coef_, shuffled.model.coef_)


def test_torch_rows_give_what_numpy_rows_give() -> None:
    here = probe(*TRAIN, *HELD, *TEST, few_shot=(1, 4), draws=1)
    there = probe(*(torch(part) for part in (*TRAIN, *HELD, *TEST)), few_shot=(1, 4), draws=1)
    assert here.C == there.C
    assert_allclose(there.model.coef_, here.model.coef_, atol=1e-3)
    for a, b in zip(here.accuracies, there.accuracies, strict=True):
        assert (a.top_1, a.top_5) == (b.top_1, b.top_5)
    assert [(f.name, f.shots) for f in there.few_shot] == [
        ("logistic", 1), ("nearest mean", 1), ("logistic", 4), ("LDA", 4), ("nearest mean", 4)
    ]  # fmt: skip


def test_more_rows_of_each_class_help() -> None:
    found = {(f.name, f.shots): f.mean for f in probe(*TRAIN, *HELD, *TEST, few_shot=(1, 16)).few_shot}
    assert found["logistic", 16] > found["logistic", 1]
    assert found["nearest mean", 16] > found["nearest mean", 1]


def test_folds_stand_in_for_validation_rows() -> None:
    found = probe(*TRAIN)
    assert found.judged_on == "rows held out by folds"
    assert found.accuracy.rows == len(TRAIN[1])
    assert "pass X_test, y_test" in str(found)


def test_it_prints_tables() -> None:
    found = probe(*TRAIN, *HELD, few_shot=(2,), draws=1)
    assert found.judged_on == "validation rows"
    assert [line for line in str(found).splitlines() if line.startswith("nearest mean ")]
    assert "<table" in found._repr_html_() and list(found.tables) == ["accuracy", "sweep", "few shot"]


def test_ranks_and_their_shares() -> None:
    ranks, codes = np.array([0, 0, 4, 5, 0, 0]), np.array([0, 0, 0, 0, 1, 1])
    found = Accuracy.of("x", ranks, codes, 3)
    assert (found.top_1, found.top_5, found.per_class) == (4 / 6, 5 / 6, 0.75)
    assert found.per_class_interval[0] < 0.75 < found.per_class_interval[1]


def test_too_few_rows_for_folds_and_shots_that_are_no_list() -> None:
    with pytest.raises(InputError, match="7 rows are too few for 5 folds; pass validation rows"):
        probe(TRAIN[0][:7], TRAIN[1][:7])
    with pytest.raises(InputError, match="few_shot=3 must be numbers of rows"):
        probe(*TRAIN, few_shot=3)  # type: ignore[arg-type]


def test_draws_are_orders_within_classes() -> None:
    codes = np.array([1, 0, 1, 1, 0])
    places = _within_classes(codes, np.random.default_rng(0))
    assert sorted(places[codes == 1]) == [0, 1, 2] and sorted(places[codes == 0]) == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"X_val": HELD[0]}, "X_val was given without y_val"),
        ({"X_val": HELD[0][:, :3], "y_val": HELD[1]}, "X_val has 3 columns, X has 6"),
        ({"X_val": HELD[0], "y_val": HELD[1][:5]}, "X_val has 140 rows, y_val 5 labels"),
        ({"X_val": HELD[0], "y_val": HELD[1] + 1}, "label 7, of which y has no row"),
        ({"few_shot": (0,)}, "few_shot=.* must be numbers of rows"),
        ({"draws": 0}, "draws=0 must be at least 1"),
    ],
)
def test_what_does_not_fit(arguments: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        probe(*TRAIN, **arguments)


@pytest.mark.parametrize("held", [HELD, (None, None)])
def test_few_shot_runs_never_choose_by_test_rows(held: Any) -> None:
    X, y = TEST
    one, two = (probe(*TRAIN, *held, X, labels, few_shot=(2, 4), draws=2) for labels in (y, y[::-1]))
    assert [f.C for f in one.few_shot if f.name == "logistic"] == [f.C for f in two.few_shot if f.name == "logistic"]
    assert one.few_shot[0].mean != two.few_shot[0].mean


def test_few_shot_runs_are_judged_by_rows_left_over_where_none_are_given() -> None:
    found = probe(*TRAIN, few_shot=(2,), draws=1).few_shot
    assert [f.name for f in found] == ["logistic", "LDA", "nearest mean"] and all(0.0 < f.mean <= 1.0 for f in found)
    with pytest.raises(InputError, match="leave none to choose C and to judge by; pass X_test, y_test"):
        probe(*TRAIN, few_shot=(len(TRAIN[1]),))
