"""What the numbers of a report cannot say."""

from __future__ import annotations

from ..evaluation.time_split import TimeSplit
from ..selection.board import Board
from .wording import count, percent


def limits_of_board(board: Board) -> tuple[str, ...]:
    """Return the limits of a comparison, in sentences.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import KFold, LinearDiscriminantAnalysis, compare
    >>> board = compare(*load_iris(return_X_y=True), models=[LinearDiscriminantAnalysis()], plan=KFold(5), random_state=0)
    >>> limits_of_board(board)[0]
    'The numbers are for rows like these 150: drawn the same way, at the same time, with the classes as common as here.'
    """
    setting = board.setting
    contenders = sum(entry.is_contender for entry in board.entries)
    found = [
        f"The numbers are for rows like these {setting.rows.n:,}: drawn the same way, at the same time, with the classes as common as "
        "here.",
    ]
    if setting.groups is None and not isinstance(setting.plan, TimeSplit):
        found.append(
            "Rows count as independent of each other. Where several belong to one person, machine or day, the error of a new one is "
            "larger: compare(…, groups=…, plan=KFold(10, grouped=True))."
        )
    if contenders > 1:
        found.append(
            f"The model was picked among {contenders} by the same held-out rows; the number of the picked one is a little too good."
        )
    smallest = float(setting.rows.counts.min())
    if smallest < 50:
        found.append(f"The smallest class has {count(smallest, 'row')}: what is said about it rests on little.")
    return (*found, *GENERAL)


def limits_of_rows(judged: tuple[int, float] | None) -> tuple[str, ...]:
    """Return the limits of a model judged on new rows, given their number and its error; None where no row was judged."""
    known = "Rows are known as those trained on where the whole table is the one trained on; single rows among others are not recognised."
    if judged is None:
        return (known, *GENERAL)
    n, error = judged
    first = f"The error of {percent(error)} is for rows like these {n:,}; whether they resemble the rows to come, only you know."
    return (first, known, *GENERAL)


GENERAL = (
    "A coefficient says how the prediction changes with a column while the others stay as they are; it does not say what would happen if "
    "somebody changed the column.",
    "Probabilities hold where the classes are as common as in training; prior_shift(model, new_rows) estimates how common they are "
    "elsewhere.",
    "Fairness was not looked at: a column that is left out may still be told by others.",
)
"""What holds for every model."""
