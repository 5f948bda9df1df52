"""The README's tour runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any


def test_the_tour_of_the_readme_runs(tmp_path: Any) -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    parts = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert parts
    command = [sys.executable, "-W", "error", "-c", "\n".join(parts)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
