"""A program as an ONNX graph of standard operators, in double precision or float32. The only file that imports onnx."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, MissingExtraError, short_text
from ..prepare.written_numbers import BLANKS
from .program.nodes import Node, Program

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:  # pragma: no cover
    raise MissingExtraError("Writing ONNX needs onnx: pip install 'separatrix[onnx]'.") from missing

OPSETS = {"": 17, "ai.onnx.ml": 3}
"""Versions of the operators: those that runtimes of the last years have."""
IR_VERSION = 8
SIMPLE = {
    "product": "Mul", "quotient": "Div", "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "abs": "Abs", "floor": "Floor", "sin": "Sin",
    "cos": "Cos", "less": "Less", "at_most": "LessOrEqual", "equal": "Equal", "and": "And", "or": "Or", "not": "Not", "choose": "Where",
    "largest": "Max", "smallest": "Min", "sum": "Sum",
}  # fmt: skip


@dataclass(slots=True)
class Graph:
    """Nodes and constants of a graph on their way; every value is a column (n, 1)."""

    program: Program
    matrix: bool
    dtype: Any
    nodes: list[Any] = field(default_factory=list)
    constants: dict[bytes, str] = field(default_factory=dict)
    tensors: list[Any] = field(default_factory=list)
    made: dict[Any, str] = field(default_factory=dict)

    def add(self, op: str, inputs: Sequence[str], domain: str = "", **attributes: Any) -> str:
        """Add an operator, and return the name of its result."""
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], domain=domain, **attributes))
        return name

    def constant(self, values: Any, dtype: Any = None) -> str:
        """Return the name of a constant."""
        array = np.asarray(values, dtype=self.dtype if dtype is None else dtype)
        key = f"{array.dtype}{array.shape}".encode() + (repr(array.tolist()).encode() if array.dtype == object else array.tobytes())
        if key not in self.constants:
            self.constants[key] = f"k{len(self.tensors)}"
            self.tensors.append(_tensor(array, self.constants[key]))
        return self.constants[key]

    def write(self, node: Node) -> str:
        """Return the name of a node's value."""
        own: Callable[[Node], str] | None = getattr(self, f"_{node.op}", None)
        if own is not None:
            return own(node)
        return self.add(SIMPLE[node.op], [self.write(arg) for arg in node.args])

    def _number(self, node: Node) -> str:
        return self.constant([[node.value]])

    def _nothing(self, node: Node) -> str:
        return self.constant([[np.nan]])

    def _column(self, node: Node) -> str:
        place = list(self.program.columns).index(node.value)
        if not self.matrix:
            return self.made.get(("column", place), f"in{place}")
        if ("column", place) not in self.made:
            self.made["column", place] = self.add("Gather", ["X", self.constant([place], np.int64)], axis=1)
        return self.made["column", place]

    def _ref(self, node: Node) -> str:
        return self.made[node.value]

    def _days(self, node: Node) -> str:
        return self.write(node.args[0])

    def _cbrt(self, node: Node) -> str:
        x = self.write(node.args[0])
        root = self.add("Pow", [self.add("Abs", [x]), self.constant([[1.0 / 3.0]])])
        return self.add("Mul", [self.add("Sign", [x]), root])

    def _log1p(self, node: Node) -> str:
        return self.add("Log", [self.add("Add", [self.write(node.args[0]), self.constant([[1.0]])])])

    def _present(self, node: Node) -> str:
        x = self.write(node.args[0])
        if ("present", x) not in self.made:
            # IsInf takes float32 alone in some runtimes; a difference that is zero says the same of every number.
            self.made["present", x] = self.add("Equal", [self.add("Sub", [x, x]), self.constant([[0.0]])])
        return self.made["present", x]

    def _dot(self, node: Node) -> str:
        weights, constant = node.value
        whole = tuple(arg.value for arg in node.args if arg.op == "column")
        if self.matrix and whole == tuple(self.program.columns):
            features = "X"
        else:
            parts = tuple(self.write(arg) for arg in node.args)
            key = ("concat", parts)
            if key not in self.made:
                self.made[key] = self.add("Concat", [self.rows(part) for part in parts], axis=1)
            features = self.made[key]
        product = self.add("MatMul", [features, self.constant(np.array(weights)[:, None])])
        return self.add("Add", [product, self.constant([[constant]])]) if constant else product

    def rows(self, name: str) -> str:
        """Return a value with a row for each row of the input, also where it is a constant."""
        if not name.startswith("k"):
            return name
        if "shape" not in self.made:
            first = "X" if self.matrix else "in0"
            count = self.add("Slice", [self.add("Shape", [first]), self.constant([0], np.int64), self.constant([1], np.int64)])
            self.made["shape"] = self.add("Concat", [count, self.constant([1], np.int64)], axis=0)
        return self.add("Expand", [name, self.made["shape"]])

    def _lookup(self, node: Node) -> str:
        levels, other, gap = node.value
        x, names = self.write(node.args[0]), [str(level) for level, _ in levels]
        key = ("levels", x, tuple(names))
        if key not in self.made:
            keys = [*names, *sorted(BLANKS - set(names))]
            places = [*range(len(names)), *[len(names) + 1] * (len(keys) - len(names))]
            encoded = [name.encode() for name in keys]
            self.made[key] = self.add(
                "LabelEncoder", [x], "ai.onnx.ml", keys_strings=encoded, values_int64s=places, default_int64=len(names)
            )
        values = [*(value for _, value in levels), other, gap]
        table = self.constant([np.nan if value is None else value for value in values])
        return self.add("Gather", [table, self.made[key]], axis=0)

    def _numbered(self, node: Node) -> str:
        levels, other, gap = node.value
        x = self.write(node.args[0])
        match = self.add("Equal", [x, self.constant([[level for level, _ in levels]])])
        found = self.add("Cast", [match], to=self._type)
        value = self.add("MatMul", [found, self.constant([[value] for _, value in levels])])
        known = self.add("MatMul", [found, self.constant(np.ones((len(levels), 1)))])
        some = self.add("Less", [self.constant([[0.5]]), known])
        value = self.add("Where", [some, value, self.constant([[np.nan if other is None else other]])])
        return self.add("Where", [self._present(Node("present", node.args)), value, self.constant([[np.nan if gap is None else gap]])])

    @property
    def _type(self) -> int:
        return int(TensorProto.DOUBLE if self.dtype == np.float64 else TensorProto.FLOAT)

    def _interpolate(self, node: Node) -> str:
        places, values = (np.array(own) for own in node.value)
        x = self.write(node.args[0])
        if len(places) == 1:
            return self.constant([[values[0]]])
        held = self.add("Min", [self.add("Max", [x, self.constant([[places[0]]])]), self.constant([[places[-1]]])])
        above = self.add("Cast", [self.add("LessOrEqual", [self.constant(places[None, 1:]), held])], to=TensorProto.INT64)
        count = self.add("ReduceSum", [above, self.constant([1], np.int64)], keepdims=1)
        at = self.add("Min", [count, self.constant([[len(places) - 2]], np.int64)])
        slopes = np.diff(values) / np.diff(places)
        low, base, slope = (self.add("Gather", [self.constant(own), at], axis=0) for own in (places[:-1], values[:-1], slopes))
        return self.add("Add", [base, self.add("Mul", [slope, self.add("Sub", [held, low])])])

    def pick(self, chosen: tuple[list[str], list[Any], str], name: str) -> Any:
        """Add the choice of a label, and return the description of this output."""
        values, labels, how = chosen
        own = [self.rows(self.made[value]) for value in values]
        if how == "positive":
            at = self.add("Cast", [self.add("Less", [self.constant([[0.0]]), own[0]])], to=TensorProto.INT64)
        else:
            together = self.add("Concat", own, axis=1)
            at = self.add("ArgMax" if how == "largest" else "ArgMin", [together], axis=1, keepdims=1)
        flat = self.add("Reshape", [at, self.constant([-1], np.int64)])
        names = _labels(labels)
        self.nodes.append(helper.make_node("Gather", [self.constant(names, names.dtype), flat], [name], axis=0))
        kind = TensorProto.STRING if names.dtype == object else TensorProto.DOUBLE if names.dtype.kind == "f" else TensorProto.INT64
        return helper.make_tensor_value_info(name, kind, ["rows"])


