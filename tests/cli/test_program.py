"""The program: what it lists, what it says of mistakes, its exit codes, and what it does not import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import click
import pytest

from separatrix.cli import exits
from separatrix.cli.commands import ROWS
from separatrix.cli.program import Program, program
from separatrix.cli.speaking import Speaker, plain, spoken

from .conftest import Call

NO_SKLEARN = {
    "help": ["--help"],
    "rules": ["rules", "SPX011"],
    "look": ["look", "customers.csv"],
    "predict": ["predict", "churn.sptx", "new.csv"],
}


def test_every_row_is_a_command_of_its_name() -> None:
    context = click.Context(program)
    commands = {name: program.get_command(context, name) for name in ROWS}
    assert all(command is not None and command.name == name for name, command in commands.items())
    assert isinstance(program, Program)


@pytest.mark.parametrize("name", list(ROWS))
def test_every_command_says_what_it_does(name: str, call: Call) -> None:
    code, out, _ = call(name, "--help")
    assert code == 0 and "--json" in out and "--quiet" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["pedict"], "There is no command 'pedict'. Did you mean 'predict'?"),
        (["look", "custmers.csv"], "Did you mean 'customers.csv'?"),
        (["fit", "customers.csv", "--target", "chrn", "-o", "m.sptx"], "Column 'chrn' is not in the table. Did you mean 'churn'?"),
        (["fit", "customers.csv", "--target", "churn", "-o", "m.bin"], "does not end in .sptx"),
        (["fit", "customers.csv", "--target", "churn", "-o", "none/m.sptx"], "there is no folder"),
        (["predict", "chrn.sptx", "new.csv"], "Did you mean 'churn.sptx'?"),
        (["predict", "churn.sptx", "new.csv", "--keep", "custmer_id"], "Did you mean 'customer_id'?"),
        (["rules", "SPX999"], "'SPX999' is not the code of an alert."),
        (["worked", "fischer", "customers.csv"], "Did you mean 'fisher'?"),
        (["export", "churn.sptx", "--sql", "duckb"], "Did you mean 'duckdb'?"),
        (["export", "churn.sptx"], "Choose one of"),
        (["evaluate", "churn.sptx", "new.csv", "--fail-under", "acu=.8"], "Did you mean 'auc'?"),
        (["look", "customers.csv", "--kind", "age=nmber"], "Did you mean 'number'?"),
        (["look", "-", "customers.csv"], "is a table by itself"),
        (["explain", "churn.sptx", "new.csv", "--row", "500"], "from 0 to 499"),
        (["compare", "customers.csv", "--target", "churn", "--models", "lda"], "Did you mean 'LDA'?"),
        (["compare", "customers.csv", "--target", "churn", "--metric", "acu"], "Did you mean 'auc'?"),
    ],
)
def test_slips_are_answered_with_what_was_meant(words: list[str], told: str, call: Call) -> None:
    code, out, err = call(*words)
    assert (code, out) == (exits.USAGE, "") and told in " ".join(err.split())


def test_an_unexpected_error_is_a_bug(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("separatrix.facts.codes.RULES", None)
    monkeypatch.setattr("separatrix.cli.rules.RULES", None)
    code, _, err = call("rules")
    assert code == exits.BUG and "Traceback" in err and "This is a bug" in err


def test_data_that_cannot_be_used_are_told_in_a_line(call: Call, folder: Path) -> None:
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (folder / "torn.sptx").write_bytes((folder / "churn.sptx").read_bytes()[:-100])
    for words in (["look", "ragged.csv"], ["predict", "torn.sptx", "new.csv"]):
        code, out, err = call(*words)
        assert (code, out) == (exits.DATA, "") and err.startswith("separatrix: error: ") and "Traceback" not in err


@pytest.mark.parametrize("name", NO_SKLEARN)
def test_light_commands_do_not_import_scikit_learn(name: str, folder: Path) -> None:
    script = (
        "import sys; from separatrix.cli.program import run; code = run(sys.argv[1:]); sys.exit(code or 9 * ('sklearn' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script, *NO_SKLEARN[name]], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_module_is_the_program(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "separatrix", "rules", "SPX002", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["name"] == "constant column"


def test_the_shell_completes_names() -> None:
    words = {**os.environ, "_SEPARATRIX_COMPLETE": "bash_complete", "COMP_WORDS": "separatrix pre", "COMP_CWORD": "1"}
    script = "import sys; sys.argv[0] = 'separatrix'; from separatrix.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], env=words, capture_output=True, text=True, check=False)
    assert "plain,predict" in done.stdout


def test_json_has_no_numbers_that_are_none() -> None:
    import numpy as np

    assert plain({"a": np.array([1.0, np.nan]), "b": (np.int64(3), None), "c": float("inf")}) == {
        "a": [1.0, None],
        "b": [3, None],
        "c": None,
    }


@pytest.mark.parametrize(("words", "told"), [([], "separatrix: warning: two columns say the same\n"), (["-q"], "")])
def test_warnings_are_messages_without_lines_of_code(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    @spoken
    def warns(speaker: Speaker) -> None:
        warnings.warn("two columns say the same", UserWarning, stacklevel=1)
        warnings.warn("numpy will change", FutureWarning, stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warns.main(words, standalone_mode=False)
    assert tuple(capsys.readouterr()) == ("", told)
