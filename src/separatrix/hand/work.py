"""The function `worked`: finds a method by its name and works it out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..argument_types import check_arguments
from ..data.opening import is_frame
from ..errors import InputError, did_you_mean, one_of
from .categorical_naive_bayes import work_counts
from .document import Worked
from .fisher import work_fisher
from .gaussian_naive_bayes import work_gaussian
from .lda import work_lda
from .perceptron import work_perceptron
from .svm import work_svm

METHODS = ("fisher", "lda", "naive-bayes", "perceptron", "svm")


def worked(method: str, X: Any, y: Any, new: Any = None, **options: Any) -> Worked:
    """Write out a method step by step on small data, in exact fractions, as one would by hand.

    Numbers are read as the decimals they print as (5.92 is 148/25) and stay exact; logarithms are kept as such, and densities, which are
    not fractions, are given to six digits. The results are those of the library's estimators.

    Parameters
    ----------
    method : "fisher", "lda", "naive-bayes", "perceptron" or "svm"
        fisher: means, scatters, inverse, direction, threshold, criterion; as `FisherDiscriminant`.
        lda: priors, means, covariance, inverse, discriminants; as `LinearDiscriminantAnalysis`. A singular covariance is said and resolved.
        naive-bayes: means, variances, densities, joint, posterior; as `GaussianNB(ddof=1, var_smoothing=0)`. Columns of text are counted
        instead, as in `CategoricalNB(alpha=0)`, and all is exact.
        perceptron: every visit and update, rows in the order given, and Novikoff's bound; as `Perceptron(shuffle=False)`.
        svm: the hard-margin machine; support vectors, multipliers, w, b, margin; as `LinearSVC(C=np.inf, loss="hinge")`.
    X, y : rows and labels
        At most 60 rows (svm: 24), 6 columns, 6 classes.
    new : rows to be decided, optional
        Default: the rows of X. Not for the perceptron.
    **options
        lda: `covariance` ("unbiased", "mle") and `priors`. naive-bayes: `ddof` (1 or 0), `priors`; with text `alpha` (0), `priors`.
        perceptron: `bias` (True), `start` (weights, the bias first) and `positive`, the class with y = +1, by default the second of the
        sorted labels. svm: `positive`.

    Returns
    -------
    Worked
        `.text` (what is printed), `.markdown`, `.latex`, `.html`, and `.result`, a dict of the exact numbers.

    Examples
    --------
    >>> from separatrix import worked
    >>> by_hand = worked("fisher", [[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
    >>> [str(value) for value in by_hand.result["w"]], str(by_hand.result["b"])
    (['-5/2', '4'], '13/2')
    >>> print(by_hand.text[by_hand.text.index("Step 5") : by_hand.text.index("Step 6")])
    Step 5.  The direction w
    Turn the difference of the means by the inverse: directions in which the classes spread little
    count more.
    <BLANKLINE>
        m₂ − m₁ = ⎡−2⎤
                  ⎣ 3⎦
    <BLANKLINE>
        w = S_W⁻¹(m₂ − m₁) = ⎡ 1/2  −1/2⎤⎡−2⎤ = ⎡−5/2⎤
                             ⎣−1/2     1⎦⎣ 3⎦   ⎣   4⎦
    <BLANKLINE>
    <BLANKLINE>

    References
    ----------
    Duda, Hart and Stork (2001), Pattern Classification, chapters 2, 3 and 5.
    """
    check_arguments(worked, locals())
    if method not in METHODS:
        raise one_of("method", method, METHODS)
    work = _choose(method, X)
    if new is not None:
        options = {"new": new, **options}
    known = [name for name in inspect.signature(work).parameters if name not in ("X", "y")]
    for name in options:
        if name not in known:
            raise InputError(f"{method!r} by hand has no option {name!r}.{did_you_mean(name, known)} It takes {', '.join(known)}.")
    return work(X, y, **options)


def _choose(method: str, X: Any) -> Callable[..., Worked]:
    if method == "naive-bayes":
        return work_counts if _holds_text(X) else work_gaussian
    works: dict[str, Callable[..., Worked]] = {
        "fisher": work_fisher,
        "lda": work_lda,
        "perceptron": work_perceptron,
        "svm": work_svm,
    }
    return works[method]


def _holds_text(X: Any) -> bool:
    """Whether a value of X is a word; fractions such as '1/3' are numbers."""
    if issparse(X):  # which holds numbers only, and is opened where its places are checked
        return False
    table = np.asarray(X.to_numpy() if is_frame(X) and hasattr(X, "to_numpy") else X, dtype=object)
    return any(
        isinstance(value, str) and not value.replace("/", "").replace(".", "").lstrip("-").isdigit() for value in table.ravel()[:1000]
    )
