"""The voted perceptron."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..data import Block, Source
from ..solvers.mistakes.online import Progress
from ..solvers.mistakes.perceptron_trace import Trace
from ..solvers.mistakes.perceptron_votes import Ballots, SparseRows
from .base import finite_or_none
from .online_perceptron import Floats, OnlinePerceptron


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
        return self.ballots_.votes(block) / self.ballots_.survived.sum()

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
