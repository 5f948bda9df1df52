"""Alerts and facts are values: they print, compare, and become JSON."""

from __future__ import annotations

import dataclasses
import json
import pickle

import pytest

from separatrix.alerts import Alert, Fact

ALERT = Alert("SPX002", "site", "Column 'site' has one value.", "It says nothing.", "Nothing to do.", "note")


def test_an_alert_is_one_paragraph_and_json() -> None:
    assert str(ALERT) == "SPX002 Column 'site' has one value. It says nothing. Nothing to do."
    assert Alert(**json.loads(json.dumps(ALERT.to_dict()))) == ALERT == pickle.loads(pickle.dumps(ALERT))
    assert len({ALERT, dataclasses.replace(ALERT)}) == 1


@pytest.mark.parametrize(("value", "kept"), [(7, 7), (0.5, 0.5), (True, True), ("a", "a"), (None, None), (float("nan"), None)])
def test_a_fact_is_a_sentence_and_json(value: object, kept: object) -> None:
    fact = Fact("rows", value, "The table has rows.")  # type: ignore[arg-type]
    assert str(fact) == "The table has rows."
    assert json.loads(json.dumps(fact.to_dict(), allow_nan=False)) == {"name": "rows", "value": kept, "text": "The table has rows."}


@pytest.mark.parametrize("value", [ALERT, Fact("rows", 1, "One row.")])
def test_values_cannot_be_changed(value: Alert | Fact) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, dataclasses.fields(value)[0].name, "else")
