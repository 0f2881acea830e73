"""Summaries of slices: what stands beside the slices, and under which names."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same


@pytest.mark.filterwarnings("ignore:all scores are 0 or 1")
def test_summaries_compare_the_slices():
    """The four numbers of each float, against numpy, on every rank; nothing else changes."""
    rng = np.random.default_rng(5)
    labels, scores = rng.integers(0, 2, 60), rng.random(60)
    columns = {"x": rng.integers(0, 4, 60).tolist(), "y": rng.choice(["a", "b"], 60).tolist()}
    members = {"acc": mm.Accuracy(num_classes=2), "auroc": mm.AUROC(), "stat": mm.StatScores()}

    def program(backend, summaries):
        sliced = mm.Sliced(members, ["x", ("x", "y")], backend, summaries=summaries)
        mine = slice(backend.rank, None, 3)
        by = {name: column[mine] for name, column in columns.items()}
        sliced.add((scores[mine] > 0.5).astype(int), labels[mine], by=by)
        return sliced.compute()

    plain = LocalWorld(3).run(lambda backend: program(backend, False))[0]
    for found in LocalWorld(3).run(lambda backend: program(backend, True)):
        for family, commas in (("x", 0), ("x,y", 1)):
            between = found.pop(f"between {family}")
            assert between.keys() == members.keys()
            assert between["stat"] == {}
            for member, key in (("acc", "top1"), ("auroc", "auroc")):
                values = np.array([
                    one[member][key] for name, one in plain.items()
                    if "=" in name and name.count(",") == commas
                ])  # fmt: skip
                low, high = np.nanmin(values), np.nanmax(values)
                assert between[member] == {
                    f"{key}_min": low, f"{key}_max": high,
                    f"{key}_difference": high - low, f"{key}_ratio": low / high,
                }  # fmt: skip
        assert same(found, plain)


def test_summaries_of_slices_without_a_value():
    """What is nan is left out; without any value all are nan, and so is a ratio to 0."""
    sliced = mm.Sliced(mm.Mean(), by="x", summaries=True)
    with pytest.warns(RuntimeWarning, match="no samples"):
        assert sliced.compute()["between x"] == {}
    sliced.add([np.nan, -1.0, 0.0], by={"x": ["a", "b", "c"]})
    between = sliced.compute()["between x"]
    assert np.isnan(between.pop("mean_ratio"))
    assert between == {"mean_min": -1.0, "mean_max": 0.0, "mean_difference": 1.0}
    sliced.reset()
    sliced.add([np.nan], by={"x": ["a"]})
    assert all(np.isnan(value) for value in sliced.compute()["between x"].values())


@pytest.mark.filterwarnings("ignore:.*constant")
def test_subtraction_leaves_summaries_beyond_the_range_of_the_metric():
    """A difference of two correlations may be 2: what is left was added, and is right."""

    def of(*samples):
        sliced = mm.Sliced(mm.PearsonCorrCoef(), by="g", summaries=True)
        for a, b, group in samples:
            sliced.add([a], [b], by={"g": [group]})
        return sliced

    kept = [(0.0, 0.0, "a"), (1.0, 1.0, "a"), (0.0, 1.0, "b"), (1.0, 0.0, "b")]
    bad = [(5.0, 1.0, "a"), (7.0, 2.0, "a")]
    whole = of(*kept, *bad)
    whole.subtract(of(*bad))
    assert whole.compute()["between g"]["pearson_difference"] == 2.0
    assert same(whole.compute(), of(*kept).compute())


def test_no_slice_takes_the_place_of_a_summary():
    """Columns and values of any name: every slice and every summary has a key of its own."""
    names = ["between x", "x", "all"]
    sliced = mm.Sliced(mm.Mean(), by=names, summaries=True)
    sliced.add([1.0, 2.0], by={name: ["x", "between x"] for name in names})
    assert len(sliced.compute()) == 1 + 3 * (2 + 1)
