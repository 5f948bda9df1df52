"""A long fit leaves on disk where it stands, and begins there when it is run again.

    with checkpoint("fit.checkpoint"):
        model.fit(table)

After every pass that lowers the objective the coefficients are written, atomically, so that a process which is killed loses one pass.
They belong to a problem: its rows (the files or partitions they come from), class sizes, loss and penalty. Machines that are fitted one
after the other, as those of OneVsRest, each have their own. A file that knows nothing of the first problem is an error. When the fit has
ended it is deleted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..array_types import Floats
from ..errors import InputError
from ..storage.container import read_container, write_container

if TYPE_CHECKING:
    from .problem import Problem

KIND = "checkpoint"


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Coefficients W and b, and the objective there."""

    coef: Floats
    intercept: Floats
    objective: float


@dataclass(slots=True, eq=False)
class Checkpoint:
    """Where fits stand on disk: the best point of each problem, by its fingerprint; None as long as the file was not looked at."""

    path: Path
    points: dict[str, Point] | None = None

    def begin(self, problem: Problem) -> tuple[Floats, Floats] | None:
        """Return the coefficients (W, b) to go on from; None where there are none yet."""
        name = fingerprint(problem)
        if self.points is None:
            self.points = self._read()
            if self.points and name not in self.points:
                raise InputError(
                    f"The checkpoint {str(self.path)!r} was written by a fit of other rows, classes, weights or parameters; name another "
                    "file, or delete it to begin anew."
                )
        point = self.points.get(name)
        return None if point is None else (point.coef, point.intercept)

    def keep(self, problem: Problem, coef: Floats, intercept: Floats, f: float) -> None:
        """Write coefficients that are better than those before."""
        name, self.points = fingerprint(problem), self._read() if self.points is None else self.points
        if np.isfinite(f) and (name not in self.points or f < self.points[name].objective):
            self.points[name] = Point(coef.copy(), intercept.copy(), f)
            self._write(self.points)

    def _write(self, points: dict[str, Point]) -> None:
        document = {"problems": list(points), "objectives": [point.objective for point in points.values()]}
        coef = {f"coef{i}": point.coef for i, point in enumerate(points.values())}
        write_container(
            self.path, KIND, document, {**coef, **{f"intercept{i}": point.intercept for i, point in enumerate(points.values())}}
        )

    def _read(self) -> dict[str, Point]:
        if not self.path.exists():
            return {}
        found = read_container(self.path, KIND)
        named = zip(found.document["problems"], found.document["objectives"], strict=True)
        return {name: Point(found.arrays[f"coef{i}"], found.arrays[f"intercept{i}"], f) for i, (name, f) in enumerate(named)}


def fingerprint(problem: Problem) -> str:
    """Return what tells a problem from others: where its rows come from, class sizes, loss, penalty and shape."""
    said = (
        problem.rows.source.origin,
        problem.n_features,
        problem.counts.tolist(),
        type(problem.loss).__name__,
        problem.strength,
        problem.l1_ratio,
        problem.fit_intercept,
    )
    return hashlib.sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()


_active: ContextVar[Checkpoint | None] = ContextVar("checkpoint", default=None)


@contextmanager
def checkpoint(path: str | os.PathLike[str]) -> Iterator[None]:
    r"""Let fits inside that minimise a smooth loss over files or a cluster begin where an earlier run stopped.

    Parameters
    ----------
    path : file that holds the coefficients while a fit runs; deleted when the work inside has ended well
        One fit at a time: a file of another problem is refused.

    Examples
    --------
    >>> import tempfile
    >>> from separatrix import LogisticRegression, open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = Path(folder, "rows.csv")
    ...     _ = rows.write_text("a,y\n0,no\n1,yes\n2,no\n3,yes\n")
    ...     with checkpoint(Path(folder, "fit.checkpoint")):
    ...         model = LogisticRegression().fit(open_table(rows, target="y"))
    >>> model.coef_.round(2).tolist()
    [[0.45]]
    """
    own = Checkpoint(Path(path))
    token = _active.set(own)
    try:
        yield
    finally:
        _active.reset(token)
    own.path.unlink(missing_ok=True)


def active(problem: Any) -> Checkpoint | None:
    """Return the checkpoint of this work, for problems whose rows are read anew in every pass."""
    return _active.get() if problem.rows.held is None else None
