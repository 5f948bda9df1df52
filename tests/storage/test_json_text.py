"""JSON of untrusted files is bounded and strict."""

import math

import pytest

from separatrix.errors import DamagedFileError, InputError
from separatrix.storage import read_json, tagged_number, untagged_number, write_json

VALUES = [None, True, 0, -3, 0.1, 5e-324, 1e308, "", 'a"\\\n\u2028é😀', [], {}, {"a": [1, {"b": [[]]}], "": ""}, 2**80]
HOSTILE = {
    "[" * 100_000: "more than 32 levels",
    '{"a":' * 40 + "1" + "}" * 40: "more than 32 levels",
    "[" + "0," * 600_000 + "0]": "more than 500,000 values",
    '{"a":1,"a":1}': "key 'a' twice",
    "[NaN]": "the number NaN",
    "[-Infinity]": "the number -Infinity",
    "[1e999]": "larger than any",
    "[" + "9" * 5000 + "]": "no JSON",
    '["\\ud800"]': "half of a character",
    '["a': "no JSON",
    "": "no JSON",
    "[1] 2": "no JSON",
}


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back(value):
    assert read_json(write_json(value), "It") == value and write_json(value).isascii()


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12] or "empty")
def test_hostile_texts_are_refused_in_one_sentence(text):
    with pytest.raises(DamagedFileError, match=HOSTILE[text]) as caught:
        read_json(text, "It")
    assert len(str(caught.value)) < 200 and "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, "\ud800", [[[]] * 3] * 300_000], ids=["nan", "inf", "set", "half", "many"])
def test_what_cannot_be_read_is_not_written(value):
    with pytest.raises(InputError, match="cannot be written as JSON"):
        write_json([value])


@pytest.mark.parametrize("value", [1, 0.5, -0.0, math.inf, -math.inf, math.nan])
def test_numbers_come_back_by_their_names(value):
    back = untagged_number(read_json(write_json(tagged_number(value)), "C"), "C")
    assert math.copysign(1, back) == math.copysign(1, value) and (back == value or (math.isnan(back) and math.isnan(value)))


@pytest.mark.parametrize("value", [{"number": "big"}, {"number": "inf", "a": 1}, {"number": ["inf"]}, "1", True, None, [1], math.inf])
def test_other_things_are_no_numbers(value):
    with pytest.raises(DamagedFileError, match="C is .* not a number"):
        untagged_number(value, "C")


def test_a_field_says_which_numbers_it_may_hold():
    with pytest.raises(DamagedFileError, match="log_prior is inf, which it cannot be"):
        untagged_number({"number": "inf"}, "log_prior", allowed=("-inf",))
