"""What all tests share: a seeded generator, and the folder of real tables where there is one."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def real_data() -> Path:
    folder = Path(os.environ.get("SEPARATRIX_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no folder of real tables here; set SEPARATRIX_DATA to one")
    return folder
