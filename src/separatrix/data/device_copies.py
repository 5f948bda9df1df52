"""Copies from the host to a device of torch, one ahead of what is computed there: while a block is worked on, the next one travels.

On CUDA a block is copied into pinned memory by a thread and from there on a stream of its own; torch's allocator keeps both for the blocks
that follow. On a CPU nothing is copied: the thread reads ahead.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError, MissingExtraError
from .source import Block


class Copies:
    """Copies of blocks to one device.

    Parameters
    ----------
    device : str
        As torch names it: "cuda", "cuda:1", "cpu".
    """

    def __init__(self, device: str) -> None:
        try:
            import torch
        except ImportError:
            raise MissingExtraError("Rows are streamed to a device by torch; type: pip install 'separatrix[torch]'") from None
        try:
            self.device = torch.device(device)
            torch.empty(0, device=self.device)
        except (RuntimeError, AssertionError) as error:
            raise InputError(f"device={device!r} is none that torch can use here ({str(error).splitlines()[0]}).") from None
        self.torch: Any = torch  # its types are there where it is installed only
        self.side: Any = self.torch.cuda.Stream(self.device) if self.device.type == "cuda" else None

    def empty(self, n: int, p: int, like: Any) -> Any:
        """Return an array on the device, of the type that rows have there."""
        kind = self._tensor(like).dtype
        return self.torch.empty((n, p), dtype=kind, device=self.device)

    def ahead(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Yield blocks on the device; the next one is read and copied meanwhile."""
        with ThreadPoolExecutor(1) as thread:
            coming: Future[Any] = thread.submit(self._next, blocks)
            while True:
                found = coming.result()
                if found is None:
                    return
                coming = thread.submit(self._next, blocks)
                yield self._arrived(*found)

    def _next(self, blocks: Iterator[Block]) -> tuple[Block, Any] | None:
        block = next(blocks, None)
        if block is None:
            return None
        if self.side is None:
            return self._each(block, self._there), None
        with self.torch.cuda.stream(self.side):
            copied = self._each(block, self._there)
        return copied, self.side.record_event()

    def _arrived(self, block: Block, event: Any) -> Block:
        """Return a block whose copy is waited for by what is computed next, and whose memory by that."""
        if event is not None:
            now = self.torch.cuda.current_stream(self.device)
            now.wait_event(event)
            self._each(block, lambda part: part.record_stream(now))
        return block

    def _each(self, block: Block, function: Any) -> Block:
        codes, weight = (None if part is None else function(part) for part in (block.codes, block.weight))
        return replace(block, X=function(block.X), codes=codes, weight=weight)

    def _there(self, values: Any) -> Any:
        host = self._tensor(values)
        if self.side is None:
            return host.to(self.device)
        return (host if host.is_pinned() else host.pin_memory()).to(self.device, non_blocking=True)

    def _tensor(self, values: Any) -> Any:
        if not isinstance(values, np.ndarray):
            return values
        return self.torch.from_numpy(np.require(values, requirements=["C", "W"]))  # of memory that is not to be written torch warns
