"""numpy functions implemented in torch, for batches that stay on an accelerator.

Only functions that metrics use on an accelerator are here, and none of them waits for the device.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["IN_TORCH"]


def _torch(name: str) -> Any:
    return getattr(sys.modules["torch"], name)


def _joined(like: Any, arrays: Sequence[Any]) -> list[Any]:
    dtype = np.result_type(*(a.dtype if hasattr(a, "dtype") else a for a in arrays))
    return [like.to_tensor(array, dtype) for array in arrays]


def _bincount(like: Any, codes: Any, minlength: int = 0) -> Any:
    # torch.bincount waits for the largest code. Codes out of range go to an extra bin.
    torch = sys.modules["torch"]
    counts = torch.zeros(minlength + 1, dtype=torch.int64, device=codes.tensor.device)
    index = codes.tensor.to(torch.int64)
    index = index.masked_fill((index < 0) | (index > minlength), minlength)
    return counts.index_add_(0, index, torch.ones_like(index))[:minlength]


IN_TORCH: dict[Any, Callable[..., Any]] = {
    np.bincount: _bincount,
    np.broadcast_to: lambda like, array, shape: array.tensor.broadcast_to(shape),
    np.column_stack: lambda like, arrays: _torch("column_stack")(_joined(like, arrays)),
    np.concatenate: lambda like, arrays: _torch("cat")(_joined(like, arrays)),
    np.count_nonzero: lambda like, array, axis=None: _torch("count_nonzero")(array.tensor, axis),
    np.empty_like: lambda like, array, shape, order=None: array.tensor.new_empty(shape),
    np.moveaxis: lambda like, array, source, to: array.tensor.movedim(source, to),
    np.ndim: lambda like, array: array.ndim,
    np.repeat: lambda like, array, n, axis: array.tensor.repeat_interleave(n, axis),
    np.stack: lambda like, arrays, axis=0: _torch("stack")(_joined(like, arrays), axis),
    np.transpose: lambda like, array, axes: array.tensor.permute(axes),
    np.where: lambda like, condition, *arrays: _torch("where")(
        condition.tensor, *_joined(like, arrays)
    ),
}
"""For each numpy function, a function that takes a `DeviceArray` of the device before the numpy
function's arguments, and returns a tensor, or an int that does not depend on values."""
