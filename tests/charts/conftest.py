"""Pages with charts, opened in the browser that all rooms share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """A function that opens a file with the network blocked; `problems` has what went wrong."""
    contexts = []

    def opened(path: Path, **options: Any) -> Any:
        contexts.append(context := browser.new_context(offline=True, **options))
        page, problems = context.new_page(), []
        page.problems = problems
        page.set_default_timeout(10_000)
        page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if request.url.startswith("file:") else problems.append(f"asked for {request.url[:80]}"))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
