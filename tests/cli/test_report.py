"""Reports from the command line: of a fit, and of a model file on rows that it has or has not seen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .conftest import FIT, Call


def facts(path: Path) -> Any:
    found = re.search(r'id="facts">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


def test_new_rows_are_judged(call: Call, folder: Path) -> None:
    code, out, err = call("report", "churn.sptx", "new.csv", "-o", "new.html", "--json")
    assert code == 0, err
    assert json.loads(out)["file"] == "new.html" and json.loads(out)["bytes"] < 1_500_000
    found = facts(folder / "new.html")
    judged = json.loads(call("evaluate", "churn.sptx", "new.csv", "--json")[1])
    assert found["mistakes"]["matrix"] == judged["confusion"] and found["rows"] == 500


def test_rows_of_the_fit_are_never_shown_as_held_out(call: Call, folder: Path) -> None:
    assert call("report", "churn.sptx", "customers.csv", "--title", "Same rows")[0] == 0
    found = facts(folder / "churn.html")
    assert found["title"] == "Same rows" and "trained on" in found["mistakes"]["why"] and "trained on" in found["thresholds"]["why"]
    assert found["leaderboard"]["lines"][0]["name"] == "LDA"


def test_fit_writes_a_report_of_its_comparison(call: Call, folder: Path) -> None:
    code, out, err = call("fit", "customers.csv", *FIT, "-o", "second.sptx", "--report", "fit.html")
    assert code == 0, err
    assert "Wrote the report fit.html" in out
    assert facts(folder / "fit.html")["model"] == "LDA"


def test_a_report_that_cannot_be_written_is_refused_before_any_work(call: Call) -> None:
    code, _, err = call("fit", "customers.csv", *FIT, "-o", "third.sptx", "--report", "fit.pdf")
    assert code == 2 and "'fit.pdf' does not end in .html; name the file 'fit.html'" in err
    code, _, err = call("report", "chrn.sptx", "new.csv")
    assert code == 2 and "Did you mean 'churn.sptx'?" in err
