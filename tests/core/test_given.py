"""What adapters take as metrics."""

import pytest

import mmeval_like as mm
from mmeval_like._core.given import as_metrics


def test_metrics_by_name_are_a_collection_of_copies():
    """A metric and a collection are taken as they are."""
    metric = mm.Accuracy()
    sliced = mm.Sliced(metric, "day")

    by_name = as_metrics({"acc": metric})
    by_name.add([1], [1])

    assert by_name.compute() == {"acc": {"top1": 1.0}}
    assert [as_metrics(given) for given in (metric, by_name, sliced)] == [metric, by_name, sliced]
    with pytest.warns(RuntimeWarning, match="no samples"):
        assert metric.compute().samples == 0


@pytest.mark.parametrize(
    ("given", "text"),
    [(mm.Accuracy, r"the class Accuracy: write Accuracy\(\)"), ([mm.Accuracy()], "got list")],
)
def test_what_is_no_metric_is_refused_before_the_loop(given, text):
    """By every adapter, with what to write."""
    with pytest.raises(TypeError, match=text):
        as_metrics(given)
    with pytest.raises(TypeError, match=text):
        mm.integrations.trainer(given)
    with pytest.raises(TypeError, match=text):
        mm.integrations.Scorer(given)(None, [], [])
