"""Write a model to a file and read it back: arrays and plain values, never code."""

from __future__ import annotations

import os
import platform
import re
import sys
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..decisions import Decision
from ..errors import DamagedFileError, InputError, InputTypeError, SeparatrixError, WriteError
from ..evaluation import Estimate
from ..models.registry import restored, state_of
from ..models.state import State, pack
from ..prepare import Recipe
from ..selection import Board, SavedBoard
from ..storage import path_text
from .contents import SUFFIX, Contents, read, write
from .state_checks import check_state
from .state_document import damaged
from .stored_estimate import StoredEstimate
from .training_data import column_facts as facts_of
from .training_data import data_hash as hash_of
from .training_data import recipe_of

PACKAGES = ("separatrix", "numpy", "scipy", "scikit-learn")


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    estimate: Any = None,
    alerts: Any = None,
    call: str | None = None,
    data_hash: str | None = None,
    column_facts: Any = None,
    target: str | None = None,
    data_facts: bool = True,
) -> None:
    """Write a fitted model to a file, from which `load` makes the same model: it predicts the same bits.

    The file (ending .sptx) is safetensors: arrays, and a JSON document with parameters, recipe, decision and what is known about the
    model. It appears whole or not at all. Nothing in it is ever run; its checksum finds damage, and is no signature: who can write the
    file can write another one with a right checksum.

    Parameters
    ----------
    model : any fitted estimator or selector of this package, what `compare` returned, a Decision or a Recipe
        Also pipelines of these with StandardScaler and PolynomialFeatures. Other estimators of scikit-learn are refused by name.
    path : str or path, ending in .sptx
    estimate : what `evaluate` returned, optional
        How the model did on held-out rows. Of a board, where nothing is given: the line of the model it picked.
    alerts : what was noticed, to be told with the model; of a board its own
    call : the call that made the model; folders in it are left out
    data_hash : SHA-256 of the training data, as `artifacts.training_data.data_hash` gives it; of a board found here
    column_facts : `artifacts.training_data.column_facts` of the training table, from which drift can be told; of a board found here
    target : name of the column of labels
    data_facts : whether a board's hash and facts of columns (counts and quantiles, no rows) are found and kept

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import separatrix
    >>> model = separatrix.LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["no", "no", "yes", "yes"])
    >>> with TemporaryDirectory() as folder:
    ...     separatrix.save(model, f"{folder}/model.sptx")
    ...     separatrix.load(f"{folder}/model.sptx").predict([[2.0], [3.0]]).tolist()
    ['no', 'yes']
    """
    _require_ending(path)
    saved, about = _state(model), _about_board(model, data_facts) if isinstance(model, Board | SavedBoard) else {}
    contents = Contents(
        saved,
        about.get("estimate") if estimate is None else _estimate(estimate),
        tuple(about.get("alerts", ()) if alerts is None else alerts),
        _versions(),
        None if call is None else without_folders(call),
        about.get("data_hash") if data_hash is None else data_hash,
        about.get("column_facts") if column_facts is None else tuple(column_facts),
        about.get("target") if target is None else target,
    )
    _require_readable(saved)
    write(path, contents)


def load(path: str | os.PathLike[str]) -> Any:
    """Return the model that `save` wrote, fitted.

    Every part of the file is checked before it is used: a file that is cut off, changed, of another version or hostile is refused by
    one error, a DamagedFileError, and no name in it chooses what is imported or run.

    Parameters
    ----------
    path : of a model file

    Examples
    --------
    >>> load("modle.sptx")
    Traceback (most recent call last):
    separatrix.errors.MissingFileError: There is no file 'modle.sptx'.
    """
    return made(read(path).saved)


def made(saved: State) -> Any:
    """Return what a state describes: a model, a decision, a recipe or a board."""
    try:
        if saved.model == "Decision":
            return Decision(**saved.params["decision"])
        if saved.model == "Recipe":
            return Recipe.stored(saved.values["recipe_"], saved.values["alerts_"]["plain"])
        return restored(saved)
    except SeparatrixError as error:
        raise damaged("the model", f"cannot be restored: {str(error).rstrip('.')}") from error


def _require_readable(saved: State) -> None:
    """Raise an error for what `load` would refuse: parameters that were changed after the fit, for instance."""
    try:
        check_state(saved)
        made(saved)
    except DamagedFileError as error:
        raise InputError(f"This {saved.model} cannot be stored, because it could not be read again: {error}") from error


def _state(model: Any) -> State:
    if isinstance(model, type):
        raise InputTypeError(f"{model.__name__} is a class; pass a fitted model, such as {model.__name__}().fit(X, y).")
    if isinstance(model, Decision):
        return pack("Decision", {"decision": {own.name: vars(model)[own.name] for own in fields(Decision)}}, {})
    if isinstance(model, Recipe):
        return pack("Recipe", {}, model.as_stored())
    return state_of(model)


def _about_board(board: Board | SavedBoard, data_facts: bool) -> dict[str, Any]:
    """Return what a board knows about itself and its rows."""
    saved = board if isinstance(board, SavedBoard) else SavedBoard.of(board)
    picked, others = saved.picked, len(saved.entries) - 1
    about: dict[str, Any] = {
        "alerts": saved.alerts,
        "estimate": StoredEstimate(
            saved.metric,
            picked.value,
            picked.interval,
            picked.standard_error,
            saved.rows,
            saved.plan,
            f"{picked.name}, its hyperparameters chosen inside every training part, as one of {others + 1} models compared",
            str(saved),
            {},
            {},
        ),
    }
    if isinstance(board, Board):
        rows = board.setting.rows
        about["target"] = rows.target
        if data_facts:
            about |= {"data_hash": hash_of(rows.X, rows.labels), "column_facts": facts_of(rows.X, recipe_of(board.model))}
    return about


def _estimate(given: Any) -> StoredEstimate | None:
    if given is None or isinstance(given, StoredEstimate):
        return given
    if not isinstance(given, Estimate):
        raise InputTypeError(f"estimate is a {type(given).__name__}; pass what evaluate(model, X, y) returned, or leave it out.")
    intervals = {name: (float(low), float(high)) for name, (low, high) in given.intervals.items()}
    return StoredEstimate(
        "error",
        float(given.error),
        (float(given.interval[0]), float(given.interval[1])),
        float("nan"),
        float(given.confusion.sum()),
        given.method,
        "this model, fitted anew for the rows held out",
        str(given),
        {name: float(score) for name, score in given.scores.items()},
        intervals,
    )


def _require_ending(path: str | os.PathLike[str]) -> None:
    given = Path(path_text(path))
    if given.suffix != SUFFIX and not given.is_dir() and given.name:
        raise WriteError(f"{os.fspath(path)!r} does not end in {SUFFIX}; name the file {given.with_suffix(SUFFIX).name!r}.")


def _versions() -> dict[str, str]:
    found = {name: version(name) for name in PACKAGES if name != "separatrix"}
    return {"separatrix": sys.modules["separatrix"].__version__, "python": platform.python_version(), **found}


def without_folders(call: str) -> str:
    """Return a call with the folders of its paths left out: where files stand on a machine is nobody else's business.

    Examples
    --------
    >>> without_folders("separatrix fit /home/ann/churn.csv --target Churn -o ../out/churn.sptx")
    'separatrix fit churn.csv --target Churn -o churn.sptx'
    """
    if not isinstance(call, str):
        raise InputError(f"call is a {type(call).__name__}; pass the text of the call, or leave it out.")
    return re.sub(r"(?:[A-Za-z]:)?(?:[^\s'\"=(),]*[/\\])+(?=[^\s'\"/\\])", "", call)
