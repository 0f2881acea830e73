"""The laws of `mmeval_like.dist`, on every rank of a live world: each collective and its model."""

import sys
from functools import partial
from types import SimpleNamespace

import numpy as np

from mmeval_like import DisagreementError, RemoteError, dist

DTYPES = ("bool", "int8", "uint8", "int32", "int64", "uint16", "float16", "float32", "float64")
SHAPES = ((), (0,), (3,), (2, 0, 3), (4, 5))
MODELS = {
    "sum": np.add,
    "product": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "band": np.bitwise_and,
    "bor": np.bitwise_or,
    "bxor": np.bitwise_xor,
}


def sample(rank, dtype, shape, seed=0):
    """The array that a rank contributes: small numbers, the same in every process."""
    rng = np.random.default_rng([rank, seed, *shape, *dtype.encode()])
    return np.asarray(rng.integers(0, 4, shape)).astype(dtype)


def modelled(op, arrays):
    """The reduction, rank after rank."""
    total = arrays[0]
    for array in arrays[1:]:
        total = MODELS[op](total, array)
    return np.asarray(total, arrays[0].dtype)


def expect_same(got, wanted):
    """Equal in kind, dtype, shape and values."""
    assert isinstance(got, np.ndarray), type(got)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), (got, wanted)
    assert np.array_equal(got, wanted), (got, wanted)


def reductions(backend):
    """all_reduce, reduce and reduce_scatter, for every operation, dtype and shape."""
    ranks, me = range(backend.world_size), backend.rank
    for dtype in DTYPES:
        for shape in SHAPES:
            arrays = [sample(rank, dtype, shape) for rank in ranks]
            for op in MODELS:
                if op.startswith("b") and dtype.startswith("float"):
                    continue
                wanted = modelled(op, arrays)
                expect_same(dist.all_reduce(arrays[me], op, backend), wanted)
                dst = backend.world_size - 1
                got = dist.reduce(arrays[me], dst, op, backend)
                assert got is None if me != dst else np.array_equal(got, wanted)
            mean = dist.all_reduce(arrays[me], "mean", backend)
            total = np.sum([array.astype(float) for array in arrays], axis=0)
            exact = np.asarray(total) / len(arrays)
            assert mean.dtype == (dtype if dtype.startswith("float") else "float64")
            assert np.allclose(mean, exact, rtol=1e-3)
    wanted = np.array([60000, -60000], "float16")  # whose sum is infinite
    expect_same(dist.all_reduce(wanted.copy(), "mean", backend), wanted)
    lists = [[sample(r, "int64", (d + 1, 2)) for d in ranks] for r in ranks]
    wanted = modelled("sum", [lists[r][me] for r in ranks])
    expect_same(dist.reduce_scatter(lists[me], "sum", backend), wanted)


def moves(backend):
    """all_gather, gather, broadcast and scatter, with shapes that differ by rank."""
    size, me = backend.world_size, backend.rank
    for dtype in (*DTYPES, "complex64"):
        arrays = [sample(rank, dtype, (rank + 1, 3)) for rank in range(size)]
        for got, wanted in zip(dist.all_gather(arrays[me], backend), arrays, strict=True):
            expect_same(got, wanted)
        for root in range(size):
            gathered = dist.gather(arrays[me], root, backend)
            assert (gathered is None) == (me != root)
            for got, wanted in zip(gathered or [], arrays if gathered else [], strict=True):
                expect_same(got, wanted)
            expect_same(dist.broadcast(arrays[me], root, backend), arrays[root])
            dealt = dist.scatter(arrays if me == root else None, root, backend)
            expect_same(dealt, arrays[me])


def layouts(backend):
    """Strided, reversed, Fortran-ordered and read-only arrays; none is written to."""
    base = sample(backend.rank, "float64", (6, 4), seed=1)
    read_only = base.copy()
    read_only.flags.writeable = False
    variants = (base[::2], base[::-1], np.asfortranarray(base), read_only, base.T)
    for array in variants:
        before = array.copy()
        total = dist.all_reduce(array, "sum", backend)
        expect_same(dist.all_gather(array, backend)[backend.rank], np.ascontiguousarray(before))
        assert np.array_equal(array, before)
        total[...] = -1  # the caller's own
        assert np.array_equal(array, before)


