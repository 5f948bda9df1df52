"""A hint to the processor that an entry of an array will be read soon: rows visited in random order come from memory meanwhile."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

BYTE, INT = ir.IntType(8).as_pointer(), ir.IntType(32)


def fetched(typing: Any, array: Any, index: Any) -> Any:
    """Fetch the cache line of array[index], counted over all its entries; where there is no such entry, nothing happens."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        entry = builder.gep(context.make_array(array)(context, builder, given[0]).data, [given[1]])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [BYTE], ir.FunctionType(ir.VoidType(), [BYTE, INT, INT, INT]))
        builder.call(hint, [builder.bitcast(entry, BYTE), INT(0), INT(3), INT(1)])  # to be read, often, as data
        return context.get_dummy_value()

    return types.void(array, index), code


prefetch: Any = (lambda array, index: None) if config.DISABLE_JIT else intrinsic(fetched)
