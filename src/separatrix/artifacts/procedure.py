"""From a comparison to a model file: the picked model fitted on all rows, with what was found about the whole procedure."""

from __future__ import annotations

from typing import Any

from ..facts.result_alerts import alerts_of_board
from ..selection import SavedBoard
from ..selection.board import Board
from ..selection.whole_procedure import ProcedureEstimate, whole_procedure
from .model_file import save
from .stored_estimate import StoredEstimate
from .training_data import column_facts, recipe_of


def fit_and_store(board: Board, rows: Any, output: str, target: str, call: str, with_facts: bool) -> StoredEstimate:
    """Fit the picked model of a board on all rows and write it to a file; return the held-out estimate of the whole procedure.

    Parameters
    ----------
    board : what `compare` returned
    rows : the table that was compared on, the target among its columns
    output : path of the model file
    target : column of the labels
    call : what made the model
    with_facts : whether counts and quantiles of the columns are kept
    """
    found = stored_estimate(whole_procedure(board))
    facts = column_facts(rows, recipe_of(board.model)) if with_facts else None
    save(board, output, estimate=found, alerts=alerts_of_board(board), call=call, column_facts=facts, target=target, data_facts=with_facts)
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
        SavedBoard.of(board).plan,
        procedure.procedure,
        str(procedure),
        procedure.scores,
        procedure.intervals,
    )
