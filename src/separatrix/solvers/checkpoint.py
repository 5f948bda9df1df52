"""A long fit leaves on disk where it stands, and begins there when it is run again.

    with checkpoint("fit.checkpoint"):
        model.fit(table)

After every pass that lowers the objective the coefficients are written, atomically, so that a process which is killed loses one pass. The
file belongs to a problem: its rows (the files or partitions they come from), class sizes, loss and penalty; a file of another problem is an
error. When the fit has ended it is deleted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..array_types import Floats
from ..errors import InputError
from ..storage.container import read_container, write_container

if TYPE_CHECKING:
    from .problem import Problem

KIND = "checkpoint"


@dataclass(slots=True, eq=False)
class Checkpoint:
    """Where a fit stands on disk, and the best objective written there so far."""

    path: Path
    lowest: dict[str, float] = field(default_factory=dict)

    def begin(self, problem: Problem) -> tuple[Floats, Floats] | None:
        """Return the coefficients (W, b) to go on from; None where there are none yet."""
        if not self.path.exists():
            return None
        found = read_container(self.path, KIND)
        if found.document["problem"] != fingerprint(problem):
            raise InputError(
                f"The checkpoint {str(self.path)!r} was written by a fit of other rows, classes, weights or parameters; name another file, "
                "or delete it to begin anew."
            )
        return found.arrays["coef"], found.arrays["intercept"]

    def keep(self, problem: Problem, coef: Floats, intercept: Floats, f: float) -> None:
        """Write coefficients that are better than those before."""
        name = fingerprint(problem)
        if np.isfinite(f) and f < self.lowest.get(name, np.inf):
            self.lowest[name] = f
            write_container(self.path, KIND, {"problem": name, "objective": f}, {"coef": coef, "intercept": intercept})


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
