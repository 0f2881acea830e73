"""Every listed metric is tested, and the kit refuses what a metric must not return."""

import importlib
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like import BaseMetric, metrics, state
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import require_installed
from tests.metric_cases import MISSING

# Its constructor makes one of other metrics, which have cases.
MAKES_OTHERS = {"PrecisionRecallF1score"}


@cache
def checked() -> set[type]:
    """The metrics with a case in the `CASES` of a file that checks the laws."""
    found = set()
    for file in Path(__file__).parent.glob("test_*.py"):
        if file != Path(__file__) and "check_metric(" in file.read_text():
            module = importlib.import_module(f"tests.metrics.{file.stem}")
            cases = getattr(module, "CASES", {})
            found |= {type(cases[name].make()) for name in cases.keys() - MISSING.keys()}
    return found


@pytest.mark.parametrize("name", sorted({*metrics.__all__} - MAKES_OTHERS))
def test_every_metric_has_a_case(name: str) -> None:
    """A file `tests/metrics/test_*.py` checks all laws on it; a family may share a file."""
    if name in MISSING:
        require_installed(MISSING[name])
    assert getattr(metrics, name) in checked(), f"no test file has a case of {name} in CASES"


class Bias(BaseMetric):
    """A mean that is written without a thought for what may go wrong."""

    difference = state.sum()

    def rows(self, values: Any) -> dict[str, Any]:
        """The values themselves."""
        return {"difference": np.asarray(values, float)}

    def compute_metric(self, results: Any) -> Any:
        """Divides by zero without samples."""
        return {"bias": results.difference / len(results)}


class JustANumber(Bias):
    def compute_metric(self, results: Any) -> Any:
        """Not a dict."""
        return results.difference / max(len(results), 1)


class AnObject(Bias):
    def compute_metric(self, results: Any) -> Any:
        """Not a value."""
        return {"bias": {1.0, 2.0}}


class Total(Bias):
    def compute_metric(self, results: Any) -> Any:
        """Without samples 0."""
        return {"total": [results.difference]}


def case(make: Callable[..., BaseMetric], **options: Any) -> MetricCase:
    """A case without an oracle."""
    return MetricCase(make, lambda rng, n: (rng.normal(size=n),), None, **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (JustANumber, "must return a dict"),
        (AnObject, "must be plain values, got set"),
        (Bias, "without samples it is .*ZeroDivisionError"),
        (Total, r"without samples it is .*\[0.0\].*empty="),
    ],
)
def test_the_kit_refuses(make: Callable[..., BaseMetric], message: str) -> None:
    """A result that is no dict of plain values, and one without samples that is not declared."""
    with pytest.raises(AssertionError, match=message):
        check_metric(case(make), examples=1)


@pytest.mark.parametrize("empty", [0.0, 0, {"total": [0.0]}])
def test_what_is_declared_is_accepted(empty: Any) -> None:
    """A number stands for every value of the dict."""
    check_metric(case(Total, empty=empty), examples=1)
    with pytest.raises(AssertionError, match="without samples"):
        check_metric(case(Total, empty=math.inf), examples=1)
