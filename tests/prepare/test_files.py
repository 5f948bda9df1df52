"""Files are prepared as the same rows in memory are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from separatrix import KFold, LogisticRegression, TableClassifier, evaluate, open_table
from separatrix.errors import DataWarning


def test_codes_that_look_like_numbers_stay_levels_whatever_else_stands_in_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    codes = rng.choice(["01234", "05678", "12345", "oslo"], 200)
    table = pd.DataFrame({"zip": codes, "age": rng.normal(size=200), "y": np.where(codes == "01234", "a", "b")})
    table.loc[:20, "y"] = "a"
    model = TableClassifier(target="y").fit(table)
    rows = table[table["zip"] != "oslo"].drop(columns="y")  # nothing in the file says that the column is no number
    rows.to_csv(tmp_path / "rows.csv", index=False)
    assert_array_equal(model.predict_proba(open_table(tmp_path / "rows.csv")), model.predict_proba(rows))


def test_rows_of_files_without_a_label_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = "".join(f"{i % 7},{'ab'[i % 2]},{('no', 'yes', '', 'NA')[i % 4]}\n" for i in range(80))
    (tmp_path / "rows.csv").write_text("x,c,y\n" + rows)
    frame = pd.read_csv(tmp_path / "rows.csv").dropna(subset="y")
    table = open_table(tmp_path / "rows.csv", target="y")
    said = r"SPX019 40 of 80 rows have no label in column 'y'\."
    with pytest.warns(DataWarning, match=said):
        found = evaluate(LogisticRegression(), table, plan=KFold(2))
    expected = evaluate(LogisticRegression(), frame, target="y", plan=KFold(2))
    np.testing.assert_allclose(found.posteriors, expected.posteriors)
    with pytest.warns(DataWarning, match=said):
        TableClassifier().fit(table)
