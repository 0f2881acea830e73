"""The laws of backends for arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from mmeval_like.backends.base import OPERATIONS, BaseDistBackend
from mmeval_like.testing.findings import Findings, Unsupported
from mmeval_like.testing.samples import DTYPES, arrays, tensors

__all__ = ["ARRAY_LAWS"]

_BITWISE = ("band", "bor", "bxor")
Law = Callable[[BaseDistBackend, Findings], None]


def gathers_any_shapes(backend: BaseDistBackend, found: Findings) -> None:
    """Arrays of any dtype and layout arrive unchanged, even if shapes differ by rank."""
    _move(backend, found, [arrays(rank) for rank in range(backend.world_size)])


def moves_tensors(backend: BaseDistBackend, found: Findings) -> None:
    """Torch tensors arrive unchanged, but without gradients."""
    samples = [tensors(rank) for rank in range(backend.world_size)]
    _needs_tensors(backend, samples[0])
    plain = [{name: tensor.detach() for name, tensor in sample.items()} for sample in samples]
    _move(backend, found, plain)


def _move(backend: BaseDistBackend, found: Findings, samples: list[dict[str, Any]]) -> None:
    rank, size = backend.rank, backend.world_size
    for turn, name in enumerate(samples[0]):
        root = turn % size
        given = [sample[name] for sample in samples]
        # Contiguous even if the sample is not: the layout is not kept.
        mine, here = given[rank], rank == root
        found.same(f"all_gather, {name}", given, backend.all_gather, mine)
        on_root = given if here else None
        found.same(f"gather, {name}", on_root, backend.gather, mine, root)
        found.same(f"broadcast, {name}", given[root], backend.broadcast, mine, root)
        parts = given if here else None
        found.same(f"scatter, {name}", mine, backend.scatter, parts, root)


def reduces(op: str) -> Law:
    """Return the law of one operation: it equals numpy's, for every dtype and shape."""

    def law(backend: BaseDistBackend, found: Findings) -> None:
        rank, size = backend.rank, backend.world_size
        for code in DTYPES:
            if op in _BITWISE and np.dtype(code).kind in "fc":
                continue
            given = [_numbers(other, code) for other in range(size)]
            _reduce(backend, found, op, code, given)
        for name in ("0-d", "empty", "strided", "transposed", "read-only"):
            given = [arrays(0)[name].astype("i8") + other for other in range(size)]
            given = [array[...] if name == "0-d" else array for array in given]
            if rank == 0:
                given[0].flags.writeable = False
            _reduce(backend, found, op, name, given)

    return law


def reduces_special_values(backend: BaseDistBackend, found: Findings) -> None:
    """Infinities and nan follow IEEE 754, and win in min and max; integers wrap around."""
    size = backend.world_size
    columns = [[0.0, -0.0, np.inf, np.nan, 7.0], [-np.inf, 1.0, -1.5, 2.0, np.nan]]
    for code in ("f2", "f4", "f8"):
        given = [np.array(columns[rank % 2], code) for rank in range(size)]
        for op in ("sum", "min", "max"):
            _reduce(backend, found, op, f"special {code}", given)
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        limits = np.iinfo(code)
        given = [np.array([limits.max, limits.min, 3], code) - rank for rank in range(size)]
        for op in OPERATIONS:
            _reduce(backend, found, op, f"extreme {code}", given)


def reduces_tensors(backend: BaseDistBackend, found: Findings) -> None:
    """Reductions of torch tensors keep the dtype, bfloat16 included."""
    _needs_tensors(backend, tensors(0))
    import torch

    rank, size = backend.rank, backend.world_size
    for name in ("bool", "uint8", "int16", "int64", "float16", "bfloat16", "float64", "complex64"):
        dtype = getattr(torch, name)
        given = [torch.tensor([1, other, other % 2, 3]).to(dtype) for other in range(size)]
        wide = [
            tensor.to(torch.complex128 if dtype.is_complex else torch.float64) for tensor in given
        ]
        stacked = torch.stack(wide)
        mine = given[rank]
        expected = stacked.sum(0).to(dtype)
        found.same(f"all_reduce, sum, {name}", expected, backend.all_reduce, mine)
        if not dtype.is_complex:
            expected = stacked.amax(0).to(dtype)
            found.same(f"max, {name}", expected, backend.all_reduce, mine, "max")
        expected = stacked.prod(0).to(dtype)
        on_last = expected if rank == size - 1 else None
        what = f"reduce, product, {name}"
        found.same(what, on_last, backend.reduce, mine, size - 1, "product")


