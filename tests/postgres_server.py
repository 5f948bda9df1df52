"""A real PostgreSQL server in a temporary folder, for tests that hold its numbers against ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def _binaries() -> Path | None:
    """Return the folder of initdb and pg_ctl: Debian's, or that of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    on_path = shutil.which("initdb")
    return found[0].parent if found else Path(on_path).parent if on_path else None


def _absent(reason: str) -> None:
    """Skip, or fail where the server has to be there."""
    if os.environ.get("CI"):
        pytest.fail(f"PostgreSQL has to run where CI is set: {reason}")
    pytest.skip(f"no PostgreSQL server: {reason}")


@contextmanager
def server() -> Iterator[str]:
    """Start a server that listens on a socket in a folder of its own; its connection string."""
    bin_ = _binaries()
    if bin_ is None:
        _absent("initdb was found neither below /usr/lib/postgresql nor on the path")
    # initdb refuses to run as root.
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="separatrix-pg-"))
    folder.chmod(0o777)

    def call(*command: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*user, *map(str, command)], capture_output=True, text=True, cwd=folder, timeout=120, check=False)

    try:
        made = call(bin_ / "initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        if made.returncode == 0:
            made = call(bin_ / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", options, "start")
        if made.returncode:
            _absent((made.stderr or made.stdout).strip()[-300:])
        try:
            yield f"host={folder} user=postgres dbname=postgres"
        finally:
            call(bin_ / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop")
    finally:
        call("rm", "-rf", folder / "data")  # the files are the server's user's
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A connection to the server (psycopg), which commits by itself."""
    psycopg = pytest.importorskip("psycopg")
    with server() as address, psycopg.connect(address, autocommit=True) as connection:
        yield connection
