"""Work by hand: the estimators' numbers on any small data, four well-formed renderings, and messages that help."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from separatrix import CategoricalNB, FisherDiscriminant, GaussianNB, LinearDiscriminantAnalysis, LinearSVC, Perceptron, worked
from separatrix.errors import InputError, SingularWarning, UnknownNameError

FOUR, CLASS = [[3, 2], [5, 2], [1, 4], [3, 6]], ["low", "low", "high", "high"]
WEATHER = [["sunny", "hot"], ["rain", "mild"], ["rain", "hot"], ["sunny", "mild"], ["sunny", "mild"]]
PLAY = ["no", "yes", "yes", "no", "yes"]
SINGULAR = [[2, 4], [4, 6], [1, 6], [3, 8]]


def rows(seed: int, K: int = 2, p: int = 2, n: int = 6, apart: float = 6.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n * K) % K
    return np.round(rng.normal(size=(n * K, p)) * 2 + apart * rng.normal(size=(K, p))[y]).astype(int), y


def separable(seed: int, p: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X, w = rng.integers(-9, 10, size=(12, p)), rng.integers(1, 4, size=p)
    X[0], X[1] = 5, -5
    return X[(kept := np.abs(X @ w) > 1)], (X @ w > 0).astype(int)[kept]


def numbers(values: Any) -> Any:
    return np.array([[float(v) for v in line] for line in values] if isinstance(values[0], list) else [float(v) for v in values])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("p", [1, 2, 3])
def test_fisher_is_the_estimators(seed: int, p: int) -> None:
    X, y = rows(seed, p=p)
    model, result = FisherDiscriminant().fit(X, y), worked("fisher", X, y).result
    assert_allclose(numbers(result["w"]), model.coef_[0], rtol=1e-9)
    assert_allclose([float(result["b"]), float(result["J"])], [model.threshold_, model.criterion()], rtol=1e-9)
    assert result["decisions"] == model.predict(X).tolist()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("K", "options"), [(2, {}), (3, {"covariance": "mle"}), (3, {"priors": [0.5, 0.25, 0.25]})])
def test_lda_is_the_estimators(seed: int, K: int, options: Any) -> None:
    X, y = rows(seed, K, p=3)
    model, result = LinearDiscriminantAnalysis(**options).fit(X, y), worked("lda", X, y, **options).result
    weights = numbers(list(result["weights"].values()))
    constants = np.array([float(c) for c in result["constants"].values()])
    scores = X @ (weights - weights[0]).T + constants - constants[0]
    own = model.decision_function(X)
    assert_allclose(scores[:, 1] if K == 2 else scores, own if K == 2 else own - own[:, :1], rtol=1e-8, atol=1e-8)
    assert_allclose(numbers(result["covariance"]), model.covariance_)
    assert result["decisions"] == model.predict(X).tolist()


def test_singular_directions_are_the_estimators() -> None:
    line = [[0, 0, 1], [1, 1, 2], [4, 4, 0], [5, 5, 3], [2, 2, 7]]  # the first two columns are one
    for X, y in ((SINGULAR, CLASS), (line, ["a", "a", "b", "b", "b"]), ([[0, 5], [1, 5], [3, 5], [4, 5]], CLASS)):
        for method, model in (("fisher", FisherDiscriminant()), ("lda", LinearDiscriminantAnalysis())):
            with pytest.warns(SingularWarning):
                model.fit(X, y)
            result = worked(method, X, y).result
            w, own = numbers(result["w"]), model.coef_[0]
            assert_allclose(w / np.linalg.norm(w), own / np.linalg.norm(own), atol=1e-6)
            assert result["decisions"] == model.predict(X).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_the_perceptron_is_the_estimators(seed: int) -> None:
    X, y = separable(seed, 2)
    result = worked("perceptron", X, y).result
    model = Perceptron(shuffle=False, trace=True).fit(X, y)
    assert numbers(result["w"]).tolist() == model.coef_[0].tolist() and float(result["b"]) == model.intercept_[0]
    assert result["mistakes"] == model.status_.n_mistakes <= result["bound"] and result["epochs"] == model.n_iter_
    assert result["bound"] == pytest.approx(model.mistake_bound(X, y).bound, rel=1e-4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("p", [1, 2, 3])
def test_the_largest_margin_is_the_estimators(seed: int, p: int) -> None:
    X, y = separable(seed, p)
    model, result = LinearSVC(C=np.inf, loss="hinge").fit(X, y), worked("svm", X, y).result
    assert_allclose(numbers(result["w"]), model.coef_[0], rtol=1e-5, atol=1e-7)
    assert_allclose(float(result["b"]), model.intercept_[0], rtol=1e-5, atol=1e-6)
    margins = np.where(y == 1, 1, -1) * (X @ numbers(result["w"]) + float(result["b"]))
    assert margins.min() == pytest.approx(1.0) and all(a > 0 for a in result["multipliers"])


@pytest.mark.parametrize("ddof", [0, 1])
def test_naive_bayes_is_the_estimators(ddof: int) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    model = GaussianNB(ddof=ddof, var_smoothing=0).fit(X, y)
    result = worked("naive-bayes", X, y, ddof=ddof).result
    assert_allclose([list(p.values()) for p in result["posterior"]], model.predict_proba(X), rtol=1e-8, atol=1e-300)
    assert_allclose([list(p.values()) for p in result["joint"]], np.exp(model.predict_joint_log_proba(X)), rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("alpha", [0, 1, "1/2"])
def test_counting_is_the_estimators_and_exact(alpha: Any) -> None:
    codes = np.array([[["rain", "sunny"].index(a), ["hot", "mild"].index(b)] for a, b in WEATHER])
    model = CategoricalNB(alpha=float(Fraction(alpha))).fit(codes, PLAY)
    result = worked("naive-bayes", WEATHER, PLAY, alpha=alpha).result
    assert all(sum(p.values()) == 1 and isinstance(p["no"], Fraction) for p in result["posterior"])
    assert_allclose([[float(v) for v in p.values()] for p in result["posterior"]], model.predict_proba(codes), atol=1e-12)
    one = worked("naive-bayes", WEATHER, PLAY, new=[["sunny", "hot"]])
    assert one.result["posterior"] == [{"no": Fraction(3, 4), "yes": Fraction(1, 4)}] and "p(x, no) = 2/5·1·1/2 = 1/5" in one.text


WORKS = [
    worked("fisher", FOUR, CLASS),
    worked("fisher", SINGULAR, CLASS, new=[[1, 1]]),
    worked("lda", FOUR, CLASS, priors=["1/3", "2/3"]),
    worked("lda", [[0.5, 1], [1, 2.25], [3, 1], [4, 4], [9, 1], [7, 3]], ["a<b", "a<b", "c&d", "c&d", "e_f$", "e_f$"]),
    worked("lda", SINGULAR, CLASS, covariance="mle"),
    worked("perceptron", FOUR, CLASS),
    worked("svm", FOUR, CLASS),
    worked("naive-bayes", FOUR + [[6, 3], [2, 7]], [*CLASS, "low", "high"], new=[[3, 3], [4, 4]]),
    worked("naive-bayes", WEATHER, PLAY, new=[["sunny", "hot"]]),
    worked("fisher", pd.DataFrame({"le<ngth_1": [1.5, 2, 4, 5], "50 %": [1, 3, 3, 4]}), [-1, -1, 1, 1]),
]


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.title)
def test_renderings_are_well_formed(work: Any) -> None:
    assert str(work) == work.text == repr(work) and work.html in work._repr_html_()
    root = ElementTree.fromstring(work.html.replace("&nbsp;", " "))
    assert len(root.findall("./ol/li")) == len(work.steps) == work.text.count("\nStep ")
    for text in (work.latex, work.markdown):
        plain = re.sub(r"\\[{}$\\]", "", text)
        assert plain.count("{") == plain.count("}") and plain.count("\\left(") == plain.count("\\right)")
        assert plain.replace("$$", "").count("$") % 2 == 0 and plain.count("$$") % 2 == 0
        for name in set(re.findall(r"\\begin\{(\w+)\}", plain)):
            assert plain.count(rf"\begin{{{name}}}") == plain.count(rf"\end{{{name}}}")
    assert work.latex.isascii()  # pdflatex has no letters for α and ᵀ outside of formulas
    assert not set("¦") & set(work.text + work.latex + work.markdown + work.html)
    assert max(map(len, work.text.splitlines())) <= 140


def test_names_and_labels_are_escaped() -> None:
    work, labelled = WORKS[-1], WORKS[3]
    assert "le&lt;ngth_1" in work.html and r"le<ngth\_1" in work.latex and r"50 \%" in work.latex
    assert "a&lt;b" in labelled.html and r"e\_f\$" in labelled.latex and r"e\_f\$" in labelled.markdown


def test_numbers_are_shown_as_they_came() -> None:
    decimal = worked("fisher", [[1.5, 2], [2, 3], [4, 3], [5, 4.25]], [0, 0, 1, 1]).text
    assert "1.5" in decimal and "4.25" in decimal
    thirds = worked("fisher", [["1/3", 1], [1, 2], [3, "1/7"], [4, 3]], [0, 0, 1, 1])
    assert thirds.result["means"][0] == [Fraction(2, 3), Fraction(3, 2)] and "1/3" in thirds.text


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (("fischer", FOUR, CLASS), {}, "method='fischer' is not known; use one of 'fisher', .* Did you mean 'fisher'"),
        (
            ("fisher", np.zeros((61, 2)), [0, 1] * 30 + [0]),
            {},
            "61 rows × 2 columns in 2 classes are too much for work by hand: at most 60",
        ),
        (("svm", np.zeros((25, 7)), [0] * 25), {}, "at most 24 rows, 6 columns"),
        (("lda", np.zeros((20, 7)), [0, 1] * 10), {}, "20 rows × 7 columns .* at most 60 rows, 6 columns and 6 classes"),
        (("fisher", FOUR, [0, 1, 2, 2]), {}, "Fisher by hand takes two classes; there are 3"),
        (("svm", FOUR, [0, 1, 2, 2]), {}, "svm by hand takes two classes"),
        (
            ("perceptron", [[0], [1], [2], [3]], [0, 1, 0, 1]),
            {},
            "No plane separates these rows, so perceptron by hand has no end: .* the same point",
        ),
        (("svm", [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]), {}, "No plane separates these rows, so svm by hand has no end"),
        (("perceptron", [[1, 1], [2, 2]], [0, 1]), {"bias": False}, "No plane through the origin separates .* bias=True"),
        (("perceptron", FOUR, CLASS), {"start": [1, 2]}, "start has 2 numbers; 3 are needed: the bias first"),
        (("perceptron", FOUR, CLASS), {"new": FOUR}, "'perceptron' by hand has no option 'new'. It takes bias, start, positive"),
        (("lda", FOUR, CLASS), {"covarience": "mle"}, "has no option 'covarience'. Did you mean 'covariance'"),
        (("lda", FOUR, CLASS), {"covariance": "ml"}, "covariance='ml' is not known; use one of 'unbiased', 'mle'"),
        (("lda", FOUR, CLASS), {"priors": [0.5, 0.6]}, r"priors=\[0.5, 0.6\] must be 2 positive numbers that sum to 1"),
        (("lda", [[1, 2], [3, 4]], [0, 1]), {}, "divides by n − K = 0: 2 rows in 2 classes. Use covariance='mle'"),
        (("naive-bayes", [[1, 2], [1, 3], [2, 4], [3, 5]], CLASS), {}, "Column x1 does not vary within class 'low'"),
        (("naive-bayes", [[1], [2], [3]], [0, 1, 1]), {}, "Class 0 has 1 row, and ddof=1 divides by none; give more rows, or use ddof=0"),
        (("naive-bayes", WEATHER, PLAY), {"new": [["suny", "hot"]]}, "new holds 'suny' in column 1, .* Did you mean 'sunny'"),
        (("naive-bayes", FOUR, CLASS), {"ddof": 2}, "ddof=2 must be 0"),
        (("fisher", FOUR, CLASS), {"new": [[1, 2, 3]]}, "new has 3 columns; 2 are needed"),
        (("fisher", FOUR, CLASS[:3]), {}, "X has 4 rows and y has 3 labels"),
        (("fisher", FOUR, [1, 1, 1, 1]), {}, "All rows are of class 1"),
        (("fisher", [[1, 2], [3, float("nan")]], [0, 1]), {}, "nan is not a finite number"),
        (
            ("naive-bayes", [[1], [2], [3], [5]], CLASS),
            {"new": [[1e300]]},
            r"1e\+300 is too long to write out by hand; .* rescale the column",
        ),
        (("fisher", [["1e999999999"], [1], [2], [3]], CLASS), {}, "'1e999999999' is too long to write out by hand"),
        (("lda", [[1e-300], [1], [2], [3]], CLASS), {}, "1e-300 is too long to write out by hand"),
        (("fisher", [1, 2, 3], [0, 1, 1]), {}, r"X has shape \(3,\); rows × columns are needed"),
        (("fisher", FOUR, None), {}, "y is missing"),
        (("fisher", [[0, 0], [2, 2], [0, 2], [2, 0]], [0, 0, 1, 1]), {}, "The two classes have the same mean"),
    ],
)
def test_bad_input_is_named(arguments: Any, options: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        worked(*arguments, **options)


def test_an_unknown_positive_class_is_named() -> None:
    with pytest.raises(UnknownNameError, match="positive='hgh' is not a class. Did you mean 'high'"):
        worked("svm", FOUR, CLASS, positive="hgh")


def test_a_margin_too_small_for_paper_is_said() -> None:
    with pytest.raises(InputError, match=r"After 501 updates there are still mistakes: .* Perceptron\(trace=True\)"):
        worked("perceptron", [[1000, 1], [1000, -1], [999, 1]], [0, 0, 1])


def test_the_largest_data_allowed_are_worked_at_once() -> None:
    """Numbers of thirty digits: no root is searched for squares, no set of rows far from the margin is tried."""
    rng = np.random.default_rng(0)
    X, w = rng.integers(-9, 10, size=(24, 6)), rng.integers(1, 4, size=6)
    work = worked("svm", X, (X @ w > 0).astype(int))
    assert len(work.result["support"]) >= 6
    assert re.search(r"─── ≈ \d\.\d+", work.text)


@pytest.mark.parametrize("method", ["naive-bayes", "lda", "fisher", "perceptron", "svm"])
def test_damaged_sparse_rows_are_refused_before_they_are_unpacked(method: str) -> None:
    X = sp.csr_array(np.eye(4))
    X.indices[1] = 99
    with pytest.raises(InputError, match=r"The sparse X is damaged: X.indices\[1\] is 99"):
        worked(method, X, [0, 0, 1, 1])
