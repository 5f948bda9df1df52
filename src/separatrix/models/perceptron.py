"""The perceptron, its average and its votes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..data import Block, Source
from ..solvers.mistakes.online import Progress
from ..solvers.mistakes.perceptron_trace import Trace
from ..solvers.mistakes.perceptron_votes import Ballots, SparseRows
from .base import finite_or_none
from .linear import SparseCoefficients
from .online_perceptron import OnlinePerceptron


class Perceptron(OnlinePerceptron, SparseCoefficients):
    """Rosenblatt's perceptron: look at one row after the other, and step only where the score is wrong.

        f(x) = w'x + w0;    y f(x) ≤ 0:  w += eta0 y x,  w0 += eta0 y          y = ±1, + for `classes_[1]`

    More than two classes are one machine with a row of W (K, p) each: if another class k scores at least as much as the true class y,
    w_y += eta0 x and w_k −= eta0 x for the highest k. Learning ends with the first epoch without a mistake: separable classes come
    to that after at most (R/γ)² mistakes (see `mistake_bound`), others never do. Fitting uses compiled code for any number
    of rows; loading it takes half a second, once per process.

    Parameters
    ----------
    init : "zeros" or "random"
        Where the weights start; random ones are standard normal. `fit` can be given others.
    eta0 : float > 0
        Step. From zeros it only scales the weights.
    fit_intercept : bool
        Whether w0 is learned, or 0.
    shuffle : bool
        Whether rows are visited in a new random order in each epoch, or as they are given.
    max_iter : int ≥ 1
        Epochs at most. Reaching it is a ConvergenceWarning.
    tol : float ≥ 0, optional
        Also stop once the mean loss max(0, −y f) of an epoch has not come `tol` below the best one for `n_iter_no_change` epochs, as
        scikit-learn does with its default, 1e-3.
    random_state : int, RandomState or None
        For `shuffle` and `init`; None is a fixed one, so that two fits on the same rows are the same.
    trace : bool
        Record every update in `history_`; `replay` rebuilds the weights between them.
    threshold : float, optional
        Compare w'x with a given θ in place of learning an intercept: w0 = −θ stays, and `fit_intercept` is without effect.
    n_iter_no_change : int ≥ 1
        See `tol`.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads that convert rows and predict; learning itself goes row by row.

    Attributes
    ----------
    classes_ : (K,) labels
    coef_, intercept_ : (1, p), (1,) for two classes, else (K, p), (K,)
    n_iter_ : int, epochs
    status_ : PerceptronStatus with `converged`, `message`, `n_mistakes` (all epochs) and `last_mistakes` (the last epoch)
    history_ : structured array of all updates, with `trace=True`
    progress_, trace_ : what partial_fit and history_ go on from

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    >>> model = Perceptron(fit_intercept=False, shuffle=False, trace=True).fit(X, y)
    >>> model.replay(X)[0][:, 0].tolist()
    [[0.0, 0.0], [1.0, -2.0], [2.0, -1.0], [3.0, 1.0]]
    >>> model.status_.n_mistakes, round(model.mistake_bound(X, y).bound, 6)
    (3, 5.0)

    References
    ----------
    Rosenblatt (1958), The perceptron, Psychological Review 65; Novikoff (1962), On convergence proofs for perceptrons.
    """

    def _attributes(self, progress: Progress, trace: Trace | None, source: Source, before: Any) -> dict[str, Any]:
        return _coefficients(progress.weights)


class AveragedPerceptron(OnlinePerceptron, SparseCoefficients):
    """The mean of all weights a perceptron has had, each counted as long as it stood: steadier on classes that overlap.

        w̄ = (1/T) Σ_t w_t        w_t the weights after visit t of T

    Learns as `Perceptron` does, with the same parameters; a visit without a mistake costs nothing more, for the mean is
    w_T − (1/T) Σ_t (t − 1) Δ_t with Δ_t the step at visit t. The mean need not get every row right where the last weights do.

    Parameters
    ----------
    init, eta0, fit_intercept, shuffle, max_iter, tol, random_state, trace, threshold, n_iter_no_change, class_weight, n_jobs
        See `Perceptron`.

    Attributes
    ----------
    coef_, intercept_ : (1, p), (1,) for two classes, else (K, p), (K,)
        The mean; the last weights are in `progress_.weights`, the intercept last.
    classes_, n_iter_, status_, history_, progress_, trace_ : see `Perceptron`

    Examples
    --------
    >>> from separatrix import AveragedPerceptron
    >>> X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    >>> model = AveragedPerceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> (12 * model.coef_).round(9).tolist()
    [[30.0, 2.0]]

    References
    ----------
    Freund and Schapire (1999), Large margin classification using the perceptron algorithm, Machine Learning 37; Daumé (2006), Practical
    structured learning techniques for natural language processing, section 2.3 (the mean without copies).
    """

    _average: ClassVar[bool] = True

    def _attributes(self, progress: Progress, trace: Trace | None, source: Source, before: Any) -> dict[str, Any]:
        return _coefficients(progress.mean)

    def _hyperplane(self) -> Floats:
        return self.progress_.mean


def _coefficients(weights: Floats) -> dict[str, Any]:
    return {"coef_": np.ascontiguousarray(weights[:, :-1]), "intercept_": weights[:, -1].copy()}


class VotedPerceptron(OnlinePerceptron):
    """All weights a perceptron has had vote, each as often as visits it survived; their boundary is no hyperplane.

        F(x) = Σ_t c_t sign(w_t'x + w_t0) / Σ_t c_t        c_t the visits between update t and the next

    Learns as `Perceptron` does, with the same parameters. Kept are the rows stepped on, once each, and one number
    per update; predicting takes one matrix product with these rows and a pass over all updates, so it is slow after very many.

    Parameters
    ----------
    init, eta0, fit_intercept, shuffle, max_iter, tol, random_state, trace, threshold, n_iter_no_change, class_weight, n_jobs
        See `Perceptron`.

    Attributes
    ----------
    ballots_ : Ballots with the rows stepped on (`support`), the updates and the votes (`survived`)
    classes_, n_iter_, status_, history_, progress_, trace_ : see `Perceptron`

    Examples
    --------
    >>> from separatrix import VotedPerceptron
    >>> X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    >>> model = VotedPerceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> model.ballots_.survived.tolist()
    [0.0, 2.0, 2.0, 8.0]
    >>> model.decision_function([[1, 1]]).tolist()
    [0.6666666666666666]

    References
    ----------
    Freund and Schapire (1999), Large margin classification using the perceptron algorithm, Machine Learning 37.
    """

    _records: ClassVar[dict[str, type]] = {**OnlinePerceptron._records, "Ballots": Ballots, "SparseRows": SparseRows}
    _record: ClassVar[bool] = True

    ballots_: Ballots

    def _attributes(self, progress: Progress, trace: Trace | None, source: Source, before: Any) -> dict[str, Any]:
        assert trace is not None
        rows, clock = (0, 0.0) if before is None else (before.progress_.rows, before.progress_.clock)
        ballots = Ballots.of(trace, source, rows, (clock, progress.clock))
        return {"ballots_": ballots if before is None else before.ballots_.then(ballots)}

    def _scores(self, block: Block) -> Floats:
        shares: Floats = self.ballots_.votes(block, self.n_jobs) / self.ballots_.survived.sum()
        return shares

    def decision_function(self, X: Any) -> NDArray[np.floating]:
        """Return the shares of votes of each row.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows

        Returns
        -------
        shares : (n,) for two classes, −1 to 1, those for `classes_[1]` minus those for `classes_[0]`; else (n, K)
        """
        scores = self._collect(X, lambda block: finite_or_none(self._scores(block), block.X))
        return scores[:, 0] if scores.shape[1] == 1 else scores
