"""Rows of other array libraries as a source: blocks, labels, weights, memory that runs out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from separatrix.data import Block, as_rows, as_source, device
from separatrix.data.device import DeviceSource, in_parts
from separatrix.data.namespaces import compute_type, is_foreign, to_host
from separatrix.errors import CapacityError, InputError, InputTypeError
from tests.libraries import each_library, torch


@each_library
def test_blocks_are_of_the_same_kind_and_in_order(convert: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(device, "CPU_VALUES", 0)
    monkeypatch.setattr(device, "LEAST_ROWS", 4)
    X = np.arange(22.0).reshape(11, 2)
    source = DeviceSource(convert(X)).labelled(np.arange(11) % 3)
    blocks = list(source.blocks())
    assert [block.n_rows for block in blocks] == [4, 4, 3]
    assert all(type(block.X) is type(convert(X)) for block in blocks)
    assert_array_equal(np.concatenate([to_host(block.X) for block in blocks]), X)
    assert_array_equal(np.concatenate([to_host(block.codes) for block in blocks]), np.arange(11) % 3)


@each_library
def test_a_block_without_room_is_halved_and_the_last_half_refused(convert: Any) -> None:
    block = Block(convert(np.zeros((1000, 2))), start=5)

    def small(part: Block) -> tuple[int, int]:
        if part.n_rows > 300:
            raise MemoryError
        return part.start, part.n_rows

    assert list(in_parts(small, block)) == [(5, 250), (255, 250), (505, 250), (755, 250)]
    with pytest.raises(CapacityError, match="no memory left for 250 rows of 2 columns"):
        list(in_parts(lambda part: (_ for _ in ()).throw(MemoryError), block))


@each_library
@pytest.mark.parametrize("labels", [[3, 1, 3], [-2, 7, 7], [0, 1, 2], [1.0, 0.0, 1.0]])
def test_labels_on_the_device_are_those_of_numpy(labels: Any, convert: Any) -> None:
    X = np.zeros((3, 1))
    here, there = as_source(X, np.array(labels)), DeviceSource(convert(X)).labelled(convert(np.array(labels)))
    assert there.classes is not None and here.classes is not None
    assert there.classes.dtype == here.classes.dtype
    assert_array_equal(there.classes, here.classes)
    assert_array_equal(to_host(there.codes), next(iter(here.blocks())).codes)
    assert_array_equal(to_host(there.with_classes([*here.classes, 50]).codes), to_host(there.codes))


@each_library
def test_booleans_are_labels(convert: Any) -> None:
    source = DeviceSource(convert(np.zeros((2, 1)))).labelled(convert(np.array([True, False])))
    assert source.classes is not None and source.classes.tolist() == [False, True]


@each_library
@pytest.mark.parametrize(
    ("y", "weight", "match"),
    [
        ([0, 1], None, "X has 3 rows, y has 2 labels"),
        (None, None, "requires y to be passed"),
        ([0.5, 1.0, 2.0], None, "Unknown label type: continuous"),
        ([[0], [1], [0]], None, "1d array"),
        ([0, 1, 0], [1.0, -1.0, 1.0], "Negative values in sample_weight: row 1"),
        ([0, 1, 0], [0.0, 0.0, 0.0], "All entries of sample_weight are zero"),
        ([0, 1, 0], [1.0, 1.0], "One weight per row is needed"),
    ],
)
def test_labels_and_weights_that_do_not_fit(y: Any, weight: Any, match: str, convert: Any) -> None:
    source = DeviceSource(convert(np.zeros((3, 1))))
    with pytest.raises(InputError, match=match):
        source.labelled(None if y is None else convert(np.array(y)), None if weight is None else convert(np.array(weight)))


@each_library
def test_shapes_and_numbers_that_are_none(convert: Any) -> None:
    for values, match in ((np.zeros(3), "Expected 2D array"), (np.zeros((0, 2)), "0 sample"), (np.zeros((2, 2), complex), "Complex data")):
        with pytest.raises(InputError, match=match):
            DeviceSource(convert(values))
    with pytest.raises(InputTypeError, match="is not computed with here"):
        as_rows(convert(np.zeros((2, 2))))


def test_libraries_are_not_mixed() -> None:
    import array_api_strict

    with pytest.raises(InputError, match="X is an array of torch on cpu, y of array_api_strict on"):
        DeviceSource(torch(np.zeros((2, 1)))).labelled(array_api_strict.asarray([0, 1]))


def test_the_type_of_the_rows_decides_what_is_computed_in() -> None:
    X = torch(np.zeros((2, 2)))
    kinds = {str(compute_type(X.to(kind))) for kind in (X.half().dtype, X.bfloat16().dtype, X.float().dtype)}
    assert kinds == {"torch.float32"} and str(compute_type(X.int())) == "torch.float64"
    assert is_foreign(X) and not is_foreign(np.zeros(2)) and not is_foreign([1.0])


def test_a_device_without_float64_is_refused(monkeypatch: Any) -> None:
    X = torch(np.zeros((2, 2), dtype=np.float32))

    def without(*_: Any, **__: Any) -> Any:
        raise TypeError("no float64 here")

    monkeypatch.setattr(device.namespace(X), "zeros", without)
    with pytest.raises(InputError, match=r"has no float64.*pass X\.numpy\(force=True\)"):
        DeviceSource(X)