def _tensor(array: NDArray[Any], name: str) -> Any:
    if array.dtype == object:
        texts: Any = [str(value).encode() for value in array.ravel()]
        return helper.make_tensor(name, TensorProto.STRING, array.shape, texts)
    return numpy_helper.from_array(array, name)


def _labels(labels: Sequence[Any]) -> NDArray[Any]:
    """Return labels as whole numbers, numbers or texts; a rejected row is an empty text."""
    plain = [label.item() if hasattr(label, "item") else label for label in labels]
    if all(isinstance(label, int) for label in plain):
        return np.array(plain, dtype=np.int64)
    if all(isinstance(label, int | float) for label in plain):
        return np.array(plain, dtype=np.float64)
    odd = [label for label in plain if not isinstance(label, str | int | float | None)]
    if odd:
        raise InputError(f"The label {short_text(odd[0])} is a {type(odd[0]).__name__}, which ONNX has no type for; use text or numbers.")
    return np.array(["" if label is None else str(label) for label in plain], dtype=object)


def model_of(program: Program, is_double: bool, version: str) -> Any:
    """Return the ONNX model of a program."""
    # Days since 1970 with their hours have more digits than single precision: a model of dates computes in double, whatever goes in.
    inside = is_double or any(how.kind == "date" for how in program.columns.values())
    matrix = not program.finite and all(how.kind == "number" for how in program.columns.values())
    graph = Graph(program, matrix, np.float64 if inside else np.float32)
    kind = TensorProto.DOUBLE if is_double else TensorProto.FLOAT
    inputs = [helper.make_tensor_value_info("X", kind, ["rows", len(program.columns)])]
    if not matrix:
        kinds = {"text": TensorProto.STRING, "date": TensorProto.DOUBLE, "number": kind}
        inputs = [helper.make_tensor_value_info(f"in{j}", kinds[how.kind], ["rows", 1]) for j, how in enumerate(program.columns.values())]
    if inside and not is_double:
        for j, how in enumerate(program.columns.values()):
            if how.kind == "number":
                graph.made["column", j] = graph.add("Cast", [f"in{j}"], to=TensorProto.DOUBLE)
    for stage in program.stages:
        graph.made.update({name: graph.write(node) for name, node in stage.items()})
    outputs = [graph.pick(program.label, "label")]
    if program.action is not None:
        outputs.append(graph.pick(program.action, "action"))
    told, name = (program.posteriors, "posteriors") if program.posteriors else (program.scores, "scores")
    together = graph.add("Concat", [graph.rows(graph.made[own]) for own in told], axis=1)
    graph.nodes.append(helper.make_node("Cast", [together], [name], to=kind))
    outputs.append(helper.make_tensor_value_info(name, kind, ["rows", len(told)]))
    body = helper.make_graph(graph.nodes, "separatrix", inputs, outputs, graph.tensors)
    opsets = [helper.make_opsetid(domain, number) for domain, number in OPSETS.items()]
    model = helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION, producer_name="separatrix", producer_version=version)
    helper.set_model_props(model, _about(program, matrix))
    onnx.checker.check_model(model)
    return model


def _about(program: Program, matrix: bool) -> dict[str, str]:
    """Return what a reader of the model has to know: which column goes into which input, and the classes."""
    columns = list(program.columns)
    read = {name: ("days since 1970-01-01" if how.kind == "date" else how.kind) for name, how in program.columns.items()}
    inputs = {"X": columns} if matrix else {f"in{j}": name for j, name in enumerate(columns)}
    return {
        "model": program.model,
        "inputs": json.dumps(inputs),
        "kinds": json.dumps(read),
        "classes": json.dumps(list(map(str, program.classes))),
    }
