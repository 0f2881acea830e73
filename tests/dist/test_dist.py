"""mmeval_like.dist: the laws on threads, any shapes by hypothesis, and the set-up of a job."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from mmeval_like import dist
from mmeval_like.dist.setup import _first_host
from mmeval_like.errors import DisagreementError, RemoteError
from mmeval_like.testing import LocalWorld
from tests.distributed.dist_laws import MODELS, dist_laws, modelled
from tests.helpers.optional import requires
from tests.helpers.examples import examples


@pytest.mark.parametrize("members_only", [False, True], ids=["bytes", "five members"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("law", dist_laws())
def test_laws_on_threads(law, ranks, members_only):
    """Every law holds on backends that move bytes and on those of five members."""
    requires("torch")
    LocalWorld(ranks, members_only=members_only).run(dist_laws()[law])


@pytest.mark.parametrize("law", dist_laws())
def test_laws_without_a_distributed_run(law):
    """In one process each function is the identity that its law describes for one rank."""
    from mmeval_like import get_dist_backend

    if law == "dist.tensors":
        requires("torch")
    dist_laws()[law](get_dist_backend("non_dist"))


@settings(max_examples=examples(40))
@given(
    data=st.data(),
    ranks=st.integers(1, 4),
    dtype=st.sampled_from(["int16", "uint32", "int64", "float32", "float64", "bool"]),
    op=st.sampled_from(sorted(MODELS)),
)
def test_reductions_of_anything(data, ranks, dtype, op):
    """all_reduce is numpy's function, rank after rank, whatever the values."""
    if op.startswith("b") and dtype.startswith("float"):
        op = "max"
    shape = data.draw(st_numpy.array_shapes(min_dims=0, max_side=4))
    elements = st.integers(0, 3) if op == "product" and dtype != "bool" else None
    strategy = st_numpy.arrays(dtype, shape, elements=elements)
    arrays = [data.draw(strategy) for _ in range(ranks)]

    with np.errstate(all="ignore"):
        got = LocalWorld(ranks).run(lambda b: dist.all_reduce(arrays[b.rank], op, b))
        wanted = modelled(op, arrays)

    for result in got:
        assert result.dtype == wanted.dtype
        assert np.array_equal(result, wanted, equal_nan=wanted.dtype.kind == "f")


@given(
    counts=st.lists(st.integers(0, 5), min_size=1, max_size=4),
    padding=st.integers(0, 3),
)
def test_collect_results_restores_the_order(counts, padding):
    """Round robin over the ranks, skipping those that have run out, cut to the size."""
    queues = [[(rank, k) for k in range(count)] for rank, count in enumerate(counts)]
    wanted = [queue[k] for k in range(max(counts)) for queue in queues if k < len(queue)]
    size = max(0, len(wanted) - padding)

    got = LocalWorld(len(counts)).run(
        lambda b: dist.collect_results(queues[b.rank], size, dist_backend=b)
    )

    assert got[0] == wanted[:size]
    assert got[1:] == [None] * (len(counts) - 1)


def test_what_carries_the_messages():
    """A backend that is asked names it; without a distributed run nothing carries any."""
    found = LocalWorld(2).run(lambda backend: (dist.get_backend(backend), backend.transport))

    assert dist.get_backend("non_dist") is None
    assert [said for said, _ in found] == [transport for _, transport in found]
    assert None not in found[0]


def test_collect_results_of_different_sizes():
    """The same error on every rank, not a rank that waits."""
    world = LocalWorld(3)

    with pytest.raises(DisagreementError, match=r"size.*\[1, 9, 1\]"):
        world.run(lambda b: dist.collect_results(["x"], [1, 9, 1][b.rank], dist_backend=b))

    assert {type(error) for error in world.errors} == {DisagreementError}


def test_bits_of_floats_are_refused_on_every_rank():
    """bfloat16 too, which numpy does not know as a float: no rank waits for another."""
    array = np.ones(2, requires("ml_dtypes").bfloat16)
    for call in (dist.all_reduce, lambda one, op, b: dist.reduce_scatter([one] * 3, op, b)):
        world = LocalWorld(3)
        with pytest.raises(TypeError, match="needs integers or booleans, got bfloat16"):
            world.run(lambda b, call=call: call(array, "band", b))
        assert {type(error) for error in world.errors} == {TypeError}


@pytest.mark.parametrize("values", [["a"], [None], np.array(["2020-01-01"], "M8[D]")])
@pytest.mark.parametrize("members_only", [False, True])
def test_what_does_not_add_up_is_refused(values, members_only):
    """Text, objects and dates: TypeError that names the dtype, instead of a text that is cut."""
    array = np.array(values)

    with pytest.raises(TypeError, match="needs numbers"):
        LocalWorld(2, members_only=members_only).run(lambda b: dist.all_reduce(array, "sum", b))


@pytest.mark.parametrize(
    "call",
    [
        lambda array, b: dist.all_reduce(array, "max", b),
        lambda array, b: dist.reduce(array, 0, "sum", b),
        lambda array, b: dist.reduce_scatter([array] * 2, "sum", b),
        lambda array, b: dist.all_reduce_dict({"loss": array}, "sum", b),
    ],
    ids=["all_reduce", "reduce", "reduce_scatter", "all_reduce_dict"],
)
def test_masked_arrays_are_refused(call):
    """What the mask hides would count."""
    array = np.ma.masked_array([1.0, 100.0], mask=[False, True])

    with pytest.raises(TypeError, match="must not be a masked array"):
        LocalWorld(2).run(lambda b: call(array, b))


