"""No room asks an object of another room for a private name: what a model can do is read from `separatrix.abilities`.

`python checks/private_names.py` reads the syntax tree of every file in src/ and prints what it finds:

- `x._name` where `_name` is not defined in the same room (also `type(x)._name`);
- `hasattr`, `getattr` or `setattr` with a private name; `hasattr` or `getattr` of a model with a name that is not part of
  scikit-learn's contract, such as a parameter (`getattr(model, "shrinkage")`) or a variable;
- `get_params()` used to look a single parameter up;
- `except AttributeError` around anything.

A line that must stand says why in a comment: `# names: …`.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "src" / "separatrix"
OWN = {"self", "cls"}
MODELS = {"model", "models", "fitted", "estimator", "estimator_", "machine", "classifier", "inner", "inside", "asked", "template", "fresh"}
"""Names under which models go about."""
CONTRACT = {
    "abilities", "fit", "partial_fit", "fit_summary", "predict", "predict_proba", "predict_log_proba", "decision_function", "transform",
    "get_params", "get_support", "get_feature_names_out", "classes_", "coef_", "intercept_", "n_features_in_", "feature_names_in_", "steps",
    "named_steps", "estimator_", "estimators_", "priors_", "class_prior_", "class_log_prior_", "summary_", "state", "ambiguous", "n_jobs",
    "__sklearn_tags__", "columns",
}  # fmt: skip
"""What scikit-learn's contract, or a public name of ours, lets anyone ask for."""


def room_of(path: Path) -> str:
    """Return the folder below the package that a file stands in, or its own name."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def private(name: object) -> bool:
    """Return whether a name is private, and not one of Python's own."""
    return isinstance(name, str) and name.startswith("_") and not name.startswith("__")


def defined(tree: ast.AST) -> set[str]:
    """Return the private names that a file defines: functions, attributes, fields, module variables."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return {name for name in found if private(name)}


def imported(tree: ast.AST) -> set[str]:
    """Return the names under which modules are imported."""
    return {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def last_name(node: ast.expr) -> str:
    """Return the last name of an expression: model of `self.model`, `models[k]` and `model`."""
    if isinstance(node, ast.Subscript | ast.Starred):
        return last_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def findings(tree: ast.AST, known: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and reason for everything in a file that asks for what it should not know."""
    modules = imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and private(node.attr) and node.attr not in known:
            own = isinstance(node.value, ast.Name) and (node.value.id in OWN or node.value.id in modules)
            inherited = isinstance(node.value, ast.Call) and last_name(node.value.func) == "super"
            if not own and not inherited:
                yield node.lineno, f"asks for the private name {node.attr}"
        elif isinstance(node, ast.Call) and last_name(node.func) in ("hasattr", "getattr", "setattr") and len(node.args) > 1:
            yield from _asked(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            if isinstance(node.func.value, ast.Call) and last_name(node.func.value.func) == "get_params":
                yield node.lineno, "looks a parameter up by name"
        elif isinstance(node, ast.ExceptHandler) and node.type is not None and "AttributeError" in ast.unparse(node.type):
            yield node.lineno, "catches AttributeError"


def _asked(node: ast.Call) -> Iterator[tuple[int, str]]:
    of, name = last_name(node.args[0]), node.args[1].value if isinstance(node.args[1], ast.Constant) else None
    if of in OWN:
        return
    if private(name):
        yield node.lineno, f"asks {of or 'something'} for the private name {name}"
    elif of in MODELS and name not in CONTRACT and last_name(node.func) != "setattr":
        yield node.lineno, f"asks a model for {ast.unparse(node.args[1])}, which is not part of the contract"


def main() -> int:
    """Print all findings; return how many there are."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ROOT.rglob("*.py"))}
    rooms: dict[str, set[str]] = defaultdict(set)
    for path, tree in trees.items():
        rooms[room_of(path)] |= defined(tree)
    count = 0
    for path, tree in trees.items():
        room, lines = room_of(path), path.read_text(encoding="utf-8").splitlines()
        for line, reason in findings(tree, rooms[room]):
            if not any("# names:" in text for text in lines[line - 1 : line + 2]):
                print(f"{path.relative_to(ROOT.parents[1])}:{line}: {reason}")
                count += 1
    print(f"private names: {count} found" if count else "private names: none asked for across rooms")
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main())
