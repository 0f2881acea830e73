"""F1Score against scikit-learn over all tokens."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from mmeval_like import F1Score
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.classes import CLASSES, Arguments

MODES = ("micro", "macro")


def sequences(rng: np.random.Generator, n: int) -> Arguments:
    """Sequences of different length, empty ones too; -1 belongs to no class."""
    labels = [rng.integers(-1, CLASSES, int(rng.integers(0, 9))) for _ in range(n)]
    return [np.where(rng.random(s.shape) < 0.5, s, rng.integers(-1, CLASSES, s.shape))
            for s in labels], labels  # fmt: skip


def arrays(rng: np.random.Generator, n: int) -> Arguments:
    """Sequences of one length, as arrays of any shape."""
    labels = rng.integers(0, CLASSES, (n, 2, 3)).astype(np.uint8)
    return np.where(rng.random(labels.shape) < 0.5, labels, 0).astype(np.int16), labels


def oracle(predictions: Any, labels: Any, cared: Any = range(CLASSES)) -> dict[str, float]:
    """scikit-learn's F1 of the tokens that have a label."""
    predicted, actual = (
        np.concatenate([np.ravel(s) for s in part]) for part in (predictions, labels)
    )
    kept = actual >= 0
    return {
        f"{mode}_f1": f1_score(
            actual[kept], predicted[kept], labels=list(cared), average=mode, zero_division=0
        )
        if kept.any()
        else 0.0
        for mode in MODES
    }


def make(**options: Any) -> F1Score:
    """The metric in both modes."""
    return F1Score(CLASSES, mode=MODES, **options)


CASES = {
    "F1Score, sequences": MetricCase(make, sequences, oracle, empty=0.0),
    "F1Score, arrays": MetricCase(make, arrays, oracle, empty=0.0),
    "F1Score, cared": MetricCase(
        partial(make, cared_classes=(2, 0)), sequences, partial(oracle, cared=(0, 2)), empty=0.0
    ),
    "F1Score, ignored": MetricCase(
        partial(make, ignored_classes=[1]), sequences, partial(oracle, cared=(0, 2, 3)), empty=0.0
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's values and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


def test_single_tokens_and_modes() -> None:
    """A batch of plain indices is a batch of sequences of one token; a mode may be text."""
    assert F1Score(3)([0, 1, 2], [0, 1, 1]) == {"micro_f1": 2 / 3}
    assert F1Score(3, "macro")(np.array([0, 1]), np.array([0, 1])) == {"macro_f1": 2 / 3}


def test_arrays_are_sequences_of_one_length() -> None:
    """An array (N, ...), empty ones too, gives what the list of its rows gives, in any mixture."""
    rng = np.random.default_rng(0)
    for shape in ((50,), (50, 7), (50, 2, 3), (50, 0), (0, 4)):
        labels, found = rng.integers(-1, CLASSES, (2, *shape))
        array, rows = make(), make()
        array.add(found, labels)
        rows.add([*found], [*labels])
        both = make()
        both.add(found, labels)
        both.add([*found], [*labels])
        if len(labels):
            assert array.compute() == rows.compute() == both.compute()
    with pytest.raises(ValueError, match=r"same shape, got \(4, 2\) and \(4, 1\)"):
        F1Score(3).add(np.zeros((4, 2), int), np.zeros((4, 1), int))


def test_negative_labels_do_not_count() -> None:
    """Whatever is predicted where no class is labelled; a negative prediction is a miss."""
    assert F1Score(2)([[0, 1, 1]], [[0, -1, -100]]) == {"micro_f1": 1.0}
    assert F1Score(2)([[0, -1]], [[0, 1]]) == {"micro_f1": 2 / 3}


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([[0]], [[0], [1]]), ValueError, "same length.* 1 and 2"),
        (([[0, 1]], [[0]]), ValueError, r"same shape, got \(2,\) and \(1,\) at index 0"),
        (([[3]], [[0]]), ValueError, r"predictions must be in \[0, 3\), got 3"),
        (([[0]], [[3]]), ValueError, r"labels must be in \[0, 3\), got 3"),
        (([[0.5]], [[0]]), TypeError, "predictions must be integers"),
        (([["a"]], [[0]]), TypeError, "predictions"),
        ((0, 0), ValueError, "axis of samples"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What is no sequence of classes is refused."""
    with pytest.raises(error, match=text):
        F1Score(3).add(*arguments)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "weighted"},
        {"mode": ()},
        {"cared_classes": [3]},
        {"ignored_classes": [-1]},
        {"ignored_classes": [0, 1, 2]},
        {"cared_classes": [0], "ignored_classes": [1]},
    ],
)
def test_bad_arguments(options: dict[str, Any]) -> None:
    """Arguments that mean nothing are refused."""
    with pytest.raises(ValueError, match=next(iter(options))):
        F1Score(3, **options)
    with pytest.raises(ValueError, match="num_classes"):
        F1Score(0)


def test_no_samples() -> None:
    """Without samples the value is 0, as for classes that never occur, with a warning."""
    with pytest.warns(RuntimeWarning, match="no samples"):
        value = F1Score(3).compute()["micro_f1"]

    assert value == 0.0
    assert not math.isnan(value)


def test_predictions_at_ignored_tokens_may_be_anything() -> None:
    """A token whose label is negative does not count, even if its prediction is no class."""
    assert F1Score(2)([[0, 99, 1]], [[0, -1, 1]]) == {"micro_f1": 1.0}
    with pytest.raises(ValueError, match=r"predictions must be in \[0, 2\), got 99"):
        F1Score(2).add([[0, 99, 1]], [[0, 1, 1]])
