"""Case i of seed s: a public name, a situation (rows, labels, weights), a few calls. Which names there are, `separatrix.__all__` says.

A call's arguments are made by their names: mostly good ones (GOOD), now and then one from the tables of hostile values.
"""

from __future__ import annotations

import inspect
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import separatrix
import separatrix.errors
from separatrix import logic

from .files import FILES
from .judge import Judge
from .tables import COLUMNS, FRAMES, SPARSE
from .values import LABELS, ROWS, SCALARS, WEIGHTS

PRODUCED = {
    "Board": "compare",
    "Estimate": "evaluate",
    "ShrinkagePath": "shrinkage_path",
    "Moments": "Moments.from_data",
    "ClassMoments": "ClassMoments.from_data",
}
"""Results that nobody makes by hand, and the function that gives them."""
SLOW = {"Board", "compare", "explain", "StabilitySelection", "ForwardSelection", "BackwardSelection", "Estimate", "learning_curve"}
"""Names drawn a third as often as the others."""
INTERNAL = set(
    "against codes coded_folds columns empty fold_of folds mark names of only origin refuse_nonfinite restore scaled seconds summarise "
    "table to to_diagonal_sums get_metadata_routing get_params set_params".split()
)
"""Methods through which our own rooms talk to each other, and scikit-learn's."""
WORK = {"max_iter", "n_resamples", "n_permutations", "n_subsamples", "repeats", "n", "n_samples", "resamples", "grid", "folds", "refits"}
WORK |= {"n_splits", "n_neighbors", "neighbours", "sizes", "bins", "min_categories", "n_iter_no_change"}
"""Arguments that ask for work: who asks for 10⁹ resamples gets them, so the fuzzer does not ask."""
CHEAP = {"n_resamples": 20, "n_subsamples": 6, "n_permutations": 19, "resamples": 5, "grid": 10, "max_iter": 200}
GATES = ["AND.predict", "NAND.formula", "OR.__call__"]
METRICS = ["error", "log_loss", "brier", "accuracy", "auc", "balanced_accuracy", "precision_macro", "f1_weighted", "recall", "neg_log_loss"]
CLASSIFIERS = [
    name for name in separatrix.__all__ if name.endswith(("NB", "Analysis", "Perceptron", "Regression", "SVC", "Discriminant", "Mean"))
]
CLASSIFIERS = [name for name in [*CLASSIFIERS, "LeastSquaresClassifier"] if name != "StepwiseDiscriminant"]


