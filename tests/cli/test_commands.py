"""Each command on a table of customers: its results, as text and as JSON, equal what Python gives."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from separatrix import TableClassifier, TablePrep, compare, load, save
from separatrix.artifacts.contents import read
from separatrix.cli import exits
from separatrix.evaluation import KFold

from .conftest import FIT, Call


def results(call: Call, *words: str) -> Any:
    code, out, err = call(*words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_look_finds_kinds_gaps_target_and_alerts(call: Call) -> None:
    found = results(call, "look", "customers.csv")
    kinds = {column["column"]: column["kind"] for column in found["columns"]}
    assert kinds["customer_id"] == "left out" and kinds["signup_date"] == "date" and kinds["monthly_charge"] == "number"
    assert found["target"] == "churn" and found["rows"] == 400
    assert {"SPX001", "SPX017"} <= {alert["code"] for alert in found["alerts"]}
    leaks = [alert for alert in found["alerts"] if alert["subject"] == "retention_credit" or "'retention_credit'" in alert["seen"]]
    assert leaks


def test_look_prints_columns_then_alerts_then_what_to_type(call: Call) -> None:
    code, out, err = call("look", "customers.csv", "--target", "churn")
    assert code == 0 and out.index("400 rows, 14 columns") < out.index("Alerts") < out.index("SPX001")
    assert "next: separatrix fit customers.csv --target churn -o model.sptx" in err


def test_standard_input_is_read_like_a_file(call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = results(call, "look", "customers.csv")
    stream = io.TextIOWrapper(io.BytesIO((folder / "customers.csv").read_bytes()))
    monkeypatch.setattr("sys.stdin", stream)
    assert results(call, "look", "-") == named


def test_fit_picks_what_compare_picks_in_python(call: Call, folder: Path) -> None:
    frame = pd.read_csv(folder / "customers.csv").drop(columns=["retention_credit", "signup_date"])
    board = compare(frame, target="churn", models=["nearest mean", "LDA"], prep=TablePrep(), plan=KFold(3), metric="auc", random_state=0)
    stored = read(folder / "churn.sptx")
    assert stored.saved.model == "Board" and stored.target == "churn" and "/" not in (stored.call or "/")
    assert load(folder / "churn.sptx").picked.name == board.picked.name == "LDA"
    assert stored.estimate is not None and stored.estimate.metric == "auc" and np.isclose(stored.estimate.value, board.picked.value)


def test_predict_writes_what_the_model_says(call: Call, folder: Path) -> None:
    model = load(folder / "churn.sptx").model
    frame = pd.read_csv(folder / "new.csv")
    for name, reader in (("a.csv", pd.read_csv), ("a.parquet", pd.read_parquet), ("a.jsonl", lambda f: pd.read_json(f, lines=True))):
        assert call("predict", "churn.sptx", "new.csv", "-o", name, "--keep", "customer_id")[0] == 0
        found = reader(folder / name)
        assert found["label"].tolist() == model.predict(frame).tolist()
        assert found["customer_id"].tolist() == frame["customer_id"].tolist()
        np.testing.assert_allclose(found["p_yes"], model.predict_proba(frame)[:, 1], rtol=1e-9)


def test_predict_streams_to_standard_output(call: Call) -> None:
    code, out, err = call("predict", "churn.sptx", "new.csv", "--no-posteriors", "--kind", "jsonl")
    assert code == 0 and len(out.splitlines()) == 500 and set(json.loads(out.splitlines()[0])) == {"label"}
    assert "500 rows" in err


def test_reasons_are_columns_that_speak_for_the_label(call: Call, folder: Path) -> None:
    assert call("predict", "churn.sptx", "new.csv", "-o", "why.parquet", "--reasons", "2")[0] == 0
    found = pd.read_parquet(folder / "why.parquet")
    frame = pd.read_csv(folder / "new.csv")
    stays = found["label"].eq("no") & frame["contract"].eq("two years")
    assert (found.loc[stays, ["reason_1", "reason_2"]] == "contract").any(axis=1).mean() > 0.9
    assert (found["reason_1"] != found["reason_2"]).all()


def test_evaluate_knows_the_rows_of_the_fit(call: Call) -> None:
    code, _, err = call("evaluate", "churn.sptx", "customers.csv")
    assert code == 0 and "too good" in err
    found = results(call, "evaluate", "churn.sptx", "new.csv")
    assert found["rows"] == 500 and not found["is_training"] and found["intervals"]["auc"][0] < found["scores"]["auc"]


def test_gates_end_with_four(call: Call) -> None:
    assert call("evaluate", "churn.sptx", "new.csv", "--fail-under", "auc=.6", "--fail-under", "error=.5")[0] == 0
    code, out, err = call("evaluate", "churn.sptx", "new.csv", "--fail-under", "auc=.99")
    assert code == exits.GATE and "metric" in out and "quality gate not reached: auc is" in err


def test_explain_tells_a_row_and_the_model(call: Call) -> None:
    code, out, _ = call("explain", "churn.sptx", "new.csv", "--row", "2")
    assert code == 0 and out.startswith("Row 2:") and "Smallest change" in out
    assert results(call, "explain", "churn.sptx", "new.csv")["row"] is None


def test_summary_shows_how_the_model_was_made(call: Call) -> None:
    found = results(call, "summary", "churn.sptx")
    assert list(found["tables"]) == ["estimate", "recipe", "coefficients"]
    assert any("separatrix fit" in fact or "Made by" in fact for fact in found["facts"])
    assert "statistics" in results(call, "summary", "churn.sptx", "customers.csv")


def test_watch_is_quiet_on_rows_of_one_source_and_not_on_others(call: Call, folder: Path) -> None:
    assert results(call, "watch", "churn.sptx", "customers.csv")["quiet"]
    said = call("watch", "churn.sptx", "customers.csv")[1]
    assert "is as it was" in said and "has gone from" not in said and "The classes are as common as in the fit" in said
    assert not results(call, "watch", "churn.sptx", "new.csv")["alerts"]
    frame = pd.read_csv(folder / "new.csv")
    frame.assign(support_calls=frame["support_calls"] + 4, region="abroad").to_csv(folder / "moved.csv", index=False)
    found = results(call, "watch", "churn.sptx", "moved.csv")
    assert {"support_calls", "region"} <= {alert["subject"] for alert in found["alerts"]}
    assert call("watch", "churn.sptx", "moved.csv", "--fail-on-drift")[0] == exits.GATE


def test_diff_tests_both_models_on_the_same_rows(call: Call, folder: Path) -> None:
    words = [word for word in FIT if word != "nearest mean,LDA"]
    assert call("fit", "customers.csv", *words, "LDA", "--drop", "age", "--no-data-facts", "-o", "other.sptx")[0] == 0
    found = results(call, "diff", "churn.sptx", "other.sptx", "new.csv")
    assert found["tables"]["recipe"]["column"] == ["age"] and "DeLong" in found["tables"]["metrics"]["test"]
    code, _, err = call("watch", "other.sptx", "new.csv")
    assert code == exits.DATA and "--no-data-facts" in err


def test_exports_say_what_the_model_says(call: Call, folder: Path) -> None:
    import duckdb

    assert call("export", "churn.sptx", "--sql", "duckdb", "--table", "new", "--keep", "customer_id", "-o", "churn.sql")[0] == 0
    with duckdb.connect() as database:
        types = "types={'newsletter': 'VARCHAR'}"  # else DuckDB reads yes and no as truth values, which are other levels
        database.execute(f"CREATE TABLE new AS SELECT * FROM read_csv('{folder / 'new.csv'}', {types})")
        found = dict(row[:2] for row in database.execute((folder / "churn.sql").read_text()).fetchall())
    frame = pd.read_csv(folder / "new.csv")
    assert [found[own] for own in frame["customer_id"]] == load(folder / "churn.sptx").model.predict(frame).tolist()
    assert json.loads(call("export", "churn.sptx", "--description")[1]) and "def predict" in call("export", "churn.sptx", "--python")[1]


def test_select_keeps_few_columns(call: Call) -> None:
    found = results(call, "select", "customers.csv", "--target", "churn", "--drop", "retention_credit", "--columns", "2")
    assert len(found["columns"]) == 2 and "retention_credit" not in found["columns"]


def test_worked_is_exact(call: Call, folder: Path) -> None:
    (folder / "small.csv").write_text("x,y,class\n3,2,1\n5,2,1\n1,4,2\n3,6,2\n")
    assert results(call, "worked", "fisher", "small.csv")["result"]["w"] == ["-5/2", "4"]


def test_a_budget_ends_a_comparison_and_says_so(call: Call) -> None:
    found = results(call, "compare", "customers.csv", "--target", "churn", "--folds", "3", "--time-budget", "0.001", "--seed", "7")
    assert found["ended"] and found["seed"] == 7


def test_doctor_tests_itself(call: Call) -> None:
    found = {fact["name"]: fact["value"] for fact in results(call, "doctor")}
    assert found["self-test lda"] is True and found["threads"] >= 1


def test_colours_are_refused_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    from separatrix.cli.speaking import Speaker

    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert Speaker().in_colours and not Speaker(as_json=True).in_colours
    monkeypatch.setitem(os.environ, "NO_COLOR", "1")
    assert not Speaker().in_colours


def test_a_row_is_explained_by_its_code_where_a_file_holds_codes_alone(call: Call, folder: Path) -> None:
    table = pd.DataFrame({"zip": ["01234", "00501", "1234", "A12"] * 40, "y": ["a", "b", "b", "b"] * 30 + ["a", "b"] * 20})
    save(TableClassifier(target="y").fit(table), folder / "codes.sptx")
    table[["zip"]].iloc[1:3].to_csv(folder / "codes.csv", index=False)
    code, out, _ = call("explain", "codes.sptx", "codes.csv", "--row", "0")
    assert code == exits.OK and "00501" in out and "zip to '01234'" in out
