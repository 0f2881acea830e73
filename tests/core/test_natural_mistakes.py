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
        (lambda: mm.Accuracy()(TWO, [0, -100, 1, 1]), ValueError, "ignore_index=-100"),
        (lambda: of_classes()(np.eye(3), [0, -100, 1]), ValueError, "ignore_index=-100"),
        (lambda: mm.Accuracy(classes=10), TypeError, "num_classes="),
        (lambda: bool(passed(mm.Accuracy(interval=0.95))), TypeError, 'verdict.outcome == "pass"'),
        (lambda: mm.gate(mm.Accuracy(), "top1", at_least=0.5), ValueError, "'top1': call"),
        (lambda: mm.gate(mm.Paired(mm.Accuracy()), "top1", margin=0.1), ValueError, "'top1': call"),
        (lambda: twice(size=1), ValueError, r"call reset\(\)"),
    ],
)
def test_the_error_says_the_cure(call: Callable[[], Any], error: type, cure: str) -> None:
    """By the name that is to be written."""
    with pytest.raises(error, match=cure):
        call()


def passed(metric: mm.Accuracy) -> Any:
    """Return a verdict."""
    metric.add([1] * 50, [1] * 50)
    metric.compute()
    return mm.gate(metric, "top1", at_least=0.5)


def twice(size: int) -> Any:
    """Return the result of two evaluations without a reset between them."""
    metric = mm.Accuracy()
    metric.add([1], [1])
    metric.compute(size=size)
    metric.add([0], [1])
    return metric.compute(size=size)


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
