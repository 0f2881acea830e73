"""Sentences of a report say no more than the numbers do."""

import html
import re

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.reporting.each import Each
from mmeval_like.reporting.page import page
from mmeval_like.reporting.study import Study
from tests.helpers import requires

requires("matplotlib")
requires("jinja2")


def said(metric):
    """What a reader sees of the page of a system that is called "new"."""
    text = page(metric, metric.compute(), study=Study(names=("new",)))
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", text)))


def plain(metric):
    """What a reader sees of a page."""
    return html.unescape(
        re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page(metric, metric.compute())))
    )


def test_only_a_share_of_samples_is_called_so():
    """Of 10 samples 1 is right: with weights the accuracy is no share of samples, nor with ignored
    labels, as a mean over classes, or of the last samples.
    """
    labels, predictions = [1] * 10, [0] * 9 + [1]
    every = mm.Accuracy()
    every.add(predictions, labels)
    assert "new is right on 10.0% of 10 samples" in said(every)

    weighted = mm.Accuracy(use_sample_weight=True)
    weighted.add(predictions, labels, sample_weight=[1.0] * 9 + [91.0])
    ignored = mm.Accuracy(num_classes=3, ignore_index=255)
    ignored.add(predictions, [255] * 8 + [1, 1])
    macro = mm.Accuracy(num_classes=2, average="macro")
    macro.add(predictions, [0] * 8 + [1, 1])
    last = mm.Running(mm.Accuracy(), 5)
    last.add(predictions, labels, ids=range(10))
    assert "new reaches an accuracy of 20.0% on 5 samples" in said(last)
    several = (weighted, "91.0%"), (ignored, "50.0%"), (macro, "75.0%")
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


def test_systems_that_score_the_same_may_predict_otherwise():
    """Both are wrong on the same 30 of 60 samples, with other classes: they do not agree there."""
    labels = np.repeat([0, 1], 30)
    pair = mm.Paired(mm.Accuracy())
    pair.a.add(np.zeros(60, int), labels, ids=range(60))
    pair.b.add(np.where(labels == 1, 2, 0), labels, ids=range(60))

    text = html.unescape(page(pair, pair.compute()))

    assert "score the same on all 60 samples" in text
    assert "agree" not in re.sub(r"<[^>]*>", "", text)


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [1.0, 4.0, 4.0, 4.0, 5.0]])
def test_the_middle_half_is_that_of_the_quartiles(values):
    """A third of three samples, and four of five, lie between the quartiles: neither is half."""
    metric = mm.Mean()
    metric.add(values)
    each = Each("Mean", "mean", [np.array(values)], range(len(values)))
    low, high = np.quantile(values, (0.25, 0.75))
    assert np.mean((values >= low) & (values <= high)) != 0.5

    text = html.unescape(page(metric, metric.compute(), each=each))

    assert "The middle half of the samples scores between" in text


@pytest.mark.parametrize("count", [20, 30, 47])
def test_as_many_samples_move_by_as_little_as_is_said(count):
    """At least 95 of 100 samples move by no more than the size that the page says."""
    a, b = np.zeros(count), np.arange(count) / 4.0
    pair = mm.Paired(mm.Mean())
    pair.a.add(a, ids=range(count))
    pair.b.add(b, ids=range(count))

    text = html.unescape(page(pair, pair.compute(), each=Each("", "mean", [a, b], range(count))))

    most = re.search(r"95% of the samples move by ([0-9.]+) or less", text)
    assert np.mean(b <= float(most[1])) >= 0.95


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize("count", [3, 20, 200])
def test_no_more_samples_move_than_is_said(count):
    """Sizes are rounded up, however coarse the digits are that outliers leave to the mean."""
    rng = np.random.default_rng(count)
    a, b = np.zeros(count), rng.exponential(0.4, count)
    b[:2] = 5000.0
    pair = mm.Paired(mm.Mean())
    pair.a.add(a, ids=range(count))
    pair.b.add(b, ids=range(count))

    text = html.unescape(page(pair, pair.compute(), each=Each("", "mean", [a, b], range(count))))

    for share, size in re.findall(r"(Half|95%) of the samples move by ([0-9.,]+) or less", text):
        kept = np.mean(b <= float(size.replace(",", "")))
        assert kept >= {"Half": 0.5, "95%": 0.95}[share]
    assert "move by 0 or less" not in text


