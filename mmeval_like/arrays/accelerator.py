"""Batches that stay on an accelerator: numpy functions on torch tensors, without waiting.

A metric's `rows` is written once, in numpy. For tensors on a GPU, it runs on `DeviceArray`s, which
numpy's dispatch protocols (NEP 13 and 18) forward to torch. Dtypes are promoted by numpy's rules,
so that results have the same bits as on the host. Only `fetch` and `raise_faults` wait for the
device; any other function that would need a value raises an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, final

import numpy as np

from mmeval_like._base.warning import warn
from mmeval_like.arrays.in_torch import IN_TORCH

__all__ = [
    "DeviceArray",
    "Remark",
    "fetch",
    "here",
    "is_accelerator",
    "is_device",
    "raise_faults",
    "stay",
]


class Remark(str):
    """The text of a rule that samples may break; `raise_faults` only warns if they do."""

    __slots__ = ()


def is_accelerator(value: Any) -> bool:
    """Return whether a value is a torch tensor on a GPU (CUDA or ROCm)."""
    # Arrays of other libraries may also have the attribute. Most values fail the first test.
    if not getattr(value, "is_cuda", False):
        return False
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_device(value: Any) -> bool:
    """Return whether a value is a `DeviceArray`."""
    return type(value) is DeviceArray


def stay(batch: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of `add`, as `DeviceArray`s if any of them is on an accelerator.

    All arrays are moved to the device of the first such argument; they share the counts of checks.
    """
    for value in (*batch, *named.values()) if named else batch:
        kind = type(value)  # kept fast: this runs for every batch of every metric
        if kind is np.ndarray:
            continue
        first = value[0] if (kind is list or kind is tuple) and value else value
        if is_accelerator(first):
            break
    else:
        return batch, named
    like = DeviceArray(first, {})
    return tuple(like.follow(v) for v in batch), {k: like.follow(v) for k, v in named.items()}


def fetch(rows: Any) -> Any:
    """Return rows, or a tuple of arrays, on the host; this waits for the accelerator if needed.

    Example:
        >>> fetch(np.arange(2))
        array([0, 1])
    """
    if isinstance(rows, tuple):
        for part in rows:
            if isinstance(part, DeviceArray | tuple):
                return tuple(map(fetch, rows))
        return rows
    return rows.tensor.cpu().numpy() if isinstance(rows, DeviceArray) else rows


