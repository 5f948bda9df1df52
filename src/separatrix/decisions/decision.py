"""What to do given posteriors: costs of mistakes, the option to reject, changed priors, thresholds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..argument_types import as_numbers
from ..arguments import answers_to
from ..array_types import Codes, Floats
from ..errors import DataWarning, InputError
from ..inference.tables import Column, Table, distinct
from ..notebook import code, paragraphs, view
from .actions import cheapest, costs_of, labelled_costs, minimax_cost
from .posteriors import as_classes, as_distributions, check_posteriors, with_classes
from .priors import by_label, check_priors, prior_odds, reweight

if TYPE_CHECKING:
    from .tuning import Tuned


REPLACED = {"threshold": "use Decision.threshold(0.3), or costs=[[0, 0.3], [0.7, 0]]", "class_weight": "use costs=[[0, 1], [5, 0]]"}
"""What to write in place of arguments that a decision does not have."""


@dataclass(frozen=True, eq=False, repr=False)
class Decision:
    """A rule from posteriors to actions: the one of least expected cost.

        a(x) = argmin_a Σ_k p_k(x) costs[k, a],    rejected if that minimum is above reject_cost

    Of equal costs the first action wins, and rejecting comes last. With 0-1 costs this is the most probable class, rejected iff its
    probability is below 1 − reject_cost (Chow's rule), which never happens if reject_cost ≥ 1 − 1/K.

    Parameters
    ----------
    costs : (K, A) matrix or pandas frame, optional
        Rows are the true classes in the order of `classes_`, columns the actions. A frame with labels may have them in any order. Default:
        1 for every mistake.
    reject_cost : float, optional
        Cost of leaving a row to someone else; rejected rows are given None. Default: nothing is rejected.
    priors : (K,) or {label: prior} or Series, optional
        How common the classes are where the decisions are made; default: as in training.
    actions : A names, optional
        What the columns of `costs` stand for; default: the classes. Needed where there are more or fewer actions than classes.
    truths : K labels, optional
        What the rows of `costs` stand for, and the columns where `actions` are not named; default: the order of `classes_`.

    Examples
    --------
    >>> Decision(costs=[[0, 1], [9, 0]]).decide([[0.8, 0.2], [0.95, 0.05]], ["well", "ill"]).tolist()
    ['ill', 'well']
    >>> Decision(reject_cost=0.25).decide([[0.7, 0.3], [0.1, 0.9]], ["well", "ill"]).tolist()
    [None, 'ill']
    >>> Decision(costs=[[0, 2, 9], [90, 30, 0]], actions=["send home", "test", "treat"]).decide([[0.97, 0.03], [0.3, 0.7]]).tolist()
    ['send home', 'treat']

    References
    ----------
    Chow (1970), On optimum recognition error and reject tradeoff, IEEE Transactions on Information Theory 16.
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI.
    """

    costs: Any = None
    reject_cost: float | None = None
    priors: Any = None
    actions: Sequence[Any] | None = None
    truths: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        if self.costs is not None:
            given = labelled_costs(self.costs, self.truths, self.actions)
            for name, value in zip(("costs", "truths", "actions"), given, strict=True):
                object.__setattr__(self, name, value)
        if self.priors is not None:
            object.__setattr__(self, "priors", by_label(self.priors))
        if self.actions is not None or self.truths is not None:
            self._check_names()
        if self.reject_cost is not None:
            cost = as_numbers("reject_cost", self.reject_cost, "give a finite number, or None to reject nothing.")
            if cost.ndim or not np.isfinite(cost):
                raise InputError(f"reject_cost={self.reject_cost!r} must be a finite number, or None to reject nothing.")
            object.__setattr__(self, "reject_cost", float(cost))

    def _check_names(self) -> None:
        if self.costs is None:
            raise InputError("actions and truths name what costs has; pass costs too, one row per true class and one column per action.")
        for name, kind, axis in (("actions", "columns", 1), ("truths", "rows", 0)):
            names = getattr(self, name)
            if names is None:
                continue
            if len(names) != self.costs.shape[axis]:
                raise InputError(f"There are {self.costs.shape[axis]} {kind} of costs and {len(names)} {name}; name each of the {kind}.")
            if len(set(names)) < len(names) or None in names:
                raise InputError(f"{name}={list(names)!r} must be different names; None stands for rejected rows.")

    @classmethod
    def threshold(cls, t: float, priors: Any = None) -> Decision:
        """Return the rule for two classes that gives `classes_[1]` where its posterior is above t.

        Parameters
        ----------
        t : float in [0, 1]
        priors : as in the class

        Examples
        --------
        >>> Decision.threshold(0.1).decide([[0.8, 0.2], [0.95, 0.05]]).tolist()
        [1, 0]
        """
        if not (isinstance(t, int | float | np.number) and 0.0 <= t <= 1.0):
            raise InputError(f"t={t!r}: a threshold is a probability between 0 and 1.")
        return cls(costs=[[0.0, t], [1.0 - t, 0.0]], priors=priors)

    @property
    def cutoff(self) -> float | None:
        """The posterior of the second of two classes above which it is chosen; None where the rule is no threshold."""
        if self.costs is None:
            return 0.5 if self.reject_cost is None else None
        if self.costs.shape != (2, 2) or self.reject_cost is not None:
            return None
        false_alarm, miss = self.costs[0, 1] - self.costs[0, 0], self.costs[1, 0] - self.costs[1, 1]
        return float(false_alarm / (false_alarm + miss)) if false_alarm >= 0 and miss >= 0 and false_alarm + miss > 0 else None

    @classmethod
    def tune(cls, posteriors: Any, y: Any, **options: Any) -> Tuned:
        """Choose a rule from held-out posteriors, such as those of `evaluate`; see `separatrix.decisions.tune` for the options.

        Parameters
        ----------
        posteriors, y : held-out posteriors and the truth
        **options
            One of costs=, recall=, precision=, rejection_rate=, and more.

        Examples
        --------
        >>> Decision.tune([0.1, 0.3, 0.2, 0.8], [0, 1, 0, 1], recall=1.0).decision.cutoff
        0.25
        """
        from .tuning import tune

        return tune(posteriors, y, **options)

    def decide(self, posteriors: Any, classes: Any = None, trained_priors: Any = None, n_jobs: int | None = None) -> NDArray[Any]:
        """Return the action for each row.

        Parameters
        ----------
        posteriors : (n, K), or (n,) probabilities of the second of two classes
        classes : (K,) labels, default 0 … K − 1
        trained_priors : (K,) class priors behind the posteriors, needed where the decision has priors
        n_jobs : int, optional
            Threads.

        Returns
        -------
        actions : (n,) labels or names of actions; an array of objects with None for rejected rows where there is a reject_cost
        """
        P, labels = with_classes(posteriors, classes)
        self.check(labels)
        return self.names(labels)[self.codes(P, labels, trained_priors, n_jobs)]

    def codes(self, posteriors: Any, classes: Any = None, trained_priors: Any = None, n_jobs: int | None = None) -> Codes:
        """Return the number of each row's action: a column of the costs, or the number after the last for rejected rows.

        Parameters
        ----------
        posteriors, classes, trained_priors, n_jobs : as in `decide`
        """
        P, labels = with_classes(posteriors, classes)
        return cheapest(P, self.table(labels) * self._odds(labels, trained_priors)[:, None], n_jobs)

    def expected_costs(self, posteriors: Any, classes: Any = None, trained_priors: Any = None) -> Floats:
        """Return Σ_k p_k costs[k, a] for each row and action, the last column for rejecting where that is an option.

        Parameters
        ----------
        posteriors, classes, trained_priors : as in `decide`
        """
        P = self.posteriors(posteriors, classes, trained_priors)
        return P @ self.table(with_classes(P, classes)[1])

    def posteriors(self, posteriors: Any, classes: Any = None, trained_priors: Any = None) -> Floats:
        """Return the posteriors under the priors of the decision.

        Parameters
        ----------
        posteriors, classes, trained_priors : as in `decide`
        """
        if self.priors is None:
            return as_distributions(check_posteriors(posteriors))
        return reweight(posteriors, self.priors, self._require(trained_priors), classes)

    def without_priors(self) -> Decision:
        """Return the same rule for posteriors that have its priors already."""
        return replace(self, priors=None)

    def table(self, classes: NDArray[Any]) -> Floats:
        """Return the costs (K, A), with a last column for rejecting where that is an option.

        Parameters
        ----------
        classes : (K,) labels
        """
        C = self._costs(classes)
        return C if self.reject_cost is None else np.column_stack([C, np.full(len(C), self.reject_cost)])

    def names(self, classes: NDArray[Any]) -> NDArray[Any]:
        """Return the actions in the order of their codes: labels or names, and None for rejected rows.

        Parameters
        ----------
        classes : (K,) labels
        """
        names = list(classes.tolist() if self.actions is None else self.actions) + [None] * (self.reject_cost is not None)
        if self.actions is None and self.reject_cost is None:
            return classes
        if self.reject_cost is None and all(isinstance(name, str) for name in names):
            return np.array(names)
        found = np.empty(len(names), dtype=object)
        found[:] = names
        return found

    def check(self, classes: Any) -> None:
        """Raise an error if the rule does not fit the classes; warn if rejecting is never or always best.

        Parameters
        ----------
        classes : (K,) labels
        """
        labels = as_classes(classes)
        C = self._costs(labels)
        if self.priors is not None:
            check_priors(self.priors, labels)
        if self.reject_cost is None:
            return
        most = minimax_cost(C)
        if self.reject_cost >= most - 1e-12:
            warnings.warn(
                f"reject_cost={self.reject_cost:g} never rejects a row: even where the classes are hardest to tell the best action costs "
                f"{most:.4g}. Use a reject_cost below that.",
                DataWarning,
                stacklevel=3,
            )
        elif self.reject_cost < C.min():
            warnings.warn(
                f"reject_cost={self.reject_cost:g} rejects every row: no action costs less than {C.min():g}. Use a larger reject_cost.",
                DataWarning,
                stacklevel=3,
            )

    def _costs(self, classes: NDArray[Any]) -> Floats:
        K = len(classes)
        if self.costs is None:
            return 1.0 - np.eye(K)
        if len(self.costs) != K:
            raise InputError(
                f"costs has {len(self.costs)} rows, but there are {K} classes ({', '.join(map(repr, classes[:8].tolist()))}); pass one row "
                "per true class, in this order."
            )
        if self.actions is None and self.costs.shape[1] != K:
            raise InputError(
                f"costs has {self.costs.shape[1]} columns for {K} classes; name what the columns stand for, as in "
                "Decision(costs, actions=['send home', 'test', 'treat'])."
            )
        return np.asarray(self.costs) if self.truths is None else costs_of(classes.tolist(), self.costs, self.truths, self.actions)

    def _odds(self, classes: NDArray[Any], trained_priors: Any) -> Floats:
        """Return the factors on the rows of the costs that the priors stand for: the argmin needs no normalised posteriors."""
        if self.priors is None:
            return np.ones(len(classes))
        old = check_priors(self._require(trained_priors), classes, "trained_priors")
        return prior_odds(check_priors(self.priors, classes), old, classes)

    @staticmethod
    def _require(trained_priors: Any) -> Any:
        if trained_priors is None:
            raise InputError("This decision has new priors; pass trained_priors=, the class shares behind the posteriors, as well.")
        return trained_priors

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decision) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def _repr_html_(self) -> str:
        if self.costs is None:
            return view(code(repr(self)))
        truths = list(range(len(self.costs))) if self.truths is None else list(self.truths)
        names = distinct(range(self.costs.shape[1]) if self.actions is None else self.actions, taken=["truth"])
        columns = [Column(name, self.costs[:, a], ".6g") for a, name in enumerate(names)]
        table = Table("Costs: truth down, action across", (Column("truth", truths), *columns))
        more = [] if self.cutoff is None else [f"The second class where its posterior is above {self.cutoff:.4g}."]
        more += [] if self.reject_cost is None else [f"Rejected where every action costs more than {self.reject_cost:g}."]
        more += [] if self.priors is None else [f"Priors where it is used: {self.priors}."]
        return view(table.html, paragraphs(more))

    def __repr__(self) -> str:
        shown = []
        for name in ("costs", "reject_cost", "priors", "actions", "truths"):
            value = getattr(self, name)
            if value is not None:
                value = value.tolist() if isinstance(value, np.ndarray) else list(value) if isinstance(value, tuple) else value
                shown.append(f"{name}={value!r}")
        return f"Decision({', '.join(shown)})"


Decision.__init__ = answers_to(**REPLACED)(Decision.__init__)  # type: ignore[method-assign]
