"""What all tests share: a seeded generator, and the folder of real tables where there is one."""

from __future__ import annotations

import math
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from separatrix.data import source as sources
from separatrix.thresholds import Threshold
from tests.browser import browser  # noqa: F401 — a fixture for every room
from tests.postgres_server import postgres  # noqa: F401 — a fixture for every room

EXAMPLES_WITH = {"separatrix.data.streamed.streamed": "torch"}
"""Examples of docstrings that need a package which the tests do not install."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        needed = EXAMPLES_WITH.get(item.name)
        if needed is not None and find_spec(needed) is None:
            item.add_marker(pytest.mark.skip(reason=f"{needed} is not installed; type: pip install 'separatrix[{needed}]'"))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def real_data() -> Path:
    folder = Path(os.environ.get("SEPARATRIX_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no folder of real tables here; set SEPARATRIX_DATA to one")
    return folder


@pytest.fixture(params=["small", "large"])
def roads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides of every threshold: a law runs once on the roads of small tables and once, in parts, on those of large ones."""
    monkeypatch.setattr(Threshold, "everywhere", 0 if request.param == "large" else math.inf)
    if request.param == "large":
        monkeypatch.setattr(sources, "CHUNK_BYTES", 2_000)