def objects(backend):
    """The forms for objects, collect_results, seeds and dicts."""
    size, me = backend.world_size, backend.rank
    thing = {"rank": me, "text": "é" * me, "array": np.arange(me)}
    assert [t["rank"] for t in dist.all_gather_object(thing, backend)] == list(range(size))
    gathered = dist.gather_object(me, size - 1, backend)
    assert gathered == (list(range(size)) if me == size - 1 else None)
    for root in range(size):
        assert dist.broadcast_object(me, root, backend) == root
        assert dist.broadcast_object_list([me, "x"], root, backend) == [root, "x"]
        parts = [f"for {r}" for r in range(size)] if me == root else None
        assert dist.scatter_object(parts, root, backend) == f"for {me}"
    results = dist.collect_results([10 * k + me for k in range(me + 2)], 2 * size, "cpu", backend)
    wanted = [10 * k + r for k in range(2) for r in range(size)]
    assert results == (wanted if me == 0 else None)
    assert len(set(dist.all_gather_object(dist.sync_random_seed(None, backend), backend))) == 1
    assert dist.sync_random_seed(me + 5, backend) == 5
    data = {"loss": me + 0.5, "hits": np.array([me, 1]), "n": me}
    if me % 2:
        data = dict(reversed(data.items()))
    reduced = dist.all_reduce_dict(data, "sum", backend)
    ranks = size * (size - 1) // 2
    assert list(reduced) == list(data)
    assert (reduced["loss"], reduced["n"]) == (ranks + size / 2, ranks)
    assert reduced["hits"].tolist() == [ranks, size]


def identity(backend):
    """Who and how many."""
    assert dist.get_dist_info(backend) == (backend.rank, backend.world_size)
    assert dist.is_main_process(backend) == (backend.rank == 0)
    assert dist.is_distributed(backend) == (backend.world_size > 1)
    dist.barrier(backend)


def pairs(backend):
    """pairwise_apply, with inputs of different shape; where f fails, nobody is left waiting."""
    size, me = backend.world_size, backend.rank
    xs = [np.arange(rank + 1.0) for rank in range(size)]
    got = dist.pairwise_apply(lambda x, y, k: (x.sum(), y.sum(), k), xs[me], (7,), False, backend)
    assert got == [(xs[me].sum(), y.sum(), 7) for y in xs]

    def fails_on_rank_0(x, y):
        if me == 0:
            raise KeyError("on purpose")
        return y

    failed = refused(
        KeyError, lambda: dist.pairwise_apply(fails_on_rank_0, xs[me], (), False, backend)
    )
    assert failed == (me == 0)


def parameters(backend):
    """Broadcast, mean of buffers and gradients in place; other ones on a rank are an error."""
    size, me = backend.world_size, backend.rank
    mean = (size - 1) / 2
    for make in makers():
        tensors = [make([me, 1.0]), make([[me]], "int64"), make([me * 2.0])]
        dist.broadcast_tensors(tensors, size - 1, backend)
        assert [t.tolist() for t in tensors] == [[size - 1, 1.0], [[me]], [2.0 * (size - 1)]]
        buffers = [make([me, 1.0]), make([me], "int64")]
        dist.sync_buffer(buffers, True, backend)
        assert [b.tolist() for b in buffers] == [[mean, 1.0], [me]]
        buffers = [make([me + 1.0])]
        dist.sync_buffer(buffers, False, backend)
        assert buffers[0].tolist() == [1.0]
        params = [SimpleNamespace(grad=make([me * 1.0, 2.0])), SimpleNamespace(grad=None)]
        dist.sync_grad(params, backend)
        assert params[0].grad.tolist() == [mean, 2.0]
        if size > 1:
            uneven = [make([1.0])] * (1 + (me == 0))
            for call in (dist.broadcast_tensors, dist.sync_buffer):  # average=0: no mean
                assert refused(DisagreementError, partial(call, uneven, 0, backend))
            swapped = [make([1.0]), make([1], "int64")][:: 1 if me else -1]
            for call in (dist.broadcast_tensors, dist.sync_buffer):
                assert refused(DisagreementError, partial(call, swapped, 0, backend))
            grads = [make([me * 1.0]), None][:: 1 if me else -1]  # as of branches of a model
            branches = [SimpleNamespace(grad=grad) for grad in grads]
            assert refused(DisagreementError, partial(dist.sync_grad, branches, backend))
            assert [grad if grad is None else grad.tolist() for grad in grads] == (
                [[me], None] if me else [None, [0.0]]
            )


