"""The pictures of the README and the docs are those that `make pictures` draws."""

import re
from pathlib import Path

from examples import pictures

ROOT = Path(__file__).parents[2]
SHOWN = re.compile(r"pictures/(\w+)\.svg")


def test_every_picture_shown_is_drawn_and_every_one_drawn_is_shown(tmp_path):
    shown = {name for page in ("README.md", "docs/pictures.md") for name in SHOWN.findall((ROOT / page).read_text(encoding="utf-8"))}
    stand = {file.stem for file in (ROOT / "docs" / "pictures").glob("*.svg")}
    drawn = set(pictures.all_pictures())
    assert shown == stand == drawn | {f"{name}_dark" for name in pictures.DARK}


def test_a_picture_holds_no_script_and_loads_nothing():
    for file in (ROOT / "docs" / "pictures").glob("*.svg"):
        text = file.read_text(encoding="utf-8")
        assert "<svg" in text and "<script" not in text and "href=" not in text and "url(http" not in text
