"""How to have the same result again: the call, the seed, the versions and the hashes of what went in."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from .. import __version__
from ..data.columns import Column, ColumnBatch
from ..data.value_hash import content_hashes, level_hashes
from ..evaluation.evaluation_rows import EvaluationRows
from ..evaluation.plans import KFold
from ..selection.board import Board
from ..selection.table_families import REFERENCE

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow", "narwhals")
"""Packages whose versions may move the last digits."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What has to be the same for the same result.

    Attributes
    ----------
    call : Python that makes it
    command : what to type in a shell; empty where there is no such command
    seed : of all that is drawn
    versions : {package: version}
    machine : kind of machine and system
    hashes : {what: SHA-256}, independent of how rows are stored, but not of their order
    seconds : that the comparison took
    """

    call: str
    command: str
    seed: int | None
    versions: dict[str, str]
    machine: str
    hashes: dict[str, str]
    seconds: float | None


def reproduction_of_board(board: Board, columns: Sequence[Column], path: str) -> Reproduction:
    """Return how to have a comparison again."""
    setting = board.setting
    hashes = {"rows": hash_of_rows(columns, setting.rows)}
    if board.recipe is not None:
        hashes["preparation"] = sha256(repr([step.said for step in board.recipe.steps]).encode()).hexdigest()
    call = f"board = compare({_arguments(board)})\nboard.report({path!r})"
    return Reproduction(call, _command(board, path), setting.seed, versions(), machine(), hashes, board.seconds)


def _arguments(board: Board) -> str:
    """Return the arguments of `compare` as they would be typed; what was not changed is left out."""
    setting, target = board.setting, board.setting.rows.target
    rows = ["table", f"target={target!r}"] if target is not None else ["X", "y"]
    names = [entry.name for entry in sorted(board.entries, key=lambda own: own.place) if not entry.is_baseline]
    if REFERENCE not in names:  # the reference is part of what is compared where no models are named
        rows.append(f"models={names!r}")
    if setting.plan != KFold(10):
        rows.append(f"plan={setting.plan!r}")
    rows += [] if setting.inner is None else [f"tune={setting.inner!r}"]
    rows += [] if setting.metric.name == "error" else [f"metric={setting.metric.name!r}"]
    rows += [] if board.rule == "1se" else [f"rule={board.rule!r}"]
    rows += ["sample_weight=…"] if setting.rows.weight is not None else []
    rows += ["groups=…"] if setting.groups is not None else []
    return ", ".join([*rows, f"random_state={setting.seed}"])


def _command(board: Board, path: str) -> str:
    target = board.setting.rows.target
    return "" if target is None else f"separatrix fit TABLE --target {target!r} --seed {board.setting.seed} --report {path!r}"


def hash_of_rows(columns: Sequence[Column], rows: EvaluationRows) -> str:
    """Return the SHA-256 of the values and labels of rows, in their order; files and frames of the same values have the same.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.evaluation.evaluation_rows import rows_to_evaluate
    >>> one, other = np.array([[1, 2], [3, 4]]), np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> columns = [[Column(name, X[:, j]) for j, name in enumerate("ab")] for X in (one, other)]
    >>> len({hash_of_rows(own, rows_to_evaluate(X, ["no", "yes"])) for own, X in zip(columns, (one, other))})
    1
    """
    found = sha256()
    for column in columns:
        found.update(column.name.encode("utf-8", "surrogatepass") + b"\0")
    if columns:
        found.update(content_hashes(ColumnBatch(tuple(columns))).tobytes())
    found.update(level_hashes([str(label) for label in rows.classes.tolist()])[rows.codes].tobytes())
    return found.hexdigest()


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers come from."""
    return {"separatrix": __version__, "Python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def machine() -> str:
    """Return the kind of machine."""
    return f"{platform.system()} {platform.machine()}"


def reproduction_of_model(model: Any, columns: Sequence[Column], rows: EvaluationRows | None, command: str) -> Reproduction:
    """Return how to have the report of a model again."""
    hashes = {} if rows is None else {"rows": hash_of_rows(columns, rows)}
    call = f"# the model reported:\n{model!r}"
    return Reproduction(call, command, None, versions(), machine(), hashes, None)