def makers():
    """How to make a tensor: numpy's, and torch's where the program has it."""
    yield lambda values, dtype="float64": np.array(values, dtype)
    torch = sys.modules.get("torch")
    if torch is not None:
        yield lambda values, dtype="float64": torch.tensor(values, dtype=getattr(torch, dtype))


def tensors(backend):
    """Torch tensors: the library, the dtype and the values are kept, bfloat16 included."""
    torch = sys.modules.get("torch")
    if torch is None:
        raise NotImplementedError("torch is not installed here")
    size, me = backend.world_size, backend.rank
    for name in ("float32", "bfloat16", "float16", "int64", "bool", "uint8"):
        dtype = getattr(torch, name)
        mine = torch.tensor([me, 1, 0]).to(dtype)
        total = dist.all_reduce(mine, "max", backend)
        assert (type(total), total.dtype) == (torch.Tensor, dtype)
        assert total.tolist() == torch.tensor([size - 1, 1, 0]).to(dtype).tolist()
        assert mine.tolist() == torch.tensor([me, 1, 0]).to(dtype).tolist()
        for rank, part in enumerate(dist.all_gather(mine[: me + 1], backend)):
            assert part.dtype == dtype
            assert part.tolist() == torch.tensor([rank, 1, 0]).to(dtype)[: rank + 1].tolist()
        assert dist.broadcast(mine, size - 1, backend)[0] == torch.tensor(size - 1).to(dtype)
    for equal in (torch.tensor([60000.0]).half(), torch.tensor([1.0078125]).bfloat16()):
        mean = dist.all_reduce(equal.clone(), "mean", backend)
        assert (mean.dtype, mean.tolist()) == (equal.dtype, equal.tolist())


def refusals(backend):
    """Bad arguments raise before anything is sent: on every rank, as every rank passes them."""
    array = np.zeros(2)
    calls = [
        (ValueError, lambda: dist.all_reduce(array, "average", backend)),
        (TypeError, lambda: dist.all_reduce(array, "bxor", backend)),
        (TypeError, lambda: dist.all_reduce([1, 2], "sum", backend)),
        (ValueError, lambda: dist.broadcast(array, backend.world_size, backend)),
        (ValueError, lambda: dist.reduce_scatter([array] * 9, "sum", backend)),
        (ValueError, lambda: dist.collect_results([1], 99, "cpu", backend)),
        (ValueError, lambda: dist.collect_results([1], 1, "disk", backend)),
        ((ValueError, RemoteError), lambda: dist.scatter_object([1] * 9, 0, backend)),
    ]
    for kinds, call in calls:
        assert refused(kinds, call)
    if backend.world_size > 1:
        other_keys = {f"k{backend.rank}": 1.0}
        assert refused(DisagreementError, lambda: dist.all_reduce_dict(other_keys, "sum", backend))
        last = backend.rank == backend.world_size - 1  # a total of no samples is the integer 0
        for mine, op in ((np.array(0 if last else 0.5), "sum"), (np.zeros(2 + last), "sum"),
                         (np.zeros((2, 3) if last else (3, 2)), "max"),
                         (np.zeros(2), "mean" if last else "sum")):  # fmt: skip
            for call in (dist.all_reduce, partial(dist.reduce, dst=0)):
                assert refused(
                    DisagreementError,
                    lambda: call(mine, op=op, dist_backend=backend),  # noqa: B023
                )
            pieces = [mine] * backend.world_size
            assert refused(
                DisagreementError,
                lambda: dist.reduce_scatter(pieces, op, backend),  # noqa: B023
            )
        kinds = TypeError if last else RemoteError
        assert refused(kinds, lambda: dist.all_reduce([1] if last else array, "sum", backend))


def refused(kinds, call):
    """Whether a call raises one of these."""
    try:
        call()
    except kinds:
        return True
    return False


def dist_laws():
    """The laws by name."""
    laws = (reductions, moves, layouts, objects, identity, pairs, parameters, tensors, refusals)
    return {f"dist.{law.__name__}": law for law in laws}
