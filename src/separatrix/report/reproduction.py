"""How to have the same result again: the call, the seed, the versions and the hashes of what went in."""

from __future__ import annotations

import platform
import shlex
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version

import numpy as np

from .. import __version__
from ..artifacts.contents import Contents
from ..artifacts.training_data import data_hash
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


def reproduction_of_board(board: Board, path: str) -> Reproduction:
    """Return how to have a comparison again."""
    setting = board.setting
    hashes = {"rows": data_hash(setting.rows.X, setting.rows.labels)} if len(np.shape(setting.rows.X)) == 2 else {}
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
    if target is None:
        return ""
    words = ["separatrix", "fit", "TABLE", "--target", target, "-o", "MODEL.sptx", "--seed", str(board.setting.seed), "--report", path]
    return shlex.join(words)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers come from."""
    return {"separatrix": __version__, "Python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def machine() -> str:
    """Return the kind of machine."""
    return f"{platform.system()} {platform.machine()}"


def reproduction_of_file(contents: Contents, rows: EvaluationRows, command: str) -> Reproduction:
    """Return how to have the report of a model file again, and how its model was made."""
    hashes = {"rows given": data_hash(rows.X, rows.labels)}
    if contents.data_hash is not None:
        hashes["rows trained on"] = contents.data_hash
    made = {f"{name} that wrote the file": number for name, number in contents.versions.items()}
    call = contents.call if contents.call is not None else "# The file does not say by which call its model was made."
    return Reproduction(call, command, None, {**versions(), **made}, machine(), hashes, None)
