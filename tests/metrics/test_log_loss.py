"""LogLoss against scikit-learn."""

import math
from decimal import Decimal, localcontext
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax, softmax
from sklearn.metrics import log_loss

from mmeval_like import D2LogLoss, LogLoss, NormalizedEntropy
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

EMPTY = {"log_loss": math.nan}


def oracle(predictions: np.ndarray, labels: np.ndarray, weights: Any = None) -> dict[str, float]:
    """scikit-learn's value."""
    names = range(2 if predictions.ndim == 1 else predictions.shape[1])
    return {"log_loss": log_loss(labels, predictions, labels=names, sample_weight=weights)}


def doubles(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Probabilities of one class in float64, 0 and 1 among them."""
    scores, labels = classes.binary(rng, n)
    return scores.astype(float), labels


def smoothed(s: float) -> Any:
    """The mean over shares of labels, by scipy's logarithms of softmax and sigmoid."""

    def value(logits: np.ndarray, labels: np.ndarray, weights: Any = None) -> dict[str, float]:
        wide = logits.astype(float)
        if wide.ndim == 1:
            wide = np.stack([np.zeros(len(wide)), wide], axis=1)
        shares = (1 - s) * np.eye(wide.shape[1])[labels] + s / wide.shape[1]
        losses = -(shares * log_softmax(wide, axis=1)).sum(axis=1)
        return {"log_loss": float(np.average(losses, weights=weights))}

    return value


def class_logits(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Logits of all classes, far apart, in float32."""
    return rng.normal(scale=50, size=(n, classes.CLASSES)).astype(np.float32), classes.labels(
        rng, n
    )


def tokens(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Five positions a sample of three classes; some are ignored, but for the first."""
    scores = rng.dirichlet(np.ones(3), (n, 5)).transpose(0, 2, 1)
    truth = rng.integers(-1, 3, (n, 5))
    truth[:, 0] = 0
    return scores, truth, rng.integers(0, 3, n) / 2 + 0.5


def of_tokens(scores: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> dict[str, float]:
    """scikit-learn's value of all positions as samples."""
    kept = labels.ravel() >= 0
    flat = scores.transpose(0, 2, 1).reshape(-1, 3)[kept]
    return oracle(flat, labels.ravel()[kept], np.repeat(weights, 5)[kept])


def entries(scores: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """scikit-learn's value of all entries as samples."""
    return oracle(scores.ravel().astype(float), labels.ravel())


CASES = {
    "LogLoss, positions": MetricCase(
        partial(LogLoss, ignore_index=-1), tokens, of_tokens, empty=EMPTY
    ),
    "LogLoss, sets of labels": MetricCase(
        partial(LogLoss, float(np.finfo(float).eps), task="multilabel"),
        classes.label_sets,
        entries,
        empty=EMPTY,
    ),
    "LogLoss, logits": MetricCase(
        partial(LogLoss, from_logits=True), class_logits, smoothed(0.0), empty=EMPTY
    ),
    "LogLoss, logits, smoothed": MetricCase(
        partial(LogLoss, from_logits=True, label_smoothing=0.1),
        class_logits,
        smoothed(0.1),
        empty=EMPTY,
    ),
    "LogLoss, smoothed": MetricCase(
        partial(LogLoss, label_smoothing=0.1),
        lambda rng, n: (rng.dirichlet(np.ones(classes.CLASSES), n), classes.labels(rng, n)),
        lambda shares, labels: smoothed(0.1)(np.log(shares), labels),
        empty=EMPTY,
    ),
    "LogLoss, logits of one class, weighted": MetricCase(
        partial(LogLoss, from_logits=True, label_smoothing=0.25),
        classes.weighted_logits,
        smoothed(0.25),
        empty=EMPTY,
    ),
    # The probabilities themselves are float32: scikit-learn takes logarithms in that width.
    "LogLoss, classes": MetricCase(LogLoss, classes.probabilities, oracle, 1e-6, empty=EMPTY),
    "LogLoss, one class": MetricCase(LogLoss, doubles, oracle, empty=EMPTY),
    "LogLoss, weighted": MetricCase(
        LogLoss, classes.weighted_probabilities, oracle, 1e-6, empty=EMPTY
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    with np.errstate(all="ignore"):
        check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_probability_zero(dtype: type) -> None:
    """A label of probability 0 costs -ln of the dtype's epsilon, or infinity without clipping."""
    scores = np.array([[0.0, 1.0]], dtype)

    assert LogLoss()(scores, [0])["log_loss"] == -math.log(np.finfo(dtype).eps)
    assert LogLoss(eps=0)(scores, [0]) == {"log_loss": math.inf}
    assert LogLoss(eps=0)(scores, [1]) == {"log_loss": 0.0}
    assert LogLoss(eps=0.25)(scores, [0])["log_loss"] == math.log(4)
    assert LogLoss(eps=0.25)(scores, [1])["log_loss"] == -math.log(0.75)


@pytest.mark.parametrize("make", [LogLoss, D2LogLoss])
def test_long_doubles_are_float64(make: type[LogLoss] | type[D2LogLoss]) -> None:
    """They are clipped as float64, where 1 - eps is below 1: a wrong 1.0 costs no infinity."""
    scores, labels = np.array([0.0, 0.0, 1.0, 1.0]), [0, 1, 0, 1]

    assert make()(scores.astype(np.longdouble), labels) == make()(scores, labels)


@pytest.mark.parametrize("s", [0.0, 0.1])
def test_logits_are_probabilities_before_softmax(s: float) -> None:
    """Logits have the loss of their probabilities, of all classes and of one, smoothed or not."""
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(20, 3)), rng.integers(0, 3, 20)
    raw, ready = LogLoss(from_logits=True, label_smoothing=s), LogLoss(label_smoothing=s)

    value = raw(logits, labels)["log_loss"]
    assert value == pytest.approx(ready(softmax(logits, axis=1), labels)["log_loss"], rel=1e-12)
    pairs = np.stack([np.zeros(20), logits[:, 0]], axis=1)
    value = raw(logits[:, 0], labels // 2)["log_loss"]
    assert value == pytest.approx(raw(pairs, labels // 2)["log_loss"], rel=1e-12)
    value_ready = ready(softmax(pairs, axis=1)[:, 1], labels // 2)["log_loss"]
    assert value == pytest.approx(value_ready, rel=1e-12)


def test_smoothing_by_hand() -> None:
    """0.8 of the label's cost and 0.1 of each of two classes' costs."""
    expected = 0.9 * math.log(4 / 3) + 0.1 * math.log(4)
    assert LogLoss(label_smoothing=0.2)([[0.25, 0.75]], [1])["log_loss"] == pytest.approx(expected)
    assert LogLoss(label_smoothing=0.2)([0.75], [1])["log_loss"] == pytest.approx(expected)


def test_logits_without_bounds() -> None:
    """No gap between logits overflows, and none is clipped; they must be finite."""
    metric = LogLoss(from_logits=True)
    assert metric([[-1e300, 1e300]], [0]) == {"log_loss": 2e300}
    assert metric([[1000.0, 0.0]], [0]) == {"log_loss": 0.0}
    assert metric([-800.0, 800.0], [1, 1]) == {"log_loss": 400.0}
    for bad in (math.inf, -math.inf, math.nan):
        with pytest.raises(ValueError, match="predictions must not contain"):
            metric.add([[0.0, bad]], [0])
    with pytest.raises(ValueError, match=r"labels must be in \[0, 2\), got 2"):
        metric.add([[0.0, 9.0]], [2])


def test_weight_zero() -> None:
    """A sample of weight 0 does not count, not even with an infinite loss."""
    assert LogLoss(eps=0)([0.0, 0.5], [1, 1], [0, 2])["log_loss"] == math.log(2)


BAD = [
    (([0.5, 0.5], [1]), ValueError, "same length.* 2 and 1"),
    (([0.5], [2]), ValueError, r"labels must be in \[0, 2\), got 2"),
    (([[0.5, 0.5]], [-1]), ValueError, r"labels must be in \[0, 2\), got -1"),
    (([math.nan], [1]), ValueError, "predictions must not contain nan"),
    (([-2.0], [1]), ValueError, "sigmoid or softmax"),
    (([[2.0, -1.0]], [1]), ValueError, "sigmoid or softmax"),
    (([[0.9, 0.8]], [1]), ValueError, "add up to 1 over the classes, got 1.7 at index 0"),
    (([[[0.5]]], [1]), ValueError, "shape"),
    (([0.5], [0.5]), TypeError, "labels must be integers"),
    ((["a"], [1]), TypeError, "predictions"),
]


@pytest.mark.parametrize(("arguments", "error", "text"), BAD)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What are no probabilities of the labels' classes is refused."""
    with pytest.raises(error, match=text):
        LogLoss().add(*arguments)


def test_bad_arguments() -> None:
    """Clipping at one half would leave nothing."""
    for eps in (-0.1, 0.5, math.nan):
        with pytest.raises(ValueError, match="eps"):
            LogLoss(eps=eps)
    for share in (-0.1, 1.0, math.nan):
        with pytest.raises(ValueError, match="label_smoothing must be in"):
            LogLoss(label_smoothing=share)


def test_bad_weights() -> None:
    """Weights must be finite, not negative and one per sample."""
    check = partial(LogLoss().add, [0.5], [1])
    for bad in ([-1.0], [math.nan], [1.0, 1.0]):
        with pytest.raises(ValueError, match="sample_weight"):
            check(bad)


@pytest.mark.parametrize("options", [{}, {"from_logits": True, "label_smoothing": 0.1}])
def test_positions_are_samples_of_their_own(options: Any) -> None:
    """Many positions in arrays or in lists, ignored ones aside, are as many samples."""
    rng = np.random.default_rng(3)
    scores = rng.dirichlet(np.ones(3), (4, 5)).transpose(0, 2, 1)
    labels = rng.integers(-1, 3, (4, 5))
    kept = labels.ravel() >= 0
    flat = scores.transpose(0, 2, 1).reshape(20, 3)[kept], labels.ravel()[kept]
    expected = LogLoss(**options)(*flat)["log_loss"]
    metric = LogLoss(**options, ignore_index=-1)

    assert metric(scores, labels)["log_loss"] == pytest.approx(expected, rel=1e-12)
    shorter = [4, 5, 3, 1]
    lists = [s[:, :k] for s, k in zip(scores, shorter, strict=True)]
    truths = [y[:k] for y, k in zip(labels, shorter, strict=True)]
    kept = np.concatenate(truths) >= 0
    flat = np.concatenate([s.T for s in lists])[kept], np.concatenate(truths)[kept]
    expected = LogLoss(**options)(*flat)["log_loss"]
    assert metric(lists, truths)["log_loss"] == pytest.approx(expected, rel=1e-12)


def test_weights_are_those_of_samples_positions() -> None:
    """Each position has the weight of its sample; what is ignored has none."""
    found = LogLoss(task="binary", ignore_index=9)(
        [[0.5, 0.25], [0.75, 0.1]], [[1, 1], [1, 9]], [1, 3]
    )
    assert found["log_loss"] == pytest.approx((math.log(2) + math.log(4) + 3 * math.log(4 / 3)) / 5)
    value = LogLoss(task="binary", ignore_index=9).per_sample(
        [[0.5, 0.5], [0.5, 0.5]], [[9, 1], [9, 9]]
    )
    assert value["log_loss"][0] == math.log(2)
    assert math.isnan(value["log_loss"][1])


BAD_TASKS = [
    ({}, ([[0.5, 0.5]], [[0, 1]]), "classes on axis 1"),
    ({"task": "multilabel"}, ([0.5], [1]), r"labels must have shape \(N, C"),
    ({"task": "multilabel"}, ([[0.5, 0.5]], [1]), "shape"),
    ({"task": "multiclass"}, ([0.5], [1]), r"shape \(N, C\)"),
    ({"task": "binary"}, ([[0.5, 0.5]], [1]), r"shape \(N,\)"),
    ({"task": "multilabel"}, ([[0.5, 0.5]], [[0, 2]]), r"labels must be in \[0, 2\)"),
    ({}, ([[[0.5], [0.5]]], [[0, 1]]), "labels' shape"),
]


@pytest.mark.parametrize(("options", "arguments", "text"), BAD_TASKS)
def test_shapes_of_tasks(options: Any, arguments: Any, text: str) -> None:
    """One-hot rows are not taken for class indices, nor the other way round."""
    with pytest.raises(ValueError, match=text):
        LogLoss(**options).add(*arguments)


def test_unknown_task() -> None:
    """A task that there is not is refused."""
    with pytest.raises(ValueError, match="task must be None or one of"):
        LogLoss(task="multi")


@pytest.mark.parametrize("power", [0, -1, -5, -9, -12, -15])
def test_small_losses_keep_their_digits(power: int) -> None:
    """Losses of sure predictions, however near the truth: 1 plus the rest is not rounded."""
    rest = 10.0**power / 3
    with localcontext() as context:
        context.prec = 60
        share = Decimal(rest)
        of_shares = float(-(1 - share).ln())
        gap = Decimal(math.log(rest))
        of_logits = float((1 + 2 * gap.exp()).ln())
    assert LogLoss()([rest], [0])["log_loss"] == pytest.approx(of_shares, rel=1e-14, abs=0)
    found = NormalizedEntropy()([rest, 1.0], [0, 1], [1.0, 2.0**-20])["normalized_entropy"]
    rate = 2.0**-20 / (1 + 2.0**-20)
    least = -rate * math.log(rate) - (1 - rate) * math.log1p(-rate)
    assert found == pytest.approx(of_shares / (1 + 2.0**-20) / least, rel=1e-5, abs=0)
    logits = [[math.log(rest), 0.0, math.log(rest)]]
    for offset in (0.0, 8.0):
        shifted = [[logit + offset for logit in row] for row in logits]
        found = LogLoss(from_logits=True)(shifted, [1])["log_loss"]
        assert found == pytest.approx(of_logits, rel=1e-12, abs=0)
