"""The vendored bundle is the one its README names."""

import re
from hashlib import sha256
from importlib.resources import files

from separatrix.charts.bundle import content_hash, script


def test_the_file_has_the_hash_and_versions_that_its_readme_names():
    readme = files("separatrix.charts.bundle").joinpath("README.md").read_text(encoding="utf-8")
    assert re.search(r"SHA-256 of `vega.js`: `(\w+)`", readme)[1] == sha256(script().encode()).hexdigest()
    for version in re.findall(r"\| vega(?:-lite)? \| ([\d.]+) \|", readme):
        assert f'"{version}"' in script()


def test_the_bundle_may_stand_inside_a_script_element_and_interprets_expressions():
    assert "</script" not in script() and "<!--" not in script()
    assert "sourceMappingURL" not in script()
    assert "window.vegaEmbed=" in script() and "BinaryExpression" in script()


def test_a_changed_script_has_another_hash():
    assert content_hash(script()) != content_hash(script() + " ")
