"""What has changed between the table a model was made from and another one."""

from __future__ import annotations

from typing import Any

from ..alerts import Alert
from ..inference.drift import drift_alerts
from ..inference.unseen_levels import unseen_level_alerts
from .table_columns import table_columns


def drift(reference: Any, current: Any) -> tuple[Alert, ...]:
    """Return the alerts for columns whose distribution or gaps have changed, and for categories that the first table does not have.

    Parameters
    ----------
    reference : frame, array or sparse matrix: the rows a model was made from
    current : the rows it is used on

    Returns
    -------
    tuple of Alert
        Empty with probability .99 at least where both come from one source.

    Examples
    --------
    >>> import pandas as pd
    >>> before = pd.DataFrame({"plan": ["basic"] * 60 + ["pro"] * 40})
    >>> after = pd.DataFrame({"plan": ["basic"] * 10 + ["pro"] * 80 + ["team"] * 10})
    >>> [(alert.code, alert.subject) for alert in drift(before, after)]
    [('SPX016', 'plan'), ('SPX015', 'plan')]
    """
    old, new = table_columns(reference), table_columns(current)
    return (*drift_alerts(old, new), *unseen_level_alerts(old, new))
