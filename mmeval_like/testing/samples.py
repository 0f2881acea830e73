"""Objects and arrays of every kind that backends must carry."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = ["DTYPES", "arrays", "objects", "tensors"]

_INTEGERS = [f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)]
DTYPES = ["?", *_INTEGERS, "f2", "f4", "f8", "g", "c8", "c16", ">f8", ">i4"]
"""The dtypes of numpy that can be reduced; the last two have swapped bytes."""


def objects(rank: int) -> dict[str, Any]:
    """Return picklable objects that differ by rank, by name."""
    return {
        "None": None,
        "bool": rank % 2 == 0,
        "int": rank - 2,
        "int beyond 64 bits": 3 ** (100 + rank),
        "float": rank / 3,
        "nan": float("nan"),
        "infinity": float("-inf"),
        "complex": complex(rank, -0.0),
        "text": "größe 测试 🎯" * rank,
        "bytes": bytes([0, 255, rank]) * rank,
        "list": [[], [rank], [[None]], {"a": (1, [2.5, "b"])}],
        "dict": {rank: "x", "é": None, (1, 2): {"y": rank}},
        "set": {1, rank},
        "exception type": ValueError,
        "numpy scalar": np.float32(rank),
        "array in a dict": {"scores": np.arange(rank * 3.0), "id": np.int64(rank)},
        "arrays in a list": [np.full((rank, 2), rank), np.array(rank)],
        "array of text": np.array(["a", "bc" * rank]),
        "array of objects": np.array([None, rank, "x"], dtype=object),
        "array of dates": np.array(["2024-02-29"], "datetime64[D]") + np.timedelta64(rank, "D"),
        "array of records": np.array([(rank, 0.5)], dtype=[("id", "i4"), ("score", "f8")]),
    }


def arrays(rank: int) -> dict[str, np.ndarray]:
    """Return arrays of every dtype and layout, of shapes that differ by rank, by name."""
    read_only = np.arange(rank + 4.0)
    read_only.flags.writeable = False
    layouts = {
        "0-d": np.array(rank + 0.5),
        "empty": np.empty((0, 3), np.float32),
        "empty on some ranks": np.arange(5 * (rank % 2)),
        "strided": np.arange(20 + rank)[::3],
        "reversed": np.arange(6.0)[::-1] + rank,
        "Fortran order": np.asfortranarray(np.arange(6.0).reshape(2, 3) + rank),
        "transposed": np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1) + rank,
        "read-only": read_only,
        "broadcast": np.broadcast_to(np.int64(rank), (3, 2)),
        "with nan": np.array([rank, np.nan, np.inf, -np.inf, -0.0]),
        "more than a slot": np.arange(3000.0 + rank),
    }
    return {code: np.arange(rank + 2).astype(code) for code in DTYPES} | layouts


def tensors(rank: int) -> dict[str, Any]:
    """Return torch tensors as in `arrays`; none unless the program itself imported torch."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    names = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64"
    by_dtype = {name: torch.arange(rank + 2).to(getattr(torch, name)) for name in names.split()}
    return by_dtype | {
        "0-d": torch.tensor(rank + 0.5),
        "empty": torch.empty(0, 3),
        "strided": torch.arange(20 + rank)[::3],
        "transposed": torch.arange(6.0).reshape(2, 3).T + rank,
        "expanded": torch.tensor([1.5, rank]).expand(3, 2),
        "conjugate": torch.tensor([1 + 2j, rank]).conj(),
        "with a gradient": (torch.ones(3, requires_grad=True) * rank),
        "view of much": torch.arange(100000)[rank : rank + 2],
    }