def test_quartiles_have_digits_that_tell_them_apart():
    """Around 1,000 they are 0.27 apart: a mean to the whole number says nothing of samples."""
    values = np.random.default_rng(0).normal(1000.4, 0.2, 200)
    metric = mm.Mean()
    metric.add(values)
    each = Each("Mean", "mean", [values], range(200))

    text = html.unescape(page(metric, metric.compute(), each=each))

    found = re.search(r"scores between ([0-9.,]+) and ([0-9.,]+)", text)
    ends = [float(end.replace(",", "")) for end in found.groups()]
    assert ends == pytest.approx(np.quantile(values, (0.25, 0.75)), abs=0.005)


def test_without_a_direction_nothing_is_worst_or_ahead():
    """Seconds are no scores: the fastest requests are not the worst, and 0 is not wrong."""
    for values in (np.arange(40.0), np.arange(40) % 2.0):
        metric = mm.Mean()
        metric.add(values)
        each = Each("Mean", "mean", [values], range(40), [{"seconds": values.tolist()}])
        text = re.sub(r"<[^>]*>", "", page(metric, metric.compute(), each=each))
        assert "The samples that score lowest" in text
        assert "worst" not in text
        assert "gets wrong" not in text

    pair = mm.Paired(mm.Sliced(mm.Mean(), by="zone"))
    zones = {"zone": ["x", "y"] * 20}
    pair.a.add(np.arange(40.0), by=zones, ids=range(40))
    pair.b.add(np.arange(40.0) + np.arange(40) % 3, by=zones, ids=range(40))
    text = re.sub(r"<[^>]*>", "", page(pair, pair.compute(), study=Study(names=("old", "new"))))
    assert "new scores higher in x and y" in text
    assert "ahead" not in text


def test_a_gap_within_chance_is_no_match():
    """30 samples that claim 45% and are right in 27% show no overconfidence, and no calibration."""
    metric = mm.ReliabilityDiagram(bins=10)
    metric.add(np.full(30, 0.45), np.array([1] * 8 + [0] * 22))
    text = said(metric)
    assert "No significant over- or underconfidence on average" in text
    assert "match" not in text
    assert "1 bin with samples" in text


def test_a_class_is_not_the_lowest_if_another_one_is():
    """Of two classes one is too rare to be ranked, and lower: the other one is not the lowest."""
    labels = [0] * 25 + [1] * 75
    predictions = [0] * 17 + [1] * 8 + [1] * 66 + [0] * 9
    for interval, wanted in ((None, "F1 is lowest for cat: 0.667"), (0.95, "Every class")):
        options = {"task": "multiclass", "num_classes": 2, "classes": ["cat", "dog"]}
        metric = mm.FBetaScore(average=None, interval=interval, **options)
        metric.add(predictions, labels)
        text = said(metric)
        assert wanted in text
        assert "lowest for dog" not in text


def test_a_p_value_of_all_looks_is_no_frequency_of_one_difference():
    """It bounds how often any look has such a p; a difference this large is far rarer."""
    rng = np.random.default_rng(0)
    pair = mm.Paired(mm.Accuracy(), anytime=True, planned=2000)
    right = [(rng.random(400) < share).astype(int) for share in (0.6, 0.8)]
    pair.a.add(right[0], np.ones(400, int), ids=range(400))
    pair.b.add(right[1], np.ones(400, int), ids=range(400))

    text = html.unescape(re.sub(r"<[^>]*>", "", page(pair, pair.compute())))

    assert "would turn up at any look in" in text
    assert "difference this large would" not in text
    assert "difference at least this large" not in text


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize("bounds", [(0, 1), None])
def test_a_systems_own_interval_is_that_of_its_metric(bounds):
    """Failures that the samples do not show are allowed for; a marked interval is not shown."""
    rng = np.random.default_rng(3)
    a = rng.beta(30, 3, 100)
    b = np.clip(a + 0.02 * rng.standard_normal(100), 0, 1)
    b[0] = 0.0 if bounds is None else b[0]  # without bounds, one sample that makes the variance
    pair = mm.Paired(mm.Mean(bounds=bounds, higher_is_better=True))
    pair.a.add(a, ids=range(100))
    pair.b.add(b, ids=range(100))
    each = Each("", "mean", [a, b], range(100))
    text = page(pair, pair.compute(), study=Study(names=("old", "new")), each=each)
    shown = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)))
    alone = mm.Mean(bounds=bounds, interval=0.95)
    alone.add(b)
    alone.compute()
    one = alone.intervals["mean"]
    span = None if one.thin else f"{one.low:.3f} to {one.high:.3f}"
    assert re.search(r"B: new ([0-9.]+) ([0-9.]+ to [0-9.]+)?", shown)[2] == span
    assert (span is None) == (bounds is None)