@pytest.mark.parametrize(
    "call",
    [
        lambda b: dist.all_gather("text" if b.rank == 1 else np.ones(2), b),
        lambda b: dist.gather(None if b.rank == 1 else np.ones(2), 0, b),
        lambda b: dist.broadcast("text", 1, b),
        lambda b: dist.scatter([np.ones(1), "text", np.ones(1)], 1, b),
    ],
    ids=["all_gather", "gather", "broadcast", "scatter"],
)
def test_what_is_no_array_fails_on_every_rank(call):
    """One rank has something else than an array: it gets the TypeError, nobody waits."""
    world = LocalWorld(3)

    with pytest.raises(RemoteError, match="rank 1 failed:\nTypeError: expected a numpy array"):
        world.run(call)

    assert [type(error) for error in world.errors] == [RemoteError, TypeError, RemoteError]


# The set-up ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "first"),
    [
        ("gpu07", "gpu07"),
        ("gpu[07-09,12]", "gpu07"),
        ("gpu[3,5]-ib,cpu1", "gpu3-ib"),
        ("a1,b2", "a1"),
        ("rack-1-node[010-020]", "rack-1-node010"),
    ],
)
def test_the_first_host_of_slurms_list(nodes, first):
    """Slurm's compressed lists of hosts."""
    assert _first_host(nodes) == first


@pytest.mark.parametrize(
    ("launcher", "variable"),
    [("pytorch", "WORLD_SIZE"), ("slurm", "SLURM_PROCID"), ("mpi", "PMI_SIZE")],
)
def test_a_launcher_that_is_not_there(launcher, variable, monkeypatch):
    """init_dist names the variables that the environment lacks."""
    for name in list(os.environ):
        if name.startswith(("SLURM", "PMI", "OMPI")) or name in ("RANK", "WORLD_SIZE"):
            monkeypatch.delenv(name)

    with pytest.raises(RuntimeError, match=variable):
        dist.init_dist(launcher)


def test_an_address_that_is_not_there(monkeypatch):
    """With a place but no address, init_dist asks for the address."""
    for name, value in (("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("MPI_LOCALRANKID", "0")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    monkeypatch.setenv("MASTER_PORT", "29500")

    with pytest.raises(RuntimeError, match="MASTER_ADDR"):
        dist.init_dist("mpi", "gloo")


def test_an_unknown_launcher():
    """The known ones are named."""
    with pytest.raises(ValueError, match="slurm"):
        dist.init_dist("qsub")
    with pytest.raises(ValueError, match=r"got 'torchrun'; did you mean pytorch\?"):
        dist.init_dist("torchrun")


def test_master_only_keeps_the_function():
    """Rank 0 gets the value; name and arguments are the function's own."""

    @dist.master_only
    def add(a, b=1):
        """Add."""
        return a + b

    assert add(1, b=2) == 3
    assert (add.__name__, add.__doc__) == ("add", "Add.")


# NCCL's settings -----------------------------------------------------------------------------


@pytest.fixture
def nccl(monkeypatch):
    """A clean environment, restored at the end."""
    for name in [name for name in os.environ if name.startswith("NCCL")]:
        monkeypatch.delenv(name)
    yield
    dist.set_nccl_opt_level(0)


@pytest.mark.usefixtures("nccl")
def test_levels_replace_each_other():
    """A level sets its variables and removes those of the level before."""
    full = dist.set_nccl_opt_level(dist.NcclOptLevel.FULL)
    assert {name: os.environ[name] for name in full} == full != {}

    custom = {"NCCL_ALGO": "Tree", "NCCL_PROTO": "LL", "GDR": True, "MAX_NCHANNELS": 4}
    settings = dist.set_nccl_opt_level(101, {**custom, "GRAPH_OPT": "graph.txt"})
    assert settings == {
        "NCCL_ALGO": "Tree",
        "NCCL_PROTO": "LL",
        "NCCL_NET_GDR_LEVEL": "SYS",
        "NCCL_MAX_NCHANNELS": "4",
        "NCCL_GRAPH_FILE": "graph.txt",
    }
    assert "NCCL_BUFFSIZE" not in os.environ

    assert dist.set_nccl_opt_level(0) == {}
    assert not [name for name in os.environ if name.startswith("NCCL")]


@pytest.mark.usefixtures("nccl")
@pytest.mark.parametrize(
    ("level", "custom", "named"),
    [
        (2, None, "level"),
        (101, None, "custom_config"),
        (1, {"NCCL_ALGO": "Ring"}, "custom_config"),
        (101, {"NCCL_ALGO": "Star"}, "Ring"),
        (10, {"ALGO": "Ring"}, "NCCL_ALGO"),
        (101, {"MIN_NCHANNELS": "0"}, "MIN_NCHANNELS"),
        (101, {"GDR": 1}, "GDR"),
    ],
)
def test_bad_settings_change_nothing(level, custom, named):
    """An error that names what is wrong; the environment is as before."""
    before = dict(os.environ)

    with pytest.raises(ValueError, match=named):
        dist.set_nccl_opt_level(level, custom)

    assert dict(os.environ) == before
