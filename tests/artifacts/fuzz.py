"""Hostile model files: mutations of real ones, with the checksum made right again, and what may come of them.

    python -m tests.artifacts.fuzz --cases 10000 [--seed 0] [--case 17]

Every file is refused by one error of this package, in one sentence, or gives a model that predicts, or refuses, as a model does. Nothing is
imported or run by its word, and no process takes more than MOST_MEMORY above what it has after its imports.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from separatrix import CalibratedClassifier, Decision, KFold, LinearSVC, OneVsRest, TableClassifier, compare, load, save
from separatrix.errors import DamagedFileError, SeparatrixError
from tests.artifacts.kept_models import MORE, rows, rows_for, table
from tests.tables import ESTIMATORS

MOST_MEMORY = 200e6
HOSTILE: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**62, 2**63, 10**30, 0.5, -1e308, "", "x", "\x00", "classes_",
    "__import__('os').system('id')", "os.system",
    "../../etc/passwd", "builtins.eval", [], {}, [[]], [1, 2, 3], {"number": "inf"}, {"number": "nan"}, {"number": "-inf"},
    {"tuple": []}, {"pairs": []}, {"pairs": [[1, 2], [1, 3]]}, {"bytes": True}, {"plain": {}}, {"labels": ["a", "b"], "dtype": "<U999999"},
    {"labels": [], "dtype": "|O"}, {"array": [[1.0], [2.0]], "dtype": "<f8"}, {"blueprint": "LogisticRegression", "params": {"pairs": []}},
    {"blueprint": "os", "params": {"pairs": []}}, {"record": "Popen", "fields": []}, {"items": 10**9}, "LinearSVC", "Pipeline", "Board",
]  # fmt: skip


class File:
    """A model file taken apart."""

    def __init__(self, content: bytes) -> None:
        length = int.from_bytes(content[:8], "little")
        self.header = json.loads(content[8 : 8 + length])
        self.document = json.loads(self.header["__metadata__"]["document"])
        self.data = bytearray(content[8 + length :])

    def whole(self, checksum: bool = True) -> bytes:
        """Return the file put together again, as somebody who knows the format would."""
        self.header["__metadata__"] |= {"document": json.dumps(self.document), "sha256": "0" * 64}
        text = json.dumps(self.header).encode()
        content = len(text).to_bytes(8, "little") + text + bytes(self.data)
        return content.replace(b"0" * 64, hashlib.sha256(content).hexdigest().encode(), 1) if checksum else content

    def array(self, name: str) -> slice:
        return slice(*self.header[name]["data_offsets"])


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value of a document."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


def at(node: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        node = node[key]
    return node


def cut(content: bytes, rng: np.random.Generator) -> bytes:
    return content[: rng.integers(0, len(content))]


def flip(content: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(content)
    for place in rng.integers(0, len(content), rng.integers(1, 9)):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def splice(content: bytes, rng: np.random.Generator) -> bytes:
    a, b = sorted(rng.integers(0, len(content), 2))
    return [content[:a] + content[b:], content[:b] + content[a:], content[:a] + rng.bytes(20) + content[a:]][rng.integers(3)]


def length(content: bytes, rng: np.random.Generator) -> bytes:
    number = int(rng.choice([0, 1, 7, 8, 2**20, 8 * 2**20, 2**31, 2**40, 2**62]))
    return number.to_bytes(8, "little") + content[8:]


def replace_value(content: bytes, rng: np.random.Generator) -> bytes:
    file = File(content)
    for _ in range(rng.integers(1, 4)):
        path = (ways := places(file.document)[1:])[rng.integers(len(ways))]
        at(file.document, path[:-1])[path[-1]] = copy.deepcopy(HOSTILE[rng.integers(len(HOSTILE))])
    return file.whole()


def nudge(content: bytes, rng: np.random.Generator) -> bytes:
    """Change values a little, so that they keep their type."""
    file = File(content)
    ways = [way for way in places(file.document)[1:] if isinstance(at(file.document, way), bool | int | float | str)]
    for _ in range(rng.integers(1, 4)):
        path = ways[rng.integers(len(ways))]
        value = at(file.document, path)
        other = at(file.document, ways[rng.integers(len(ways))])
        near = (
            not value
            if isinstance(value, bool)
            else value + [1, -1, 1000][rng.integers(3)]
            if isinstance(value, int | float)
            else str(other)
        )
        at(file.document, path[:-1])[path[-1]] = near
    return file.whole()


def move_value(content: bytes, rng: np.random.Generator) -> bytes:
    file = File(content)
    ways = places(file.document)[1:]
    one, two = ways[rng.integers(len(ways))], ways[rng.integers(len(ways))]
    at(file.document, one[:-1])[one[-1]] = json.loads(json.dumps(at(file.document, two)))
    return file.whole()


def remove_value(content: bytes, rng: np.random.Generator) -> bytes:
    file = File(content)
    path = (ways := places(file.document)[1:])[rng.integers(len(ways))]
    del at(file.document, path[:-1])[path[-1]]
    return file.whole()


def rename(content: bytes, rng: np.random.Generator) -> bytes:
    file = File(content)
    path = (ways := [way for way in places(file.document)[1:] if isinstance(way[-1], str)])[rng.integers(len(ways))]
    parent = at(file.document, path[:-1])
    parent[str(rng.choice(["coef_", "x", "", "__class__", "estimator_", "a" * 300]))] = parent.pop(path[-1])
    return file.whole()


def hostile_header(content: bytes, rng: np.random.Generator) -> bytes:
    file = File(content)
    names = [name for name in file.header if name != "__metadata__"]
    if not names:
        return flip(content, rng)
    about = file.header[names[rng.integers(len(names))]]
    key = str(rng.choice(["dtype", "shape", "data_offsets"]))
    values: list[Any] = [
        "F64",
        "I64",
        "U8",
        "BOOL",
        "F32",
        "C128",
        [2**40, 2**40],
        [0],
        [],
        [-1, 4],
        [1] * 20,
        [1.5],
        [[1]],
        [0, 2**50],
        [8, 0],
        [2**63, 1],
    ]
    about[key] = values[rng.integers(len(values))]
    return file.whole()


def deep(content: bytes, rng: np.random.Generator) -> bytes:
    file, n = File(content), int(rng.choice([40, 1000, 100_000]))
    text = [b"[" * n + b"]" * n, b'{"a":' * n + b"1" + b"}" * n, b"[" + b"0," * n + b"0]"][rng.integers(3)]
    file.document["call"] = "REPLACE"
    return file.whole(False).replace(b'\\"REPLACE\\"', text.replace(b'"', b'\\"'))


def numbers(content: bytes, rng: np.random.Generator) -> bytes:
    """Change numbers of an array: not finite, huge, out of range."""
    file = File(content)
    names = [name for name, about in file.header.items() if name != "__metadata__" and about["data_offsets"][0] < about["data_offsets"][1]]
    if not names:
        return flip(content, rng)
    name = names[rng.integers(len(names))]
    dtype = np.dtype({"F64": "<f8", "I64": "<i8", "I32": "<i4", "BOOL": "|u1", "U8": "|u1"}.get(file.header[name]["dtype"], "|u1"))
    values = np.frombuffer(bytes(file.data[file.array(name)]), dtype=dtype).copy()
    new = (
        [np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0, 1e-308]
        if dtype.kind == "f"
        else [0, 1, 255, 200]
        if dtype.kind == "u"
        else [-1, -(2**31), 2**31 - 1, 7]
    )
    values[rng.integers(len(values), size=rng.integers(1, 4))] = np.array(new[rng.integers(len(new))]).astype(dtype)
    file.data[file.array(name)] = values.tobytes()
    return file.whole()


def reshape(content: bytes, rng: np.random.Generator) -> bytes:
    """Give an array another shape of as many values."""
    file = File(content)
    names = [name for name, about in file.header.items() if name != "__metadata__" and len(about["shape"]) > 0]
    if not names:
        return flip(content, rng)
    about = file.header[names[rng.integers(len(names))]]
    n = int(np.prod(about["shape"]))
    about["shape"] = [[n], [1, n], [n, 1], [*reversed(about["shape"])], [1, *about["shape"]]][rng.integers(5)]
    return file.whole()


def swap(content: bytes, rng: np.random.Generator) -> bytes:
    """Exchange the names of two arrays."""
    file = File(content)
    names = [name for name in file.header if name != "__metadata__"]
    if not names:
        return flip(content, rng)
    one, two = names[rng.integers(len(names))], names[rng.integers(len(names))]
    file.header[one], file.header[two] = file.header[two], file.header[one]
    return file.whole()


MUTATIONS: list[Callable[[bytes, np.random.Generator], bytes]] = [
    cut, flip, splice, length, replace_value, replace_value, nudge, nudge, nudge, move_value, remove_value, rename, hostile_header, deep,
    numbers, numbers, reshape, swap,
]  # fmt: skip


def originals(folder: Path) -> list[tuple[bytes, Any]]:
    """Return files of every kind of model, each with rows to predict."""
    frame, labels = table()
    models: list[tuple[Any, Any]] = []
    for model in [*ESTIMATORS, *MORE]:
        X, y = rows_for(model)
        short = {"max_iter": 3} if hasattr(model, "max_iter") else {}
        models.append((clone(model).set_params(**short).fit(X, y), X))
    models.append((TableClassifier(standardise=True).fit(frame, labels).with_decision(Decision(reject_cost=0.2)), frame))
    models.append((TableClassifier(OneVsRest(CalibratedClassifier(LinearSVC()))).fit(frame, labels), frame))
    models.append((compare(*rows(), models=["LDA"], plan=KFold(3)), rows()[0]))
    models.append((Decision(costs=[[0, 1], [9, 0]]), None))
    found = []
    for model, X in models:
        save(model, folder / "a.sptx")
        found.append(((folder / "a.sptx").read_bytes(), X))
    return [(content, X) for content, X in found if len(content) < 200_000]


def outcome(path: Path, X: Any) -> str:
    """Return how a file ended: "refused", "loaded" or "refuses rows"; whatever else happens is raised."""
    try:
        model = load(path)
    except DamagedFileError as error:
        said = str(error)
        if "\n" in said or len(said) > 600 or not said.endswith("."):
            raise AssertionError(f"not one sentence: {said!r}") from error
        return "refused"
    try:
        str(model)
        for name in ("predict", "predict_proba", "decision_function", "transform"):
            if hasattr(model, name) and X is not None:
                getattr(model, name)(X)
    except SeparatrixError:
        return "refuses rows"
    except ValueError:
        if type(model).__name__ != "Pipeline":  # whose steps are scikit-learn's, and so are their words about rows that become infinite
            raise
        return "refuses rows"
    return "loaded"


def run(cases: int, seed: int, only: int | None = None) -> tuple[Counter[str], list[str]]:
    """Return how the files ended, and what should not have happened."""
    found: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(name)
        files = originals(folder)
        for content, X in files:  # imports, compiled code and the memory they take come first
            (folder / "m.sptx").write_bytes(content)
            assert outcome(folder / "m.sptx", X) == "loaded"
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        for case in range(cases) if only is None else [only]:
            rng = np.random.default_rng([seed, case])
            content, X = files[case % len(files)]
            mutation = MUTATIONS[rng.integers(len(MUTATIONS))]
            (folder / "m.sptx").write_bytes(mutation(content, rng))
            try:
                with np.errstate(all="ignore"):
                    found[outcome(folder / "m.sptx", X)] += 1
            except Exception:
                wrong.append(f"case {case} ({mutation.__name__}, file {case % len(files)}):\n{traceback.format_exc(limit=-4)}")
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    if grown > MOST_MEMORY:
        wrong.append(f"memory grew by {grown / 1e6:.0f} MB")
    found["megabytes above imports"] = int(grown / 1e6)
    return found, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int)
    given = parser.parse_args()
    start = time.process_time()
    found, wrong = run(given.cases, given.seed, given.case)
    for line in wrong[:20]:
        print(line)  # noqa: T201
    print(f"{given.cases} cases in {time.process_time() - start:.0f} s of CPU: {dict(found)}; {len(wrong)} wrong")  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
