"""Sentences of a report say no more than the numbers do."""

import html
import re

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.reporting.page import page
from mmeval_like.reporting.study import Study
from tests.helpers import requires

requires("matplotlib")
requires("jinja2")


def said(metric):
    """What a reader sees of the page of a system that is called "new"."""
    text = page(metric, metric.compute(), study=Study(names=("new",)))
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", text)))


def test_only_a_share_of_samples_is_called_so():
    """Of 10 samples 1 is right: with weights the accuracy is no share of samples, nor with ignored
    labels, as a mean over classes, or of the last samples.
    """
    labels, predictions = [1] * 10, [0] * 9 + [1]
    plain = mm.Accuracy()
    plain.add(predictions, labels)
    assert "new is right on 10.0% of 10 samples" in said(plain)

    weighted = mm.Accuracy(use_sample_weight=True)
    weighted.add(predictions, labels, sample_weight=[1.0] * 9 + [91.0])
    ignored = mm.Accuracy(num_classes=3, ignore_index=255)
    ignored.add(predictions, [255] * 8 + [1, 1])
    macro = mm.Accuracy(num_classes=2, average="macro")
    macro.add(predictions, [0] * 8 + [1, 1])
    last = mm.Running(mm.Accuracy(), 5)
    last.add(predictions, labels, ids=range(10))
    several = (weighted, "91.0%"), (ignored, "50.0%"), (macro, "75.0%"), (last, "20.0%")
    for metric, value in several:
        text = said(metric)
        assert f"new reaches an accuracy of {value} on 10 samples" in text
        assert "right on" not in text


@pytest.mark.parametrize("inverted", [False, True])
def test_probabilities_of_one_class_are_not_called_right(inverted):
    """What a binary model claims comes true or not; the mean of opposite errors is not hidden."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 500)
    scores = np.where(labels == 1, 0.95, 0.05) + rng.uniform(-0.04, 0.04, 1000)
    metric = mm.ReliabilityDiagram(task="binary", bins=10)
    metric.add(1 - scores if inverted else scores, labels)
    found = metric.compute()
    shares = found["count"] / found["count"].sum()
    gap = np.nansum(shares * np.abs(found["accuracy"] - found["confidence"]))

    text = said(metric)

    claimed = float(np.mean(1 - scores if inverted else scores))
    assert f"it claims {100 * claimed:.1f}% on average, and 50.0% come true" in text
    assert f"In single bins the two are {100 * gap:.1f} points apart on average" in text
    assert "right on" not in text
    assert "are right" not in text


def test_no_slice_is_weakest_that_is_better_than_all():
    """Of two slices one is thin: the other one is the only one that is ranked."""
    metric = mm.Sliced(mm.Accuracy(interval=0.95), by="zone", rest=True)
    metric.add([1] * 93 + [0], [1] * 94, by={"zone": ["a"] * 90 + ["b"] * 4})
    assert "Where is it weakest?" not in said(metric)

    metric = mm.Sliced(mm.Accuracy(interval=0.95), by="zone", rest=True)
    metric.add([1] * 20 + [0] * 30 + [1] * 50, [1] * 100, by={"zone": ["a"] * 50 + ["b"] * 50})
    assert "Where is it weakest?a: 40.0%" in said(metric)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_a_constant_answer_is_compared_with_the_share_of_samples_alone(average):
    """The mean over classes of a constant answer is another number."""
    metric = mm.MetricCollection(
        {
            "accuracy": mm.Accuracy(num_classes=2, average=average),
            "matrix": mm.ConfusionMatrix(num_classes=2),
        }
    )
    metric.add([0] * 90 + [0] * 8 + [1] * 2, [0] * 90 + [1] * 10)
    assert ("Always answering" in said(metric)) == (average == "micro")