class Situation:
    """Rows, labels and weights of one case, and how arguments are made from them."""

    def __init__(self, rng: np.random.Generator, folder: Path) -> None:
        self.rng, self.folder = rng, folder
        n, p, k = int(rng.choice([4, 8, 13, 40, 150])), int(rng.choice([1, 2, 3, 8, 20])), int(rng.choice([2, 2, 3, 5]))
        self.y = rng.permutation(np.arange(n) % k)
        self.X = rng.normal(size=(n, p)) + self.y[:, None] * rng.normal(size=p)
        if rng.random() < 0.4:
            self.X = np.abs(np.round(2 * self.X))
        self.w = rng.integers(1, 4, size=n).astype(float)
        self.y = np.array(["no", "yes", "so", "what", "else"])[self.y] if rng.random() < 0.3 else self.y
        self.hostility = float(rng.choice([0.0, 0.15, 0.4], p=[0.1, 0.6, 0.3]))

    def posteriors(self) -> Any:
        raw = self.rng.random((len(self.y), len(np.unique(self.y)))) ** 3
        return raw / raw.sum(axis=1, keepdims=True)

    def model(self) -> Any:
        name = str(self.rng.choice(CLASSIFIERS))
        seeded = {"random_state": 1} if "random_state" in inspect.signature(getattr(separatrix, name)).parameters else {}
        return getattr(separatrix, name)(**seeded)

    def fitted(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return self.model().fit(np.abs(np.round(self.X)), self.y)
            except separatrix.errors.SeparatrixError:
                return separatrix.NearestMean().fit(self.X, self.y)

    def selector(self) -> Any:
        kinds = [separatrix.AnovaFilter, separatrix.CorrelationFilter, separatrix.MutualInformationFilter]
        return separatrix.StepwiseDiscriminant() if self.rng.random() < 0.25 else kinds[self.rng.integers(len(kinds))](k=1)

    def plan(self) -> Any:
        plans = [separatrix.LeaveOneOut(), separatrix.HashFold(3), separatrix.TimeSplit(None, 2), separatrix.TimeSplit(0, 2)]
        plans += [separatrix.KFold(3, random_state=0), separatrix.Holdout(0.4, random_state=0)]
        plans += [separatrix.Bootstrap(5, random_state=0), separatrix.RandomSubsampling(0.4, 3, random_state=0)]
        return plans[self.rng.integers(len(plans))]

    def path(self) -> Any:
        made = str(self.rng.choice(["csv", "parquet", "arrow"]))
        return FILES[made](self.rng, self.folder, self.table())

    def table(self) -> pa.Table:
        columns = {f"x{j}": self.X[:, j] for j in range(self.X.shape[1])}
        return pa.table({**columns, "y": self.y.astype(str) if self.y.dtype.kind == "U" else self.y, "w": self.w})

    def argument(self, name: str, parameter: inspect.Parameter, subject: Any) -> tuple[str, Any] | None:
        """Return how an argument is described and its value; None where it is left out."""
        if self.rng.random() < self.hostility * (1.0 if name in TABLES or parameter.default is parameter.empty else 0.4):
            return self.hostile(name, parameter)
        if parameter.default is parameter.empty or name in ("X", "y", "random_state", "models", *CHEAP) or self.rng.random() < 0.2:
            return self.good(name, parameter, subject)
        return None

    def hostile(self, name: str, parameter: inspect.Parameter) -> tuple[str, Any]:
        tables = TABLES.get(name, ())
        if name == "path":
            chosen = self.pick(FILES)
            return chosen, FILES[chosen](self.rng, self.folder, self.table())
        if tables and self.rng.random() < 0.9:
            table = tables[self.rng.integers(len(tables))]
            chosen = self.pick(table)
            good = {"y": self.y, "groups": self.y, "sample_weight": self.w, "posteriors": None}.get(name, self.X)
            return chosen, made(table[chosen], self.rng, self.posteriors() if good is None else good)
        scalars = SCALARS if name not in WORK else {text: value for text, value in SCALARS.items() if not _large(value)}
        if name in ("function", "pass_"):  # what a user's own function raises is the user's
            scalars = {text: value for text, value in scalars.items() if not callable(value)}
        if name == "random_state":  # None asks for other numbers each time
            scalars = {text: value for text, value in scalars.items() if value is not None}
        chosen = self.pick(scalars)
        return chosen, scalars[chosen]

    def good(self, name: str, parameter: inspect.Parameter, subject: Any) -> tuple[str, Any] | None:
        if name in GOOD:
            value = GOOD[name](self, subject)
        elif name in CHEAP:
            value = CHEAP[name]
        else:
            literals = re.findall(r"'([a-z_0-9]+)'", str(parameter.annotation)) if "Literal" in str(parameter.annotation) else []
            numbers = [v * f for v in [parameter.default] if isinstance(v, float) for f in (0.5, 1.0)]
            choices = [*literals, *numbers, *([True, False] if parameter.annotation == "bool" else [])]
            if not choices:
                return None if parameter.default is not parameter.empty else self.hostile(name, parameter)
            value = choices[self.rng.integers(len(choices))]
        return shown(value), value

    def pick(self, table: dict[str, Any]) -> str:
        return str(list(table)[self.rng.integers(len(table))])

    def label(self, subject: Any = None) -> Any:
        return getattr(subject, "classes_", np.unique(self.y))[self.rng.integers(2)]


def made(maker: Callable[..., Any], rng: np.random.Generator, good: Any) -> Any:
    """A hostile value, or the good one where there is none of this kind (a column less than one)."""
    try:
        with np.errstate(all="ignore"):
            return maker(rng, good)
    except Exception:
        return good


def _large(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 1e6


def shown(value: Any) -> str:
    text = re.sub(r"/tmp/\w+", "…", re.sub(r"\s+", " ", repr(value)))
    return text if len(text) < 60 else f"a good {type(value).__name__}"


ROW_TABLES = (ROWS, ROWS, SPARSE, FRAMES)
LABEL_TABLES = (LABELS, LABELS, COLUMNS)
TABLES: dict[str, tuple[dict[str, Any], ...]] = {
    **dict.fromkeys(("X", "new", "reference", "posteriors", "w", "v", "m1", "m2", "coef_init", "inputs"), ROW_TABLES),
    **dict.fromkeys(("y", "groups", "classes"), LABEL_TABLES),
    "sample_weight": (WEIGHTS, WEIGHTS, COLUMNS),
    "path": (FILES,),
}

GOOD: dict[str, Callable[[Situation, Any], Any]] = {
    "X": lambda s, subject: s.X,
    "y": lambda s, subject: s.y,
    "new": lambda s, subject: s.X[:2],
    "reference": lambda s, subject: s.X[0],
    "sample_weight": lambda s, subject: s.w,
    "groups": lambda s, subject: np.arange(len(s.y)) // 2,
    "classes": lambda s, subject: np.unique(s.y),
    "posteriors": lambda s, subject: s.posteriors(),
    **dict.fromkeys(("priors", "trained_priors", "class_prior"), lambda s, subject: np.full(len(np.unique(s.y)), 1 / len(np.unique(s.y)))),
    "class_weight": lambda s, subject: "balanced",
    "costs": lambda s, subject: 1.0 - np.eye(len(np.unique(s.y))),
    "reject_cost": lambda s, subject: 0.2,
    "decision": lambda s, subject: separatrix.Decision(reject_cost=0.2),
    "estimator": lambda s, subject: s.model(),
    "selector": lambda s, subject: s.selector(),
    "model": lambda s, subject: s.fitted(),
    "models": lambda s, subject: {"a": s.model(), "b": s.model()},
    "plan": lambda s, subject: s.plan(),
    "random_state": lambda s, subject: 3,
    "n_jobs": lambda s, subject: int(s.rng.choice([1, 2, -1])),
    "n": lambda s, subject: int(s.rng.integers(1, 9)),
    "k": lambda s, subject: s.label(subject) if subject is not None else 1,
    **dict.fromkeys(("j", "label", "against"), lambda s, subject: s.label(subject)),
    "t": lambda s, subject: 0.3,
    "row": lambda s, subject: 0,
    "path": lambda s, subject: s.path(),
    "target": lambda s, subject: "y",
    "weight": lambda s, subject: "w",
    "method": lambda s, subject: str(s.rng.choice(["fisher", "lda", "naive-bayes", "perceptron", "svm"])),
    "w": lambda s, subject: s.X[0],
    "w0": lambda s, subject: 0.5,
    "v": lambda s, subject: np.r_[1.0, s.X[0]],
    "m1": lambda s, subject: s.X[0],
    "m2": lambda s, subject: s.X[1],
    "other": lambda s, subject: subject,
    "summary": lambda s, subject: separatrix.ClassMoments.from_data(s.X, s.y),
    "truth_table": lambda s, subject: s.rng.integers(0, 2, size=int(2 ** s.rng.integers(0, 5))),
    "name": lambda s, subject: "a",
    "metric": lambda s, subject: str(s.rng.choice(METRICS)),
    "metrics": lambda s, subject: [str(name) for name in s.rng.choice(METRICS, size=2, replace=False)],
    "pass_": lambda s, subject: attrgetter("n_rows"),
    "function": lambda s, subject: attrgetter("n_rows"),
    "inputs": lambda s, subject: s.rng.integers(0, 2, size=(3, 2)),
    "state": lambda s, subject: subject.state(),
}


def draw(rng: np.random.Generator) -> str:
    """A public name."""
    chances = np.array([1.0 if name in SLOW else 3.0 for name in separatrix.__all__])
    return str(rng.choice(separatrix.__all__, p=chances / chances.sum()))


def play(seed: int, case: int, judge: Judge) -> None:
    """Make the calls of a case."""
    rng = np.random.default_rng([seed, case])
    name = draw(rng)
    with scratch() as folder:
        situation = Situation(rng, folder)
        if name == "logic":
            name = str(rng.choice(["is_separable", "learnable", "majority", "network", "threshold", *GATES]))
            home: Any = logic
        else:
            name, home = PRODUCED.get(name, name), separatrix
        subject = call(situation, judge, name, attrgetter(name)(home), None)
        if name == "open_table" and subject is not None and rng.random() < 0.7:
            table, subject = subject, situation.model()
            judge.call(f"{type(subject).__name__}.fit(table)", subject.fit, {"X": table}, subject)
        for method in follow(rng, subject):
            if callable(getattr(type(subject), method, None)):
                call(situation, judge, f"{type(subject).__name__}.{method}", getattr(subject, method), subject)
            else:
                judge.call(f"{type(subject).__name__}.{method}", lambda method=method: getattr(subject, method, None), {}, subject)


def follow(rng: np.random.Generator, subject: Any) -> Iterator[str]:
    """The methods and properties of a result that are tried next; most estimators are fitted first."""
    if subject is None or not type(subject).__module__.startswith("separatrix"):
        return
    public = [name for name in dir(type(subject)) if not name.startswith(("_", "set_")) and name not in INTERNAL]
    if hasattr(subject, "fit") and rng.random() < 0.95:
        yield "fit"
    for _ in range(int(rng.integers(1, 5)) if public else 0):
        method = str(rng.choice(public))
        if hasattr(type(subject), method) and _there(subject, method):
            yield method


def _there(subject: Any, method: str) -> bool:
    try:
        return hasattr(subject, method) or not callable(getattr(type(subject), method))
    except Exception:
        return True  # a property that fails: the judge is to see it


def call(situation: Situation, judge: Judge, name: str, function: Any, subject: Any) -> Any:
    """Call a public function with arguments by their names."""
    if not callable(function):
        return None
    arguments, said = {}, []
    for key, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        given = situation.argument(key, parameter, subject)
        if given is not None:
            said.append(f"{key}={given[0]}")
            arguments[key] = given[1]
    return judge.call(f"{name}({', '.join(said)})", function, arguments, subject)


@contextmanager
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
