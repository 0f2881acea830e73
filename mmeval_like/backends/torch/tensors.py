"""Tensors as host arrays, and back."""

from __future__ import annotations

import numpy as np
import torch

__all__ = ["from_host", "is_dense", "to_host"]

# The element types that numpy has. Elements of other types are sent in the next wider type of
# numpy, which changes no value.
_FLOATS = (torch.float16, torch.float32, torch.float64)


def is_dense(value: object) -> bool:
    """Whether it is a tensor whose elements are plain numbers in plain memory."""
    if not isinstance(value, torch.Tensor):
        return False
    return bool(value.layout == torch.strided and not value.is_quantized)


def to_host(tensor: torch.Tensor) -> np.ndarray:
    """Return a numpy array to compute with; elements that numpy lacks are widened."""
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    if plain.dtype is torch.complex32:
        plain = plain.to(torch.complex64)
    elif plain.dtype.is_floating_point and plain.dtype not in _FLOATS:
        plain = plain.float()
    array: np.ndarray = plain.numpy()
    return array


def from_host(array: np.ndarray, dtype: str, device: str) -> torch.Tensor:
    """Return the array as a tensor of this dtype, on the device if there is one, else the CPU."""
    there = device if not device.startswith("cuda") or torch.cuda.is_available() else "cpu"
    return torch.from_numpy(array).to(there, getattr(torch, dtype))
