"""Samples without a score count as nothing, or as a label, for every metric."""

import inspect
import warnings

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.same import same
from tests.metric_cases import CASES

REASONS = np.array(["error", "timeout"])


def filled(make, data, rng, ids, clusters, unscored=None):
    """A metric of samples, in batches of random sizes, in the order of the data."""
    metric, count, start = make(), len(ids), 0
    while start < count:
        batch = np.arange(start, min(start + int(rng.integers(1, 6)), count))
        named = {"clusters": clusters[batch]} if clusters is not None else {}
        if ids[0] >= 0:
            named["ids"] = ids[batch]
        if unscored is not None:
            named["unscored"] = [unscored[i] for i in batch]
        metric.add(*take_samples(data, batch), **named)
        start += len(batch)
    return metric


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_dropped_samples_do_not_count(name):
    """Bit for bit, in any batches, with intervals, ids and clusters, in collections and files."""
    case, rng = CASES[name], np.random.default_rng(len(name))
    for trial in range(3):
        options = {"interval": 0.95} if trial else {}
        count = min(max(case.least, 6), case.most)
        data = case.samples(rng, count + 3)
        without = np.zeros(count + 3, bool)
        without[rng.choice(count + 3, 3, replace=False)] = True
        marks = [str(rng.choice(REASONS)) if mark else None for mark in without]
        ids = np.arange(count + 3) if trial else np.full(count + 3, -1)
        clusters = rng.integers(0, 4, count + 3) if trial == 2 else None
        scored = np.flatnonzero(~without)

        def make(**more):
            return case.make(dist_backend="non_dist", **options, **more)  # noqa: B023

        try:
            others = filled(
                make,
                take_samples(data, scored),
                rng,
                ids[scored],
                None if clusters is None else clusters[scored],
            )
            expected = others.compute()
        except (TypeError, ValueError):  # the metric has no intervals or clusters, or no value
            assert trial or count < 6
            continue
        metric = filled(lambda: make(unscored="drop"), data, rng, ids, clusters, marks)
        found = metric.compute()
        assert same(dict(found), dict(expected)), (found, expected)
        assert (found.planned, found.scored) == (count + 3, count)
        assert sum(found.unscored.values()) == 3
        if trial == 0:  # nothing of them is known
            metric = make(unscored="drop")
            metric.add_unscored(reason="error")
            metric.add(*take_samples(data, scored))
            metric.add_unscored(reason=["error", "timeout"])
            for travelled in (metric, metric.from_bytes(metric.to_bytes())):
                found = travelled.compute()
                assert same(dict(found), dict(expected)), (found, expected)
                assert found.unscored == {"error": 2, "timeout": 1}
            both = mm.MetricCollection({name: make(unscored="drop") for name in "ab"})
            both.add(*take_samples(data, np.flatnonzero(without)), unscored=["error"] * 3)
            both.add(*take_samples(data, scored))
            for found in both.compute().values():
                assert same(dict(found), dict(expected)), (found, expected)


def test_their_inputs_are_not_looked_at():
    """The prediction of a sample without a score may be anything that has an entry for it."""
    metric = mm.MeanSquaredError(unscored="drop")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metric.add([1.0, float("nan")], [0.0, float("inf")], unscored=[None, "error"])
        assert metric.compute() == {"mse": 1.0}
        metric = mm.Accuracy(unscored="drop", classes=["a", "b"])
        metric.add(["a", "?"], ["a", "unlabelled"], unscored=[None, "error"])
        assert metric.compute() == {"top1": 1.0}


TEXTS = {
    "ANLS", "BLEU", "CHRFScore", "CIDEr", "CharErrorRate", "CharRecallPrecision", "DropF1",
    "EditDistance", "ExactMatch", "GoogleBLEU", "MatchErrorRate", "NIST",
    "NormalizedEditSimilarity", "ROUGE", "SARI", "SQuAD", "TranslationEditRate", "VQAAccuracy",
    "WordAccuracy", "WordErrorRate", "WordInfoLost", "WordInfoPreserved",
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_a_label_is_a_prediction_or_refused(name):
    """Where predictions are texts or classes; the constructors of other metrics say what to pass.

    A text is counted as if it had been predicted. Names of classes need `classes=`: `add` says so.
    """
    case, rng = CASES[name], np.random.default_rng(len(name))
    data = case.samples(rng, max(case.least, 4))
    marks = [None] * (max(case.least, 4) - 1) + ["error"]
    if type(case.make(dist_backend="non_dist")).__name__ not in TEXTS:
        cures = "defines no value 'wrong'.*pass unscored=\"drop\"|keeps its entries|pass classes="
        with pytest.raises(TypeError, match=cures):
            case.make(dist_backend="non_dist", unscored="wrong").add(*data, unscored=marks)
        return
    metric = case.make(dist_backend="non_dist", unscored="wrong")
    metric.add(*data, unscored=marks)
    place = [*inspect.signature(type(metric).add).parameters].index("predictions") - 1
    said = [*data[place][:-1], "wrong"]
    expected = case.make(dist_backend="non_dist")(*data[:place], said, *data[place + 1 :])
    assert same(dict(metric.compute()), dict(expected))
