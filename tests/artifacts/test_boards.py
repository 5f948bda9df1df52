"""A board that was saved prints the same and has the same model, without its rows."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from rich.console import Console
from sklearn.tree import DecisionTreeClassifier

from separatrix import GaussianNB, KFold, LinearDiscriminantAnalysis, compare, load, save
from separatrix.artifacts import read
from separatrix.artifacts.training_data import column_facts, data_hash
from separatrix.errors import InputError, InputTypeError, UnknownNameError
from tests.artifacts.kept_models import rows, table


@pytest.fixture(scope="module")
def board():
    return compare(*rows(), models=[GaussianNB(), LinearDiscriminantAnalysis()], plan=KFold(4), random_state=0)


@pytest.fixture(scope="module")
def of_table():
    frame, labels = table(120)
    return compare(
        frame.assign(buys=labels), target="buys", models=["LDA", "logistic L2", "mixed naive Bayes"], plan=KFold(3), random_state=0
    )


def rich_text(board):
    console = Console(width=140, record=True, file=StringIO())
    console.print(board)
    return console.export_text()


@pytest.mark.parametrize("name", ["board", "of_table"])
def test_a_saved_board_prints_and_predicts_the_same(request, tmp_path, name):
    board = request.getfixturevalue(name)
    save(board, tmp_path / "a.sptx")
    again = load(tmp_path / "a.sptx")
    assert str(again) == str(board) and again._repr_html_() == board._repr_html_() and rich_text(again) == rich_text(board)
    assert again.picked.name == board.picked.name and again.alerts == board.alerts and len(again) == len(board)
    X = table(120)[0] if name == "of_table" else rows()[0]
    assert_array_equal(again.model.predict(X), board.model.predict(X))
    save(again, tmp_path / "b.sptx")
    assert load(tmp_path / "b.sptx").state() == again.state()


def test_the_file_of_a_board_tells_its_estimate_and_its_data(of_table, tmp_path):
    save(of_table, tmp_path / "a.sptx", call="separatrix fit a/b.csv")
    found = read(tmp_path / "a.sptx")
    assert found.estimate.value == of_table.picked.value and found.estimate.plan == "KFold(3)" and found.target == "buys"
    assert found.state == of_table.model.state() and found.call == "separatrix fit b.csv"
    assert found.column_facts == column_facts(table(120)[0]) and found.data_hash == data_hash(*table(120))
    save(of_table, tmp_path / "a.sptx", data_facts=False)
    assert read(tmp_path / "a.sptx").column_facts is None and read(tmp_path / "a.sptx").data_hash is None


def test_a_board_whose_pick_is_foreign_is_refused_by_name(tmp_path):
    board = compare(*rows(), models=[DecisionTreeClassifier(random_state=0)], plan=KFold(3))
    with pytest.raises(InputTypeError, match="sklearn's DecisionTreeClassifier inside a board's picked model 'DecisionTreeClassifier'"):
        save(board, tmp_path / "a.sptx")


def test_a_saved_board_fits_nothing_else(board, tmp_path):
    save(board, tmp_path / "a.sptx")
    again = load(tmp_path / "a.sptx")
    assert again.fit() is again.model and again.fit(again.picked.name) is again.model and again.best.name == board.best.name
    other = next(entry.name for entry in again if entry is not again.picked)
    with pytest.raises(InputError, match="The rows are not in the file"):
        again.fit(other)
    with pytest.raises(UnknownNameError, match="Did you mean 'GaussianNB'"):
        again["GausianNB"]


def test_facts_of_columns_name_no_single_row():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"pay": rng.normal(size=200), "who": [f"person {i}" for i in range(200)], "few": [1.0] * 3 + [None] * 197})
    pay, who, few = column_facts(frame)
    assert who.levels == () and who.rare == 200 and few.quantiles == () and few.missing == 197
    assert not set(pay.quantiles) & set(frame["pay"]) and pay.quantiles == tuple(sorted(pay.quantiles))


def test_the_hash_of_data_knows_values_and_no_library():
    frame, labels = table()
    arrow = pytest.importorskip("polars").from_pandas(frame)
    assert data_hash(frame, labels) == data_hash(arrow, labels) != data_hash(frame, labels[::-1])
    assert data_hash(frame.iloc[::-1], labels) != data_hash(frame, labels)
