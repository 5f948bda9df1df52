"""Every code has its page, and every page says what to type."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import separatrix
from separatrix.errors import UnknownNameError
from separatrix.facts import RULES, rule


def test_codes_are_frozen() -> None:
    assert [page.code for page in RULES] == [f"SPX{number:03}" for number in range(1, 26)]
    assert len({page.name for page in RULES}) == len(RULES)


def test_every_code_in_the_source_has_a_page() -> None:
    used = {code for path in Path(separatrix.__file__).parent.rglob("*.py") for code in re.findall(r"SPX\d+", path.read_text("utf8"))}
    assert used <= {page.code for page in RULES}


@pytest.mark.parametrize("page", RULES, ids=lambda page: page.code)
def test_a_page_says_what_why_and_what_to_type(page: object) -> None:
    text, parts = str(page), json.loads(json.dumps(page.to_dict()))  # type: ignore[attr-defined]
    assert rule(parts["code"]) is page
    assert all(len(part) > 20 for name, part in parts.items() if name not in ("code", "name"))
    assert all(f"\n    {parts[name]}" in text for name in ("seen", "why", "do", "false_alarm"))


def test_an_unknown_code_is_answered() -> None:
    with pytest.raises(UnknownNameError, match="'SPX11' is not the code of an alert. Did you mean 'SPX0?11'"):
        rule("SPX11")
