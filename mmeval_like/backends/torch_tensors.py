"""Tensors as bytes and as host arrays, and back."""

from __future__ import annotations

import numpy as np
import torch

from mmeval_like.backends.base_bytes import Description
from mmeval_like.packing import Buffer

__all__ = ["describe", "from_host", "is_dense", "rebuild", "to_host"]

_NUMPY_FLOATS = (torch.float16, torch.float32, torch.float64)


def is_dense(tensor: torch.Tensor) -> bool:
    """Whether the elements are plain numbers in plain memory."""
    return bool(tensor.layout == torch.strided and not tensor.is_quantized)


def describe(tensor: torch.Tensor) -> tuple[Description, Buffer] | None:
    """Return a dense tensor's dtype, shape, kind of device, and its elements' memory."""
    if not is_dense(tensor):
        return None
    name = str(tensor.dtype).removeprefix("torch.")
    flat = _plain(tensor).contiguous().reshape(-1).view(torch.uint8)
    return (name, tuple(tensor.shape), tensor.device.type), flat.numpy().data


def rebuild(description: Description, raw: np.ndarray) -> torch.Tensor:
    """Return the tensor of `describe` on its kind of device, if there is one, else on the CPU."""
    name, shape, kind = description
    tensor = torch.empty(shape, dtype=getattr(torch, name), device="cpu")
    if len(raw):
        flat = torch.from_numpy(raw)
        flat = flat.clone() if flat.data_ptr() % 16 else flat  # aligned for every dtype
        tensor = flat.view(tensor.dtype).reshape(shape)
    return tensor.to(kind) if kind == "cuda" and torch.cuda.is_available() else tensor


def to_host(tensor: torch.Tensor) -> np.ndarray:
    """Return a numpy array to compute with; floats that numpy lacks are widened to float32."""
    plain = _plain(tensor)
    widen = plain.dtype.is_floating_point and plain.dtype not in _NUMPY_FLOATS
    array: np.ndarray = (plain.float() if widen else plain).numpy()
    return array


def from_host(array: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    """Return the array as a tensor of the dtype and on the device of another."""
    return torch.from_numpy(array).to(like.device, like.dtype)


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().cpu().resolve_conj().resolve_neg()