def here() -> AbstractContextManager[Any]:
    """Return a context in which another thread uses this thread's current device and stream."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return nullcontext()
    context: AbstractContextManager[Any] = cuda.stream(cuda.current_stream())
    return context


def raise_faults(faults: Mapping[str, Any]) -> None:
    """Raise ValueError if samples broke a rule; this waits for the accelerator.

    If the rule is a `Remark`, it warns instead.

    Raises:
        ValueError: Samples broke a rule; the error contains every broken rule, and the number of
            samples that broke it.
    """
    found = {text: int(number) for text, number in faults.items()}
    broken = {text: number for text, number in found.items() if number}
    for text, number in broken.items():
        if isinstance(text, Remark):
            warn(f"{text} ({number} samples on an accelerator)", UserWarning)
    texts = [
        f"{text}, {number} sample(s) break this"
        for text, number in broken.items()
        if not isinstance(text, Remark)
    ]
    if texts:
        raise ValueError(
            f"invalid values were added on an accelerator: {'; '.join(texts)}. "
            f"If you move them to the CPU before add(), it raises this error and adds nothing"
        )


@final
class DeviceArray(np.lib.mixins.NDArrayOperatorsMixin):
    """A torch tensor on which numpy functions work.

    Args:
        tensor: The tensor; unsigned integers of 16 bits and more, and bfloat16, are widened.
        checks: By the text of a rule, the number of rows that broke it, as a tensor on the device.
    """

    __slots__ = ("checks", "tensor")
    flags = np.empty(0).flags  # as if C-contiguous: torch handles strides itself

    def __init__(self, tensor: Any, checks: dict[str, Any]) -> None:
        tensor = tensor.detach()
        wide = _WIDENED.get(str(tensor.dtype))
        self.tensor = tensor.to(getattr(sys.modules["torch"], wide)) if wide else tensor
        self.checks = checks

    # Members of an ndarray that do not need the values ----------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self.tensor.ndim)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self.tensor.numel())

    @property
    def nbytes(self) -> int:
        """The number of bytes of the elements."""
        return int(self.tensor.nbytes)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype."""
        return _numpy_dtype(self.tensor.dtype)

    def __len__(self) -> int:
        return len(self.tensor)

    def __getitem__(self, key: Any) -> DeviceArray:
        return self._new(self.tensor[self._key(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.tensor[self._key(key)] = self.to_tensor(value, self.dtype)

    def astype(self, dtype: Any, order: str = "K", copy: bool = True) -> DeviceArray:
        """Return the values in another dtype."""
        return self._new(self.tensor.to(_torch_dtype(np.dtype(dtype)), copy=copy))

    def reshape(self, *shape: Any) -> DeviceArray:
        """Return the values in another shape."""
        return self._new(self.tensor.reshape(*shape))

    def copy(self) -> DeviceArray:
        """Return a copy of the values, without the counts of checks."""
        return DeviceArray(self.tensor.clone(), {})

    def argmax(self, axis: int) -> DeviceArray:
        """Return the indices of the largest values; among equal values, the first."""
        return self._new(self.tensor.argmax(axis))

    def diagonal(self) -> DeviceArray:
        """Return the diagonal of a matrix."""
        return self._new(self.tensor.diagonal())

    def sum(self, axis: int, dtype: Any = None) -> DeviceArray:
        """Return sums of integers, in int64; for floats, use `arrays.sum_rows`."""
        if self.dtype.kind == "f":
            raise TypeError("floats are added by sum_rows only")
        return self._new(self.tensor.sum(axis))

    def __bool__(self) -> bool:
        raise TypeError(_WAITS)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(_WAITS)

    # Checks -----------------------------------------------------------------------------------

    def require(self, good: Any, text: str) -> None:
        """Count the rows with values that are not good, and replace these values by 0."""
        self.count(good, text)
        self.tensor = self.tensor.masked_fill(~good.tensor, 0)

    def count(self, good: Any, text: str) -> None:
        """Count the rows with values that are not good."""
        bad = ~good.tensor
        rows = bad.flatten(1).any(1) if bad.ndim > 1 else bad
        self.checks[text] = self.checks.get(text, 0) + rows.sum()

    # Dispatch ---------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        outs = options.pop("out", ())
        if method != "__call__" or options or not all(isinstance(o, DeviceArray) for o in outs):
            return NotImplemented
        given = [_operand(value, inputs) for value in inputs]
        dtypes = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
        tensors = [self.to_tensor(v, d) for v, d in zip(inputs, dtypes, strict=False)]
        name = _NAMES.get(ufunc.__name__, ufunc.__name__)
        found = getattr(sys.modules["torch"], name)(*tensors)
        if outs:
            outs[0].tensor.copy_(found)
            return outs[0]
        return self._new(found)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        if function not in IN_TORCH:
            return NotImplemented
        found = IN_TORCH[function](self, *args, **kwargs)
        return found if isinstance(found, int) else self._new(found)

    def follow(self, value: Any) -> Any:
        """Return an argument as an array on this device; None and strings are unchanged."""
        if value is None or isinstance(value, str | DeviceArray):
            return value
        if isinstance(value, list | tuple) and value and hasattr(value[0], "shape"):
            return [self.follow(entry) for entry in value]
        torch = sys.modules["torch"]
        tensor = value if isinstance(value, torch.Tensor) else torch.from_numpy(np.array(value))
        return self._new(self._moved(tensor))

    def to_tensor(self, value: Any, dtype: Any) -> Any:
        """Return a value as a tensor of this dtype on this device."""
        wanted = _torch_dtype(np.dtype(dtype))
        if isinstance(value, DeviceArray):
            return value.tensor.to(wanted)
        torch = sys.modules["torch"]
        if np.ndim(value) == 0:
            return torch.full((), value.item() if hasattr(value, "item") else value,
                              dtype=wanted, device=self.tensor.device)  # fmt: skip
        return self._moved(torch.from_numpy(np.array(value, dtype))).to(wanted)

    def _moved(self, tensor: Any) -> Any:
        if self.tensor.is_cuda and tensor.is_cpu:
            tensor = tensor.pin_memory()  # otherwise the copy may wait for the device
        return tensor.to(self.tensor.device, non_blocking=True)

    def _new(self, tensor: Any) -> DeviceArray:
        return DeviceArray(tensor, self.checks)

    def _key(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            key = (key,)
        arrays = (DeviceArray, np.ndarray)
        return tuple(self.to_tensor(k, np.int64) if isinstance(k, arrays) else k for k in key)


_WAITS = "the value is on the accelerator, and add() does not wait for it"
_WIDENED = {"torch.bfloat16": "float32", **{f"torch.uint{n}": "int64" for n in (16, 32, 64)}}
# numpy functions with another name in torch.
_NAMES = {"equal": "eq", "invert": "bitwise_not", "right_shift": "bitwise_right_shift"}


@cache
def _numpy_dtype(dtype: Any) -> np.dtype[Any]:
    return np.dtype(str(dtype).removeprefix("torch."))


@cache
def _torch_dtype(dtype: np.dtype[Any]) -> Any:
    name = f"torch.{dtype.name}"
    return getattr(sys.modules["torch"], _WIDENED.get(name, name.removeprefix("torch.")))


def _operand(value: Any, inputs: Sequence[Any]) -> Any:
    """Return what determines promotion: a dtype, or the type of a Python number."""
    if type(value) is int:
        others = [v.dtype for v in inputs if hasattr(v, "dtype")]
        limits = [np.iinfo(dtype) for dtype in others if dtype.kind in "iu"]
        return int if all(i.min <= value <= i.max for i in limits) else np.dtype(np.int64)
    return float if type(value) is float else np.result_type(value.dtype)
