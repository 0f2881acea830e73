"""The metrics of language models against their formulas, in numpy and scipy."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import (
    BitsPerByte,
    MajorityVote,
    MultipleChoiceAccuracy,
    MultipleChoiceMass,
    Perplexity,
    PredictionPoweredMean,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

WORDS = ("a", "né", "to be", "猫 sat", " x ")


def answers(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Lists of a few different answers, some of them none."""
    several: list[Any] = ["1", "2", "x", None]
    chosen = [[several[i] for i in rng.integers(0, 4, rng.integers(3, 6))] for _ in range(n)]
    return chosen, [several[i] for i in rng.integers(0, 3, n)]


def of_majority(k: int | None, predictions: Any, labels: Any) -> dict[str, float]:
    """Votes, counted one by one."""
    scores = []
    for votes, label in zip(predictions, labels, strict=True):
        numbers = {a: votes[:k].count(a) for a in set(votes[:k]) - {None}}
        best = [a for a, number in numbers.items() if number == max(numbers.values())]
        scores.append(1 / len(best) if label in best else 0.0)
    return {"maj" if k is None else f"maj@{k}": float(np.mean(scores))}


def texts(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Log-likelihoods and texts of several scripts, with spaces outside."""
    chosen = [" ".join(rng.choice(WORDS, rng.integers(1, 4))) for _ in range(n)]
    return -(10.0 ** rng.integers(-3, 3, n)) * rng.random(n), chosen


def sizes(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Log-likelihoods and sizes."""
    return -rng.random(n) * 50, None, rng.integers(1, 90, n), rng.integers(1, 20, n)


def of_bits(total: Any, texts: Any, num_bytes: Any = None, num_words: Any = None) -> dict[str, Any]:
    """The formulas in numpy."""
    if texts is not None:
        num_bytes = [len(text.encode("utf-8")) for text in texts]
        num_words = [len(text.split()) for text in texts]
    loss = -np.sum(total)
    return {
        "bits_per_byte": loss / np.sum(num_bytes) / np.log(2),
        "byte_perplexity": np.exp(loss / np.sum(num_bytes)),
        "word_perplexity": np.exp(loss / np.sum(num_words)),
    }


def choices(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Questions with two to four choices, some of them equally likely."""
    numbers = rng.integers(2, 5, n)
    likely = [(-rng.integers(1, 9, m) / 2.0).tolist() for m in numbers]
    named = [rng.choice(WORDS, m).tolist() for m in numbers]
    return likely, rng.integers(0, numbers), named, [(-rng.random(m)).tolist() for m in numbers]


def several_right(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """The same with one or two right choices."""
    likely, right, _, _ = choices(rng, n)
    return likely, [[int(i)] if rng.random() < 0.5 else [int(i), 0] for i in right]


def of_choices(likely: Any, labels: Any, named: Any = None, alone: Any = None) -> dict[str, float]:
    """The argmax of numpy, question by question."""
    found: dict[str, list[bool]] = {}
    for index, (row, label) in enumerate(zip(likely, labels, strict=True)):
        scores = {"acc": np.array(row)}
        if named is not None:
            scores["acc_norm"] = np.array(
                [x / len(t) for x, t in zip(row, named[index], strict=True)]
            )
            scores["acc_bytes"] = np.array(
                [x / len(t.encode()) for x, t in zip(row, named[index], strict=True)]
            )
        if alone is not None:
            scores["acc_mutual_info"] = np.subtract(row, alone[index])
        for key, values in scores.items():
            found.setdefault(key, []).append(np.argmax(values) in np.atleast_1d(label))
    return {key: np.mean(hits) for key, hits in found.items()}


def of_mass(likely: Any, labels: Any) -> dict[str, float]:
    """The softmax of scipy."""
    softmax = requires("scipy.special").softmax
    shares = [
        softmax(row)[np.unique(label)].sum() for row, label in zip(likely, labels, strict=True)
    ]
    return {"mc2": np.mean(shares)}


def few_labels(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Predictions that have something to do with labels, of which half are known."""
    labels = rng.normal(size=n) * 3 + 1
    predictions = labels + rng.normal(size=n) + 0.5
    labels[rng.random(n) < 0.5] = np.nan
    return predictions, labels


def of_power(power: float | None, predictions: Any, labels: Any) -> dict[str, float]:
    """The formulas in numpy."""
    known = ~np.isnan(labels)
    n, others = known.sum(), (~known).sum()
    if n < 2:
        return dict.fromkeys(("mean", "standard_error", "lambda"), math.nan)
    f, y, g = predictions[known], labels[known], predictions[~known]
    if not others:
        return {"mean": y.mean(), "standard_error": y.std() / np.sqrt(n), "lambda": 0.0}
    if power is None:
        power = np.cov(y, f, ddof=0)[0, 1] / (1 + n / others) / predictions.var(ddof=1)
    return {
        "mean": power * g.mean() + (y - power * f).mean(),
        "standard_error": np.sqrt(power**2 * g.var() / others + (y - power * f).var() / n),
        "lambda": power,
    }


def logarithms(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Log-likelihoods of tokens, and words of which some do not count."""
    words = [rng.integers(-1, 3, rng.integers(1, 6)) for _ in range(n)]
    words[0][0] = 1
    return None, words, [-rng.random(len(entry)) * 9 for entry in words]


def of_logarithms(_: Any, words: Any, known: Any) -> dict[str, float]:
    """The exponential of a mean."""
    return {"perplexity": np.exp(-np.concatenate(known)[np.concatenate(words) != -1].mean())}


CASES = {
    "MajorityVote": MetricCase(
        MajorityVote, answers, partial(of_majority, None), array_inputs=False
    ),
    "BitsPerByte": MetricCase(BitsPerByte, texts, of_bits, array_inputs=False),
    "MultipleChoiceAccuracy": MetricCase(
        MultipleChoiceAccuracy, choices, of_choices, empty={"acc": math.nan}, array_inputs=False
    ),
    "MultipleChoiceMass": MetricCase(
        MultipleChoiceMass, several_right, of_mass, array_inputs=False
    ),
    "PredictionPoweredMean": MetricCase(
        PredictionPoweredMean, few_labels, partial(of_power, None), 1e-9, least=4
    ),
}
VARIANTS = {
    "MajorityVote of 2": MetricCase(
        partial(MajorityVote, 2), answers, partial(of_majority, 2), array_inputs=False
    ),
    "BitsPerByte of sizes": MetricCase(BitsPerByte, sizes, of_bits),
    "MultipleChoiceAccuracy alone": MetricCase(
        MultipleChoiceAccuracy, several_right, of_choices, array_inputs=False
    ),
    "PredictionPoweredMean, 1": MetricCase(
        partial(PredictionPoweredMean, 1.0), few_labels, partial(of_power, 1.0), 1e-9
    ),
    "Perplexity of log-likelihoods": MetricCase(
        partial(Perplexity, -1), logarithms, of_logarithms, array_inputs=False
    ),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """Each metric equals its oracle and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


def test_intervals() -> None:
    """Shares of hits have Wilson's interval, means that of a mean."""
    choices = MultipleChoiceAccuracy(interval=0.95)
    choices.add([[-1.0, -2.0]] * 50, [0] * 45 + [1] * 5)
    assert choices.compute()["acc_low"] == pytest.approx(0.786398, abs=1e-6)
    assert choices.intervals["acc"].method == "Wilson"

    powered = PredictionPoweredMean(0.0, interval=0.95)
    y = np.arange(30.0)
    powered.add(y, y)
    low = y.mean() - 2.045 * y.std(ddof=1) / math.sqrt(30)
    with pytest.warns(RuntimeWarning, match="no sample changes the value"):  # lambda was given
        assert powered.compute()["mean_low"] == pytest.approx(low, rel=0.02)


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_few_or_equal_labels_mark_a_powered_mean() -> None:
    """Judged answers are many: what the interval rests on are the labels."""
    judged = np.random.default_rng(7).random(300)
    for few, first, wanted in (
        (29, 0.0, "there are only 29 labels"),
        (30, 0.0, None),
        (30, 1.0, "all labels are equal"),
    ):
        labels = np.full(300, np.nan)
        labels[:few] = np.append(np.full(few // 3, first), np.ones(few - few // 3))
        metric = PredictionPoweredMean(interval=0.95)
        metric.add(judged, labels)
        metric.compute()
        assert metric.intervals["mean"].thin == wanted


def test_what_equals_something_is_nothing_to_vote_for() -> None:
    """A nan is no answer; without any answer, and without the right one, there is no credit."""
    assert MajorityVote()([[math.nan, math.nan, 3]], [3]) == {"maj": 1.0}
    assert MajorityVote()([[None, None], []], ["a", "b"]) == {"maj": 0.0}
    assert MajorityVote()(np.array([[1, 2, 2], [1, 2, 3]]), np.array([2, 1]))["maj"] == 4 / 6


def test_impossible_texts_and_texts_of_nothing() -> None:
    """An impossible text makes all infinite; without words or bytes there is no value."""
    assert set(BitsPerByte()([-math.inf, -1.0], ["a", "b"]).values()) == {math.inf}
    found = BitsPerByte()([-1.0], [" "])
    assert math.isnan(found["word_perplexity"])
    assert found["byte_perplexity"] == math.e
    assert math.isnan(BitsPerByte()([0.0], [""])["bits_per_byte"])
    sized = BitsPerByte()([-1.0], ["a b"], num_words=[3])  # pieces of a split at every space
    assert sized["word_perplexity"] == math.exp(1 / 3)


def test_ties_take_the_first_choice() -> None:
    """Of equal choices the first one is taken, also among impossible ones."""
    impossible = [-math.inf, -math.inf, -math.inf]
    metric = MultipleChoiceAccuracy()

    assert metric([[-1.0, -1.0], impossible], [1, 0]) == {"acc": 0.5}
    assert metric([impossible, [-1.0, -1.0, -2.0]], [[0], [0, 2]]) == {"acc": 1.0}


def test_arrays_and_lists_are_alike() -> None:
    """Questions with equally many choices may be one array, whatever its dtype and layout."""
    rng = np.random.default_rng(0)
    table, labels = -rng.random((50, 4)), rng.integers(0, 4, 50)
    for metric in (MultipleChoiceAccuracy(), MultipleChoiceMass()):
        expected = metric(table.tolist(), labels.tolist())
        assert metric(table, labels) == metric(np.asfortranarray(table), labels) == expected


def test_labels_as_arrays_or_lists() -> None:
    """Labels of any integer type are alike."""
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(40, 3)) - 9, rng.integers(0, 3, 40)
    expected = MultipleChoiceAccuracy()(scores, labels.tolist())
    for kind in (np.int64, np.uint8, np.float64, np.dtype(">i4")):
        assert MultipleChoiceAccuracy()(scores, labels.astype(kind)) == expected
    assert MultipleChoiceAccuracy()(scores, labels[:, None]) == expected
    zero_axes = [np.array(label) for label in labels]  # as the tensors of a loader are
    assert MultipleChoiceAccuracy()(scores, zero_axes) == expected
    assert MultipleChoiceAccuracy()(scores, [zero_axes[0], *labels[1:, None]]) == expected


def test_questions_that_came_with_choices() -> None:
    """Values that need choices are those of the questions that had some."""
    metric = MultipleChoiceAccuracy()
    metric.add([[-1.0, -2.0]], [0])
    metric.add([[-1.0, -1.5]], [0], [["a", "bb"]])

    assert metric.compute() == {"acc": 1.0, "acc_norm": 0.0, "acc_bytes": 0.0}


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: MajorityVote(2)([["a"]], ["a"]), ValueError, "2 answers .* got 1 at index 0"),
        (lambda: MajorityVote()([["a"]], [None]), ValueError, "labels must not have missing"),
        (lambda: MajorityVote()([[["a"]]], ["a"]), TypeError, "unhashable"),
        (lambda: MajorityVote()("ab", ["a", "b"]), TypeError, "predictions must be a list"),
        (lambda: MajorityVote()(["ab"], ["a"]), TypeError, r"predictions\[0\] must be a list"),
        (lambda: BitsPerByte()([1.0], ["a"]), ValueError, "at most 0"),
        (lambda: BitsPerByte()([math.nan], ["a"]), ValueError, "nan"),
        (lambda: BitsPerByte()([-1.0]), ValueError, "texts must be given"),
        (lambda: BitsPerByte()([-1.0], None, [1]), ValueError, "texts must be given"),
        (lambda: BitsPerByte()([-1.0], ["a"], [1, 2]), ValueError, "num_bytes must have"),
        (lambda: MultipleChoiceAccuracy()([[-1.0]], [1]), ValueError, "labels must be in"),
        (lambda: MultipleChoiceAccuracy()([[-1.0]], [[]]), ValueError, "at least one right choice"),
        (lambda: MultipleChoiceAccuracy()([[]], [0]), ValueError, "at least one choice"),
        (lambda: MultipleChoiceAccuracy()([[math.nan]], [0]), ValueError, "nan"),
        (lambda: MultipleChoiceAccuracy()([[-1.0]], [0], [[""]]), ValueError, "empty strings"),
        (lambda: MultipleChoiceAccuracy()([[-1.0]], [0], [["a", "b"]]), ValueError, "each choice"),
        (lambda: MultipleChoiceMass()([[-math.inf]], [0]), ValueError, "nan or infinity"),
        (lambda: BitsPerByte()([-1.0], ["a\ud800"]), ValueError, "strings that UTF-8 can encode"),
        (lambda: MultipleChoiceAccuracy()([[-1.0]], [0], [["\ud800"]]), ValueError, "UTF-8"),
        (lambda: MultipleChoiceAccuracy()([[-1.0]], np.array([1])), ValueError, r"in \[0, 1\)"),
        (lambda: MultipleChoiceAccuracy()([[-1.0]], np.array([-1])), ValueError, r"in \[0, 1\)"),
        (lambda: PredictionPoweredMean(math.nan), ValueError, "power must be"),
        (lambda: PredictionPoweredMean()([math.nan], [1.0]), ValueError, "predictions"),
        (lambda: Perplexity()([[[0.0]]]), TypeError, "predictions and targets must be given"),
        (lambda: Perplexity()([[[0.0]]], [[0]], [[-1.0]]), TypeError, "together"),
        (lambda: Perplexity()(log_likelihoods=[[0.5]]), ValueError, "at most 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(call: Any, error: type[Exception], text: str) -> None:
    """Bad options and inputs are named."""
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("label", [0.1, 1 / 3, 123456.7, -1e-100])
def test_labels_that_are_alike_have_no_error(label: float) -> None:
    """Products are kept without rounding, so that no variance is below 0 or a little above it."""
    metric = PredictionPoweredMean(power=1.0)
    metric.add([0.7, 0.7, 0.7, 0.7, 0.7], [label, label, label, math.nan, math.nan])

    assert metric.compute() == {"mean": label, "standard_error": 0.0, "lambda": 1.0}


@pytest.mark.filterwarnings("ignore:intervals that promise less")  # of the standard error
@pytest.mark.parametrize("offsets", [(10.0, 0.0), (1000.0, 1000.0), (2.0**20, 2.0**20)])
def test_the_interval_of_a_prediction_powered_mean_moves_with_the_labels(
    offsets: tuple[float, float],
) -> None:
    """A constant added to all labels moves the ends by it; one added to predictions moves nothing.

    The number of labels is one of the sums that the interval moves: rounded to a whole number, it
    made the interval of labels 1,000 from 0 60 times too wide.
    """
    rng = np.random.default_rng(0)
    labels = np.round(rng.normal(size=100) * 64) / 64  # sums with the offsets are exact
    predictions = labels + np.round(rng.normal(size=100) * 32) / 64
    labels[50:] = np.nan
    ends = []
    for ours, theirs in ((0.0, 0.0), offsets):
        metric = PredictionPoweredMean(interval=0.95)
        metric.add(predictions + theirs, labels + ours)
        metric.compute()
        one = metric.intervals["mean"]
        ends.append([one.value - ours, one.low - ours, one.high - ours])

    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)
