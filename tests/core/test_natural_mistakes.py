"""What users of other libraries write first: the error says what to write here."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm

TWO = np.full((4, 2), 0.5)
TOKENS = np.zeros((2, 3), int)


@pytest.mark.parametrize(
    ("call", "error", "cure"),
    [
        (lambda: mm.Accuracy()([1], [1])["accuracy"], KeyError, "the keys are top1"),
        (lambda: float(mm.StatScores()([1], [1])), TypeError, "keys tp, fp, tn, fn, support"),
        (lambda: mm.Accuracy().to("cpu"), AttributeError, "a metric has no device"),
        (lambda: mm.MetricCollection(a=mm.Accuracy()).cuda(), AttributeError, "has no device"),
        (lambda: mm.compare, AttributeError, r"Paired\(metric\)"),
        (lambda: mm.functional, AttributeError, r"Accuracy\(\)\(predictions, labels\)"),
        (lambda: mm.Accuracy(num_classes=3)([0], [-100]), ValueError, "ignore_index=-100"),
        (lambda: of_classes()([0], [-100]), ValueError, "ignore_index=-100"),
        (lambda: mm.AUROC(task="multiclass")(TWO, [0, -100, 1, 1]), ValueError, "ignore_index=-1"),
        (
            lambda: mm.Perplexity()(TWO[None] * 4, [[0, 1, -100, 0]]),
            ValueError,
            "ignore_labels=-100",
        ),
        (lambda: mm.Accuracy()(TOKENS, TOKENS), ValueError, "tokens or pixels, pass num_classes=C"),
        (lambda: mm.AUROC()(TWO, [0, 1, 0, 1]), ValueError, r"predictions\[:, 1\]"),
        (lambda: mm.Recall()(TWO, [0, 1, 0, 1]), ValueError, r"predictions\[:, 1\]"),
    ],
)
def test_the_error_says_the_cure(call: Callable[[], Any], error: type, cure: str) -> None:
    """By the name that is to be written."""
    with pytest.raises(error, match=cure):
        call()


def of_classes() -> mm.Recall:
    """A recall of three classes."""
    return mm.Recall(task="multiclass", num_classes=3)


@pytest.mark.filterwarnings("ignore:intervals")
@pytest.mark.parametrize("interval", [None, 0.9])
def test_a_result_of_one_number_is_a_number(interval: float | None) -> None:
    """`float` and a format apply to it; without a format it is the dict."""
    result = mm.Accuracy(interval=interval)([0, 1, 1, 1] * 9, [1, 1, 1, 1] * 9)
    assert float(result) == result["top1"] == 0.75
    assert f"{result:.3f}" == "0.750"
    assert f"{result}" == str(result)
    assert float(mm.Result({"samples": 3})) == 3.0
