"""Conversion of torch tensors to numpy arrays and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mmeval_like.backends.base_tensors import TensorDistBackend

__all__ = ["NUMPYS_FLOATS", "TorchTensors"]

NUMPYS_FLOATS = (torch.float16, torch.float32, torch.float64)
"""The float types that numpy also has; others are widened, which changes no value."""


class TorchTensors(TensorDistBackend):
    """A backend that takes torch tensors, whatever library carries them."""

    def is_tensor(self, value: Any) -> bool:
        """Return whether `value` is a strided tensor that is not quantized."""
        plain = isinstance(value, torch.Tensor) and value.layout == torch.strided
        return bool(plain and not value.is_quantized)

    def to_host(self, tensor: Any) -> np.ndarray:
        """Return a tensor as a numpy array; a dtype that numpy lacks becomes a wider one."""
        plain = tensor.detach().cpu().resolve_conj().resolve_neg()
        if plain.dtype is torch.complex32:
            plain = plain.to(torch.complex64)
        elif plain.dtype.is_floating_point and plain.dtype not in NUMPYS_FLOATS:
            plain = plain.float()
        array: np.ndarray = plain.numpy()
        return array

    def from_host(self, array: np.ndarray, dtype: str, device: str) -> Any:
        """Return the array as a tensor, on the device if it exists, otherwise on the CPU."""
        there = device if not device.startswith("cuda") or torch.cuda.is_available() else "cpu"
        return torch.from_numpy(array).to(there, getattr(torch, dtype))

    def dtype_and_device(self, tensor: Any) -> tuple[str, str]:
        """Return the names of dtype and device, for instance "float32" and "cuda:1"."""
        return str(tensor.dtype).removeprefix("torch."), str(tensor.device)
