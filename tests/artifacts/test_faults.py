"""Whatever goes wrong while a model is saved, the file that stood there stays, and the error says what to do."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from separatrix import GaussianNB, LinearDiscriminantAnalysis, load, save
from separatrix.errors import DamagedFileError, MissingFileError, WriteError
from separatrix.storage import container
from tests.artifacts.kept_models import rows

SAVE = """
import os, signal, sys
import separatrix
from separatrix import LinearDiscriminantAnalysis
model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [4.0]], ["a", "a", "b", "b"])
{fault}
try:
    separatrix.save(model, sys.argv[1])
except separatrix.errors.WriteError as error:
    sys.exit(str(error))
"""
KILLED = """
from separatrix.storage import atomic
atomic.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # all is written, and the name not yet given
"""
FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""


def run(fault: str, path: Path) -> subprocess.CompletedProcess[str]:
    program = SAVE.format(fault=fault)
    return subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=False)


@pytest.fixture
def old(tmp_path):
    save(GaussianNB().fit(*rows()), tmp_path / "m.sptx")
    return tmp_path / "m.sptx"


def test_a_process_killed_while_it_saves_leaves_the_old_model(old):
    assert run(KILLED, old).returncode == -signal.SIGKILL
    assert type(load(old)) is GaussianNB
    assert run("", old).returncode == 0 and type(load(old)) is LinearDiscriminantAnalysis


def test_a_full_disk_leaves_the_old_model_and_no_rest(old):
    assert "cannot be written: the file would be larger than allowed here" in run(FULL, old).stderr
    assert type(load(old)) is GaussianNB and os.listdir(old.parent) == ["m.sptx"]


def test_ctrl_c_leaves_the_old_model(old, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(container, "_bytes_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(LinearDiscriminantAnalysis().fit(*rows()), old)
    monkeypatch.undo()
    assert type(load(old)) is GaussianNB and os.listdir(old.parent) == ["m.sptx"]


def test_two_writers_leave_one_whole_model(old):
    models = [GaussianNB().fit(*rows()), LinearDiscriminantAnalysis().fit(*rows())]
    threads = [threading.Thread(target=lambda model=model: [save(model, old) for _ in range(20)]) for model in models]
    for thread in threads:
        thread.start()
    found = {type(load(old)).__name__ for _ in range(20)}  # while both write
    for thread in threads:
        thread.join()
    assert found <= {"GaussianNB", "LinearDiscriminantAnalysis"} and os.listdir(old.parent) == ["m.sptx"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".", "is a folder; name a file in it"),
        ("none/m.sptx", "there is no folder '.*none'"),
        ("m.joblib", "does not end in .sptx; name the file 'm.sptx'"),
        ("m", "does not end in .sptx; name the file 'm.sptx'"),
    ],
)
def test_places_where_no_model_can_stand_are_refused(old, name, said):
    with pytest.raises(WriteError, match=said):
        save(GaussianNB().fit(*rows()), old.parent / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_named(old):
    old.parent.chmod(0o500)
    try:
        with pytest.raises(WriteError, match="the folder may not be written to; name another folder"):
            save(LinearDiscriminantAnalysis().fit(*rows()), old)
    finally:
        old.parent.chmod(0o700)
    assert type(load(old)) is GaussianNB


def test_missing_and_other_files_are_named(old):
    with pytest.raises(MissingFileError, match="Did you mean 'm.sptx'"):
        load(old.with_name("n.sptx"))
    with pytest.raises(DamagedFileError, match="is a folder"):
        load(old.parent)
    (old.parent / "m.pkl").write_bytes(b"\x80\x05K\x01.")
    with pytest.raises(DamagedFileError, match="cut off|could run code"):
        load(old.parent / "m.pkl")


def test_a_header_with_as_many_values_as_are_read_takes_little_memory(tmp_path):
    document = b"[" + b"{}," * 160_000 + b"{}]"
    text = b'{"__metadata__":{"sha256":"' + b"0" * 64 + b'","format":"separatrix 1","kind":"model","document":"' + document + b'"}}'
    content = len(text).to_bytes(8, "little") + text
    (tmp_path / "big.sptx").write_bytes(content.replace(b"0" * 64, hashlib.sha256(content).hexdigest().encode(), 1))
    code = (
        "import resource, sys; from separatrix.artifacts import read; from separatrix.errors import DamagedFileError;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: read(sys.argv[1])\nexcept DamagedFileError as error: assert 'has no version' in str(error)\n"
        "sys.exit((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 > 200e6)"
    )
    assert subprocess.run([sys.executable, "-c", code, tmp_path / "big.sptx"], check=False).returncode == 0
