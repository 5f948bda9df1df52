"""Files are prepared as the same rows in memory are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal

from separatrix import TableClassifier, open_table


def test_codes_that_look_like_numbers_stay_levels_whatever_else_stands_in_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    codes = rng.choice(["01234", "05678", "12345", "oslo"], 200)
    table = pd.DataFrame({"zip": codes, "age": rng.normal(size=200), "y": np.where(codes == "01234", "a", "b")})
    table.loc[:20, "y"] = "a"
    model = TableClassifier(target="y").fit(table)
    rows = table[table["zip"] != "oslo"].drop(columns="y")  # nothing in the file says that the column is no number
    rows.to_csv(tmp_path / "rows.csv", index=False)
    assert_array_equal(model.predict_proba(open_table(tmp_path / "rows.csv")), model.predict_proba(rows))