@pytest.mark.filterwarnings("ignore:.*70 of 80 scored")
@pytest.mark.parametrize("rule", ["bounds", "drop"])
def test_own_intervals_leave_no_sample_without_a_score_out_that_counts(rule):
    """The page has no interval from the worst to the best value of one of the systems."""
    pair, labels = mm.Paired(mm.Accuracy(unscored=rule)), np.ones(80, int)
    pair.a.add(np.repeat([1, 0], [50, 30]), labels, ids=range(80))
    pair.b.add(labels[:70], labels[:70], ids=range(70))
    pair.b.add_unscored(reason="error", ids=range(70, 80))
    text = page(pair, pair.compute(), study=Study(names=("old", "new")))
    shown = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)))
    assert re.search(r"A: old 71.4% ([0-9.]+% to [0-9.]+%)?", shown)[1] == (
        "59.9% to 80.7%" if rule == "drop" else None
    )


@pytest.mark.parametrize("weight", [20.0, 1.7])
def test_weights_are_no_samples_of_a_calibration(weight):
    """Each of 200 calibrated samples with a weight of 20 is one: nothing is over-confident."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scores = rng.uniform(0.5, 1.0, 200)
        labels = (rng.random(200) < scores).astype(int)
        metric = mm.ReliabilityDiagram(task="binary", bins=10, use_sample_weight=True)
        metric.add(scores, labels, sample_weight=np.full(200, weight))
        assert "confident by" not in said(metric)


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_the_guide_tells_of_intervals_that_there_are():
    """A maximum has none, asked for or not; without a level there are none yet."""
    pages = {}
    for name, make in (("max", mm.MaxError), ("mean", mm.MeanAbsoluteError)):
        for level in (None, 0.95):
            metric = make(interval=level)
            metric.add(np.arange(30.0), np.arange(30.0) + np.arange(30) % 4)
            pages[name, level] = said(metric)
    offered = {key for key, text in pages.items() if "interval=0.95” in Python" in text}
    held = {key for key, text in pages.items() if "Of 100 intervals made this way" in text}
    assert (offered, held) == ({("mean", None)}, {("mean", 0.95)})


@pytest.mark.filterwarnings("ignore:.*undefined for 4 of 5")
def test_a_page_does_not_say_that_no_sample_was_left_out():
    """Four of five queries have no relevant document."""
    metric = mm.RetrievalMAP()
    metric.add([[0.9, 0.1]] * 5, [[1, 0]] + [[0, 0]] * 4)
    text = said(metric)
    assert "skipped" not in text
    assert "samples for which it is undefined" in text


@pytest.mark.filterwarnings("ignore")
def test_what_has_no_direction_has_no_weakest_one():
    """Strengths of players are neither good nor bad."""
    metric = mm.BradleyTerry(3)
    metric.add([0, 1, 2, 0, 1, 2], [1, 2, 0, 2, 0, 1], [1, 1, 0, 1, 0, 1])
    text = said(metric)
    assert "Every class" in text
    assert "weakest" not in text
    assert "lowest" not in text


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_no_slices_are_called_other_than_none():
    """Six slices are all that there are, and in none of them the systems differ."""
    rng, count = np.random.default_rng(0), 6000
    labels, by = np.ones(count, int), {"g": (np.arange(count) % 6).tolist()}
    pair = mm.Paired(mm.Sliced(mm.Accuracy(), by="g"))
    for side in (pair.a, pair.b):
        side.add((rng.random(count) < 0.7).astype(int), labels, by=by, ids=range(count))
    text = plain(pair)
    assert "other slices" not in text
    assert "slices the difference is not significant" in text


@pytest.mark.filterwarnings("ignore")
def test_slices_without_intervals_are_not_said_to_be_tested():
    """The distance of Kolmogorov and Smirnov has none: of its slices nothing is known."""
    rng = np.random.default_rng(0)
    labels, by = rng.integers(0, 2, 200), {"g": (np.arange(200) % 2).tolist()}
    scores = rng.random((2, 200)) + 0.3 * labels
    metric = mm.Sliced(mm.KolmogorovSmirnov(interval=0.95), by="g", rest=True)
    metric.add(scores[0], labels, by=by)
    text = plain(metric)
    assert "The slices cannot be tested against all other samples" in text
    assert "Each slice is tested" not in text
    assert "significantly worse" not in text

    pair = mm.Paired(mm.Sliced(mm.KolmogorovSmirnov(), by="g"))
    for side, own in zip((pair.a, pair.b), scores, strict=True):
        side.add(own, labels, by=by, ids=range(200))
    text = plain(pair)
    assert "Nothing is known about the differences of the slices" in text
    assert "the difference is unknown." in text
    assert "significant difference" not in text


@pytest.mark.filterwarnings("ignore")
def test_a_slice_that_cannot_be_compared_is_not_called_insignificant():
    """It has no negatives: its area is undefined in both systems."""
    rng = np.random.default_rng(0)
    by = rng.choice(["x", "y", "only positives"], 300)
    labels = np.where(by == "only positives", 1, rng.integers(0, 2, 300))
    scores = rng.random(300) * 0.5 + 0.3 * labels
    pair = mm.Paired(mm.Sliced(mm.AUROC(), by="g"))
    for side, own in ((pair.a, scores), (pair.b, scores * 0.5 + 0.5 * rng.random(300))):
        side.add(own, labels, by={"g": by.tolist()}, ids=range(300))
    text = plain(pair)
    assert "In only positives the difference is unknown." in text
    assert "not significant" not in text.partition("Guide")[0]


def test_without_slices_no_correction_is_named():
    """A pair has one only for p-values of several slices."""
    for wraps, named in ((lambda one: one, False), (lambda one: mm.Sliced(one, by="g"), True)):
        pair = mm.Paired(wraps(mm.Accuracy()))
        by = {"by": {"g": [0, 1] * 50}} if named else {}
        for side, right in ((pair.a, 60), (pair.b, 80)):
            side.add([1] * right + [0] * (100 - right), [1] * 100, ids=range(100), **by)
        assert ("correction for the number of slices" in plain(pair)) == named


def test_what_is_significant_is_not_written_as_0():
    """Of 200,000 samples, 150 flip up and 70 down: the digits are those of the interval."""
    right = np.ones(200_000, int)
    right[:20_000] = 0
    better = right.copy()
    better[:150], better[50_000:50_070] = 1, 0
    pair = mm.Paired(mm.Accuracy())
    for side, own in ((pair.a, right), (pair.b, better)):
        side.add(own, np.ones(200_000, int), ids=range(200_000))
    text = plain(pair)
    assert "better than A by 0.04 points" in text
    assert "the difference is between 0.03 and 0.05 points" in text
    assert "B makes 0.4% fewer errors than A" in text
    assert "0.0 points" not in text

    scores = np.random.default_rng(0).random(100_000)
    pair = mm.Paired(mm.Mean(bounds=(0, 1), higher_is_better=True))
    noise = np.random.default_rng(1).normal(0.0003, 0.01, 100_000)
    for side, own in ((pair.a, scores), (pair.b, np.clip(scores + noise, 0, 1))):
        side.add(own, ids=range(100_000))
    text = plain(pair)
    assert "B is better than A by 0.00025" in text
    assert " 0.000 " not in text


def test_infinite_values_are_not_undefined():
    """Images that are reproduced exactly have the best PSNR that there is, in a table of slices."""
    rng = np.random.default_rng(0)
    images = rng.integers(0, 255, (40, 3, 8, 8)).astype(np.uint8)
    noisy = np.clip(images.astype(int) + 5, 0, 255).astype(np.uint8)
    noisy[::2] = images[::2]
    metric = mm.Sliced(mm.PeakSignalNoiseRatio(), by="g")
    metric.add(noisy, images, by={"g": ["exact", "noisy"] * 20})
    text = plain(metric)
    assert "All 40 ∞ noisy 34.212 – exact ∞" in text


@pytest.mark.parametrize("correction", [None, "holm"])
def test_only_adjusted_p_values_are_called_so(correction):
    """In the head of the table of slices."""
    pair = mm.Paired(mm.Sliced(mm.Accuracy(), by="g"), correction=correction)
    for side, right in ((pair.a, 60), (pair.b, 80)):
        right = [1] * right + [0] * (100 - right)
        side.add(right, [1] * 100, ids=range(100), by={"g": [0, 1] * 50})
    text = page(pair, pair.compute())
    assert (re.search(r"<th[^>]*>\s*Adjusted p", text) is not None) == (correction == "holm")
