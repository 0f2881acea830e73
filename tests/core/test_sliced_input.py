"""What names a slice: columns of any kind; and errors of input and of single slices."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like.testing.same import same
from tests.helpers.optional import requires


def test_bad_input_loses_nothing():
    """Each is refused by name, and what was there is still there."""
    sliced = mm.Sliced({"a": mm.Accuracy(), "m": mm.ConfusionMatrix(3)}, by=["zone"])
    sliced.add([0, 1], [0, 0], by={"zone": ["x", "y"]})
    before = sliced.compute()
    with pytest.raises(ValueError, match=r"map the columns \['zone'\]"):
        sliced.add([0], [0], by={"zoen": ["x"]})
    with pytest.raises(ValueError, match="value for each of the 2 samples, got 1"):
        sliced.add([0, 1], [0, 0], by={"zone": ["x"]})
    with pytest.raises(TypeError, match="integers or strings"):
        sliced.add([0], [0], by={"zone": [0.5]})
    with pytest.raises(ValueError, match="in member 'm'"):
        sliced.add([0], [5], by={"zone": ["x"]})

    assert same(sliced.compute(), before)
    for by in ([], [()], ["a", "a"], [("a", "a")]):
        with pytest.raises((TypeError, ValueError), match="by must"):
            mm.Sliced(mm.Accuracy(), by=by)
    with pytest.raises(TypeError, match="metrics must"):
        mm.Sliced("accuracy", by="zone")


@pytest.mark.parametrize("options", [{}, {"ids": []}])
def test_a_batch_without_samples_changes_nothing(options):
    """Not even of a metric that has its own `add`, alone or beside others."""
    members = {"ap": mm.AveragePrecision(percent=False), "auroc": mm.AUROC()}
    for metrics in (members["ap"], members):
        sliced, other = (mm.Sliced(metrics, by="zone") for _ in range(2))
        sliced.add([], [], by={"zone": []}, **options)
        for one in (sliced, other):
            named = {"ids": [0, 1, 2, 3]} if options else {}
            one.add([0.1, 0.4, 0.2, 0.3], [0, 1, 1, 0], by={"zone": ["x", "x", "y", "y"]}, **named)
        assert same(sliced.compute(), other.compute())


def test_an_error_of_compute_names_the_slice():
    """And every rank has it."""

    class Picky(mm.BaseMetric):
        total = state.sum(int)

        def rows(self, values):
            return {"total": np.asarray(values)}

        def compute_metric(self, results):
            if results.total == 3:
                raise ValueError("three is refused")
            return {"total": results.total}

    sliced = mm.Sliced(Picky(), by=["zone"])
    sliced.add([1, 3], by={"zone": ["a", "b"]})

    with pytest.raises(ValueError, match=r"three is refused \(in the slice 'zone=b'\)"):
        sliced.compute()


@pytest.mark.parametrize("values", [
    np.array([1, 2, 1]), np.array(["a", "b", "a"]), np.array(["a", None, "a"], object),
    ["a", float("nan"), "a"], [np.int64(3), True, "x"],
])  # fmt: skip
def test_columns_of_any_kind(values):
    """Numpy arrays, lists, missing values and truth values."""
    sliced = mm.Sliced(mm.Accuracy(), by=["zone"])
    sliced.add([0, 0, 0], [0, 1, 0], by={"zone": values})

    assert len(sliced.compute()) == 1 + len({str(v) for v in list(values)})


@pytest.mark.filterwarnings("ignore")  # of few clusters
@pytest.mark.parametrize("values", [[1, None, 1], ["a", None, "b"], [2, 3, 2]])
def test_columns_in_chunks_are_lists(values):
    """Columns of an Arrow table, which are chunked, name the slices and clusters of lists."""
    pa = requires("pyarrow")
    found = []
    for column in (values, pa.chunked_array([values[:1], values[1:]])):
        sliced = mm.Sliced(mm.Accuracy(interval=0.9), by=["zone"])
        sliced.add([0, 0, 0], [0, 1, 0], by={"zone": column}, clusters=column)
        found.append(repr(sliced.compute()))
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", [np.uint64, object])
def test_integers_beyond_int64_are_slices(dtype):
    """One of them, some that lie close together, and some that do not."""
    for values in ([2**63], [2**63, 2**63 + 4, 2**63], [2**63, 5, 2**64 - 1]):
        sliced = mm.Sliced(mm.Accuracy(), by="x")
        sliced.add([1] * len(values), [1] * len(values), by={"x": np.array(values, dtype)})

        found = sliced.compute()
        assert [*found] == ["all", *(f"x={value}" for value in sorted(set(values)))]
