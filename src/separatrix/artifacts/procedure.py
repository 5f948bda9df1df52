"""From a comparison to a model file: the picked model fitted on all rows, with what was found about the whole procedure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from ..data.whole_tables import whole_table
from ..facts.result_alerts import alerts_of_board
from ..selection.board import Board
from ..selection.whole_procedure import ProcedureEstimate, whole_procedure
from .model_file import save
from .stored_estimate import StoredEstimate
from .training_columns import facts_of


def fit_and_store(board: Board, rows: Any, output: str, paths: Sequence[str], target: str, call: str, with_facts: bool) -> StoredEstimate:
    """Fit the picked model of a board on all rows and write it to a file; return the held-out estimate of the whole procedure.

    Parameters
    ----------
    board : what `compare` returned
    rows : the table that was compared on, the target among its columns
    output : path of the model file
    paths : files of the table, for the hash of the data
    target : column of the labels
    call : what made the model
    with_facts : whether counts and quantiles of the columns are kept
    """
    found = stored_estimate(whole_procedure(board))
    model = board.model
    facts = facts_of(whole_table(rows), getattr(model, "recipe_", None)) if with_facts else None
    save(
        model,
        output,
        estimate=found,
        alerts=alerts_of_board(board),
        call=call,
        data_hash=hash_of_files(paths),
        column_facts=facts,
        target=target,
    )
    return found


def stored_estimate(procedure: ProcedureEstimate) -> StoredEstimate:
    """Return the estimate of a procedure as a model file keeps it."""
    board, metric = procedure.board, procedure.board.setting.metric.name
    own = procedure.performance[metric]
    return StoredEstimate(
        metric,
        own.value,
        own.interval,
        own.standard_error,
        float(procedure.rows.n),
        board.title,
        procedure.procedure,
        str(procedure),
        procedure.scores,
        procedure.intervals,
    )


def hash_of_files(paths: Sequence[str]) -> str:
    """Return the SHA-256 of the bytes of some files, one after the other; of one file, what `sha256sum` says.

    Examples
    --------
    >>> hash_of_files([])[:8]
    'e3b0c442'
    """
    found = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                found.update(part)
    return found.hexdigest()
