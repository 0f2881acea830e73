"""Options that are set once a metric is constructed: applied entirely, or refused."""

import copy

import pytest

import mmeval_like as mm
from mmeval_like._core.options import MetricOptions
from tests.metric_cases import CASES

BASE = set(MetricOptions.__annotations__)


@pytest.mark.parametrize(
    "make", [lambda m: m, copy.copy, copy.deepcopy], ids=["it", "copy", "deep"]
)
def test_no_metric_takes_an_option_of_its_constructor_later(make):
    """The value would depend on what the constructor derived: refused, and nothing is changed."""
    for name, case in CASES.items():
        metric = make(case.make(dist_backend="non_dist"))
        before = metric.plan.identity
        for option in options_of(metric):
            with pytest.raises(AttributeError, match=rf"{option} cannot .* make a new metric"):
                setattr(metric, option, 2)
        assert metric.plan.identity == before, name


def options_of(metric):
    """The names of the options that the metric itself has, and whose property cannot be set."""
    own = type(metric).__module__.startswith("mmeval_like.metrics.")
    names = metric._options._given.keys() - BASE - {"args"} if own else ()
    return [n for n in names if getattr(getattr(type(metric), n, None), "fset", None) is None]


def test_the_examples():
    """Half applied before: the identity changed, and not the value."""
    for metric, option in ((mm.Accuracy(), "topk"), (mm.Recall(), "threshold")):
        with pytest.raises(AttributeError, match=option):
            setattr(metric, option, 2)


def test_what_all_metrics_have_is_applied():
    """The name, the level and the names of the classes can be set later; of own metrics all."""

    class Shifted(mm.SampleMean):
        key = "shifted"

        def __init__(self, by=0.0, **options):
            super().__init__(**options)
            self.by = by

        def scores(self, values):
            return mm.arrays.as_floats(values, "values") + self.by

    own = Shifted()
    own.by = 2.0
    assert own([1.0]) == {"shifted": 3.0}
    metric = mm.Accuracy()
    metric.interval, metric.name = 0.9, "later"
    metric.dataset_meta = {"classes": ["a", "b"]}
    assert "top1_high" in metric(["a"] * 30, ["a", "b"] * 15)


@pytest.mark.parametrize("task", [{"task": "multiclass", "num_classes": 3}, {}])
def test_other_numbers_of_classes_are_refused(task):
    """The number of classes is read once, the names may change: nothing is changed otherwise."""
    metric = mm.Recall(**task)
    with pytest.raises(ValueError, match=r"4 classes, the metric was constructed for [23]: make a"):
        metric.dataset_meta = {"classes": ["a", "b", "c", "d"]}
    assert metric.dataset_meta is None
    known = ["a", "b", "c"][: 3 if task else 2]
    metric.dataset_meta = {"classes": known}
    assert metric.dataset_meta == {"classes": known}
