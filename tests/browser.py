"""One real browser for the tests of all rooms; without Chromium these tests are skipped with what to type."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

CHROMIUM = "/usr/bin/chromium"
QUIET = "--no-sandbox --headless --disable-gpu --disable-background-networking --disable-component-update --disable-sync".split()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright here: pip install playwright")
    if shutil.which(CHROMIUM) is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with playwright.sync_playwright() as driver:  # one in a process: a second one finds its loop running
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield opened
        opened.close()
