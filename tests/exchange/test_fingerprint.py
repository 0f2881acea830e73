"""The options of metrics: which are equal, and that ranks whose options differ do not compute."""

import numpy as np
import pytest

import mmeval_like as mm
from tests.exchange.disagreement import expect_disagreement, kinds


class Labelled(mm.Accuracy):
    """Passes on what it does not know."""

    def __init__(self, weights=(1.0, 2.0), **rest):
        super().__init__(**rest)
        self.weights = list(weights)


def later(metric, **options):
    """Options that are set after the construction."""
    for name, value in options.items():
        setattr(metric, name, value)
    return metric


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda **o: mm.Accuracy(**o), lambda **o: mm.Accuracy(topk=1, **o)),
        (lambda **o: mm.Accuracy(topk=(1, 5), **o), lambda **o: mm.Accuracy([np.int64(1), 5], **o)),
        (lambda **o: mm.Accuracy(**o), lambda **o: mm.Accuracy(dist_collect_mode="unzip", **o)),
        (lambda **o: Labelled(**o), lambda **o: Labelled(np.array([1, 2.0]), topk=1, **o)),
        (lambda **o: mm.Accuracy(max_padding=7, **o), lambda **o: mm.Accuracy(**o)),
        (lambda **o: mm.Accuracy(thrs=np.float64(1), **o), lambda **o: mm.Accuracy(thrs=1.0, **o)),
        (
            lambda **o: mm.ConfusionMatrix(3, **o),
            lambda **o: mm.ConfusionMatrix(num_classes=np.int32(3), **o),
        ),
        (lambda **o: later(Labelled(**o), weights=[3]), lambda **o: Labelled((3,), **o)),
        (
            lambda **o: mm.Accuracy(dataset_meta={"a": 1}, **o),
            lambda **o: later(mm.Accuracy(**o), dataset_meta={"a": 1}),
        ),
    ],
)
def test_equal_options_are_equal_however_they_are_given(one, other):
    """By default, by position or name, as numpy's or Python's numbers, at once or later."""
    metrics = one(dist_backend="non_dist"), other(dist_backend="non_dist")

    assert metrics[0].plan.identity == metrics[1].plan.identity


@kinds
@pytest.mark.parametrize(
    "change",
    [
        {"interval": 0.9},
        {"dataset_meta": {"classes": ("cat", "dog")}},
        {"dist_collect_mode": "cat"},
    ],
)
def test_options_that_one_rank_sets_later_are_compared(members_only, change):
    """Also after a first compute in which all agreed."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1])
        metric.compute()
        return later(metric, **(change if backend.rank else {})).compute()

    expect_disagreement(members_only, evaluate)


def test_lists_that_change_in_place_are_compared():
    """An option may be a list, which is looked at again before every compute."""
    metric = Labelled(dist_backend="non_dist")
    before = metric.plan.identity

    metric.weights.append(3.0)

    assert metric.plan.identity != before


def test_samples_of_another_world_can_be_loaded(tmp_path):
    """How many rows are kept for padding depends on the number of ranks; the samples do not."""
    saved = mm.Accuracy(max_padding=3)
    saved.add([1, 1], [1, 0])
    saved.save(tmp_path / "rank-0.safetensors")
    loading = mm.Accuracy(topk=1)
    loading.load(tmp_path / "rank-0.safetensors")
    loading.merge(saved)

    assert loading.compute() == {"top1": 0.5}
