"""The summary, the criteria and the path of LogisticRegression: tables agree with each other, bad input is told what to do."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.stats import chi2, norm
from sklearn.exceptions import NotFittedError

from separatrix.errors import CapacityError, InputError, SingularWarning
from separatrix.inference.logistic import pseudo_inverse
from separatrix.inference.logistic_leave_one_out import approximate_leave_one_out
from separatrix.models.logistic import LogisticRegression
from separatrix.selection.penalty_path import regularisation_path
from separatrix.solvers.solution import ConvergenceWarning, SeparableWarning
from tests.models.test_logistic import Streamed
from tests.solvers.problems import make_rows

CLASSES = pytest.mark.parametrize("K", [2, 3])
NAMES = ["age", "dose", "size"]


def made(K: int = 2, n: int = 90, **parameters: Any) -> tuple[Any, Any, Any]:
    X, y = make_rows(n=n, p=3, K=K)
    frame, labels = pd.DataFrame(X, columns=NAMES), np.array(["a", "b", "c"])[y]
    return frame, labels, LogisticRegression(**{"C": np.inf, "tol": 1e-8, **parameters}).fit(frame, labels)


@CLASSES
def test_with_and_without_rows_agree(K: int) -> None:
    X, y, model = made(K)
    short, full = model.summary(), model.summary(X, y)
    for name in ("fit", "coefficients", "odds_ratios"):
        for column, values in full[name].to_dict().items():
            if isinstance(values[0], str):
                assert values == short[name][column]
            else:
                assert_allclose(short[name][column], values, rtol=1e-6)
    assert list(full) == ["fit", "tests", "coefficients", "odds_ratios", "collinearity", "influence"]
    assert list(short) == ["fit", "tests", "coefficients", "odds_ratios"]
    assert "(intercept)" in full.text and "<table>" in full.html and "dose" in full.html


@CLASSES
def test_coefficients_are_those_of_the_model_against_the_first_class(K: int) -> None:
    _, _, model = made(K)
    table = model.summary()["coefficients"]
    W, b = model._per_class()
    expected = np.column_stack([b[1:] - b[0], W[1:] - W[0]]).ravel()
    assert_allclose(table["estimate"], expected, rtol=1e-8)
    own = ["(intercept)", *NAMES]
    assert table["coefficient"] == (own if K == 2 else [f"{c}: {name}" for c in "bc" for name in own])
    half = norm.ppf(0.975) * np.array(table["std. error"])
    assert_allclose(table["upper 95 %"], expected + half, rtol=1e-8)
    odds = model.summary(level=0.9)["odds_ratios"]
    kept = [i for i, name in enumerate(table["coefficient"]) if not name.endswith("(intercept)")]
    assert_allclose(odds["odds ratio"], np.exp(expected[kept]))
    assert_allclose(odds["lower 90 %"], np.exp((expected - half * norm.ppf(0.95) / norm.ppf(0.975))[kept]))


@CLASSES
def test_profiles_robust_errors_and_terms_on_request(K: int) -> None:
    X, y, model = made(K)
    found = model.summary(X, y, intervals="profile", covariance="robust", terms={"drug": ["dose", 2], "age": "age"})
    plain = model.summary(X, y)["coefficients"]
    table = found["coefficients"]
    assert_allclose(table["lower 95 %"], plain["lower 95 %"], atol=2 * max(plain["std. error"]))
    assert table["std. error"] != plain["std. error"] and "robust" in found.notes[-1]
    assert (np.array(table["lower 95 %"]) < table["estimate"]).all()
    assert found["terms"]["term"] == ["drug", "age"] and found["terms"]["df"] == [2 * (K - 1), K - 1]
    if K == 2:
        assert found["terms"].row("age")["LR χ²"] == pytest.approx(table.row("age")["LR χ²"], rel=1e-6)
    ratio = 2 * (model.log_likelihood() - LogisticRegression(C=np.inf).fit(X[["age"]], y).log_likelihood())
    assert found["terms"].row("drug")["LR χ²"] == pytest.approx(ratio, rel=1e-5)
    assert found["terms"].row("drug")["Pr > χ² (LR)"] == pytest.approx(chi2.sf(ratio, 2 * (K - 1)), rel=1e-4)


@CLASSES
def test_weights_are_repetitions_and_roads_agree(K: int) -> None:
    X, y, _ = made(K)
    w = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y, sample_weight=w)
    repeated = LogisticRegression(C=np.inf, tol=1e-8).fit(np.repeat(X.to_numpy(), w, axis=0), np.repeat(y, w))
    expected = repeated.summary().to_dict()
    for found in (weighted.summary(), weighted.summary(X, y, w)):
        assert_allclose(found["coefficients"]["std. error"], expected["coefficients"]["std. error"], rtol=1e-5)
        assert_allclose(found["fit"]["value"], expected["fit"]["value"], rtol=1e-8)
    sparse = LogisticRegression(C=np.inf, tol=1e-8).fit(sp.csr_array(X.to_numpy()), y, sample_weight=w)
    other = sparse.summary(sp.csr_array(X.to_numpy()), y, w)
    assert_allclose(other["coefficients"]["std. error"], expected["coefficients"]["std. error"], rtol=1e-5)


def test_rows_that_are_read_block_by_block() -> None:
    X, y = make_rows(n=90, p=3)
    table = Streamed(X, y)
    found = LogisticRegression(C=np.inf, tol=1e-8).fit(table).summary(table)
    expected = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y).summary(X, y)
    assert_allclose(found["coefficients"]["std. error"], expected["coefficients"]["std. error"], rtol=1e-5)
    assert found["influence"]["row"] == expected["influence"]["row"]


@CLASSES
def test_without_intercept(K: int) -> None:
    X, y, model = made(K, fit_intercept=False)
    found = model.summary(X, y, intervals="profile")
    assert len(found["coefficients"]) == model.n_parameters_ == 3 * (K - 1)
    assert np.isfinite(found["coefficients"]["upper 95 %"]).all() and model.influence(X, y).dfbetas.shape == (90, K - 1, 3)
    assert found["fit"].row("null deviance")["value"] == pytest.approx(2 * 90 * np.log(K))


@CLASSES
def test_firth_has_profile_intervals_of_the_penalised_likelihood(K: int) -> None:
    X, y, model = made(K, n=40, C=1.0, firth=True)
    found = model.summary(X, y)
    assert "Firth" in found.title and "LR χ²" in found["coefficients"].to_dict() and "not maximised" in found.notes[0]
    wald = model.summary(X, y, intervals="wald")["coefficients"]
    assert wald["estimate"] == found["coefficients"]["estimate"] and wald["upper 95 %"] != found["coefficients"]["upper 95 %"]
    assert model.summary()["tests"]["test"] == ["Wald"] and model.aic() == pytest.approx(model.aic(X, y))
    assert model.log_likelihood() < LogisticRegression(C=np.inf).fit(X, y).log_likelihood()


@CLASSES
def test_a_penalised_fit_has_effective_parameters_and_no_p_values(K: int) -> None:
    X, y, model = made(K, C=0.5)
    found = model.summary(X, y)
    assert list(found["coefficients"].to_dict()) == ["coefficient", "estimate"]
    assert "p-values and intervals do not apply: this fit has a penalty (C=0.5)" in found.notes[0]
    k = model.effective_parameters(X, y)
    assert K - 1 < k < 4 * (K - 1) and found["fit"].row("effective parameters")["value"] == k
    assert model.aic(X, y) == pytest.approx(2 * k - 2 * model.log_likelihood(X, y))
    assert not hasattr(model, "n_parameters_")
    near = LogisticRegression(C=1e9).fit(X, y).effective_parameters(X, y)
    assert near == pytest.approx(4 * (K - 1), abs=1e-4)
    assert LogisticRegression(C=1e-9).fit(X, y).effective_parameters(X, y) == pytest.approx(K - 1, abs=1e-4)


@CLASSES
def test_l1_parameters_are_counted(K: int) -> None:
    X, y, model = made(K, C=0.05, l1_ratio=1.0, tol=1e-4)
    assert model.n_parameters_ == np.count_nonzero(model.coef_) + K - 1 == model.effective_parameters(X, y)
    mixed = made(K, C=0.05, l1_ratio=0.5, tol=1e-4)[2]
    assert K - 1 <= mixed.effective_parameters(X, y) <= np.count_nonzero(mixed.coef_) + K - 1


def test_class_weights_have_no_p_values() -> None:
    X, y, model = made(class_weight="balanced")
    assert "this fit has class weights" in model.summary(X, y).notes[0]
    with pytest.raises(InputError, match="This fit has class weights and keeps no information"):
        model.summary()
    with pytest.raises(InputError, match="this fit has class weights. Use C=np.inf without class weights"):
        model.influence(X, y)


def test_state_and_pickle_keep_the_summary() -> None:
    _, _, model = made(3)
    for other in (LogisticRegression.restore(model.state()), pickle.loads(pickle.dumps(model))):
        assert other.summary().text == model.summary().text


@CLASSES
def test_the_path_against_single_fits_and_brute_force(K: int) -> None:
    X, y = make_rows(n=120, p=3, K=K)
    path = regularisation_path(X, y, Cs=[1.0, 0.1])
    assert path.Cs.tolist() == [0.1, 1.0] and path.best("bic") in path.Cs
    for i, C in enumerate(path.Cs):
        model = LogisticRegression(C=C, tol=1e-8).fit(X, y)
        assert_allclose(path.coef[i], model.coef_, atol=1e-5)
        assert_allclose([path.aic[i], path.bic[i]], [model.aic(X, y), model.bic(X, y)], rtol=1e-6)
    exact = []
    for row in range(120):
        kept = np.arange(120) != row
        exact.append(-LogisticRegression(C=1.0).fit(X[kept], y[kept]).predict_log_proba(X[[row]])[0, y[row]])
    # One step is too kind to rows that fit badly: make_rows relabels its first ones, which here is most of the difference.
    assert path.log_loss[1] < path.leave_one_out[1] < np.mean(exact)
    assert path.leave_one_out[1] == pytest.approx(np.mean(exact), rel=0.0016 / 0.3641)
    assert "leave-one-out" in str(path) and "<table>" in path._repr_html_()


def test_a_row_that_carries_its_own_estimate_is_left_out_by_a_refit() -> None:
    X, y = make_rows(n=40, p=2)
    X, y[5] = np.column_stack([X, 0.1 * np.random.default_rng(0).standard_normal(40)]), 0
    X[5, 2] = 10.0
    path = regularisation_path(X, y, Cs=[100.0], tol=1e-8)
    model = LogisticRegression(C=100.0, tol=1e-8).fit(X, y)
    objective, theta, penalty = model.abilities().likelihood.penalised(model._rows_of_fit(X, y, None))
    step = approximate_leave_one_out(objective, theta, pseudo_inverse(40 * objective.curved(theta)[2] + np.diag(penalty))[0])
    assert path.refitted.tolist() == [1] and np.flatnonzero(step.is_doubtful).tolist() == [5]
    kept = np.arange(40) != 5
    other = LogisticRegression(C=100.0, tol=1e-8).fit(X[kept], y[kept])
    losses = step.losses.copy()
    losses[5] = -other.predict_log_proba(X)[5, y[5]]
    assert path.leave_one_out[0] == pytest.approx(losses.mean(), rel=1e-5)
    assert abs(losses[5] - step.losses[5]) > 0.1


@CLASSES
def test_the_path_of_l1_counts_what_is_not_zero(K: int) -> None:
    X, y = make_rows(n=60, p=3, K=K)
    path = regularisation_path(X, y, Cs=[1e-5, 0.2], l1_ratio=1.0, tol=1e-4)
    assert path.parameters.tolist() == [np.count_nonzero(coef) + K - 1 for coef in path.coef]
    assert path.parameters[0] == K - 1 < path.parameters[1] and (path.leave_one_out > path.log_loss).all()


def test_the_path_refuses_what_it_cannot_use() -> None:
    X, y = make_rows(n=30)
    with pytest.raises(InputError, match=r"Cs=\[0, 1\] must be positive numbers up to 1e100"):
        regularisation_path(X, y, Cs=[0, 1])
    with pytest.raises(InputError, match="by='aicc' is not known.*Did you mean 'aic'"):
        regularisation_path(X, y, Cs=[1.0]).best("aicc")  # type: ignore[arg-type]


def test_an_unfitted_model() -> None:
    for call in (lambda m: m.summary(), lambda m: m.aic(), lambda m: m.influence([[1.0]], [0])):
        with pytest.raises(NotFittedError):
            call(LogisticRegression())


BAD_CALLS: list[tuple[dict[str, Any], str]] = [
    ({"intervals": "profil"}, "intervals='profil' is not known.*Did you mean 'profile'"),
    ({"covariance": "hc0"}, "covariance='hc0' is not known; use one of 'information', 'robust'"),
    ({"level": 95}, "level=95 must be a number between 0 and 1"),
    ({"terms": {"t": ["doze"]}}, "Term 't' has no column 'doze'. Did you mean 'dose'"),
    ({"terms": {"t": [7]}}, "Term 't' has no column 7"),
    ({"terms": {"t": []}}, "Term 't' has no columns"),
    *(({"terms": wrong}, "terms=.* must be a dict of columns") for wrong in (0.5, ["dose"], {"t": 2}, {"t": [0.5]}, {"t": None})),
]


@pytest.mark.parametrize(("options", "message"), BAD_CALLS, ids=str)
def test_bad_choices(options: dict[str, Any], message: str) -> None:
    X, y, model = made()
    with pytest.raises(InputError, match=message):
        model.summary(X, y, **options)


def test_wrong_rows() -> None:
    X, y, model = made()
    with pytest.raises(ValueError, match="feature names should match"):
        model.summary(X[["age", "dose"]], y)
    with pytest.raises(InputError, match="'z', which is not a class of this model.*Classes: \\['a', 'b'\\]"):
        model.summary(X, np.where(y == "a", "z", y))
    with pytest.raises(InputError, match="not the rows this model was fitted on"):
        model.summary(X[::2], y[::2])
    with pytest.raises(InputError, match="not the rows this model was fitted on"):
        model.summary(X, y[::-1])
    with pytest.raises(InputError, match="requires y to be passed"):
        model.summary(X)
    with pytest.raises(InputError, match="y or sample_weight without X"):
        model.summary(y=y)
    arrays = LogisticRegression(C=np.inf).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match="X has 2 features, but LogisticRegression is expecting 3"):
        arrays.summary(X.to_numpy()[:, :2], y)


@pytest.mark.parametrize("options", [{"intervals": "profile"}, {"covariance": "robust"}, {"terms": {"t": ["age"]}}], ids=str)
def test_what_needs_rows_says_so(options: dict[str, Any]) -> None:
    X, y, model = made()
    with pytest.raises(InputError, match=r"needs the rows of the fit: summary\(X, y, "):
        model.summary(**options)
    penalised = made(C=1.0)[2]
    with pytest.raises(InputError, match="do not apply to this fit, which has a penalty"):
        penalised.summary(X, y, **options)
    with pytest.raises(InputError, match=r"This fit has a penalty \(C=1\) and keeps no information about its rows"):
        penalised.summary()
    with pytest.raises(InputError, match=r"aic\(X, y\) with the rows"):
        penalised.aic()
    with pytest.raises(InputError, match="likelihood='joint' does not exist for LogisticRegression"):
        model.aic(likelihood="joint")


def test_separated_fits_are_refused_with_advice() -> None:
    X, _, _ = made()
    with pytest.warns(SeparableWarning):
        apart = LogisticRegression(C=np.inf).fit(X, X["dose"] > 0)
    for rows in ((), (X, X["dose"] > 0)):
        with pytest.raises(InputError, match=r"estimate does not exist.*separatrix.separation\(X, y\).*firth=True"):
            apart.summary(*rows)


def test_more_columns_than_rows() -> None:
    X, y = make_rows(n=6, p=9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=np.inf).fit(X, y)
    with pytest.raises(InputError, match="estimate does not exist|9 columns and an intercept are too many for 6 rows"):
        model.summary(X, y)


def test_limits_of_size_and_partial_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, model = made(C=1.0)
    # not the modules by name: doctests may have imported them once more
    monkeypatch.setitem(type(model.abilities().likelihood).penalised.__globals__, "MOST", 3)
    with pytest.raises(CapacityError, match="needs a Hessian of 4 coefficients; up to 3 are possible"):
        model.effective_parameters(X, y)
    monkeypatch.setitem(LogisticRegression._keep.__globals__, "KEPT", 3)
    large = made()[2]
    assert large.evidence_ is None
    with pytest.raises(InputError, match="too many coefficients to keep"):
        large.summary()
    with pytest.raises(InputError, match="not the rows this model was fitted on"):
        large.summary(X, y[::-1])
    assert len(large.summary(X, y)["coefficients"]) == 4
    learned = LogisticRegression(C=np.inf).partial_fit(X, y, classes=["a", "b"])
    with pytest.raises(InputError, match="partial_fit gives no maximum-likelihood estimate"):
        learned.summary(X, y)


@CLASSES
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_aliased_terms_are_shown_as_such_and_the_rest_is_estimated(K: int, fit_intercept: bool) -> None:
    X, y, _ = made(K)
    one = float(fit_intercept)
    wide = X.assign(both=X["age"] + X["dose"] + one, flat=0.1 * one)[["age", "dose", "both", "flat", "size"]]
    with pytest.warns(SingularWarning, match="not unique"):
        twice = LogisticRegression(C=np.inf, tol=1e-8, fit_intercept=fit_intercept).fit(wide, y)
    plain = LogisticRegression(C=np.inf, tol=1e-8, fit_intercept=fit_intercept).fit(X, y)
    for rows, kept in (((), ()), ((wide, y), (X, y))):
        found, expected = twice.summary(*rows), plain.summary(*kept)
        assert "Aliased, which is constant or determined by the columns before it: both, flat." in found.text
        for table in ("fit", "tests", "coefficients", "odds_ratios"):
            for row in expected[table][expected[table].columns[0].name]:
                assert_allclose(list(found[table].row(row).values())[1:], list(expected[table].row(row).values())[1:], rtol=1e-6)
        empty = [name for name in found["coefficients"]["coefficient"] if name.endswith(("both", "flat"))]
        assert len(empty) == 2 * (K - 1) and all(np.isnan(found["coefficients"].row(name)["estimate"]) for name in empty)
    assert twice.aic() == pytest.approx(plain.aic()) and twice.n_parameters_ == plain.n_parameters_


def test_aliased_columns_in_rows_terms_and_influence() -> None:
    X, y, plain = made()
    wide = X.assign(both=X["age"] + X["dose"])[["age", "both", "dose", "size"]]
    with pytest.warns(SingularWarning, match="'dose' can be computed"):
        twice = LogisticRegression(C=np.inf, tol=1e-8).fit(wide, y)
    found = twice.summary(wide, y, intervals="profile", terms={"drug": ["both", "dose"], "size": [3]})
    without = LogisticRegression(C=np.inf, tol=1e-8).fit(wide[["age", "both", "size"]], y)
    expected = without.summary(wide[["age", "both", "size"]], y, intervals="profile", terms={"drug": ["both"], "size": [2]})
    assert_allclose(found["terms"]["LR χ²"], expected["terms"]["LR χ²"], rtol=1e-6)
    assert np.isinf(found["collinearity"]["VIF"]).tolist() == [True, True, True, False]
    unnamed = LogisticRegression(C=np.inf, tol=1e-8)
    with pytest.warns(SingularWarning, match="column 2 can be computed"):
        unnamed.fit(wide.to_numpy(), y)
    assert unnamed.summary(wide.to_numpy(), y)["coefficients"]["coefficient"] == ["(intercept)", "x0", "x1", "x2", "x3"]
    assert unnamed.summary(sp.csr_array(wide.to_numpy()), y)["collinearity"]["column"] == ["x0", "x1", "x2", "x3"]
    influence = twice.influence(wide, y)
    assert_allclose(influence.cook, plain.influence(X, y).cook, rtol=1e-6)
    assert influence.dfbetas.shape == (90, 1, 5) and np.isnan(influence.dfbetas[0, 0]).tolist() == [False, False, True, False, False]
    with pytest.raises(InputError, match="All columns of term 'drug' are determined by others"):
        twice.summary(wide, y, terms={"drug": ["dose"]})


def test_a_constant_column_changes_no_probability(rng: Any) -> None:
    X, y = make_rows(n=90, p=3, K=2)
    with pytest.warns(SingularWarning, match="not unique"):
        found = LogisticRegression(C=np.inf).fit(np.column_stack([X, np.full(90, 0.1)]), y)
    plain = LogisticRegression(C=np.inf).fit(X, y)
    assert_allclose(found.predict_proba(np.column_stack([X, np.full(90, 0.1)])), plain.predict_proba(X), rtol=1e-9)