def scatters_reductions(backend: BaseDistBackend, found: Findings) -> None:
    """Rank r keeps the reduction of every list's element r; sizes differ by element."""
    rank, size = backend.rank, backend.world_size
    for op, code in [("sum", "f8"), ("sum", "c8"), ("max", "f4"), ("product", "i2"), ("bor", "?")]:
        lists = [[_numbers(r + 2 * to, code)[: to + 1] for to in range(size)] for r in range(size)]
        expected = _model(op, [parts[rank] for parts in lists])
        mine = lists[rank]
        found.same(f"{op}, {code}", expected, backend.reduce_scatter, mine, op)
    mixed = [np.full((to % 2, 2), rank, DTYPES[1 + to]) for to in range(size)]
    expected = np.full((rank % 2, 2), sum(range(size)), DTYPES[1 + rank])
    found.same("different dtypes", expected, backend.reduce_scatter, mixed)


def keeps_its_inputs(backend: BaseDistBackend, found: Findings) -> None:
    """No collective writes into its arguments, or returns memory that it shares with them."""
    size, rank = backend.world_size, backend.rank
    for dtype in ("f8", "i4", "?", "f2"):
        array = (np.arange(300) % 7 + rank).astype(dtype)
        before, parts = array.copy(), [array] * size
        results = {
            "all_gather": backend.all_gather(array),
            "broadcast": [backend.broadcast(array, size - 1)],
            "gather": backend.gather(array, 0) or [],
            "scatter": [backend.scatter(parts if rank == 0 else None, 0)],
            "all_reduce": [backend.all_reduce(array, op) for op in ("sum", "max")],
            "reduce": [backend.reduce(array, 0)],
            "reduce_scatter": [backend.reduce_scatter(parts)],
        }
        found.expect((array == before).all(), f"a collective wrote into its argument ({dtype})")
        if backend.is_initialized:  # otherwise arrays are passed through
            shared = [
                name
                for name, arrived in results.items()
                if any(np.shares_memory(array, one) for one in arrived if one is not None)
            ]
            found.expect(
                not shared,
                f"results of {', '.join(shared)} share memory with the array that this rank "
                f"passed: return copies",
            )


def refuses_what_is_undefined(backend: BaseDistBackend, found: Findings) -> None:
    """An unknown operation, or a bit operation on floats, raises on all ranks; calls go on."""
    for method in (backend.all_reduce, backend.reduce):
        found.raises("unknown op", ValueError, partial(method, op="median"), np.ones(2))
        found.raises("bits of floats", TypeError, partial(method, op="bor"), np.ones(2))
    found.same("afterwards", np.array(backend.world_size), backend.all_reduce, np.array(1))


def _reduce(
    backend: BaseDistBackend, found: Findings, op: str, name: str, given: list[np.ndarray]
) -> None:
    expected, mine = _model(op, given), given[backend.rank]
    found.same(f"all_reduce, {op}, {name}", expected, backend.all_reduce, mine, op)
    dst = len(name) % backend.world_size
    on_dst = expected if backend.rank == dst else None
    found.same(f"reduce to {dst}, {op}, {name}", on_dst, backend.reduce, mine, dst, op)


def _model(op: str, given: list[np.ndarray]) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(reduce(OPERATIONS[op], given), given[0].dtype)


def _numbers(rank: int, code: str) -> np.ndarray:
    """Return small integers, whose sums and products are exact in every dtype."""
    values = (np.arange(12) * (rank + 3)) % 5
    if np.dtype(code).kind in "fci":
        values = values - 2
    array = values.astype(code)
    return array * (1 + 1j) if array.dtype.kind == "c" else array


def _needs_tensors(backend: BaseDistBackend, samples: dict[str, Any]) -> None:
    if not samples:
        raise Unsupported("torch is not imported here")
    if not backend.accepts(samples["0-d"]):
        raise Unsupported("does not take torch tensors; dist converts them")


ARRAY_LAWS: dict[str, Law] = {
    "all_gather, gather, broadcast, scatter: any arrays": gathers_any_shapes,
    "the same: torch tensors": moves_tensors,
    **{f"all_reduce and reduce: {op}": reduces(op) for op in OPERATIONS},
    "all_reduce: nan, infinity, overflow": reduces_special_values,
    "all_reduce: torch tensors": reduces_tensors,
    "reduce_scatter: any sizes": scatters_reductions,
    "inputs are not written": keeps_its_inputs,
    "undefined reductions raise": refuses_what_is_undefined,
}
