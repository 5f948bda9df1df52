"""A file appears under its name whole, or the old one stays."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from separatrix.errors import InputTypeError, WriteError
from separatrix.storage import atomic_file, atomic_path

KILLED = """
import os, signal, sys
from separatrix.storage import atomic_file
with atomic_file(sys.argv[1]) as file:
    file.write(b"new" * 100_000)
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
FULL = """
import resource, sys
from separatrix.errors import WriteError
from separatrix.storage import atomic_file
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    with atomic_file(sys.argv[1]) as file:
        file.write(b"new" * 100_000)
except WriteError as error:
    sys.exit(str(error))
"""


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "a.sptx"
    path.write_bytes(b"old")
    return path


def test_a_whole_file_replaces_the_old_one_and_keeps_its_rights(old):
    old.chmod(0o640)
    with atomic_file(old) as file:
        file.write(b"new")
        assert old.read_bytes() == b"old"
    assert old.read_bytes() == b"new" and old.stat().st_mode & 0o777 == 0o640 and os.listdir(old.parent) == ["a.sptx"]


def test_a_new_file_has_the_rights_of_a_new_file(tmp_path):
    with atomic_path(tmp_path / "a") as unfinished:
        unfinished.write_text("a")
    (tmp_path / "b").write_text("b")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


@pytest.mark.parametrize("fault", [ValueError("no"), KeyboardInterrupt(), OSError(errno.ECONNRESET, "the input's own")])
def test_a_fault_leaves_the_old_file_alone(old, fault):
    def write_half():
        with atomic_file(old) as file:
            file.write(b"half")
            raise fault

    with pytest.raises(type(fault)) as caught:
        write_half()
    assert caught.value is fault and old.read_bytes() == b"old" and os.listdir(old.parent) == ["a.sptx"]


def test_a_killed_process_leaves_the_old_file(old):
    assert run(KILLED, str(old)).returncode == -signal.SIGKILL
    assert old.read_bytes() == b"old"


def test_a_full_disk_leaves_the_old_file_and_says_so(old):
    done = run(FULL, str(old))
    assert "the file would be larger than allowed" in done.stderr and "unchanged" in done.stderr
    assert old.read_bytes() == b"old" and os.listdir(old.parent) == ["a.sptx"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_errors_of_writing_are_told_by_their_cause(old):
    with pytest.raises(WriteError, match="the disk is full; make room"), atomic_file(old), open("/dev/full", "wb", buffering=0) as full:
        full.write(b"a" * 10)


def test_of_two_writers_the_last_to_finish_wins(tmp_path):
    with atomic_file(tmp_path / "a") as first, atomic_file(tmp_path / "a") as second:
        first.write(b"first")
        second.write(b"second")
    assert (tmp_path / "a").read_bytes() == b"first" and os.listdir(tmp_path) == ["a"]


def test_a_link_stays_a_link(old):
    link = old.with_name("link")
    link.symlink_to(old)
    with atomic_file(link) as file:
        file.write(b"new")
    assert link.is_symlink() and old.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "is empty"),
        ("a\0b", "zero character"),
        (".", "is a folder; name a file in it"),
        ("modles/a.sptx", "no folder 'modles'. Did you mean 'models'"),
        ("pipe", "no ordinary file"),
        ("a.sptx/b.sptx", "no folder 'a.sptx'"),
        ("n" * 300, "File name too long"),
    ],
)
def test_places_where_nothing_can_stand_are_refused(old, monkeypatch, name, said):
    monkeypatch.chdir(old.parent)
    Path("models").mkdir()
    os.mkfifo("pipe")
    with pytest.raises(WriteError, match=said), atomic_file(name) as file:
        file.write(b"new")
    assert sorted(os.listdir()) == ["a.sptx", "models", "pipe"]


def test_a_folder_that_may_not_be_written_to_is_named(old, monkeypatch):
    def refuse(*_: object) -> int:  # root may write anywhere, so that the rights alone would not tell
        raise PermissionError(errno.EACCES, "Permission denied", _[0] if isinstance(_[0], str) else os.fspath(_[0]))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(WriteError, match="may not be written to; name another folder"), atomic_file(old):
            pass
    assert old.read_bytes() == b"old"


@pytest.mark.parametrize("path", [3, None, b"a.sptx", ["a"]])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(InputTypeError, match="is no path; pass the name of a file"), atomic_file(path):
        pass
