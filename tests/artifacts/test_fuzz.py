"""Mutations of model files, a few hundred of them; `python -m tests.artifacts.fuzz --cases 10000` for more."""

from tests.artifacts import fuzz


def test_hostile_files_are_refused_or_predict():
    found, wrong = fuzz.run(cases=400, seed=7)
    assert not wrong, wrong[0]
    assert found["refused"] > 200 and found["loaded"] > 20
