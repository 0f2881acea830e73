"""What compute finds suspicious is a warning, on every rank, at the line of the program."""

import warnings

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld

kinds = pytest.mark.parametrize("members_only", [False, True])


class Entries(mm.BaseMetric):
    """A metric in MMEval's way."""

    def add(self, predictions, labels):
        """Append one entry per sample."""
        self._results += list(zip(predictions, labels, strict=True))

    def compute_metric(self, results):
        """The share of pairs of equals."""
        return {"share": sum(p == y for p, y in results) / len(results)}


def warned(world, evaluate):
    """The texts of what was warned of in all ranks, and the files that they point to."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        world.run(evaluate)
    return [str(w.message) for w in found], {w.filename for w in found}


@kinds
@pytest.mark.parametrize("make", [mm.Accuracy, Entries, lambda **o: mm.ConfusionMatrix(10, **o)])
@pytest.mark.parametrize("batches", [1, 30])
def test_all_ranks_added_the_same(members_only, make, batches):
    """As after transformers' Trainer, which gathers: every rank warns and names non_dist."""
    rng = np.random.default_rng(0)
    predictions, labels = rng.integers(0, 10, (2, 300))

    def evaluate(backend):
        metric = make(dist_backend=backend)
        for p, y in zip(*(np.array_split(a, batches) for a in (predictions, labels)), strict=True):
            metric.add(p.tolist(), y.tolist())
        metric.compute()

    texts, files = warned(LocalWorld(2, members_only=members_only), evaluate)

    assert len(texts) == 2
    assert all('dist_backend="non_dist"' in text and "300 samples" in text for text in texts)
    assert files == {__file__}


@kinds
@pytest.mark.parametrize("make", [mm.Accuracy, Entries])
@pytest.mark.parametrize("kind", ["other rows", "all alike", "few", "ids", "one rank"])
def test_ranks_that_agree_by_chance_are_not_suspected(members_only, make, kind):
    """Other samples, hits only, a handful of samples, and repeated ids, which count once."""
    if (make, kind) == (Entries, "ids"):
        pytest.skip("it takes no ids")

    def evaluate(backend):
        rng = np.random.default_rng(backend.rank if kind == "other rows" else 0)
        predictions, labels = rng.integers(0, 2, (2, 40 if kind == "few" else 300))
        if kind == "all alike":
            predictions[:] = labels[:] = 1
        options = {"ids": np.arange(len(labels))} if kind == "ids" else {}
        metric = make(dist_backend=backend)
        metric.add(predictions.tolist(), labels.tolist(), **options)
        metric.compute()

    ranks = 1 if kind == "one rank" else 2
    assert warned(LocalWorld(ranks, members_only=members_only), evaluate) == ([], set())


@kinds
def test_the_same_id_with_different_samples(members_only):
    """Every rank tells how many ids, and the first of them."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add(np.ones(20, int), np.arange(20) < 5 + 12 * backend.rank, ids=np.arange(20))
        assert metric.compute(size=20) == {"top1": 0.25}
        assert metric.report.differing_ids == tuple(range(5, 15))

    texts, files = warned(LocalWorld(2, members_only=members_only), evaluate)

    assert len(texts) == 2
    assert all(text.startswith("12 ids") and "5, 6, 7" in text for text in texts)
    assert files == {__file__}


class Objects(mm.BaseMetric):
    """Keeps whatever it gets."""

    entries = mm.state.objects()

    def rows(self, entries):
        """The entries as they are."""
        return {"entries": list(entries)}

    def compute_metric(self, results):
        """How many they are."""
        return {"count": len(results)}


@pytest.mark.filterwarnings("ignore:the ids of two batches")
def test_equal_objects_are_equal_whatever_their_pickles_are():
    """Sets and dicts of another order, shared and separate objects, nan."""
    text = "shared"
    ones = [{"a": 1, "b": 2}, {"x", "yy", "zzz"}, [text, text], float("nan"), np.arange(3), (1, 2)]
    others = [{"b": 2, "a": 1}, {"zzz", "yy", "x"}, ["".join("shared"), "".join(["sha", "red"])],
              float("nan"), np.arange(3), (1, 2)]  # fmt: skip
    metric = Objects(dist_backend="non_dist")
    metric.add(ones, ids=np.arange(6))
    metric.add(others, ids=np.arange(6))
    metric.compute()
    assert metric.report.differing == 0

    metric.add([{"a": 1, "b": 3}, np.arange(3.0)], ids=[0, 4])
    with pytest.warns(RuntimeWarning, match="2 ids came with different samples.*0, 4.*reset"):
        metric.compute()


@pytest.mark.parametrize("size", [10**6, 10**15, 2**62])
def test_a_huge_size_names_what_is_missing(size):
    """Whatever the size is by mistake, the error needs no memory for it."""
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1, 1, 1], [1, 1, 1], ids=[0, 2, 5])

    with pytest.raises(ValueError, match="ids 1, 3, 4, 6, 7, 8, 9, 10, 11, 12, "):
        metric.compute(size=size)


def test_no_samples_is_told_at_the_line_of_the_program():
    """Not at a line of the package."""
    with pytest.warns(RuntimeWarning, match="no samples") as found:
        mm.Accuracy(dist_backend="non_dist").compute()
    assert found[0].filename == __file__

    metric = mm.Accuracy(dist_backend="non_dist")
    with pytest.warns(RuntimeWarning, match="no samples") as found, metric.evaluation():
        pass
    assert found[0].filename == __file__


class Forgetful(mm.BaseMetric):
    """Does not call super().__init__()."""

    def __init__(self, classes):
        self.classes = classes

    def compute_metric(self, results):
        """Nothing."""
        return {}


def test_a_forgotten_super_is_named():
    """When the metric is constructed, not at its first use."""
    with pytest.raises(TypeError, match=r"Forgetful.__init__\(\) must call super"):
        Forgetful(3)
