"""Text files as people have them: other delimiters, quotes, marks and encodings; what is no table is refused in one sentence."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from separatrix import open_table
from separatrix.data.files import byte_streams
from separatrix.errors import InputError
from tests.data.test_column_files import whole

ROWS = {"größe": [1, 2.5], "t": ["a, b", "né"], "y": ["no", "yes"]}
TABLES: dict[str, bytes] = {
    "comma": 'größe,t,y\n1,"a, b",no\n2.5,né,yes\n'.encode(),
    "semicolon": "größe;t;y\n1;a, b;no\n2.5;né;yes\n".encode(),
    "tab": "größe\tt\ty\n1\ta, b\tno\n2.5\tné\tyes\n".encode(),
    "bar": "größe|t|y\n1|a, b|no\n2.5|né|yes\n".encode(),
    "quoted header": '"größe","t","y"\n"1","a, b","no"\n"2.5","né","yes"'.encode(),
    "marked": 'größe,t,y\n1,"a, b",no\n2.5,né,yes\n'.encode("utf-8-sig"),
    "Windows": '\r\ngröße,t,y\r\n1,"a, b",no\r\n\r\n2.5,né,yes\r\n'.encode(),
}


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES.keys())
def test_one_table_written_in_many_ways(text: bytes, ending: str, tmp_path: Path) -> None:
    (tmp_path / f"a.{ending}").write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    assert whole(open_table(tmp_path, "y").as_columns()) == ROWS


def test_a_quote_within_a_name_is_part_of_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(byte_streams, "TEXT_BYTES", 100)
    (tmp_path / "a.csv").write_text('5" pipe,y\n' + "1,no\n" * 50 + '3" long,yes\n')
    assert whole(open_table(tmp_path, "y").as_columns())['5" pipe'] == ["1"] * 50 + ['3" long']


def test_quotes_may_hold_newlines_wherever_the_file_is_cut(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(byte_streams, "TEXT_BYTES", 101)
    (tmp_path / "a.csv").write_text('"long\nname",y\n' + '"one\ntwo, ""three""\n",no\n' * 50, newline="")
    table = open_table(tmp_path, "y").as_columns()
    assert table.feature_names == ("long\nname",) and whole(table)["long\nname"] == ['one\ntwo, "three"\n'] * 50


MANY = "x,y\n" + "1,no\n" * 200
BAD: dict[str, tuple[str, bytes, str]] = {
    "short row": ("a.csv", b"x,t,y\n1,q,no\n2,no\n", r"Row 1 of '.*a\.csv' has 2 fields where the header has 3: '2,no'"),
    "long row": ("a.csv", b"x,y\n1,no\n2,a,b\n", r"Row 1 of .* has 3 fields where the header has 2: '2,a,b'.*quote values"),
    "late short row": ("a.csv", MANY.encode() + b"1\n", "Row 200 of .* has 1 field where the header has 2"),
    "late Latin-1": ("a.csv", MANY.encode() + b"1,n\xe9\n", r"Column 'y' of .* is not UTF-8 in row 200\. .*read_text\('latin-1'"),
    "Latin-1": ("a.csv", b"x,t,y\n1,a,no\n1,\xe9,no\n", "Column 't' of .* is not UTF-8 in row 1"),
    "no name": ("a.csv", b",x,y\n0,1,no\n", r"Column 0 of .* has no name.*to_csv\(file, index=False\)"),
    "blank name": ("a.csv", b"x, ,y\n0,1,no\n", "Column 1 of .* has no name"),
    "one name twice": ("a.csv", b"x,x,y\n0,1,no\n", "Two columns of .* are called 'x'"),
    "open quote": ("a.csv", MANY.encode() + b'1,"n' + MANY.encode(), r"Row 200 of .* opens a quote in column 'y' that is never closed"),
    "no labels": ("a.csv", b"x,y\n1,\n2,NA\n", "All 2 rows lack a label: column 'y' is empty"),
    "not packed": ("a.csv.gz", b"x,y\n1,no\n", r"a\.csv\.gz' cannot be read.*Check its ending"),
    "cut off": ("a.csv.gz", gzip.compress(MANY.encode() * 9)[:-20], r"a\.csv\.gz' cannot be read"),
    "not xz": ("a.csv.xz", b"x,y\n1,no\n", r"a\.csv\.xz' cannot be read.*Check its ending"),
    "empty JSON": ("a.jsonl", b"\n \n", r"a\.jsonl' is empty"),
    "JSON array": ("a.jsonl", b'[{"x": 1, "y": "no"}]\n', "Row 0 of .* is not a JSON object .*one object for each row"),
    "broken JSON": ("a.jsonl", b'{"x": 1, "y": "no"}\n' * 50 + b'{"x": 1, "y"}\n', "Row 50 of .* is not a JSON object"),
    "broken mixed JSON": ("a.jsonl", b'{"x": 1, "y": "no"}\n{"x": "1", "y": "no"}\n{"x": 1', "Row 2 of .* is not a JSON object"),
    "Latin-1 JSON": ("a.ndjson", b'{"x": 1, "y": "no"}\n{"x": 1, "y": "n\xe9"}\n', "Row 1 of .* is not UTF-8: it holds the byte 0xe9"),
    "lists": ("a.jsonl", b'{"x": [1], "y": "no"}\n', "Column 'x' holds list.*neither numbers nor text nor dates"),
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("case", BAD.values(), ids=BAD.keys())
def test_what_is_no_table_is_refused_in_one_sentence(case: tuple[str, bytes, str], n_jobs: int, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(byte_streams, "TEXT_BYTES", 900)
    name, text, message = case
    (tmp_path / name).write_bytes(text)
    with pytest.raises(InputError, match=message):
        whole(open_table(tmp_path / name, "y", n_jobs=n_jobs).as_columns())


def test_weights_that_are_no_numbers_are_refused_by_row(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(byte_streams, "TEXT_BYTES", 100)
    (tmp_path / "a.csv").write_text("x,w,y\n" + "1,1,0\n" * 60 + "1,heavy,1\n")
    with pytest.raises(InputError, match=r"Column 'w' of .* holds 'heavy' in row 60"):
        whole(open_table(tmp_path, "y", weight="w").as_columns())


def test_ten_thousand_columns_and_many_levels(tmp_path: Path) -> None:
    p = 10_000
    header, rows = ",".join(f"c{j}" for j in range(p)), [f"{v},a{v}," * (p // 2) for v in (0, 1)]
    (tmp_path / "a.csv").write_text(f"{header},y\n{rows[0]}no\n{rows[1]}yes\n")
    table = open_table(tmp_path, "y", columns=[f"c{j}" for j in range(p)]).as_columns()
    assert [column.type for column in next(table.blocks()).columns[:2]] == ["number", "text"]
    (tmp_path / "b.csv").write_text("t,y\n" + "".join(f"level {i},{i % 2}\n" for i in range(100_000)))
    batches = list(open_table(tmp_path / "b.csv", "y", batch_rows=30_000).as_columns().blocks())
    assert [len(batch.column(0).levels) for batch in batches] == [30_000] * 3 + [10_000]
